#!/usr/bin/env bash
# Two Quake models (IDPO 6) of one triangle. They differ only in their skin: one image, or a group of two images with their times.
# Quake reads a group as its count, that many times, and that many images.
# Seen: assimp (assimpjs 0.0.10) reads the model with one image. It does not skip the times of a group, so all that follows is read
# from other bytes: it reports a file that is too small or contains invalid data.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit assimpjs@0.0.10
cat > run.cjs <<'JS'
const assert = require('node:assert');

const WIDTH = 8;
const HEIGHT = 8;
const bytes = [];
const ints = (...values) => values.forEach((it) => bytes.push(it & 255, (it >> 8) & 255, (it >> 16) & 255, (it >> 24) & 255));
const floats = (...values) => bytes.push(...new Uint8Array(new Float32Array(values).buffer));
const image = (index) => bytes.push(...new Array(WIDTH * HEIGHT).fill(index));

function model(writeSkin) {
    bytes.length = 0;
    bytes.push(...Buffer.from('IDPO'));
    ints(6);
    floats(1, 1, 1, 0, 0, 0, 10, 0, 0, 0); // scale, origin, radius, eyes
    ints(1, WIDTH, HEIGHT, 3, 1, 1, 0, 0); // skins, size, vertices, triangles, frames, sync type, flags
    floats(1);
    writeSkin();
    ints(0, 1, 1, 0, 5, 1, 0, 1, 5); // texture coordinates of three vertices
    ints(1, 0, 1, 2); // a triangle
    ints(0); // a frame: its corners, name and vertices
    bytes.push(0, 0, 0, 0, 9, 9, 0, 0, ...Buffer.from('frame1'.padEnd(16, '\0')));
    bytes.push(0, 0, 0, 5, 9, 0, 0, 5, 0, 9, 0, 5);
    return Buffer.from(bytes);
}

const models = {
    image: model(() => {
        ints(0);
        image(1);
    }),
    group: model(() => {
        ints(1, 2);
        floats(0.1, 0.2);
        image(1);
        image(2);
    }),
};
require('assimpjs')().then((assimp) => {
    const read = (content) => {
        const files = new assimp.FileList();
        files.AddFile('model.mdl', content);
        const result = assimp.ConvertFileList(files, 'assjson');
        if (!result.IsSuccess()) return result.GetErrorCode();
        const scene = JSON.parse(new TextDecoder().decode(result.GetFile(0).GetContent()));
        return scene.meshes[0].vertices;
    };
    const results = { image: read(models.image), group: read(models.group) };
    console.log('assimpjs 0.0.10', results);
    assert.equal(results.image.length, 9);
    assert.ok([...results.image].map(Math.abs).includes(9));
    assert.equal(results.group, 'import_error');
});
JS
node run.cjs
