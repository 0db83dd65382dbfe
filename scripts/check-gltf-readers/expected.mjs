// Prints the bounds that `classic-models inspect` measures, in the axes of glTF: at rest, and at three times of each clip.
// Arguments: the program `classic-models`, the folder of the converted models, and the models.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const [program, folder, ...models] = process.argv.slice(2);
const run = promisify(execFile);

async function inspect(file, ...options) {
    // A model that fails is one that `convert` reports.
    const done = await run(program, ['inspect', '--json', file, ...options], { maxBuffer: 1 << 30 }).catch((error) => error);
    return JSON.parse(done.stdout);
}

// The name of each clip, what `inspect` calls it, and the times at which it is compared. Not at frames, where parts jump.
async function clips(model, extension, described) {
    if (extension === '.alo') {
        const stem = `${path.basename(model, path.extname(model))}_`.toLowerCase();
        const names = readdirSync(path.dirname(model)).map((name) => [name.toLowerCase(), name]);
        const models = names.filter(([name]) => name.endsWith('.alo')).map(([name]) => `${name.slice(0, -4)}_`);
        // A clip is that of the longest name of a model that its own begins with.
        const isOwn = (name) => models.every((other) => other.length <= stem.length || !name.startsWith(other));
        const isClip = ([name]) => name.startsWith(stem) && name.endsWith('.ala') && isOwn(name);
        const files = names.filter(isClip).map(([, name]) => name).sort();
        const found = [];
        for (const file of files) {
            const whole = path.join(path.dirname(model), file);
            const { ok, frames, fps } = await inspect(whole);
            if (ok) {
                const last = frames - 1;
                const times = [0, Math.floor(last / 2) + 0.25, last - 0.25].map((frame) => Math.max(0, Math.min(frame, last)) / fps);
                found.push({ name: file.slice(stem.length, -4).toUpperCase(), argument: whole, times });
            }
        }
        return found;
    }
    const found = [];
    for (const { name, seconds, count } of described.animations ?? described.clips ?? []) {
        // After the last pose, clips that are no loops differ from `inspect`, which knows loops only.
        const end = count === undefined ? seconds : seconds * (count - 1) / count;
        // `inspect` finds the first clip of a name.
        if (!found.some((clip) => clip.name === name)) {
            found.push({ name, argument: name, times: [0, end / 2, end] });
        }
    }
    return found;
}

function bounds(posed, extension) {
    if (!posed?.min) {
        return { min: null, max: null };
    }
    let { min, max } = posed;
    // Quake and LithTech models face -Z in the plugin, and +Z in glTF.
    if (extension === '.mdl' || extension === '.abc') {
        [min, max] = [[-max[0], min[1], -max[2]], [-min[0], max[1], -min[2]]];
    }
    return { min, max };
}

async function expected(model) {
    const extension = path.extname(model).toLowerCase();
    const described = await inspect(model);
    const file = path.join(folder, `${path.basename(model, path.extname(model))}.glb`);
    const poses = [];
    if (!described.ok || described.format === 'alo-particles') {
        return { file, poses };
    }
    if (extension !== '.mdl') {
        poses.push({ clip: null, time: 0, ...bounds(described.posed, extension) });
    }
    for (const { name, argument, times } of await clips(model, extension, described)) {
        for (const time of times) {
            const { posed } = await inspect(model, '--animation', argument, '--time', `${time}`);
            poses.push({ clip: name, time, ...bounds(posed, extension) });
        }
    }
    return { file, poses };
}

const all = [];
const queue = models.map((model, index) => [index, model]);
async function work() {
    for (let next; (next = queue.shift()) !== undefined;) {
        all[next[0]] = await expected(next[1]);
    }
}
await Promise.all([work(), work(), work(), work()]);
console.log(JSON.stringify(all));
