#!/usr/bin/env bash
# Writes the manual pages and the completions of shells: packaging/release/pages.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:?name a folder}
rm -rf "$out"
mkdir -p "$out/completions"
out=$(cd "$out" && pwd)
CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$out/citekit" ./cmd/citekit
"$out/citekit" man "$out/man" 2>/dev/null
"$out/citekit" completion bash >"$out/completions/citekit.bash"
"$out/citekit" completion zsh >"$out/completions/_citekit"
"$out/citekit" completion fish >"$out/completions/citekit.fish"
rm "$out/citekit"
