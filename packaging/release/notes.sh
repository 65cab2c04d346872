#!/usr/bin/env bash
# Prints what CHANGELOG.md says of a version: packaging/release/notes.sh v0.1.0
set -euo pipefail
cd "$(dirname "$0")/../.."
notes=$(awk -v heading="## ${1:?name a version, such as v0.1.0}" '
  /^## / { inside = ($0 == heading || index($0, heading " ") == 1); next }
  inside' CHANGELOG.md | sed -e '/./,$!d')
[ -n "$notes" ] || { echo "CHANGELOG.md has no section \"## $1\"" >&2; exit 1; }
printf '%s\n' "$notes"
