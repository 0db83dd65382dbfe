"""Imports converted samples into Blender, and compares them with `classic-models inspect`.

Arguments: the program `classic-models`, and the folder of the samples. Compared are the names of bones, the lengths of clips,
and the bounds of all vertices at three times of each clip. Needs the module `bpy`. `scripts/check-gltf` runs it.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import bpy
from mathutils import Vector

# Bounds differ by at most this part of the model's size.
TOLERANCE = 1e-4


def run(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def inspect(program, path, *arguments):
    return json.loads(run(program, "inspect", "--json", str(path), *arguments))


def clips_of(program, model):
    """The name, the argument for `inspect`, and the times of the keys of each clip."""
    described = inspect(program, model)
    if model.suffix == ".alo":
        for path in sorted(model.parent.glob(f"{model.stem}_*.ala")):
            clip = inspect(program, path)
            times = [frame / clip["fps"] for frame in range(clip["frames"])]
            yield path.stem[len(model.stem) + 1 :].upper(), str(path), times
    elif model.suffix == ".mdl":
        for clip in described["clips"]:
            count = clip["count"]
            # The last key is the first pose again, and times wrap around.
            times = [clip["seconds"] * frame / count for frame in range(count + 1)]
            yield clip["name"], clip["name"], times
    else:
        for clip in described.get("animations", []):
            yield clip["name"], clip["name"], [0.0, clip["seconds"]]


def play(name):
    """Plays the clip of a name on all objects. Returns the count of animated objects."""
    played = 0
    for owner in [*bpy.data.objects, *bpy.data.shape_keys]:
        data = owner.animation_data
        if data is None:
            continue
        data.action = None
        for track in data.nla_tracks:
            # Strips begin at frame 1, but the times of actions are those of the file.
            track.mute = True
            if track.name == name:
                data.action = track.strips[0].action
                played += 1
    return played


def length(name):
    """The end of the clip of a name, in seconds."""
    ends = [
        strip.action.frame_range[1]
        for owner in [*bpy.data.objects, *bpy.data.shape_keys]
        if owner.animation_data
        for track in owner.animation_data.nla_tracks
        if track.name == name
        for strip in track.strips
    ]
    return max(ends) / bpy.context.scene.render.fps


def bounds(seconds):
    """The bounds of all visible vertices at a time, in glTF's axes."""
    scene = bpy.context.scene
    frame = seconds * scene.render.fps
    scene.frame_set(int(frame), subframe=frame - int(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    points = []
    for item in bpy.data.objects:
        # The importer adds an invisible object, which is the shape of bones.
        if item.type != "MESH" or not item.visible_get():
            continue
        evaluated = item.evaluated_get(graph)
        matrix = evaluated.matrix_world
        # Hidden parts have a scale of 0.
        if abs(matrix.determinant()) < 1e-12:
            continue
        mesh = evaluated.to_mesh()
        points.extend(matrix @ vertex.co for vertex in mesh.vertices)
        evaluated.to_mesh_clear()
    # Blender's Z is up: (x, y, z) of glTF is (x, -z, y).
    points = [Vector((p.x, p.z, -p.y)) for p in points]
    return [[choose(p[axis] for p in points) for axis in range(3)] for choose in (min, max)]


def expected_bounds(posed, model):
    """The bounds that `inspect` has, in glTF's axes. Quake and LithTech models face -Z there, and +Z in glTF."""
    low, high = posed["min"], posed["max"]
    if model.suffix in (".mdl", ".abc"):
        low, high = ([-high[0], low[1], -high[2]], [-low[0], high[1], -low[2]])
    return [low, high]


def check(condition, message):
    if not condition:
        print(f"check-gltf-blender: {message}")
        sys.exit(1)


def compare_bounds(model, posed, time, what):
    expected = expected_bounds(posed, model)
    found = bounds(time)
    size = max(high - low for low, high in zip(*expected))
    error = max(abs(a - b) for a, b in zip(sum(expected, []), sum(found, []))) / size
    check(error < TOLERANCE, f"{model}: {what}: {found}, not {expected}")


def load(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(path))


def compare(program, model, result):
    run(program, "convert", str(model), str(result), "--visibility", "scale", "--no-lods", "--no-textures")
    load(result)
    described = inspect(program, model)
    for bone in described.get("bones", []) if model.suffix == ".alo" else []:
        names = {item.name for item in bpy.data.objects}
        names |= {found.name for armature in bpy.data.armatures for found in armature.bones}
        # Blender appends a number to names that exist.
        found = any(re.sub(r"\.\d{3}$", "", name) == bone["name"] for name in names)
        check(found, f"{model}: no bone {bone['name']}")
    count = 0
    clips = list(clips_of(program, model))
    if not clips:
        compare_bounds(model, described["posed"], 0.0, "the rest pose")
        count += 1
    for name, argument, times in clips:
        # Blender keeps the values of a clip that another clip does not animate.
        load(result)
        check(play(name) > 0, f"{model}: no clip {name}")
        end = times[-1]
        check(abs(length(name) - end) < 2e-3, f"{model}: clip {name} ends at {length(name)}, not {end}")
        for time in (times[0], times[len(times) // 2], times[-1]):
            posed = inspect(program, model, "--animation", argument, "--time", repr(time))["posed"]
            compare_bounds(model, posed, time, f"{name} at {time}")
            count += 1
    print(f"{model.name}: {count} poses agree")


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as results:
        for model in sorted(folder.iterdir()):
            is_model = model.suffix in (".abc", ".alo", ".lgw", ".mdl")
            if is_model and not model.name.startswith(("p_", "pe_")):
                compare(program, model, Path(results) / f"{model.stem}.glb")


main()
# Blender as a module can crash while Python ends, after all checks have passed.
sys.stdout.flush()
os._exit(0)
