"""Prints the bounds that VTK has for the files of a list. Arguments: the list, and the file to write. Needs the module `vtk`."""

import json
import sys

import vtk

RATE = 1000


def bounds(reader):
    """The bounds of all meshes of more than a point: hidden parts have a scale of 0."""
    found = None
    iterator = reader.GetOutput().NewIterator()
    iterator.InitTraversal()
    while not iterator.IsDoneWithTraversal():
        data = iterator.GetCurrentDataObject()
        # The reader moves the points, but keeps the bounds that they had before.
        data.GetPoints().Modified()
        own = data.GetBounds()
        if any(own[2 * axis + 1] - own[2 * axis] > 1e-9 for axis in range(3)):
            found = own if found is None else [(min, max)[index % 2](found[index], own[index]) for index in range(6)]
        iterator.GoToNextItem()
    return {"min": found and list(found[0::2]), "max": found and list(found[1::2])}


def read(file, poses):
    reader = vtk.vtkGLTFReader()
    reader.SetFileName(file)
    reader.ApplyDeformationsToGeometryOn()
    reader.UpdateInformation()
    names = [reader.GetAnimationName(index) for index in range(reader.GetNumberOfAnimations())]
    results = []
    for item in poses:
        for index in range(len(names)):
            reader.DisableAnimation(index)
        if item["clip"] is not None:
            reader.EnableAnimation(names.index(item["clip"]))
        reader.SetFrameRate(RATE)
        reader.UpdateInformation()
        reader.UpdateTimeStep(item["time"]) if item["clip"] is not None else reader.Update()
        results.append({"clip": item["clip"], "time": item["time"], **bounds(reader)})
    return results


results = []
for entry in json.load(open(sys.argv[1])):
    try:
        results.append({"file": entry["file"], "poses": read(entry["file"], entry["poses"])})
    except Exception as error:
        results.append({"file": entry["file"], "error": f"{error}"})
json.dump(results, open(sys.argv[2], "w"))
