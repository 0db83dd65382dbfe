#!/usr/bin/env bash
# A glTF of two nodes with the same name, which one clip moves to different positions. glTF channels name nodes by index.
# Seen: assimp (assimpjs 0.0.10) keeps both names, and its channels name nodes only by name: two channels `barrel`, in another
# order than the nodes. So no user of its scene can know which node a channel moves. A writer needs unique names of nodes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit assimpjs@0.0.10
cat > run.cjs <<'JS'
const assert = require('node:assert');

const values = new Float32Array([
    0, 0, 0, 1, 0, 0, 0, 1, 0, // a triangle
    0, 1, // times
    0, 0, 0, 0, 1, 0, // translations of the first node
    3, 0, 0, 3, 0, 7, // translations of the second node
]);
const view = (byteOffset, byteLength) => ({ buffer: 0, byteOffset, byteLength });
const accessor = (bufferView, count, type, bounds) => ({ bufferView, componentType: 5126, count, type, ...bounds });
const file = JSON.stringify({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0, 1] }],
    nodes: [{ name: 'barrel', mesh: 0 }, { name: 'barrel', mesh: 0, translation: [3, 0, 0] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    animations: [
        {
            name: 'clip',
            samplers: [{ input: 1, output: 2 }, { input: 1, output: 3 }],
            channels: [0, 1].map((node) => ({ sampler: node, target: { node, path: 'translation' } })),
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
});
require('assimpjs')().then((assimp) => {
    const files = new assimp.FileList();
    files.AddFile('model.gltf', Buffer.from(file));
    const result = assimp.ConvertFileList(files, 'assjson');
    assert(result.IsSuccess());
    const scene = JSON.parse(new TextDecoder().decode(result.GetFile(0).GetContent()));
    const nodes = scene.rootnode.children.map((node) => node.name);
    const channels = scene.animations[0].channels.map((channel) => [channel.name, channel.positionkeys.at(-1)[1]]);
    console.log('assimpjs 0.0.10', { nodes, channels: JSON.stringify(channels) });
    assert.deepEqual(nodes, ['barrel', 'barrel']);
    assert.deepEqual(channels, [['barrel', [3, 0, 7]], ['barrel', [0, 1, 0]]]);
});
JS
node run.cjs
