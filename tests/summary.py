#!/usr/bin/env python3
"""Adds up meson's test logs into one line: "N passed, N failed, N skipped".

GoogleTest programs count by their cases, anything else counts as one. A program that ended badly
although none of its cases failed (crash, timeout, sanitizer report) adds one failure. Exit status 0
only if nothing failed and something passed.
"""
import json
import re
import sys

CASE = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] \S+( \(\d+ ms\)|, where .* \(\d+ ms\))", re.M)
MESON = {
    "OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped", "IGNORED": "skipped",
}  # FAIL, TIMEOUT, INTERRUPT, ERROR, UNEXPECTEDPASS: failed
GTEST = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}


def count(entry):
    """The passed, failed and skipped cases of one program's log entry."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for match in CASE.finditer(entry.get("stdout", "")):
        counts[GTEST[match[1]]] += 1
    verdict = MESON.get(entry["result"], "failed")
    if sum(counts.values()) == 0 or (verdict == "failed" and counts["failed"] == 0):
        counts[verdict] += 1
    return counts


def main(arguments):
    total = {"passed": 0, "failed": 0, "skipped": 0}
    if arguments[:1] == ["--failed"]:
        total["failed"] = int(arguments[1])
        arguments = arguments[2:]
    bad, skipped = [], []
    for path in arguments:
        with open(path, encoding="utf-8") as log:
            for line in log:
                entry = json.loads(line)
                counts = count(entry)
                for verdict, number in counts.items():
                    total[verdict] += number
                if counts["failed"]:
                    bad.append(f"  {path.split('/')[0]}: {entry['name']} ({entry['result']})")
                elif counts["skipped"]:
                    skipped.append(f"  {path.split('/')[0]}: {entry['name']}")
    print()
    if skipped:
        print("Skipped (what for stands in meson-logs/testlog.txt):", *skipped, sep="\n")
    if bad:
        print("Failed:", *bad, sep="\n")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**total))
    return 0 if total["failed"] == 0 and total["passed"] > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
