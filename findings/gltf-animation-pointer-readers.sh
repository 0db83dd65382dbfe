#!/usr/bin/env bash
# A valid glTF with one clip of two channels: one moves the node `second`, and one animates the emissive color of a material by
# KHR_animation_pointer, whose channels have no `node`. The extension is in `extensionsUsed`, not in `extensionsRequired`.
# Seen:
# - three.js 0.187.0 skips the second channel and plays the first.
# - VTK 9.7.2 reports an invalid path and has no animation at all.
# - assimp (assimpjs 0.0.10) takes the missing `node` as node 0: the node `first`, which nothing animates, gets a channel.
# So a file whose clip has such a channel loses its other channels in some programs, though the extension is optional.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet vtk==9.7.2
npm install --silent --no-fund --no-audit three@0.187.0 assimpjs@0.0.10
cat > write.mjs <<'JS'
import fs from 'node:fs';

const values = new Float32Array([
    0, 0, 0, 1, 0, 0, 0, 1, 0, // a triangle
    0, 1, // times
    2, 0, 0, 2, 5, 0, // translations of `second`
    0, 0, 0, 1, 1, 1, // colors
]);
const view = (byteOffset, byteLength) => ({ buffer: 0, byteOffset, byteLength });
const accessor = (bufferView, count, type, bounds) => ({ bufferView, componentType: 5126, count, type, ...bounds });
const pointer = { KHR_animation_pointer: { pointer: '/materials/0/emissiveFactor' } };
fs.writeFileSync(
    'model.gltf',
    JSON.stringify({
        asset: { version: '2.0' },
        scene: 0,
        scenes: [{ nodes: [0, 1] }],
        nodes: [{ name: 'first', mesh: 0 }, { name: 'second', mesh: 0, translation: [2, 0, 0] }],
        materials: [{ emissiveFactor: [0, 0, 0] }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
        extensionsUsed: ['KHR_animation_pointer'],
        animations: [
            {
                name: 'clip',
                samplers: [{ input: 1, output: 2 }, { input: 1, output: 3 }],
                channels: [
                    { sampler: 0, target: { node: 1, path: 'translation' } },
                    { sampler: 1, target: { path: 'pointer', extensions: pointer } },
                ],
            },
        ],
        accessors: [
            accessor(0, 3, 'VEC3', { min: [0, 0, 0], max: [1, 1, 0] }),
            accessor(1, 2, 'SCALAR', { min: [0], max: [1] }),
            accessor(2, 2, 'VEC3'),
            accessor(3, 2, 'VEC3'),
        ],
        bufferViews: [view(0, 36), view(36, 8), view(44, 24), view(68, 24)],
        buffers: [
            {
                byteLength: values.byteLength,
                uri: `data:application/octet-stream;base64,${Buffer.from(values.buffer).toString('base64')}`,
            },
        ],
    }),
);
JS
cat > three.mjs <<'JS'
import assert from 'node:assert';
import fs from 'node:fs';
import { REVISION } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

globalThis.self = globalThis;
globalThis.ProgressEvent = class {};
const text = fs.readFileSync('model.gltf', 'utf8');
const gltf = await new Promise((resolve, reject) => new GLTFLoader().parse(text, '', resolve, reject));
const tracks = gltf.animations.flatMap((clip) => clip.tracks.map((track) => track.name));
console.log('three.js', REVISION, { tracks });
assert.deepEqual(tracks, ['second.position']);
JS
cat > read_vtk.py <<'PY'
import vtk

vtk.vtkObject.GlobalWarningDisplayOff()
reader = vtk.vtkGLTFReader()
reader.SetFileName("model.gltf")
reader.UpdateInformation()
count = reader.GetNumberOfAnimations()
print("VTK", vtk.vtkVersion().GetVTKVersion(), {"animations": count})
assert count == 0
PY
cat > assimp.cjs <<'JS'
const assert = require('node:assert');
const fs = require('node:fs');

require('assimpjs')().then((assimp) => {
    const files = new assimp.FileList();
    files.AddFile('model.gltf', fs.readFileSync('model.gltf'));
    const result = assimp.ConvertFileList(files, 'assjson');
    assert(result.IsSuccess());
    const scene = JSON.parse(new TextDecoder().decode(result.GetFile(0).GetContent()));
    const channels = scene.animations[0].channels.map((channel) => channel.name);
    console.log('assimpjs 0.0.10', { channels });
    assert.deepEqual(channels, ['first', 'second']);
});
JS
node write.mjs
node three.mjs
venv/bin/python read_vtk.py
node assimp.cjs
