// What the readers in JavaScript have in common.
import { readFileSync } from 'node:fs';

// The bounds of meshes, each a list of positions. A mesh that is a single point is hidden by a scale of 0.
export function bounds(meshes) {
    let [min, max] = [null, null];
    for (const points of meshes) {
        const low = [0, 1, 2].map((axis) => points.reduce((least, point) => Math.min(least, point[axis]), Infinity));
        const high = [0, 1, 2].map((axis) => points.reduce((most, point) => Math.max(most, point[axis]), -Infinity));
        if (points.length === 0 || high.every((value, axis) => value - low[axis] < 1e-9)) {
            continue;
        }
        min = min ? min.map((value, axis) => Math.min(value, low[axis])) : low;
        max = max ? max.map((value, axis) => Math.max(value, high[axis])) : high;
    }
    return { min, max };
}

// Reads all files of the list, and prints their bounds. `read` returns a function from a clip and a time to bounds.
export async function report(read) {
    const all = [];
    for (const { file, poses } of JSON.parse(readFileSync(process.argv[2]))) {
        try {
            const pose = await read(new Uint8Array(readFileSync(file)));
            const found = [];
            for (const { clip, time } of poses) {
                found.push({ clip, time, ...pose(clip, time) });
            }
            all.push({ file, poses: found });
        } catch (error) {
            all.push({ file, error: `${error}` });
        }
    }
    console.log(JSON.stringify(all));
}
