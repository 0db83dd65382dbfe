"""Prints the licenses of the packages that `cargo tree` lists (a file of lines `name vVERSION …`), with their texts.

Reads the output of `cargo metadata`. Each text is printed once, after the names of all packages that have it.
"""

import json
import pathlib
import re
import sys

NAME = re.compile(r"(.*licen[cs]e|copying|copyright|notice).*", re.IGNORECASE)


def is_license(file):
    """Whether a file is a license; in a folder of fonts, all texts are."""
    return file.is_file() and bool(NAME.fullmatch(file.name) or file.match("fonts/*.txt"))


listed = {tuple(line.split()[:2]) for line in open(sys.argv[1]) if line.strip()}
texts = {}
for package in json.load(sys.stdin)["packages"]:
    # Those of this workspace have no source. Their licenses are beside this file.
    if package["source"] is None or (package["name"], "v" + package["version"]) not in listed:
        continue
    name = f"{package['name']} {package['version']}"
    folder = pathlib.Path(package["manifest_path"]).parent
    files = [file for file in sorted(folder.rglob("*")) if is_license(file)]
    authors = "" if files else f", by {', '.join(package['authors']) or 'its contributors'}; it contains no text"
    print(f"{name}: {package['license'] or package['license_file']}{authors}")
    for file in files:
        text = "\n".join(line.rstrip() for line in file.read_text(errors="replace").strip().splitlines())
        texts.setdefault(text, []).append(name)
for text, names in texts.items():
    print("\n" + "=" * 100, ", ".join(dict.fromkeys(names)), "", text, sep="\n")
