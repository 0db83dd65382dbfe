// Compares the bounds of a reader with the expected ones. Arguments: the name of the reader, and both files.
import { readFileSync } from 'node:fs';

// Bounds differ by at most this part of the model's size.
const TOLERANCE = 2e-4;

const [reader, expectedFile, foundFile] = process.argv.slice(2);
const [expected, found] = [expectedFile, foundFile].map((file) => JSON.parse(readFileSync(file)));

function error(a, b) {
    if (!a.min || !b.min) {
        return !a.min && !b.min ? 0 : Infinity;
    }
    const size = Math.max(...a.max.map((high, axis) => high - a.min[axis]), 1e-6);
    return Math.max(...[0, 1, 2].flatMap((axis) => [Math.abs(a.min[axis] - b.min[axis]), Math.abs(a.max[axis] - b.max[axis])])) / size;
}

let [models, poses] = [0, 0];
for (const [index, { file, poses: wanted }] of expected.entries()) {
    const result = found[index];
    const messages = result.error ? [result.error] : [];
    for (const [number, pose] of wanted.entries()) {
        const own = result.poses?.[number];
        if (own && !(error(pose, own) <= TOLERANCE)) {
            const text = ({ min, max }) => (min ? `${min} to ${max}` : 'nothing');
            messages.push(`${pose.clip ?? 'rest'} at ${pose.time}: ${text(own)}, expected ${text(pose)}`);
        }
    }
    models += messages.length === 0;
    poses += wanted.length;
    for (const message of messages) {
        console.log(`${reader}: ${file}: ${message}`);
    }
}
console.log(`${reader}: ${models} of ${expected.length} models agree (${poses} poses)`);
process.exit(models === expected.length ? 0 : 1);
