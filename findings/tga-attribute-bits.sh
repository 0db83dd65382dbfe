#!/usr/bin/env bash
# The low four bits of a TGA's image descriptor count the attribute (alpha) bits of a pixel. Three readers have three rules:
# - 32 bits per pixel, 0 attribute bits, fourth bytes 0: transparent in Pillow 13.0.0, three.js 0.187.0 and ImageMagick 7.1.2-30.
# - 16 bits per pixel, 1 attribute bit: a pixel whose bit is set is opaque in ImageMagick, and transparent in Pillow and three.js.
# - 16 bits per pixel, 0 attribute bits: ImageMagick ignores the bit, Pillow and three.js do not.
# So the same 16-bit image has inverted alpha in different programs.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet pillow==13.0.0
npm install --silent --no-fund --no-audit three@0.187.0 @imagemagick/magick-wasm@0.0.43
cat > pillow.py <<'PY'
import struct

from PIL import Image, __version__


def write(path, bits, descriptor, pixels):
    header = struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, 8, 8, bits, descriptor)
    with open(path, "wb") as file:
        file.write(header + pixels * 32)


# Each pair of pixels is red. The attribute bits of the second pixel are set, except in the first file.
write("bits32-0.tga", 32, 0x20, bytes([0, 0, 255, 0] * 2))
write("bits16-1.tga", 16, 0x21, struct.pack("<2H", 0x7C00, 0xFC00))
write("bits16-0.tga", 16, 0x20, struct.pack("<2H", 0x7C00, 0xFC00))
seen = {}
for name in ("bits32-0", "bits16-1", "bits16-0"):
    image = Image.open(f"{name}.tga").convert("RGBA")
    seen[name] = [image.getpixel((x, 0))[3] for x in range(2)]
print("Pillow", __version__, "alpha", seen)
assert seen == {"bits32-0": [0, 0], "bits16-1": [255, 0], "bits16-0": [255, 0]}, seen
PY
cat > others.mjs <<'JS'
import assert from 'node:assert';
import fs from 'node:fs';
import { ImageMagick, Magick, MagickFormat, initializeImageMagick } from '@imagemagick/magick-wasm';
import { REVISION } from 'three';
import { TGALoader } from 'three/addons/loaders/TGALoader.js';

const names = ['bits32-0', 'bits16-1', 'bits16-0'];
const three = {};
for (const name of names) {
    const bytes = new Uint8Array(fs.readFileSync(`${name}.tga`));
    const image = new TGALoader().parse(bytes.buffer);
    three[name] = [image.data[3], image.data[7]];
}
console.log('three.js', REVISION, 'alpha', three);
assert.deepEqual(three, { 'bits32-0': [0, 0], 'bits16-1': [255, 0], 'bits16-0': [255, 0] });

await initializeImageMagick(fs.readFileSync('node_modules/@imagemagick/magick-wasm/dist/x86/magick.wasm'));
const magick = {};
for (const name of names) {
    ImageMagick.read(fs.readFileSync(`${name}.tga`), MagickFormat.Tga, (image) =>
        image.getPixels((pixels) => {
            const values = pixels.toByteArray(0, 0, 2, 1, 'RGBA');
            magick[name] = [values[3], values[7]];
        }),
    );
}
console.log(Magick.imageMagickVersion, 'alpha', magick);
assert.deepEqual(magick, { 'bits32-0': [0, 0], 'bits16-1': [0, 255], 'bits16-0': [255, 255] });
JS
venv/bin/python pillow.py
node others.mjs
