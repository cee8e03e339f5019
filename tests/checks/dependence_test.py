#!/usr/bin/env python3
"""The dependence check finds what it is for, on small made-up trees."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import dependence  # noqa: E402


def faults(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return [message for check in dependence.CHECKS for _, message in check(root)]


class Dependence(unittest.TestCase):
    def test_clock_in_controller(self):
        self.assertRegex(faults({"controller/path/a.cc": "#include <chrono>\n"})[0], "<chrono>")

    def test_inner_room_includes_outer_one(self):
        found = faults({"controller/bbr/b.h": "", "controller/path/a.cc": '#include "bbr/b.h"\n'})
        self.assertRegex(found[0], "bbr/b.h")

    def test_room_includes_entry(self):
        found = faults({"controller/send_controller.h": "",
                        "controller/bbr/b.h": '#include "send_controller.h"\n'})
        self.assertEqual(len(found), 1)

    def test_plugin_room_includes_another(self):
        found = faults({"gst-plugin/rtpbbrcc/a.cc": '#include "webrtc/whip.h"\n'})
        self.assertRegex(found[0], "webrtc/whip.h")

    def test_console_includes_element(self):
        found = faults({"station-ui/backend/a.cc": '#include "webrtc/farwheelsrc.h"\n'})
        self.assertRegex(found[0], "only through GStreamer")

    def test_what_is_allowed(self):
        self.assertEqual(faults({
            "controller/units/time.h": "#include <cstdint>\n",
            "controller/controller_types.h": '#include "units/time.h"\n',
            "controller/bbr/b.h": '#include "controller_types.h"\n#include "units/time.h"\n',
            "controller/bbr/b.cc": '#include "b.h"\n',
            "gst-plugin/webrtc/a.cc": '#include <gst/gst.h>\n#include "support/gst_ptr.h"\n',
            "station-ui/backend/a.cc": '#include "radar/radar_sweep.h"\n'}), [])


if __name__ == "__main__":
    unittest.main()
