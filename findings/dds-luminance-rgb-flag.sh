#!/usr/bin/env bash
# A DDS of 8 or 16 bits per pixel whose masks are (255, 0, 0) or (65535, 0, 0) and whose flags say RGB, not LUMINANCE. Texture
# tools write gray images in this form. By its masks it is an image with only a red channel.
# Seen: Pillow 13.0.0 gives red for both. ImageMagick 7.1.2-30 (magick-wasm 0.0.43) gives gray for 8 bits, and refuses 16 bits.
# So the same file is red in one program and gray in another; with the LUMINANCE flag both agree.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet pillow==13.0.0
npm install --silent --no-fund --no-audit @imagemagick/magick-wasm@0.0.43
cat > write.py <<'PY'
import struct

RGB, LUMINANCE = 0x40, 0x20000


def write(path, flags, bits, mask, pixels):
    header = struct.pack("<7I", 124, 0x100F, 1, 2, len(pixels), 0, 0) + bytes(44)
    header += struct.pack("<8I", 32, flags, 0, bits, mask, 0, 0, 0) + struct.pack("<5I", 0x1000, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"DDS " + header + pixels)


write("luminance8.dds", LUMINANCE, 8, 255, bytes([64, 200]))
write("rgb8.dds", RGB, 8, 255, bytes([64, 200]))
write("rgb16.dds", RGB, 16, 65535, struct.pack("<2H", 64 * 257, 200 * 257))
PY
cat > pillow.py <<'PY'
from PIL import Image, __version__

seen = {}
for name in ("luminance8", "rgb8", "rgb16"):
    seen[name] = Image.open(f"{name}.dds").convert("RGB").getpixel((1, 0))
print("Pillow", __version__, seen)
assert seen == {"luminance8": (200, 200, 200), "rgb8": (200, 0, 0), "rgb16": (200, 0, 0)}, seen
PY
cat > magick.mjs <<'JS'
import assert from 'node:assert';
import fs from 'node:fs';
import { ImageMagick, Magick, MagickFormat, initializeImageMagick } from '@imagemagick/magick-wasm';

await initializeImageMagick(fs.readFileSync('node_modules/@imagemagick/magick-wasm/dist/x86/magick.wasm'));
const seen = {};
for (const name of ['luminance8', 'rgb8', 'rgb16']) {
    try {
        ImageMagick.read(fs.readFileSync(`${name}.dds`), MagickFormat.Dds, (image) =>
            image.getPixels((pixels) => (seen[name] = pixels.toByteArray(1, 0, 1, 1, 'RGB').join(' '))),
        );
    } catch (error) {
        seen[name] = String(error).includes('ImageTypeNotSupported') ? 'refused' : String(error);
    }
}
console.log(Magick.imageMagickVersion, seen);
assert.deepEqual(seen, { luminance8: '200 200 200', rgb8: '200 200 200', rgb16: 'refused' });
JS
python3 write.py
venv/bin/python pillow.py
node magick.mjs
