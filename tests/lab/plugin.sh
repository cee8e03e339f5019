#!/usr/bin/env bash
# plugin.sh LAB VEGAS.so: a controller from a shared object shares a link with ours in one run; what is
# no controller is refused by name.
set -euo pipefail
lab=$1
plugin=$2
fail() { echo "plugin.sh: $1" >&2; exit 1; }

"$lab" flows --rtt 50,50 --duration 30 --controller-plugin "$plugin" --algorithm plugin,bbr2 |
  python3 -c '
import json, sys
result = json.load(sys.stdin)
vegas, ours = result["flows"]
assert vegas["algorithm"] == "plugin" and ours["algorithm"] == "bbr2"
assert vegas["throughput_mbps"] > 0.1 and ours["throughput_mbps"] > 0.5, result
assert {"slow_start", "avoid"} <= set(vegas["states_s"]), vegas["states_s"]
assert vegas["counters"]["packets_delivered"] > 300, vegas["counters"]
assert result["utilisation"] > 0.9, result["utilisation"]
'
# Alone it keeps its few packets standing: full link, 4 packets of delay.
"$lab" flows --rtt 50 --duration 30 --window 10-30 --controller-plugin "$plugin" | python3 -c '
import json, sys
result = json.load(sys.stdin)
flow = result["flows"][0]
assert result["utilisation"] > 0.93, result["utilisation"]
assert flow["windows"][0]["owd_p95_ms"] - flow["path_owd_ms"] < 6 * 1.97, flow
'

# refuse EXPECTED ARGUMENT...
refuse() {
  local expected=$1 told status=0
  shift
  told=$("$lab" flows --duration 1 "$@" 2>&1 >/dev/null) || status=$?
  ((status == 2)) && [[ $told == *"$expected"* ]] ||
    fail "$*: status $status (wanted 2), said '$told' (wanted '$expected')"
}
refuse "cannot be loaded" --controller-plugin /no/such/file.so
refuse "cannot be loaded" --controller-plugin "$0"
refuse "refuses --params 'many'" --controller-plugin "$plugin" --params many
libc=$(ldd "$lab" | sed -n 's/.*=> \(.*libm\.so[^ ]*\).*/\1/p')
refuse "does not export farwheel_lab_get_controller" --controller-plugin "$libc"
