#!/usr/bin/env python3
"""run_test.py RUN BUILD NAME: a short run of the real vehicle and station on an emulated link, and
whether they lived: generous bounds only, for the clock is real. Without root it is skipped (77)."""
import json
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
RUNS = {
    # A link that loses most of its rate and gets it back.
    "drop": (["--link", "4:4,1:3,4:3"], 0.9, 0.5),
    # A phone's uplink that does all that packets can suffer at once.
    "bad": (["--link", "5:10", "--uplink", "slot=5,harq=0.1x8", "--loss", "0.02", "--jitter-ms", "2",
             "--reordering", "0.01", "--duplication", "0.02", "--feedback-loss", "0.05"], 0.8, 0.7),
    # Nothing passes for four seconds: the session that was is the one that goes on.
    "silence": (["--link", "5:12", "--silence", "4@5"], 0.5, 0.9),
    # A NAT forgets the vehicle's port, again and again: the session is healed each time. Without a
    # check of ours the picture is gone until a new session comes, 3 s later.
    "rebind": (["--link", "5:20", "--nat-rebind", "3,7,11,15"], 0.8, 0.7),
    # The uplink in use is gone for good, another is there: the same session goes on over it.
    "uplink": (["--link", "5:10", "--silence", "100@5", "--second-uplink", "--link 5:60 --rtt 50"],
               0.8, 0.7),
    # The kernel prefers the other uplink, and then takes that one away: no frame is missed.
    "planned": (["--link", "5:10", "--second-uplink", "--link 5:60 --rtt 50",
                 "--vehicle-does", "4 ip route add 10.90.0.0/24 dev tun0 metric 600",
                 "--vehicle-does", "4.02 ip route del 10.90.0.0/24 dev tun0 metric 0",
                 "--vehicle-does", "7 ip link set tun1 down"], 0.95, 0.5),
    # The vehicle's only address becomes another: a new session at once, not after 8 s.
    "address": (["--link", "5:12", "--vehicle-does", "4 ip address del 10.90.0.1/24 dev tun0",
                 "--vehicle-does", "4.05 ip address add 10.90.0.3/24 dev tun0"], 0.6, 0.7),
    # A path that swallows large packets without a word, below those of the start in the end.
    "mtu": (["--link", "5:16", "--mtu", "1180@4", "--mtu", "1000@9"], 0.8, 0.7),
}
# A station that died is sent nothing after 10 s.
KILLED = ["--link", "5:18", "--kill-station", "4"]
LONGEST_GAP_MS = {"rebind": 2000, "mtu": 2000, "uplink": 2000, "planned": 1000, "address": 4000}
SESSIONS = {"address": 2}
# What came over a second link is not the first one's use, and its log is not read.
TWO_LINKS = ("uplink", "planned")
# Where packets are cut no smaller, one in six is lost to the end.
MOST_LOST = {"mtu": 0.06}


class Checks:
    def __init__(self):
        self.faults = 0

    def within(self, what, value, low, high):
        good = value is not None and low <= value <= high
        self.faults += not good
        print(f"{'ok  ' if good else 'FAIL'} {what}: {value} (to be {low} to {high})")


def judge_killed(result):
    checks = Checks()
    checks.within("UDP sent after the station's end", result["udp_sent_after"], 1, 1e6)
    checks.within("last of it, in s", result["udp_last_sent_s"], 0, 10)
    return checks.faults


def judge(name, result):
    checks = Checks()
    _, least_delivered, most_late = RUNS[name]
    seconds = result["duration_s"]
    for feed in result["feeds"]:
        feed_name, captured = feed["name"], feed["captured"]
        hertz = 30 if feed["kind"] == "camera" else 13
        checks.within(f"{feed_name} captured", captured, 0.7 * hertz * seconds, 1.1 * hertz * seconds)
        checks.within(f"{feed_name} delivered", feed["delivered"] / max(1, captured), least_delivered, 1)
        checks.within(f"{feed_name} over_300", feed["over_300"], 0, most_late)
        # Half of 50 ms is what light needs.
        checks.within(f"{feed_name} latency p50", feed["latency_ms"]["p50"], 25, 300)
    checks.within("feeds", len(result["feeds"]), 2, 2)
    if name in LONGEST_GAP_MS:
        checks.within("gap_ms of the camera", result["gap_ms"]["video_0"], 0, LONGEST_GAP_MS[name])
    if name in MOST_LOST:
        checks.within("loss", result["loss"], 0, MOST_LOST[name])
    for phase in result["phases"] if name not in TWO_LINKS else []:
        checks.within(f"utilisation of {phase['rate_mbps']} Mbit/s", phase["utilisation"], 0.2, 0.99)
        checks.within("owd_p50_ms", phase["owd_p50_ms"], 25, 400)
    sessions = SESSIONS.get(name, 1)
    checks.within("sessions", result["processes"]["sessions_total"], sessions, sessions)
    checks.within("frames shown", result["processes"]["frames_shown"], 10 * seconds, 40 * seconds)
    if name not in TWO_LINKS:
        checks.within("share without OWD", result["run"]["arrivals_without_owd"]
                      / max(1, result["delivered_packets"]), 0, 0.02)
    checks.within("units in two parts", result["run"]["units_split"], 0, 0)
    checks.within("bad lines", result["run"]["log_lines_bad"], 0, 0)
    return checks.faults


def main(run, build, name):
    options = KILLED if name == "killed" else RUNS[name][0]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run.json"
        done = subprocess.run([run, "--build", build, "--json", out, *options], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        print(done.stdout, end="")
        if done.returncode != 0:
            return done.returncode
        result = json.loads(out.read_text(encoding="utf-8"))
    if name == "killed":
        return 1 if judge_killed(result) else 0
    print(json.dumps({key: result[key] for key in ("phases", "feeds", "gap_ms", "run")}))
    return 1 if judge(name, result) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
