#!/usr/bin/env bash
# Builds the command for every platform into dist/ (or the folder named): static,
# without symbols, and the same bytes from the same commit with the same Go. Beside
# each program lies the list of what it is made of, in CycloneDX; citekit-man.tar.gz
# has the manual pages, and SHA256SUMS the hashes of all. TARGETS names fewer platforms,
# such as linux/amd64, and MODULE=cloud the program with workspaces in PostgreSQL and
# object stores. Needs nothing but Go and its modules.
set -euo pipefail
cd "$(dirname "$0")"
out=${1:-dist}
case $out in -*) echo "release.sh [FOLDER] takes no flags; see its first lines" >&2; exit 1 ;; esac
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "${MODULE:-.}"

for target in ${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}; do
  os=${target%/*} arch=${target#*/}
  name=citekit-$os-$arch
  [ "$os" = windows ] && name=$name.exe
  GOOS=$os GOARCH=$arch CGO_ENABLED=0 go build -buildvcs=auto -trimpath -ldflags '-s -w' -o "$out/$name" ./cmd/citekit
  go run github.com/citekit/citekit/internal/tool/sbom "$out/$name" >"$out/${name%.exe}.cdx.json"
  printf '%s %s bytes\n' "$out/$name" "$(wc -c <"$out/$name")"
done
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
CGO_ENABLED=0 go run -trimpath -ldflags '-s -w' ./cmd/citekit man "$pages"
go run github.com/citekit/citekit/internal/tool/archive "$out/citekit-man.tar.gz" "$pages" share/man/man1
(cd "$out" && sha256sum citekit-* >SHA256SUMS)
