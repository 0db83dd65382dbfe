#!/usr/bin/env bash
# A glTF of two nodes and two clips: DIE scales the node `flag` to 0, MOVE moves the node `body` and has no channel for `flag`.
# DIE is played to its end and stopped, then MOVE is played.
# Seen: in three.js 0.187.0 the flag has its size again. In Babylon.js 9.28.0 it stays at scale 0.
# So an exporter that wants each clip to look the same everywhere writes a key for all that any clip of the file animates.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit three@0.187.0 @babylonjs/core@9.28.0 @babylonjs/loaders@9.28.0
cat > document.mjs <<'JS'
const values = new Float32Array([
    0, 0, 0, 1, 0, 0, 0, 1, 0, // a triangle
    0, 1, // times
    1, 1, 1, 0, 0, 0, // scales of `flag`
    0, 0, 0, 1, 0, 0, // translations of `body`
]);
const view = (byteOffset, byteLength) => ({ buffer: 0, byteOffset, byteLength });
const accessor = (bufferView, count, type, bounds) => ({ bufferView, componentType: 5126, count, type, ...bounds });
const clip = (name, node, path, output) => ({
    name,
    samplers: [{ input: 1, output }],
    channels: [{ sampler: 0, target: { node, path } }],
});
export default JSON.stringify({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0, 1] }],
    nodes: [{ name: 'flag', mesh: 0 }, { name: 'body', mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    animations: [clip('DIE', 0, 'scale', 2), clip('MOVE', 1, 'translation', 3)],
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
JS
cat > three.mjs <<'JS'
import assert from 'node:assert';
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import document from './document.mjs';

globalThis.self = globalThis;
globalThis.ProgressEvent = class {};
const gltf = await new Promise((resolve, reject) => new GLTFLoader().parse(document, '', resolve, reject));
const [flag, body] = gltf.scene.children;
const mixer = new THREE.AnimationMixer(gltf.scene);
const [die, move] = gltf.animations.map((clip) => mixer.clipAction(clip));
die.setLoop(THREE.LoopOnce);
die.clampWhenFinished = true;
die.play();
mixer.update(1);
const dead = flag.scale.x;
die.stop();
move.play();
mixer.update(0.5);
console.log('three.js', THREE.REVISION, { dead, moving: flag.scale.x, body: body.position.x });
assert.deepEqual([dead, flag.scale.x, body.position.x], [0, 1, 0.5]);
JS
cat > babylon.mjs <<'JS'
import assert from 'node:assert';
import * as BABYLON from '@babylonjs/core';
import '@babylonjs/loaders/glTF/index.js';
import document from './document.mjs';

const engine = new BABYLON.NullEngine();
const scene = new BABYLON.Scene(engine);
new BABYLON.FreeCamera('camera', BABYLON.Vector3.Zero(), scene);
const model = await BABYLON.ImportMeshAsync(`data:${document}`, scene, { pluginExtension: '.gltf' });
const [die, move] = model.animationGroups;
const [flag, body] = ['flag', 'body'].map((name) => model.meshes.find((mesh) => mesh.name === name));
const show = (group, time) => {
    group.start(false);
    group.goToFrame(group.to * time);
    scene.render();
};
die.stop();
show(die, 1);
const dead = flag.scaling.x;
die.stop();
show(move, 0.5);
console.log('Babylon.js', BABYLON.Engine.Version, { dead, moving: flag.scaling.x, body: body.position.x });
assert.deepEqual([dead, flag.scaling.x, body.position.x], [0, 0, 0.5]);
JS
node three.mjs
node babylon.mjs
