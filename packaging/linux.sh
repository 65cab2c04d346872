#!/usr/bin/env bash
# Makes deb, rpm and apk packages of the programs for Linux that release.sh built in dist/
# (or the folder named), with manual pages and completions of shells. The version is that
# of server.json. The same programs and commit give the same bytes. CITEKIT is a program
# that runs here (that of dist); NFPM the command that makes packages, else it is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath "${1:-dist}")
read -ra nfpm <<<"${NFPM:-go run github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4}"
citekit=${CITEKIT:-$out/citekit-$(go env GOHOSTOS)-$(go env GOHOSTARCH)}
export WORK ARCH PROGRAM VERSION DESCRIPTION SOURCE_DATE_EPOCH
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
VERSION=$(sed -n 's/^  "version": "\([^"]*\)",$/\1/p' server.json)
DESCRIPTION=$(sed -n 's/^  "description": "\([^"]*\)",$/\1/p' server.json)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
sed "s/MTIME/$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)/" packaging/nfpm.yaml >"$WORK/nfpm.yaml"
umask 022
"$citekit" man "$WORK/man" 2>/dev/null
"$citekit" completion bash >"$WORK/citekit.bash"
"$citekit" completion zsh >"$WORK/_citekit"
"$citekit" completion fish >"$WORK/citekit.fish"
for PROGRAM in "$out"/citekit-linux-{amd64,arm64}; do
  [ -e "$PROGRAM" ] || continue
  ARCH=${PROGRAM##*-}
  for kind in deb rpm apk; do
    "${nfpm[@]}" package --config "$WORK/nfpm.yaml" --packager "$kind" --target "$out/citekit-linux-$ARCH.$kind"
    printf '%s %s bytes\n' "$out/citekit-linux-$ARCH.$kind" "$(wc -c <"$out/citekit-linux-$ARCH.$kind")"
  done
done
