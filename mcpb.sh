#!/usr/bin/env bash
# Makes a bundle for desktop clients of every binary that GoReleaser put in
# dist/ (or the folder named), and dist/server.json for the registry, with their
# hashes. The version is that of server.json, as nothing else has one. MCPB is the command that validates
# the manifests; without it npx fetches one.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath "${1:-dist}")
read -ra validator <<<"${MCPB:-npx --yes @anthropic-ai/mcpb@2.1.2}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for binary in "$out"/citekit-*-*; do
  case $binary in *.mcpb | *.json | *.tar.gz | *.zip | *.deb | *.rpm | *.apk) continue ;; esac
  name=$(basename "${binary%.exe}")
  python3 - "$binary" "$name" "$work/manifest.json" "$out/$name.mcpb" <<'PY'
import json, sys, zipfile

binary, name, manifest_path, bundle = sys.argv[1:]
platform = {"linux": "linux", "darwin": "darwin", "windows": "win32"}[name.split("-")[1]]
entry = "server/citekit" + (".exe" if platform == "win32" else "")
server = json.load(open("server.json"))
manifest = json.load(open("packaging/manifest.json"))
manifest["version"] = server["version"]
manifest["description"] = server["description"]
manifest["compatibility"] = {"platforms": [platform]}
manifest["server"]["entry_point"] = entry
manifest["server"]["mcp_config"]["command"] = "${__dirname}/" + entry
text = json.dumps(manifest, indent=2) + "\n"
open(manifest_path, "w").write(text)

def member(path, mode):
    info = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))  # the same bytes each time
    info.compress_type, info.external_attr, info.create_system = zipfile.ZIP_DEFLATED, mode << 16, 3
    return info

with zipfile.ZipFile(bundle, "w") as z:
    z.writestr(member("manifest.json", 0o100644), text)
    z.writestr(member("icon.png", 0o100644), open("packaging/icon.png", "rb").read())
    z.writestr(member("LICENSE", 0o100644), open("LICENSE", "rb").read())
    z.writestr(member(entry, 0o100755), open(binary, "rb").read())
PY
  cp packaging/icon.png "$work"
  "${validator[@]}" validate "$work/manifest.json"
  printf '%s %s bytes\n' "$out/$name.mcpb" "$(wc -c <"$out/$name.mcpb")"
done

python3 - "$out" <<'PY'
import glob, hashlib, json, os, sys

out = sys.argv[1]
server = json.load(open("server.json"))
for bundle in sorted(glob.glob(os.path.join(out, "*.mcpb"))):
    server["packages"].append({
        "registryType": "mcpb",
        "identifier": f"{server['repository']['url']}/releases/download/v{server['version']}/{os.path.basename(bundle)}",
        "fileSha256": hashlib.sha256(open(bundle, "rb").read()).hexdigest(),
        "transport": {"type": "stdio"},
    })
json.dump(server, open(os.path.join(out, "server.json"), "w"), indent=2)
PY
