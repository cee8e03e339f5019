#!/usr/bin/env python3
"""tests/summary.py counts cases, programs, crashes and skips, and its last line is the sum."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SUMMARY = pathlib.Path(__file__).resolve().parent.parent / "summary.py"
CASES = """[ RUN      ] Pacer.Waits
[       OK ] Pacer.Waits (3 ms)
[  FAILED  ] All/Pacer.Drops/0, where GetParam() = 5 (0 ms)
[  SKIPPED ] Pacer.Sends (0 ms)
[  FAILED  ] 1 test, listed below:
[  FAILED  ] All/Pacer.Drops/0, where GetParam() = 5
"""


def run(entries, *arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as log:
        for result, stdout in entries:
            log.write(json.dumps({"name": "t", "result": result, "stdout": stdout}) + "\n")
        log.flush()
        done = subprocess.run([sys.executable, SUMMARY, *arguments, log.name], text=True,
                              capture_output=True, check=False)
    return done.stdout.splitlines()[-1], done.returncode


class SummaryLine(unittest.TestCase):
    def test_cases_of_a_program(self):
        self.assertEqual(run([("FAIL", CASES)]), ("1 passed, 1 failed, 1 skipped", 1))

    def test_programs_without_cases(self):
        self.assertEqual(run([("OK", ""), ("SKIP", "no root")]), ("1 passed, 0 failed, 1 skipped", 0))

    def test_crash_after_good_cases_is_a_failure(self):
        good = "[       OK ] Pacer.Waits (3 ms)\n"
        self.assertEqual(run([("FAIL", good)]), ("1 passed, 1 failed, 0 skipped", 1))
        self.assertEqual(run([("TIMEOUT", "")]), ("0 passed, 1 failed, 0 skipped", 1))

    def test_nothing_run_is_no_success(self):
        self.assertEqual(run([]), ("0 passed, 0 failed, 0 skipped", 1))

    def test_failed_build_is_added(self):
        self.assertEqual(run([("OK", "")], "--failed", "1"), ("1 passed, 1 failed, 0 skipped", 1))


if __name__ == "__main__":
    unittest.main()
