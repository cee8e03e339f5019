"""Network namespaces of a run's own, and programs in them. What cannot be had without root raises
Unavailable, which says what is missing; a test then skips."""
import os
import signal
import subprocess
import threading
import time


class Unavailable(Exception):
    """This machine cannot make what the run needs."""


def inside(namespace):
    """What to put before a command. `ip netns exec` would also change mounts, which a chroot forbids."""
    return ["nsenter", f"--net=/run/netns/{namespace}"]


class Namespaces:
    """Made on entry, gone on exit: one for the vehicle, one for the station."""

    def __init__(self, sides=("vehicle", "station")):
        self.names = {side: f"fw{os.getpid()}{side[0]}" for side in sides}
        self.made = []

    def __enter__(self):
        if os.geteuid() != 0 or not os.path.exists("/dev/net/tun"):
            raise Unavailable("network namespaces and TUN devices need root and /dev/net/tun")
        try:
            for name in self.names.values():
                added = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True,
                                       check=False)
                if added.returncode != 0:
                    raise Unavailable(f"ip netns add: {added.stderr.strip()}")
                self.made.append(name)
                subprocess.run(inside(name) + ["ip", "link", "set", "lo", "up"], check=True)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.made:
            subprocess.run(["ip", "netns", "del", name], check=False)
        self.made = []

    def __getitem__(self, side):
        return self.names[side]


class Program:
    """A program, its lines kept with the time at which they came, and what it cost."""

    def __init__(self, arguments, namespace=None, environment=None):
        # Ahead of whatever else this machine does: times are taken by the programs themselves.
        command = inside(namespace) + ["nice", "-n", "-15"] if namespace else []
        self.arguments = [str(argument) for argument in arguments]
        self.process = subprocess.Popen(
            command + self.arguments, env={**os.environ, **(environment or {})}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)
        self.lines = []
        self.cpu_s = None
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append((time.monotonic(), line.rstrip()))

    def values(self, pattern):
        found = ((at, pattern.search(line)) for at, line in list(self.lines))
        return [(at, int(match[1])) for at, match in found if match]

    def text(self):
        return "\n".join(line for _, line in self.lines)

    def ended(self):
        """Whether it has; what it cost is then known."""
        if self.process.returncode is None:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid != 0:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.cpu_s = usage.ru_utime + usage.ru_stime
        return self.process.returncode is not None

    def wait(self, seconds):
        until = time.monotonic() + seconds
        while not self.ended() and time.monotonic() < until:
            time.sleep(0.02)
        return self.ended()

    def threads(self):
        """CPU seconds of each thread that lives, summed by name."""
        ticks = os.sysconf("SC_CLK_TCK")
        costs = {}
        try:
            for task in os.listdir(f"/proc/{self.process.pid}/task"):
                with open(f"/proc/{self.process.pid}/task/{task}/stat", encoding="utf-8") as file:
                    text = file.read()
                name = text[text.index("(") + 1:text.rindex(")")]
                fields = text[text.rindex(")") + 2:].split()
                costs[name] = costs.get(name, 0) + (int(fields[11]) + int(fields[12])) / ticks
        except (OSError, ValueError):
            pass
        return costs

    def udp_sent(self):
        """Datagrams that left its network namespace so far."""
        with open(f"/proc/{self.process.pid}/net/snmp", encoding="utf-8") as file:
            names, values = [line.split() for line in file if line.startswith("Udp:")]
        return int(dict(zip(names, values))["OutDatagrams"])

    def end(self, patience=3):
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.ended():
                break
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                pass
            self.wait(patience)
        self.reader.join(1)
