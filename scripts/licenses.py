"""Prints the licenses of the packages that `cargo tree` lists (a file of lines `name vVERSION …`), with their texts.

Reads the output of `cargo metadata`. Each text is printed once, after the names of all packages that have it.
"""

import json
import pathlib
import sys

listed = {tuple(line.split()[:2]) for line in open(sys.argv[1]) if line.strip()}
texts = {}
for package in json.load(sys.stdin)["packages"]:
    # Those of this workspace have no source. Their licenses are beside this file.
    if package["source"] is None or (package["name"], "v" + package["version"]) not in listed:
        continue
    name = f"{package['name']} {package['version']}"
    print(f"{name}: {package['license'] or package['license_file']}")
    folder = pathlib.Path(package["manifest_path"]).parent
    for file in sorted(folder.iterdir()):
        if file.is_file() and file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE")):
            text = "\n".join(line.rstrip() for line in file.read_text(errors="replace").strip().splitlines())
            texts.setdefault(text, []).append(name)
for text, names in texts.items():
    print("\n" + "=" * 100, ", ".join(names), "", text, sep="\n")
