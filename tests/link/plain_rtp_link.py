#!/usr/bin/env python3
"""plain_rtp_link.py ROOT TUN_LINK: pipelines/plain-rtp-send and -receive over an emulated link.

Two network namespaces of this test's own, joined by tun_link: 3 Mbit/s for 20 s, then 8. While the
link is narrow, estimated-bitrate settles between 2 and 3 Mbit/s and the encoder follows; when it
widens, both rise. Needs root and /dev/net/tun; without, it is skipped (exit status 77).
"""
import bisect
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

SKIP = 77
NARROW_MBPS, NARROW_S, WIDE_MBPS, WIDE_S = 3, 20, 8, 20
RTT_MS, BUFFER_MS = 50, 300
OVERHEAD_BYTES = 14  # as tbf counts on Ethernet
# Enough detail that x264 takes whatever bitrate it is given.
SOURCE = ("videotestsrc is-live=true pattern=zone-plate kx2=20 ky2=20 kt=1"
          " ! video/x-raw,width=640,height=360,framerate=30/1")
ESTIMATE = re.compile(r":cc: estimated-bitrate = (\d+)")
ENCODER = re.compile(r":encoder: bitrate = (\d+)")
LINK = re.compile(r"second=(\d+) delivered_bps=(\d+) queued_bytes=(\d+) dropped=(\d+)")


def inside(namespace):
    """What to put before a command. `ip netns exec` would also change mounts, which a chroot forbids."""
    return ["nsenter", f"--net=/run/netns/{namespace}"]


class Program:
    """A program in a namespace, its lines kept with the time at which they came."""

    def __init__(self, namespace, arguments, environment=None):
        # Ahead of whatever else this machine does: arrival times are taken by the receiver.
        command = inside(namespace) + ["nice", "-n", "-15"] if namespace else []
        self.process = subprocess.Popen(
            command + arguments, env={**os.environ, **(environment or {})}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)
        self.lines = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append((time.monotonic(), line.rstrip()))

    def values(self, pattern):
        found = ((at, pattern.search(line)) for at, line in list(self.lines))
        return [(at, int(match[1])) for at, match in found if match]

    def end(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                os.killpg(self.process.pid, number)
                try:
                    self.process.wait(3)
                except subprocess.TimeoutExpired:
                    continue
        self.reader.join(1)


def median_between(values, start, end):
    """Time-weighted: the property's value at each tenth of a second."""
    times = [at for at, _ in values]
    samples = []
    at = start
    while at < end:
        index = bisect.bisect_right(times, at) - 1
        if index >= 0:
            samples.append(values[index][1])
        at += 0.1
    return statistics.median(samples) if samples else None


class Checks:
    def __init__(self):
        self.faults = 0

    def within(self, what, value, low, high):
        good = value is not None and low <= value <= high
        self.faults += not good
        print(f"{'ok  ' if good else 'FAIL'} {what}: {value} (to be {low} to {high})")


def judge(link, sender, began):
    estimates, encoder = sender.values(ESTIMATE), sender.values(ENCODER)
    delivered = {}
    for _, line in link.lines:
        match = LINK.match(line)
        if match:
            delivered[int(match[1])] = int(match[2])
            at = began + int(match[1])
            print(f"  {line} estimate={median_between(estimates, at - 1, at)}"
                  f" encoder_kbps={median_between(encoder, at - 1, at)}")
    checks = Checks()
    narrow = (began + NARROW_S / 2, began + NARROW_S)
    checks.within("estimated-bitrate on 3 Mbit/s", median_between(estimates, *narrow), 2e6, 3e6)
    checks.within("encoder's bitrate there, kbit/s", median_between(encoder, *narrow), 1500, 3000)
    checks.within("delivered there, bit/s",
                  statistics.median(delivered[s] for s in range(NARROW_S // 2, NARROW_S)),
                  1.5e6, 3.05e6)
    total = NARROW_S + WIDE_S
    wide = (began + total - WIDE_S / 2, began + total)
    checks.within("estimated-bitrate on 8 Mbit/s", median_between(estimates, *wide), 4e6, 8.2e6)
    checks.within("encoder's bitrate there, kbit/s", median_between(encoder, *wide), 3500, 8200)
    checks.within("delivered there, bit/s",
                  statistics.median(delivered[s] for s in range(total - WIDE_S // 2, total)),
                  3.2e6, 8.1e6)
    return checks.faults


def run(root, tun_link, left, right):
    pipelines = root / "pipelines"
    programs = []
    try:
        link = Program(None, [
            tun_link, "--left", f"{left}:10.90.0.1/24", "--right", f"{right}:10.90.0.2/24",
            "--link", f"{NARROW_MBPS}:{NARROW_S},{WIDE_MBPS}:{WIDE_S}", "--rtt", str(RTT_MS),
            "--buffer-ms", str(BUFFER_MS), "--overhead", str(OVERHEAD_BYTES)])
        programs.append(link)
        while not link.lines:
            if link.process.poll() is not None:
                print("skipped: tun_link ended at once")
                return SKIP
            time.sleep(0.02)
        began, first = link.lines[0]
        if first != "ready":
            print(f"skipped: {first}")
            return SKIP
        programs.append(Program(right, [pipelines / "plain-rtp-receive", "10.90.0.1"],
                                {"SINK": "fakesink sync=false"}))
        sender = Program(left, [pipelines / "plain-rtp-send", "10.90.0.2"], {"SOURCE": SOURCE})
        programs.append(sender)
        while time.monotonic() < began + NARROW_S + WIDE_S + 0.5:
            if any(program.process.poll() is not None for program in programs):
                print("FAIL a program ended early:")
                for program in programs:
                    print(*(line for _, line in program.lines[-15:]), sep="\n")
                return 1
            time.sleep(0.2)
    finally:
        for program in reversed(programs):
            program.end()
    return 1 if judge(link, sender, began) else 0


def main(root, tun_link):
    if os.geteuid() != 0 or not os.path.exists("/dev/net/tun"):
        print("skipped: network namespaces and TUN devices need root and /dev/net/tun")
        return SKIP
    names = [f"fw{os.getpid()}{side}" for side in "ab"]
    made = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        for name in names:
            added = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True,
                                   check=False)
            if added.returncode != 0:
                print(f"skipped: ip netns add: {added.stderr.strip()}")
                return SKIP
            made.append(name)
            subprocess.run(inside(name) + ["ip", "link", "set", "lo", "up"], check=True)
        return run(pathlib.Path(root), tun_link, *names)
    finally:
        for name in made:
            subprocess.run(["ip", "netns", "del", name], check=False)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
