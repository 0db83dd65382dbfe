#!/usr/bin/env bash
# A glTF node whose `extras` have two lists of objects: one of two objects, one with null between them. Both are valid JSON.
# Seen: Blender (bpy 4.2.0) imports and exports the first as it was. The second comes back as one string with the list's text, so a
# reader of the exported file finds another type. A writer must not have null in lists.
# Needs Python 3.11, for which this version of bpy is built.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check bpy==4.2.0 'numpy<2'
cat > run.py <<'PY'
import json
import os
import bpy

extras = {"whole": [{"a": 1}, {"a": 2}], "gap": [{"a": 1}, None, {"a": 2}]}
file = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "lamp", "extras": extras}]}
with open("in.gltf", "w") as target:
    json.dump(file, target)
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath="in.gltf")
bpy.ops.export_scene.gltf(filepath="out.gltf", export_format="GLTF_SEPARATE", export_extras=True)
with open("out.gltf") as source:
    found = json.load(source)["nodes"][0]["extras"]
print("bpy", bpy.app.version_string, found, flush=True)
ok = found["whole"] == extras["whole"] and isinstance(found["gap"], str)
# Python's own end of the process is not what is shown here.
os._exit(0 if ok else 1)
PY
venv/bin/python run.py 2>&1 | tail -n 1
