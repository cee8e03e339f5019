#!/usr/bin/env bash
# options.sh LAB: silly and hostile options end with status 2 at once, and the message names what was
# wrong and what is possible.
set -euo pipefail
lab=$1
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refuse EXPECTED-TEXT ARGUMENT...
refuse() {
  local expected=$1 told status=0
  shift
  told=$(timeout 20 "$lab" "$@" 2>&1 >/dev/null) || status=$?
  if ((status != 2)) || [[ $told != *"$expected"* ]]; then
    echo "options.sh: $*: status $status (wanted 2), said '$told' (wanted '$expected')" >&2
    failed=1
  fi
}

refuse "--rate: '-5' is out of range; possible are" flows --rate -5
refuse "--rate: 'nan' is no number" flows --rate nan
refuse "--rate: 'inf' is no number" flows --rate inf
refuse "--rate: '5x' is no number" flows --rate 5x
refuse "--rtt: '10,,60' has an empty value" flows --rtt 10,,60
refuse "--rtt: '' has an empty value" flows --rtt ''
refuse "--rtt: '1' is out of range" flows --rtt 1
refuse "possible are adaptive-bbr2, adaptive-bbr2-paper, bbr2" flows --algorithm gcc
refuse "--algorithm: 'plugin' needs --controller-plugin" flows --algorithm plugin
refuse "--algorithm: 3 values for 2 flows" flows --rtt 10,60 --algorithm bbr2,bbr2,bbr2
refuse "--startup: 'slow' is unknown; possible are fbe, classic" flows --startup slow
refuse "--params: " flows --params no_such_param=1
refuse "--params: " flows --params probe_up_gain=nan
refuse "--duration: '0' is out of range" flows --duration 0
refuse "--start: a flow starts at or after the end" flows --duration 10 --start 10
refuse "--wifi: '3' is out of range" flows --rtt 10,60 --wifi 3
refuse "--uplink: 'harq=0.1x8' has no slot" flows --uplink harq=0.1x8
refuse "--uplink slot: '0' is out of range" flows --uplink slot=0
refuse "--compete: 'vegas' is unknown; possible are cubic, bbr, reno" flows --compete vegas
refuse "--compete: 'cubic@9-3' ends before it starts" flows --compete cubic@9-3
refuse "--cross: 'uniform' is unknown; possible are poisson" flows --cross uniform:0.3
refuse "--cross: '1.5' is out of range" flows --cross poisson:1.5
refuse "--loss: '2' is out of range" flows --loss 2
refuse "has a bucket smaller than a packet" flows --policer 5:100B
refuse "makes the path shorter" flows --route -30@10
refuse "has no time; write MILLISECONDS@SECONDS" flows --reverse-delay-ms 80
refuse "--queue: 'sfq' is unknown; possible are fifo, fq_codel" flows --queue sfq
refuse "--ecn: a fifo marks nothing" flows --ecn
refuse "--json: cannot write '/no/such/folder/x.json'" flows --json /no/such/folder/x.json
refuse "--lte: '2' is unknown; possible are 1, 3" flows --lte 2
refuse "--lte: cannot be had together with --uplink" flows --lte 1 --uplink slot=5
refuse "--seed: '1.5' is no whole number" flows --seed 1.5
refuse "--bytes: '0' is out of range" startup --bytes 0
refuse "--driver-queue: 'drop@1' is unknown; possible is halve@SECONDS" startup --driver-queue drop@1
refuse "--senders: 'vegas' is unknown; possible are cubic, tcpbbr" startup --senders vegas
refuse "--out" paper
refuse "--out: cannot make" paper --out /proc/no
refuse "-j: '0' is out of range" paper --out "$work" -j 0
refuse "no-such-option" flows --no-such-option
refuse "--series: cannot write" flows --duration 1 --series /no/such/folder/x.csv
exit "$failed"
