"""Writes the bounds that Blender has for the files of a list. Arguments: the list, and the file to write. Needs the module `bpy`."""

import json
import os
import sys

import bpy


def play(name):
    """Plays the clip of a name on all objects. Values of the clip before remain."""
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


def pose(clip, time):
    """The bounds of all visible vertices at a time of a clip, in glTF's axes."""
    scene = bpy.context.scene
    frame = 0
    if clip is not None:
        play(clip)
        frame = time * scene.render.fps
    scene.frame_set(int(frame), subframe=frame - int(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    points = []
    for item in bpy.data.objects:
        # The importer adds an invisible object, which is the shape of bones.
        if item.type != "MESH" or not item.visible_get():
            continue
        evaluated = item.evaluated_get(graph)
        # Hidden parts have a scale of 0.
        if abs(evaluated.matrix_world.determinant()) < 1e-12:
            continue
        mesh = evaluated.to_mesh()
        points.extend(evaluated.matrix_world @ vertex.co for vertex in mesh.vertices)
        evaluated.to_mesh_clear()
    if not points:
        return {"min": None, "max": None}
    # Blender's Z is up: (x, y, z) of glTF is (x, -z, y).
    points = [(p.x, p.z, -p.y) for p in points]
    return {name: [choose(p[axis] for p in points) for axis in range(3)] for name, choose in (("min", min), ("max", max))}


def read(file, poses):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=file)
    results = []
    for item in poses:
        # The importer plays the first clip, so the pose at rest is lost.
        is_lost = item["clip"] is None and len(bpy.data.actions) > 0
        results.append(None if is_lost else {**item, **pose(item["clip"], item["time"])})
    return results


results = []
for entry in json.load(open(sys.argv[1])):
    try:
        results.append({"file": entry["file"], "poses": read(entry["file"], entry["poses"])})
    except Exception as error:
        results.append({"file": entry["file"], "error": f"{error}"})
# The importer prints to the standard output.
with open(sys.argv[2], "w") as output:
    json.dump(results, output)
output.close()
# Blender as a module can crash while Python ends.
os._exit(0)
