# Sourced by the tests here that run pipelines: a folder that goes away, programs that end with the
# test, a free port.
work=$(mktemp -d)
started=()
clean_up() {
  for pid in "${started[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do
    for ((i = 0; i < 40; ++i)); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.05
    done
    kill -KILL "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 143' TERM INT

fail() {
  echo "FAILED: $1" >&2
  for log in "$work"/*.log; do
    echo "--- ${log##*/}" >&2
    tail -n 30 "$log" | cut -c 1-300 >&2
  done
  exit 1
}

# start NAME COMMAND...: in the background, its output in $work/NAME.log.
start() {
  local name=$1
  shift
  "$@" >"$work/$name.log" 2>&1 &
  started+=($!)
}

# Three free UDP and TCP ports in a row; prints the first.
free_ports() {
  python3 - <<'PYTHON'
import random, socket
while True:
    first = random.randrange(30000, 60000)
    try:
        for port in range(first, first + 3):
            for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
                with socket.socket(socket.AF_INET, kind) as s:
                    s.bind(("127.0.0.1", port))
        break
    except OSError:
        continue
print(first)
PYTHON
}

# await SECONDS COMMAND...: until the command succeeds; fails after that time.
await() {
  local seconds=$1
  shift
  for ((i = 0; i < seconds * 10; ++i)); do
    ! "$@" || return 0
    sleep 0.1
  done
  return 1
}

# A decoded picture a second, each a file in $work: what a sink of the pipelines is set to.
picture_sink() {
  echo "videoconvert ! videorate ! video/x-raw,framerate=1/1 ! jpegenc ! multifilesink location=$work/picture-%03d.jpg"
}
pictures() {
  local files=("$work"/picture-*.jpg)
  [[ -e ${files[0]} ]] && ((${#files[@]} >= $1))
}
