#!/usr/bin/env bash
# Publishes the packages that carriers.py made in dist/ (or the folder named)
# to a registry of npm on this machine, and does what somebody does who has only Node: three
# commands with an empty cache, from nothing to a citation from a folder of twenty files.
# Then it installs the wheel, and with uv runs it. Prints the seconds of each.
# The registry is registry.py, or the verdaccio whose command VERDACCIO is.
set -euo pipefail
cd "$(dirname "$0")/../.."
dist=$(realpath "${1:-dist}")
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port
if [ -n "${VERDACCIO:-}" ]; then
  cat >"$work/config.yaml" <<'Y'
storage: ./storage
auth: {htpasswd: {file: ./htpasswd}}
uplinks: {}
packages: {"**": {access: $all, publish: $all}}
max_body_size: 200mb
Y
  $VERDACCIO --config "$work/config.yaml" --listen "127.0.0.1:$port" >"$work/registry.log" 2>&1 &
else
  packaging/release/registry.py "$port" >"$work/registry.log" 2>&1 &
fi
server=$!
for _ in $(seq 900); do
  curl -fs "$url/-/ping" >/dev/null && break
  kill -0 "$server" || { cat "$work/registry.log" >&2; exit 1; }
  sleep 0.2
done
# Anybody may publish, but npm wants to see a token.
export npm_config_userconfig=$work/npmrc npm_config_registry=$url npm_config_cache=$work/cache npm_config_update_notifier=false
echo "//127.0.0.1:$port/:_authToken=rehearsal" >"$npm_config_userconfig"
for package in "$dist"/npm/cli-* "$dist"/npm/cli; do
  npm publish --silent --access public --provenance=false "$package" >/dev/null
done
rm -rf "$npm_config_cache"

# A PATH with Node and what every system has, but no Go and no citekit.
mkdir -p "$work/bin" "$work/home" "$work/files"
for program in node npm npx; do ln -s "$(command -v "$program")" "$work/bin/$program"; done
clean=(env -u GOFLAGS -u GOROOT HOME="$work/home" PATH="$work/bin:/usr/bin:/bin")
for n in $(seq 20); do
  printf '# Note %s\n\nThe boiler in house %s is cleaned in week %s of each year.\n' "$n" "$n" "$((n + 3))" >"$work/files/note$n.md"
done
cd "$work/files"
now() { date +%s.%N; }
began=$(now)
timed() { # what, command...
  local before what=$1
  before=$(now)
  shift
  "$@" >"$work/out"
  python3 -c 'import sys; print("%8.1f s  %s" % (float(sys.argv[1]) - float(sys.argv[2]), sys.argv[3]))' "$(now)" "$before" "$what"
}
timed 'npx -y @citekit/cli version' "${clean[@]}" npx -y @citekit/cli version
timed 'npx -y @citekit/cli ingest .' "${clean[@]}" npx -y @citekit/cli ingest .
timed 'npx -y @citekit/cli answer' "${clean[@]}" npx -y @citekit/cli answer 'When is the boiler in house 7 cleaned?'
grep -q 'text://note7' "$work/out" || { echo "no citation:"; cat "$work/out"; exit 1; } >&2
python3 -c 'import sys; print("%8.1f s  all three" % (float(sys.argv[1]) - float(sys.argv[2])))' "$(now)" "$began"
request='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"rehearsal","version":"1"}}}'
timed 'npx -y @citekit/cli serve' "${clean[@]}" npx -y @citekit/cli serve <<<"$request"
grep -q '"serverInfo"' "$work/out"

python3 -m venv "$work/venv"
timed 'pip install citekit' "$work/venv/bin/pip" install --quiet --no-index --find-links "$dist/pypi" citekit
"$work/venv/bin/citekit" version
if command -v uvx >/dev/null; then
  timed 'uvx citekit version' uvx --no-index --find-links "$dist/pypi" citekit version
fi
