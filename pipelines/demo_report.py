#!/usr/bin/env python3
"""demo_report.py VEHICLE.json STATION.json [OUT.json]: the figures of one run of the demo.

What was sent is the vehicle's count, what was shown the console's; delays, rates and the picture's
age are the console's last known ones, the target and the controller's words the vehicle's at the
moment its cameras stopped. What is not known is null.
"""
import json
import sys


def sent(vehicle, kind):
    feeds = vehicle["at_end"].get("cc", {}).get("feeds", [])
    return sum(feed.get("units_sent", 0) for feed in feeds if feed.get("kind") == kind)


def report(vehicle, station):
    controller = vehicle["when_feeds_stopped"].get("cc", {})
    first_shown = station.get("first_frame_unix_ns")
    merged = {
        "frames_sent": sent(vehicle, "camera"),
        "frames_shown": station["frames_shown"],
        "radar_sweeps_sent": sent(vehicle, "radar"),
        "radar_sweeps_shown": station["radar_sweeps_shown"],
        "time_to_first_frame_ms":
            first_shown and round((first_shown - vehicle["process_start_unix_ns"]) / 1e6, 1),
        "target_bps": controller.get("target_bps", station.get("target_bps")),
        "state": controller.get("state"),
        "limited_by": controller.get("limited_by"),
        "fbe": {
            "estimate_bps": controller.get("fbe_estimate_bps"),
            "confidence": controller.get("fbe_confidence"),
            "done": controller.get("fbe_done"),
        },
    }
    for name in ("algorithm", "startup"):
        merged[name] = controller.get(name, station.get(name))
    for name in ("frames_decoded", "throughput_bps", "rtt_ms", "owd_ms", "owd_error_ms", "loss",
                 "clock_error_ms", "picture_age_ms", "picture_age_p95_ms", "picture_age_error_ms",
                 "encrypted", "sessions_total"):
        merged[name] = station.get(name)
    return merged


def text(merged):
    def number(name, scale=1.0, digits=1):
        value = merged[name]
        return "-" if value is None else f"{value / scale:.{digits}f}"

    yield (f"{merged['frames_shown']} of {merged['frames_sent']} frames shown, "
           f"{merged['radar_sweeps_shown']} of {merged['radar_sweeps_sent']} radar sweeps; "
           f"first frame after {number('time_to_first_frame_ms', digits=0)} ms")
    yield (f"throughput {number('throughput_bps', 1e6, 2)} of {number('target_bps', 1e6, 2)} Mbit/s, "
           f"RTT {number('rtt_ms')} ms, one-way delay {number('owd_ms')} \u00b1{number('owd_error_ms')} ms, "
           f"picture age {number('picture_age_ms')} ms")


def main(vehicle_file, station_file, out=None):
    with open(vehicle_file, encoding="utf-8") as file:
        vehicle = json.load(file)
    with open(station_file, encoding="utf-8") as file:
        station = json.load(file)
    merged = report(vehicle, station)
    print(*text(merged), sep="\n")
    if out == "-":
        print(json.dumps(merged, indent=2))
    elif out:
        with open(out, "w", encoding="utf-8") as file:
            json.dump(merged, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
