#!/usr/bin/env python3
"""plain_rtp_link.py ROOT TUN_LINK: pipelines/plain-rtp-send and -receive over an emulated link.

Two network namespaces of this test's own, joined by tun_link: 3 Mbit/s for 20 s, then 8. While the
link is narrow, estimated-bitrate settles between 2 and 3 Mbit/s and the encoder follows; when it
widens, both rise. Needs root and /dev/net/tun; without, it is skipped (exit status 77).
"""
import bisect
import pathlib
import re
import signal
import statistics
import sys
import time

from namespaces import Namespaces, Program, Unavailable

SKIP = 77
NARROW_MBPS, NARROW_S, WIDE_MBPS, WIDE_S = 3, 20, 8, 20
RTT_MS, BUFFER_MS = 50, 300
# To what a capacity is known, by frames and stamps of 250 us.
KNOWN_TO = 1.03
# An encoder is set off its target by what it makes of it, by so much at most.
MOST_GAIN = 1.25
# Enough detail that x264 takes whatever bitrate it is given.
SOURCE = ("videotestsrc is-live=true pattern=zone-plate kx2=20 ky2=20 kt=1"
          " ! video/x-raw,width=640,height=360,framerate=30/1")
ESTIMATE = re.compile(r":cc: estimated-bitrate = (\d+)")
ENCODER = re.compile(r":encoder: bitrate = (\d+)")
LINK = re.compile(r"second=(\d+) delivered_bps=(\d+) queued_bytes=(\d+) dropped=(\d+)")


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
    checks.within("estimated-bitrate on 3 Mbit/s", median_between(estimates, *narrow), 2e6,
                  3e6 * KNOWN_TO)
    checks.within("encoder's bitrate there, kbit/s", median_between(encoder, *narrow), 1500,
                  3000 * MOST_GAIN)
    checks.within("delivered there, bit/s",
                  statistics.median(delivered[s] for s in range(NARROW_S // 2, NARROW_S)),
                  1.5e6, 3.05e6)
    total = NARROW_S + WIDE_S
    wide = (began + total - WIDE_S / 2, began + total)
    checks.within("estimated-bitrate on 8 Mbit/s", median_between(estimates, *wide), 4e6, 8.2e6)
    checks.within("encoder's bitrate there, kbit/s", median_between(encoder, *wide), 3500,
                  8200 * MOST_GAIN)
    checks.within("delivered there, bit/s",
                  statistics.median(delivered[s] for s in range(total - WIDE_S // 2, total)),
                  3.2e6, 8.1e6)
    return checks.faults


def run(root, tun_link, left, right):
    pipelines = root / "pipelines"
    programs = []
    try:
        link = Program([
            tun_link, "--left", f"{left}:10.90.0.1/24", "--right", f"{right}:10.90.0.2/24",
            "--link", f"{NARROW_MBPS}:{NARROW_S},{WIDE_MBPS}:{WIDE_S}", "--rtt", str(RTT_MS),
            "--buffer-ms", str(BUFFER_MS)])
        programs.append(link)
        while not any(line.startswith("began") for _, line in link.lines):
            if link.ended():
                print(f"skipped: {link.text() or 'tun_link ended at once'}")
                return SKIP
            time.sleep(0.02)
        began = link.lines[0][0]
        programs.append(Program([pipelines / "plain-rtp-receive", "10.90.0.1"], right,
                                {"SINK": "fakesink sync=false"}))
        sender = Program([pipelines / "plain-rtp-send", "10.90.0.2"], left, {"SOURCE": SOURCE})
        programs.append(sender)
        while time.monotonic() < began + NARROW_S + WIDE_S + 0.5:
            if any(program.ended() for program in programs):
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
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with Namespaces() as made:
            return run(pathlib.Path(root), tun_link, made["vehicle"], made["station"])
    except Unavailable as reason:
        print(f"skipped: {reason}")
        return SKIP


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
