#!/usr/bin/env python3
"""Checks the demo's report: every promised field, with a value of its kind, and the run it tells of."""
import json
import sys

KINDS = {
    "frames_sent": int, "frames_shown": int, "radar_sweeps_sent": int, "radar_sweeps_shown": int,
    "throughput_bps": (int, float), "target_bps": (int, float), "rtt_ms": (int, float),
    "owd_ms": (int, float), "owd_error_ms": (int, float), "picture_age_ms": (int, float),
    "time_to_first_frame_ms": (int, float), "algorithm": str, "startup": str, "fbe": dict,
    "encrypted": bool,
}


def faults(report):
    for name, kind in KINDS.items():
        if name not in report:
            yield f"{name} is missing"
        elif not isinstance(report[name], kind):
            yield f"{name} is {report[name]!r}"
    if report.get("encrypted") is not True:
        yield "not encrypted"
    for kind, sent, shown in (("frames", report["frames_sent"], report["frames_shown"]),
                              ("sweeps", report["radar_sweeps_sent"], report["radar_sweeps_shown"])):
        # A busy machine may leave out some; none at all, or more than were sent, is wrong.
        if not 0.5 * sent <= shown <= sent or sent < 20:
            yield f"{shown} of {sent} {kind} shown"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        found = list(faults(json.load(file)))
    print(*found, sep="\n")
    sys.exit(1 if found else 0)
