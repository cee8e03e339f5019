#!/usr/bin/env bash
# demo.sh ROOT: the demo without a window, and twice at once: frames and sweeps arrive, encrypted, the
# report has every field, and no process is left behind.
set -euo pipefail
root=$1
source "$root/tests/pipelines/common.sh"

start one "$root/pipelines/demo" --headless --no-install --seconds 6 --json "$work/one.json"
start two "$root/pipelines/demo" --headless --no-install --seconds 6 --json "$work/two.json"
for pid in "${started[@]}"; do
  wait "$pid" || fail "a demo failed"
done
started=()
for run in one two; do
  python3 "$root/tests/pipelines/demo_json.py" "$work/$run.json" || fail "report of demo $run"
done
