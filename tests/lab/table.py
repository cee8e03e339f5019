#!/usr/bin/env python3
"""Runs every row of the controller's table of figures and prints bound, figure and verdict as Markdown.

Each row is a set of runs of farwheel-lab and a rule over their JSON; rows live in table_rows.py.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import table_rows  # noqa: E402


def lab_run(lab, arguments):
    """One run's JSON; a run that fails is told with its command line."""
    command = [lab, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def commit():
    try:
        return subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"],
                              capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def run_rows(options, rows):
    """Yields (row, findings) in the rows' order, as soon as each is complete."""
    wanted = {}
    for row in rows:
        for arguments in row.runs(options.seeds, options.startup):
            wanted.setdefault(tuple(arguments), None)
    print(f"{len(rows)} rows, {len(wanted)} runs", file=sys.stderr)
    done = 0
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {run: pool.submit(lab_run, options.lab, run) for run in wanted}
        for row in rows:
            results = {}
            fault = None
            for run in row.runs(options.seeds, options.startup):
                try:
                    results[tuple(run)] = futures[tuple(run)].result()
                except (RuntimeError, ValueError) as error:
                    fault = str(error)
            done = sum(future.done() for future in futures.values())
            print(f"\r{done}/{len(futures)} runs, {time.monotonic() - began:.0f} s  ",
                  end="", file=sys.stderr)
            if fault:
                yield row, [table_rows.Finding("run", "ends", fault, False)]
            else:
                yield row, row.judge(results, options.seeds, options.startup)
    print(file=sys.stderr)


def markdown(findings_of_rows, options):
    judged = [f for _, findings in findings_of_rows for f in findings if f.bound]
    held = sum(f.holds for f in judged)
    lines = [
        f"Commit {commit()}, {datetime.date.today().isoformat()}, seeds "
        f"{','.join(map(str, options.seeds))}, start-up {options.startup} where a row names none: "
        f"{held} of {len(judged)} bounds hold.", "",
        "| row | figure | bound | reached | holds |", "| --- | --- | --- | --- | --- |",
    ]
    for row, findings in findings_of_rows:
        for finding in findings:
            lines.append(f"| {row.name} | {finding.what} | {finding.bound} | {finding.reached} | "
                         f"{finding.verdict} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="table", description=__doc__)
    parser.add_argument("--lab", default=os.environ.get("FARWHEEL_LAB", "build/tests/lab/farwheel-lab"),
                        help="the program (default: build/tests/lab/farwheel-lab)")
    parser.add_argument("--seeds", default="1,2,3", help="list of seeds (default 1,2,3)")
    parser.add_argument("--startup", choices=("classic", "fbe"), default="fbe",
                        help="of rows that name none (default fbe, as the program's)")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="runs at a time (default 2)")
    parser.add_argument("--row", action="append", default=[],
                        help="only rows whose name contains this (may be repeated)")
    parser.add_argument("--list", action="store_true", help="name the rows and stop")
    parser.add_argument("--out", help="write the Markdown here as well")
    parser.add_argument("--strict", action="store_true", help="status 1 if a bound does not hold")
    options = parser.parse_args()
    try:
        options.seeds = [int(seed) for seed in options.seeds.split(",")]
    except ValueError:
        parser.error(f"--seeds: '{options.seeds}' is no list of whole numbers")
    rows = [row for row in table_rows.ROWS
            if not options.row or any(part in row.name for part in options.row)]
    if not rows:
        parser.error(f"--row: no row's name contains {options.row}; --list names them")
    if options.list:
        print("\n".join(row.name for row in rows))
        return 0
    if not os.access(options.lab, os.X_OK):
        parser.error(f"--lab: '{options.lab}' is no program; build it: ninja -C build "
                     "tests/lab/farwheel-lab")
    findings = []
    for row, of_row in run_rows(options, rows):
        findings.append((row, of_row))
        for finding in of_row:
            print(f"\r{row.name}: {finding}", file=sys.stderr)
    text = markdown(findings, options)
    print(text, end="")
    if options.out:
        pathlib.Path(options.out).write_text(text, encoding="utf-8")
    missed = any(not f.holds for _, of_row in findings for f in of_row)
    return 1 if options.strict and missed else 0


if __name__ == "__main__":
    sys.exit(main())
