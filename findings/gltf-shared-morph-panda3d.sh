#!/usr/bin/env bash
# panda3d-gltf 1.3.0 (Panda3D 1.10.16) assumes that a second accessor of a buffer view is interleaved, and reads the view's
# optional `byteStride` without a default. Two morph targets that use the same accessor are such a case: valid glTF, and
# natural for a writer that removes duplicates.
# Seen: KeyError 'byteStride' for shared targets; the file with one accessor per target loads.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet panda3d==1.10.16 panda3d-gltf==1.3.0
cat > run.py <<'PY'
import base64
import json
import struct

import gltf


def write(path, targets):
    triangle = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
    offset = struct.pack("<9f", *[0, 0, 1] * 3)
    data = triangle + offset * 2
    views = [{"buffer": 0, "byteOffset": at, "byteLength": 36, "target": 34962} for at in (0, 36, 72)]
    bounds = [([0, 0, 0], [1, 1, 0]), ([0, 0, 1], [0, 0, 1]), ([0, 0, 1], [0, 0, 1])]
    accessors = [
        {"bufferView": view, "componentType": 5126, "count": 3, "type": "VEC3", "min": low, "max": high}
        for view, (low, high) in enumerate(bounds)
    ]
    primitive = {"attributes": {"POSITION": 0}, "material": 0, "targets": [{"POSITION": target} for target in targets]}
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "materials": [{}],
        "meshes": [{"weights": [0, 0], "primitives": [primitive]}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [
            {"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}
        ],
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)


def load(path):
    try:
        gltf.load_model(path)
        return "loads"
    except KeyError as error:
        return f"KeyError {error}"


write("own.gltf", [1, 2])
write("shared.gltf", [1, 1])
seen = {path: load(path) for path in ("own.gltf", "shared.gltf")}
print("panda3d-gltf 1.3.0", seen)
assert seen == {"own.gltf": "loads", "shared.gltf": "KeyError 'byteStride'"}
PY
venv/bin/python run.py
