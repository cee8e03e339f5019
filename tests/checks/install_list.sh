#!/usr/bin/env bash
# pipelines/install with everything there calls no apt and needs no root; with something missing it
# says what and how. apt-get, dpkg-query and sudo are stand-ins, so nothing is installed.
set -euo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "install_list: $1" >&2; exit 1; }

# A stand-in for dpkg-query that knows every package but those in $work/absent.
cat >"$work/dpkg-query" <<'STUB'
#!/usr/bin/env bash
shift 3
for package in "$@"; do
  grep -qx "$package" "${0%/*}/absent" || echo "$package installed"
done
STUB
cat >"$work/apt-get" <<'STUB'
#!/usr/bin/env bash
echo "$*" >>"${0%/*}/calls"
[[ $* != *" -s "* || -e ${0%/*}/lists ]]
STUB
chmod +x "$work"/{dpkg-query,apt-get}
: >"$work/absent"
: >"$work/calls"
export PATH=$work:$PATH

"$root/pipelines/install"
[[ ! -s $work/calls ]] || fail "apt was called although nothing is missing"

echo ninja-build >"$work/absent"
output=$("$root/pipelines/install" --check 2>&1) && fail "--check succeeded with a package missing"
[[ $output == *"apt-get install -y --no-install-recommends ninja-build"* ]] ||
  fail "--check does not say how to install: $output"
[[ ! -s $work/calls ]] || fail "--check called apt"
"$root/pipelines/install" test || fail "a need that is met failed for another's sake"
[[ ! -s $work/calls ]] || fail "apt was called for a need that was not asked for"

((EUID == 0)) || { echo "not root: the apt calls themselves are not tried"; exit 0; }
"$root/pipelines/install" build >/dev/null
grep -q ' update' "$work/calls" || fail "no apt-get update although the lists lack the package"
: >"$work/calls"
: >"$work/lists"
"$root/pipelines/install" build >/dev/null
! grep -q ' update' "$work/calls" || fail "apt-get update although the lists hold the package"
grep -q 'install -y --no-install-recommends ninja-build' "$work/calls" || fail "ninja-build not installed"
