#!/usr/bin/env bash
# installed.sh BUILD: what `ninja install` puts down is whole: programs, plugin, documents, and a
# library that a program of somebody else's compiles and links against by pkg-config alone.
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$work" >/dev/null
found() { [[ -n $(find "$work" -path "*/$1" -print -quit) ]] || { echo "not installed: $1" >&2; exit 1; }; }
found bin/farwheel-vehicle
found bin/farwheel-station
found gstreamer-1.0/libgstfarwheel.so
found include/farwheel/radar/radar_sweep.h
if [[ -x $build/tests/lab/farwheel-lab ]]; then
  found bin/farwheel-lab
  found include/farwheel/lab/controller_plugin.h
fi
[[ -z $(find "$work" -name '*.cc' -o -name meson.build) ]] || { echo "sources are installed" >&2; exit 1; }

cat >"$work/user.cc" <<'CODE'
#include <send_controller.h>

int main() {
  farwheel::SendController controller{farwheel::ControllerConfig{}};
  return controller.params().empty() ? 1 : 0;
}
CODE
PKG_CONFIG_PATH=$(dirname "$(find "$work" -name farwheel-controller.pc)")
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR=$work
read -ra flags <<<"$(pkg-config --cflags --libs farwheel-controller)"
g++ -std=c++20 "$work/user.cc" "${flags[@]}" -o "$work/user"
"$work/user"
