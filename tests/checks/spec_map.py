#!/usr/bin/env python3
"""Every file and test that docs/spec-map.md names exists, and every row names both.

Tests are read from the sources (TEST, TEST_F, TEST_P, RC_GTEST_PROP), so that nothing need be built.
"""
import fnmatch
import pathlib
import re
import sys

CASE = re.compile(
    r"\b(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\s*\(\s*(\w+)\s*,\s*(\w+)")
INSTANCE = re.compile(r"\bINSTANTIATE_TEST_SUITE_P\s*\(\s*(\w+)\s*,\s*(\w+)")
SPAN = re.compile(r"`([^`]+)`")


def tests_in(folder):
    """Names as GoogleTest gives them, without the parameters of a parametrised one."""
    names = set()
    for source in sorted(folder.rglob("*.cc")):
        text = source.read_text(encoding="utf-8")
        cases = CASE.findall(text)
        names.update(f"{suite}.{case}" for suite, case in cases)
        for prefix, suite in INSTANCE.findall(text):
            names.update(f"{prefix}/{s}.{case}" for s, case in cases if s == suite)
    return names


def faults_of(text, root, tests):
    rows = 0
    columns = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            columns = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not columns:
            columns = cells
            for wanted in ("file", "test"):
                if wanted not in columns:
                    yield f"line {number}: the table has no column '{wanted}'"
            continue
        if set(line) <= set("|- "):
            continue
        rows += 1
        if len(cells) != len(columns):
            yield f"line {number}: {len(cells)} cells under {len(columns)} headings"
            continue
        row = dict(zip(columns, cells))
        files = SPAN.findall(row.get("file", ""))
        named = SPAN.findall(row.get("test", ""))
        if not files:
            yield f"line {number}: names no file"
        if not named:
            yield f"line {number}: names no test"
        for path in files:
            if not (root / path).is_file():
                yield f"line {number}: {path} does not exist"
        for pattern in named:
            if not fnmatch.filter(tests, pattern):
                yield f"line {number}: no test is named {pattern}"
    if rows == 0:
        yield "no row was found"


def self_test(root):
    """The check finds what it is there to find."""
    table = "| what | file | test |\n| --- | --- | --- |\n| a | `{}` | `{}` |\n"
    good, tests = "docs/spec-map.md", {"Suite.Case"}
    cases = [(table.format(good, "Suite.Case"), 0), (table.format(good, "Suite.*"), 0),
             (table.format("no/such.cc", "Suite.Case"), 1), (table.format(good, "Suite.No"), 1),
             ("| what | file | test |\n| --- | --- | --- |\n| a | | |\n", 2), ("nothing", 1)]
    return [f"self-test: {text!r}" for text, wanted in cases
            if len(list(faults_of(text, root, tests))) != wanted]


def main(root):
    tests = tests_in(root / "tests")
    text = (root / "docs/spec-map.md").read_text(encoding="utf-8")
    faults = self_test(root) + list(faults_of(text, root, tests))
    print(*faults, sep="\n")
    print(f"{len(tests)} tests known, {len(faults)} faults in docs/spec-map.md")
    return 1 if faults or not tests else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
