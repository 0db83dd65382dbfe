#!/usr/bin/env bash
# gltf-validator 2.0.0-dev.3.10 compares the angles of KHR_lights_punctual with pi/2 as a 64-bit number.
# The 32-bit number that is nearest to pi/2 is 1.5707963705..., which is greater. So an exporter that clamps with a 32-bit
# pi/2 writes an invalid file. The next smaller 32-bit number, 1.5707962512969971, is accepted.
# Seen: error VALUE_NOT_IN_RANGE for the first file, and no issue for the second.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit gltf-validator@2.0.0-dev.3.10
cat > run.mjs <<'JS'
import validator from 'gltf-validator';
const spot = (outerConeAngle) => ({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ extensions: { KHR_lights_punctual: { light: 0 } } }],
    extensionsUsed: ['KHR_lights_punctual'],
    extensions: { KHR_lights_punctual: { lights: [{ type: 'spot', spot: { innerConeAngle: 0.5, outerConeAngle } }] } },
});
const codes = async (angle) => {
    const report = await validator.validateString(JSON.stringify(spot(angle)));
    return report.issues.messages.map((issue) => issue.code).join(' ') || 'valid';
};
const nearest = Math.fround(Math.PI / 2);
const below = 1.5707962512969971;
const seen = { [nearest]: await codes(nearest), [below]: await codes(below) };
console.log('gltf-validator', validator.version(), seen);
process.exit(seen[nearest] === 'VALUE_NOT_IN_RANGE' && seen[below] === 'valid' ? 0 : 1);
JS
node run.mjs
