#!/usr/bin/env bash
# vehicle_and_station.sh ROOT: pipelines/vehicle-file sends a video file to pipelines/station-headless.
set -euo pipefail
root=$1
source "$root/tests/pipelines/common.sh"

gst-launch-1.0 -q videotestsrc num-buffers=600 pattern=ball ! video/x-raw,format=I420,width=320,height=180,framerate=30/1 \
  ! x264enc speed-preset=ultrafast ! h264parse ! matroskamux ! filesink location="$work/ball.mkv"
port=$(free_ports)
VIDEO_SINK=$(picture_sink) start station "$root/pipelines/station-headless" "127.0.0.1:$port"
listening() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }
await 20 listening || fail "the station does not listen"
start vehicle "$root/pipelines/vehicle-file" "$work/ball.mkv" "http://127.0.0.1:$port" test-vehicle
await 20 pictures 3 || fail "fewer than 3 pictures arrived in 20 s"
