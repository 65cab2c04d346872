#!/usr/bin/env bash
# Installs what the tests need on Debian or Ubuntu, where it is missing, and
# runs them all, with the race detector where several goroutines meet. Arguments
# go to "go test".
set -euo pipefail
cd "$(dirname "$0")"

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# The independent programs that results are compared with.
declare -A package=(
  [ffmpeg]=ffmpeg [ffprobe]=ffmpeg [qpdf]=qpdf [pdftotext]=poppler-utils
  [/usr/bin/convert]=imagemagick [vips]=libvips-tools [strace]=strace [python3]=python3 [npm]=npm
  [tesseract]=tesseract-ocr [exiftool]=libimage-exiftool-perl [mkvmerge]=mkvtoolnix [git]=git
  [cmark-gfm]=cmark-gfm [asciidoctor]=asciidoctor [/usr/lib/python3/dist-packages/docutils]=python3-docutils
  [gcc]=gcc [bash]=bash [zsh]=zsh [fish]=fish [curl]=curl [openssl]=openssl [ip]=iproute2 [systemd-analyze]=systemd
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

# The MCP client the server is tested with, a Node it runs on, the conformance
# suites of the protocol, the parsers that symbols of code are compared with, and
# the readers of citations.
for modules in mcpadapter/testdata/client mcpadapter/testdata/conformance internal/code/testdata citation/testdata/readers; do
  [ -d "$modules/node_modules" ] || (cd "$modules" && npm install --no-audit --no-fund --no-package-lock --loglevel=error)
done

# The tests of some rooms compare, for minutes, what one goroutine makes with
# what other programs make: there the race detector, which makes everything some
# four times slower, watches only what several goroutines do, such as those parts
# of the conformance suite (of each case where a room has cases of its own).
comparing='citekit/(answer|citation|cmd/citekit|e2e|mapadapter|search|server|verify|internal/(anchor|attacktest|citedtext|code|htmlblocks|inflate|jpeg|libreoffice|markup|media|mp4|pdfcut|quotation|segment)|modality/(audio|document/(archive|epub|pdf|slides)|image|text|video))$'
together='concurrent|crowd|cancelled|closed|leaks'
several="Conformance/(zip|tar|table|object|[.]png|$together)/($together)|Concurrent|Concurrently|Once|JobsEnd|Budget|Cancel|Cancelled|Stops|Flood|Gone|Revoked|LimitsHold|NothingOfOthers|Serve[A-Z]|Interrupt|TestWatch"
mapfile -t rooms < <(go list ./... | grep -vE "$comparing")
mapfile -t compared < <(go list ./... | grep -E "$comparing")
status=0
go test -vet=off -timeout 40m "$@" "${compared[@]}" || status=$?
go test -vet=off -race -timeout 40m "$@" "${rooms[@]}" || status=$?
go test -vet=off -race -timeout 40m -run "$several" "$@" "${compared[@]}" || status=$?
exit "$status"
