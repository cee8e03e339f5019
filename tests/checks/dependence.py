#!/usr/bin/env python3
"""Who may include whom (docs/architecture.md), read from the include lines.

controller/ stands on a few headers of the C++ standard library, without clocks, threads or I/O;
its rooms depend on each other in one direction only; the plugin's rooms do not know each other
except where the table says so; the console sees the plugin through GStreamer alone.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)

# Time, randomness, threads and I/O are arguments there, so that virtual time stays exact.
CONTROLLER_MAY_USE = {
    "algorithm", "array", "bit", "bitset", "cassert", "charconv", "cmath", "compare", "concepts", "cstddef",
    "cstdint", "cstring", "deque", "functional", "initializer_list", "iterator", "limits", "list",
    "map", "memory", "numeric", "optional", "ostream", "queue", "set", "span", "stdexcept",
    "string", "string_view", "system_error", "tuple", "type_traits", "unordered_map",
    "unordered_set", "utility", "variant", "vector", "iosfwd",
}

CONTROLLER = {  # room: the rooms that it may include
    "units": set(),
    "feedback": {"units"},
    "path": {"units", "feedback"},  # what happened to a packet is what a path is known by
    "bbr": {"units", "path", "feedback"},
    "fbe": {"units", "path", "feedback"},
    "pacing": {"units", "path", "feedback"},
    "adaptive": {"units", "path", "feedback", "bbr", "fbe", "pacing"},
    "media": {"units", "path", "feedback", "bbr", "fbe", "pacing"},
}
# At the top, files of no room: send_controller.h may include every room and is included by none;
# controller_types.h holds plain values, which the rooms above path/ share.
SHARED_TYPES = "controller_types.h"
PLUGIN = {
    "support": set(),
    "encoder": {"support"},
    "rtpbbrcc": {"support", "encoder"},
    "radar": {"support"},
    "webrtc": {"support", "encoder", "rtpbbrcc", "radar"},
    "recording": set(),
}
# What may be taken from the plugin's sources outside of it: the layout of a sweep, and owning pointers.
PUBLIC = {"radar/radar_sweep.h", "support/gst_ptr.h"}

def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in {".cc", ".h"})


def room_of(path, folder):
    parts = path.relative_to(folder).parts
    return parts[0] if len(parts) > 1 else ""


def check_controller(root):
    folder = root / "controller"
    for path in sources(folder):
        room = room_of(path, folder)
        if room and room not in CONTROLLER:
            yield path, f"room controller/{room}/ is not in the table of tests/checks/dependence.py"
            continue
        for kind, name in includes(path):
            if kind == "<":
                if name not in CONTROLLER_MAY_USE:
                    yield path, f"<{name}>: not for controller/, which is pure (no clock, thread, I/O or GLib)"
                continue
            beside = (path.parent / name).is_file() and "/" not in name
            target = room if beside and room else name.split("/")[0] if "/" in name else "the top"
            if not (folder / name).is_file() and not (path.parent / name).is_file():
                yield path, f'"{name}": include controller headers by their path below controller/'
            elif not room or (name == SHARED_TYPES and room not in {"units", "path", "feedback"}):
                continue
            elif target != room and target not in CONTROLLER[room]:
                yield path, f'"{name}": {room}/ may include only {sorted(CONTROLLER[room]) or "itself"}'


def check_plugin(root):
    folder = root / "gst-plugin"
    for path in sources(folder):
        room = room_of(path, folder)
        if not room:
            continue
        if room not in PLUGIN:
            yield path, f"room gst-plugin/{room}/ is not in the table of tests/checks/dependence.py"
            continue
        for kind, name in includes(path):
            if kind == "<":
                if room == "recording" and name.startswith(("gst/", "glib")):
                    yield path, f"<{name}>: recording/ is without GStreamer"
                continue
            target = name.split("/")[0] if "/" in name else room
            if target in PLUGIN and target != room and target not in PLUGIN[room]:
                yield path, f'"{name}": {room}/ may include only {sorted(PLUGIN[room]) or "itself"}'


def check_outside(root):
    plugin_rooms = set(PLUGIN)
    for folder in (root / "station-ui", root / "pipelines"):
        for path in sources(folder):
            for kind, name in includes(path):
                own = (path.parent / name).is_file() or any(folder.rglob(name))
                if kind == "<" or own or name in PUBLIC:
                    continue
                first = name.split("/")[0]
                if first in plugin_rooms or first in CONTROLLER or name.startswith(("gst-plugin", "controller")):
                    yield path, f'"{name}": {folder.name}/ sees the plugin only through GStreamer'


CHECKS = (check_controller, check_plugin, check_outside)


def main(root):
    faults = []
    for check in CHECKS:
        for path, message in check(root):
            place = path.relative_to(root).as_posix()
            faults.append(f"{place}: {message}")
    counted = len(sources(root / "controller")) + len(sources(root / "gst-plugin"))
    print(*faults, sep="\n")
    print(f"{counted} files of controller/ and gst-plugin/ read, {len(faults)} faults")
    return 1 if faults or counted == 0 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
