#!/usr/bin/env bash
# programs.sh VERSION PROGRAM...: each program tells its version, the one version, and helps, without
# a screen, a home or a network; and refuses an option that it does not know, by name.
set -euo pipefail
version=$1
shift
export -n DISPLAY WAYLAND_DISPLAY
failed=0
fault() { echo "${program##*/}: $1" >&2; failed=1; }
for program in "$@"; do
  told=$("$program" --version 2>&1) || fault "--version: exit status $?"
  [[ $told == *farwheel*" $version" ]] || fault "--version says '$told', not farwheel $version"
  helped=$("$program" --help 2>&1) || fault "--help: exit status $?"
  ((${#helped} > 80)) || fault "--help says only '$helped'"
  if refused=$("$program" --no-such-option 2>&1); then
    fault "takes --no-such-option"
  elif [[ $refused != *no-such-option* && $refused != *"is required"* ]]; then
    fault "does not name the option that it refuses: '$refused'"
  fi
done
exit "$failed"
