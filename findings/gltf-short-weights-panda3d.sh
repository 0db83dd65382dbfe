#!/usr/bin/env bash
# A glTF clip of two nodes, whose samplers end at different times: the last key of one is at 1 s, that of the other at 2 s. glTF
# holds the last value of the shorter one.
# Seen: panda3d-gltf 1.3.0 (Panda3D 1.10.16) loads such a clip of translations. If the shorter sampler has weights of morph
# targets, it raises IndexError. So a writer should end all weights of a clip at the same time.
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

TRIANGLE = [0, 0, 0, 1, 0, 0, 0, 1, 0]
OFFSETS = [0, 0, 1] * 3
WIDTHS = {"SCALAR": 1, "VEC3": 3}


def write(path, animated, ends):
    outputs = {"translation": ("VEC3", [0, 0, 0, 0, 1, 0]), "weights": ("SCALAR", [0, 1])}
    times = [("SCALAR", [0, end]) for end in ends]
    arrays = [("VEC3", TRIANGLE), ("VEC3", OFFSETS), *times, outputs[animated]]
    data, views, accessors = b"", [], []
    for kind, values in arrays:
        encoded = struct.pack(f"<{len(values)}f", *values)
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(encoded)})
        data += encoded
        columns = [values[column :: WIDTHS[kind]] for column in range(WIDTHS[kind])]
        accessors.append(
            {
                "bufferView": len(views) - 1,
                "componentType": 5126,
                "count": len(values) // WIDTHS[kind],
                "type": kind,
                "min": [min(column) for column in columns],
                "max": [max(column) for column in columns],
            }
        )
    primitive = {"attributes": {"POSITION": 0}, "material": 0, "targets": [{"POSITION": 1}]}
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"name": "first", "mesh": 0}, {"name": "second", "mesh": 0}],
        "materials": [{}],
        "meshes": [{"weights": [0], "primitives": [primitive]}],
        "animations": [
            {
                "name": "clip",
                "samplers": [{"input": 2, "output": 4}, {"input": 3, "output": 4}],
                "channels": [{"sampler": node, "target": {"node": node, "path": animated}} for node in (0, 1)],
            }
        ],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [
            {"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}
        ],
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)


def load(animated, ends):
    write("clip.gltf", animated, ends)
    try:
        gltf.load_model("clip.gltf")
        return "loads"
    except IndexError:
        return "IndexError"


seen = {(animated, ends): load(animated, ends) for animated in ("translation", "weights") for ends in ((2, 2), (1, 2))}
print("panda3d-gltf 1.3.0", seen)
assert seen == {
    ("translation", (2, 2)): "loads",
    ("translation", (1, 2)): "loads",
    ("weights", (2, 2)): "loads",
    ("weights", (1, 2)): "IndexError",
}
PY
venv/bin/python run.py
