#!/usr/bin/env bash
# Installs what the tests need on Debian or Ubuntu, where it is missing, and
# runs them all with the race detector. Arguments go to "go test".
set -euo pipefail
cd "$(dirname "$0")"

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# The independent programs that results are compared with.
declare -A package=(
  [ffmpeg]=ffmpeg [ffprobe]=ffmpeg [qpdf]=qpdf [pdftotext]=poppler-utils
  [/usr/bin/convert]=imagemagick [vips]=libvips-tools [strace]=strace [python3]=python3 [npm]=npm
  [gcc]=gcc [bash]=bash [zsh]=zsh [fish]=fish
  [/usr/share/R/doc/manual/fullrefman.pdf]=r-doc-pdf # a real manual of 2,400 pages
)
missing=()
for program in "${!package[@]}"; do
  command -v "$program" >/dev/null || [ -e "$program" ] || missing+=("${package[$program]}")
done
if [ ${#missing[@]} -gt 0 ] && command -v apt-get >/dev/null; then
  echo "installing: ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# The MCP client the server is tested with, and a Node it runs on.
client=mcpadapter/testdata/client
if [ -f "$client/package.json" ] && [ ! -d "$client/node_modules" ]; then
  (cd "$client" && npm install --no-audit --no-fund --no-package-lock --loglevel=error)
fi

exec go test -race -timeout 20m "$@" ./...
