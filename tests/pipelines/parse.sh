#!/usr/bin/env bash
# parse.sh ROOT PARSER: each copyable pipeline parses, with every element, property and caps filter
# that it names, and with the values that its comments offer.
set -euo pipefail
root=$1
parser=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$parser" "$work/gst-launch-1.0"
export PATH=$work:$PATH

# Each file of pipelines/ that runs gst-launch-1.0 is one, so that a new one cannot be forgotten.
mapfile -t pipelines < <(grep -ls --directories=skip "^exec gst-launch-1.0" "$root"/pipelines/*)
((${#pipelines[@]} >= 5)) || { echo "only ${#pipelines[@]} pipelines found" >&2; exit 1; }
failed=0
try() {
  echo "-- ${*#"$root/"}"
  "$@" || failed=1
}
for pipeline in "${pipelines[@]}"; do
  case ${pipeline##*/} in
    vehicle-file) try "$pipeline" /nonexistent.mp4 ;;
    *) try "$pipeline" ;;
  esac
done
SOURCE="v4l2src device=/dev/video0 ! videoconvert" try "$root/pipelines/plain-rtp-send" ::1 6000
SINK=fakesink try "$root/pipelines/plain-rtp-receive"
VIDEO_SINK="videoconvert ! autovideosink sync=false" try "$root/pipelines/station-headless"

# The stand-in does fail on what is wrong.
if "$work/gst-launch-1.0" videotestsrc no-such-property=1 ! fakesink 2>/dev/null; then
  echo "the parser accepts a property that does not exist" >&2
  failed=1
fi
exit "$failed"
