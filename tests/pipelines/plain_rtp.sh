#!/usr/bin/env bash
# plain_rtp.sh ROOT: pipelines/plain-rtp-send and -receive talk over loopback: pictures arrive, and
# rtpbbrcc, fed by the receiver's reports, lifts the encoder above its start.
set -euo pipefail
root=$1
source "$root/tests/pipelines/common.sh"

port=$(free_ports)
SINK=$(picture_sink) start receive "$root/pipelines/plain-rtp-receive" 127.0.0.1 "$port"
sleep 0.5
SOURCE="videotestsrc is-live=true pattern=zone-plate kx2=20 ky2=20 kt=1 ! video/x-raw,width=640,height=360,framerate=30/1" \
  start send "$root/pipelines/plain-rtp-send" 127.0.0.1 "$port"

await 20 pictures 3 || fail "fewer than 3 pictures arrived in 20 s"
encoder_rose() {
  local highest
  highest=$(sed -n 's/.*encoder: bitrate = \([0-9]*\).*/\1/p' "$work/send.log" | sort -n | tail -n 1)
  [[ -n $highest ]] && ((highest > 2000))
}
await 20 encoder_rose || fail "the encoder's bitrate never rose above 2000 kbit/s on loopback"
grep -q 'cc: estimated-bitrate = ' "$work/send.log" || fail "estimated-bitrate never notified"
