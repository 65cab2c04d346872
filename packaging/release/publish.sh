#!/usr/bin/env bash
# Publishes the release of a tag that is checked out: GoReleaser makes archives, packages for
# Linux and lists of modules; then come the bundles for desktop clients, the entry for the
# registry of MCP servers and the packages of npm and PyPI. gh publishes all but those, npm
# its own. What goes to PyPI, Homebrew, Scoop and winget lies in dist/. With --dry-run it
# makes and checks all of it in dist/, prints the notes, and publishes nothing. CI calls it
# when a tag is pushed; CONTRIBUTING.md says what comes before.
set -euo pipefail
cd "$(dirname "$0")/../.."
tag=${1:?name a tag, such as v0.1.0} how=${2:-}
[ -z "$how" ] || [ "$how" = --dry-run ] || { echo "unknown argument $how; there is only --dry-run" >&2; exit 1; }
[[ $tag =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || { echo "$tag is not a version such as v0.1.0" >&2; exit 1; }
[ "$(git rev-parse "$tag^{commit}")" = "$(git rev-parse HEAD)" ] || { echo "$tag is not the commit that is checked out" >&2; exit 1; }
[ -z "$(git status --porcelain)" ] || { echo "the tree has changes that are not committed" >&2; exit 1; }
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
packaging/release/notes.sh "$tag" >"$notes"
entry=$(sed -n 's/^  "version": "\([^"]*\)",$/\1/p' server.json)
[ "v$entry" = "$tag" ] || { echo "server.json has version $entry, not ${tag#v}" >&2; exit 1; }
packaging/release/goreleaser release --clean --skip=publish,announce --release-notes "$notes"
version=$("dist/citekit-$(go env GOOS)-$(go env GOARCH)" version --json | sed -n 's/.*"version": "\([^"]*\)".*/\1/p')
[ "$version" = "$tag" ] || { echo "the program says version $version, not $tag" >&2; exit 1; }
./mcpb.sh dist
packaging/carriers.py dist
(cd dist && sha256sum citekit-*.mcpb server.json >>SHA256SUMS && sha256sum --check --quiet SHA256SUMS)
if [ -n "$how" ]; then
  cat "$notes"
  exit
fi
pre=()
[[ $tag != *-* ]] || pre=(--prerelease)
gh release create "$tag" --verify-tag --title "$tag" --notes-file "$notes" "${pre[@]}" dist/citekit-*.{tar.gz,zip,deb,rpm,apk,cdx.json,mcpb} dist/server.json dist/SHA256SUMS
# The packages of the platforms come first: the one that names them is last.
for package in dist/npm/cli-* dist/npm/cli; do
  npm publish --access public --provenance "$package"
done
