#!/usr/bin/env python3
"""Makes packages for npm and PyPI of the programs that GoReleaser built.

    packaging/carriers.py [DIST]

DIST/npm/ gets a folder for each package of npm, as 'npm publish FOLDER' takes it:
@citekit/cli, which starts the program, and one package for each platform with the
program, which npm chooses by "os" and "cpu". DIST/pypi/ gets a wheel for each platform.
Versions and descriptions are those of server.json, whose name the registry of MCP servers looks
for in both. The same programs give the same bytes.
"""

import base64
import hashlib
import json
import os
import shutil
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Of each platform of Go: os and cpu of npm, and the tags of a wheel. The programs are
# static, so the tags of Linux name the oldest systems that PyPI knows.
PLATFORMS = {
    "linux-amd64": ("linux", "x64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"),
    "linux-arm64": ("linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"),
    "darwin-amd64": ("darwin", "x64", "macosx_12_0_x86_64"),
    "darwin-arm64": ("darwin", "arm64", "macosx_12_0_arm64"),
    "windows-amd64": ("win32", "x64", "win_amd64"),
    "windows-arm64": ("win32", "arm64", "win_arm64"),
}


def read(*path, mode="r"):
    with open(os.path.join(ROOT, *path), mode) as f:
        return f.read()


def write(path, data, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    os.chmod(path, mode)


def npm(out, programs, server):
    """Writes the folders of the packages for npm."""
    main = json.loads(read("packaging", "npm", "cli.json"))
    main["version"], main["description"], main["mcpName"] = server["version"], server["description"], server["name"]
    for target, (program, file) in programs.items():
        system, cpu, _ = PLATFORMS[target]
        name = f"{main['name']}-{system}-{cpu}"
        main["optionalDependencies"][name] = server["version"]
        one = {k: main[k] for k in ("version", "license", "homepage", "repository")}
        one = {"name": name, **one, "description": f"citekit for {system}, {cpu}", "os": [system], "cpu": [cpu], "files": ["bin"]}
        folder = os.path.join(out, name.split("/")[1])
        write(os.path.join(folder, "package.json"), json.dumps(one, indent=2) + "\n")
        write(os.path.join(folder, "LICENSE"), read("LICENSE"))
        write(os.path.join(folder, "README.md"), f"The program of [{main['name']}]({main['homepage']}) for {system}, {cpu}.\n")
        write(os.path.join(folder, "bin", file), program, 0o755)
    folder = os.path.join(out, main["name"].split("/")[1])
    write(os.path.join(folder, "package.json"), json.dumps(main, indent=2) + "\n")
    write(os.path.join(folder, "citekit.js"), read("packaging", "npm", "citekit.js"), 0o755)
    write(os.path.join(folder, "LICENSE"), read("LICENSE"))
    write(os.path.join(folder, "README.md"), read("README.md"))


def wheel(out, program, file, tags, server):
    """Writes a wheel: a ZIP whose scripts pip puts on the PATH (PEP 427)."""
    version = server["version"].replace("-rc.", "rc").replace("-beta.", "b").replace("-alpha.", "a")  # PEP 440
    info = f"citekit-{version}.dist-info"
    tag_lines = "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    metadata = (
        f"Metadata-Version: 2.1\nName: citekit\nVersion: {version}\nSummary: {server['description']}\n"
        f"Home-page: {server['repository']['url']}\nLicense: MIT\nRequires-Python: >=3.8\n"
        f"Description-Content-Type: text/markdown\n\n{read('README.md')}\n<!-- mcp-name: {server['name']} -->\n"
    )
    members = [
        (f"citekit-{version}.data/scripts/{file}", program, 0o755),
        (f"{info}/METADATA", metadata.encode(), 0o644),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: citekit\nRoot-Is-Purelib: false\n{tag_lines}".encode(), 0o644),
        (f"{info}/licenses/LICENSE", read("LICENSE", mode="rb"), 0o644),
    ]
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
        for name, data, _ in members
    )
    members.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), 0o644))
    os.makedirs(out, exist_ok=True)
    with zipfile.ZipFile(os.path.join(out, f"citekit-{version}-py3-none-{tags}.whl"), "w", zipfile.ZIP_DEFLATED) as z:
        for name, data, mode in members:
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.compress_type, member.create_system = zipfile.ZIP_DEFLATED, 3
            member.external_attr = (0o100000 | mode) << 16
            z.writestr(member, data)


def main():
    dist = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "dist")
    server = json.loads(read("server.json"))
    programs = {}
    for target in PLATFORMS:
        file = "citekit.exe" if target.startswith("windows") else "citekit"
        path = os.path.join(dist, f"citekit-{target}" + file[len("citekit"):])
        if os.path.exists(path):
            with open(path, "rb") as f:
                programs[target] = (f.read(), file)
    if not programs:
        sys.exit(f"carriers.py: {dist} has no programs such as citekit-linux-amd64; 'goreleaser release --snapshot' builds them")
    for folder in ("npm", "pypi"):
        shutil.rmtree(os.path.join(dist, folder), ignore_errors=True)
    npm(os.path.join(dist, "npm"), programs, server)
    for target, (program, file) in programs.items():
        wheel(os.path.join(dist, "pypi"), program, file, PLATFORMS[target][2], server)
    print(f"{len(programs)} platforms: {os.path.join(dist, 'npm')} and {os.path.join(dist, 'pypi')}")


main()
