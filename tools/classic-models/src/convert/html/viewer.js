// The viewer in the pages of `classic-models convert IN OUT.html`: three.js with what its loader does not read.
// `scripts/update-viewer` bundles it as `viewer.min.js`.

import {
    AdditiveBlending, AnimationMixer, BackSide, BooleanKeyframeTrack, Box3, BufferAttribute, Color, DirectionalLight,
    Euler, LoopRepeat, Mesh, MeshBasicMaterial, PerspectiveCamera, PMREMGenerator, Quaternion, Scene,
    SphereGeometry, SRGBColorSpace, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const element = (id) => document.getElementById(id);

// Yaw and pitch of the camera in radians, as in `classic-models view`. Models face +Z.
const VIEWS = {
    front: [0, 0],
    side: [-Math.PI / 2, 0],
    top: [Math.PI, Math.PI / 2 - 1e-4],
    iso: [-0.6, 0.4],
    back: [Math.PI - 0.6, 0.4],
};

const FOV = 0.6;

// The share of the picture's width or height that a model fills.
const SHARE = 0.9;

// The vertices that are posed for framing, so that large models open quickly.
const FRAMED_VERTICES = 300000;

/** Loads the model in the page, with all nodes, also those that are only levels of detail. */
async function load() {
    const source = element('model');
    const bytes = Uint8Array.from(atob(source.textContent), (char) => char.charCodeAt(0));
    source.remove();
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    const gltf = await new GLTFLoader().parseAsync(await new Response(unpacked).arrayBuffer(), '');
    const { parser } = gltf;
    const definitions = parser.json.nodes ?? [];
    const nodes = await Promise.all(definitions.map((_, index) => parser.getDependency('node', index)));
    nodes.forEach((node, index) => {
        const visibility = definitions[index].extensions?.KHR_node_visibility;
        node.visible = visibility?.visible ?? true;
    });
    await addVisibilityTracks(gltf, nodes);
    return { ...gltf, nodes, definitions };
}

/** Adds what `KHR_animation_pointer` animates of `KHR_node_visibility` to the clips. */
async function addVisibilityTracks({ parser, animations }, nodes) {
    for (const [index, { channels, samplers }] of (parser.json.animations ?? []).entries()) {
        for (const { target, sampler } of channels) {
            const pointer = target.extensions?.KHR_animation_pointer?.pointer ?? '';
            const node = /^\/nodes\/(\d+)\/extensions\/KHR_node_visibility\/visible$/.exec(pointer)?.[1];
            if (node === undefined) continue;
            const { input, output } = samplers[sampler];
            const [times, values] = await Promise.all([input, output].map((it) => parser.getDependency('accessor', it)));
            const visible = Array.from(values.array, Boolean);
            animations[index].tracks.push(new BooleanKeyframeTrack(`${nodes[node].uuid}.visible`, times.array, visible));
        }
    }
    animations.forEach((clip) => clip.resetDuration());
}

/** The parts of a model: nodes with meshes. The coarser levels of detail of a part belong to it. */
function findParts({ nodes, definitions }) {
    const isNode = new Set(nodes);
    const meshesOf = (object) => {
        const below = object.children.filter((child) => !isNode.has(child)).flatMap(meshesOf);
        return object.isMesh || object.isLine || object.isPoints ? [object, ...below] : below;
    };
    const finest = new Map();
    const levels = new Map();
    let lods = 1;
    definitions.forEach((definition, index) => {
        const coarser = definition.extensions?.MSFT_lod?.ids ?? [];
        [index, ...coarser].forEach((id, level, all) => {
            if (all.length < 2) return;
            nodes[id].traverse((object) => levels.set(object, [level, all.length - 1]));
            finest.set(id, index);
            if (!nodes[id].parent) nodes[index].parent?.add(nodes[id]);
            lods = Math.max(lods, all.length);
        });
    });
    const parts = new Map();
    nodes.forEach((node, index) => {
        const meshes = meshesOf(node);
        if (meshes.length === 0) return;
        const key = finest.get(index) ?? index;
        const part = parts.get(key) ?? { name: definitions[key].name || `part ${key}`, meshes: [], shown: true };
        for (const mesh of meshes) {
            const [level, last] = levels.get(mesh) ?? [0, 0];
            part.meshes.push({ mesh, level, last, material: mesh.material });
            // Skinned and morphed meshes leave their bounds.
            mesh.frustumCulled = false;
            // The converter computes alpha so that this is the games' result.
            if (mesh.material.userData.blend === 'additive') mesh.material.blending = AdditiveBlending;
        }
        parts.set(key, part);
    });
    return { parts: [...parts.values()], lods };
}

/** Applies a team color to the materials whose `extras` have one, as the games do. Returns the default color, if any. */
async function addTeamColor({ parser }, parts, teamColor) {
    let color;
    for (const material of new Set(parts.flatMap(({ meshes }) => meshes.map(({ material }) => material)))) {
        const { mask, texture, defaultColor } = material.userData.teamColor ?? {};
        if (mask === undefined || (mask !== 'all' && texture === undefined)) continue;
        const teamMask = { value: mask === 'all' ? null : await parser.getDependency('texture', texture) };
        const amount = mask === 'all' ? '1.0' : 'texture2D(teamMask, vMapUv).r';
        const code = `diffuseColor.rgb *= mix(vec3(1.0), teamColor, ${amount});`;
        material.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, { teamColor, teamMask });
            const include = '#include <map_fragment>';
            shader.fragmentShader = `uniform vec3 teamColor; uniform sampler2D teamMask;\n${shader.fragmentShader}`
                .replace(include, `${include}\n${code}`);
        };
        material.customProgramCacheKey = () => code;
        color ??= new Color().setRGB(...defaultColor, SRGBColorSpace);
    }
    return color;
}

/** Whether a mesh is drawn: it and what is above it are visible, and none has a scale of 0. */
function isDrawn(mesh) {
    if (!mesh.layers.isEnabled(0) || Math.abs(mesh.matrixWorld.determinant()) < 1e-30) return false;
    for (let object = mesh; object; object = object.parent) if (!object.visible) return false;
    return true;
}

/** The nearest position of the camera from which all points are in view, and the distance to their middle. */
function fit(points, rotation, aspect) {
    const inverse = rotation.clone().invert();
    const seen = points.map((point) => point.clone().applyQuaternion(inverse)).map(({ x, y, z }) => [x, y, -z]);
    const low = [0, 1, 2].map((axis) => Math.min(...seen.map((point) => point[axis])));
    const high = [0, 1, 2].map((axis) => Math.max(...seen.map((point) => point[axis])));
    const slope = Math.tan(FOV / 2) * SHARE;
    const nearest = (axis, slope) => {
        const edge = (sign) => Math.max(...seen.map((point) => sign * point[axis] - slope * point[2]));
        return -(edge(1) + edge(-1)) / (2 * slope);
    };
    const size = Math.max(...[0, 1, 2].map((axis) => high[axis] - low[axis]), 1e-3);
    const forward = Math.min(nearest(0, slope * aspect), nearest(1, slope), low[2] - 0.2 * size);
    // Equal margins on both sides.
    const middle = (axis) => {
        let [from, to] = [low[axis], high[axis]];
        for (let step = 0; step < 40; step++) {
            const at = (from + to) / 2;
            const slopes = seen.map((point) => (point[axis] - at) / (point[2] - forward));
            if (Math.min(...slopes) + Math.max(...slopes) > 0) from = at;
            else to = at;
        }
        return (from + to) / 2;
    };
    const eye = new Vector3(middle(0), middle(1), -forward).applyQuaternion(rotation);
    return [eye, (low[2] + high[2]) / 2 - forward];
}

/** Light from everywhere, brighter from above, which metals reflect. */
function surroundings(renderer) {
    const geometry = new SphereGeometry(10, 16, 16);
    const { position } = geometry.attributes;
    const colors = new Float32Array(position.count * 3);
    for (let index = 0; index < position.count; index++) {
        const up = position.getY(index) / 10;
        colors.fill(up > 0 ? 0.3 + 0.8 * up : 0.3 + 0.15 * up, index * 3, index * 3 + 3);
    }
    geometry.setAttribute('color', new BufferAttribute(colors, 3));
    const scene = new Scene();
    scene.add(new Mesh(geometry, new MeshBasicMaterial({ vertexColors: true, side: BackSide })));
    const generator = new PMREMGenerator(renderer);
    const { texture } = generator.fromScene(scene);
    generator.dispose();
    geometry.dispose();
    return texture;
}

async function main() {
    element('name').textContent = document.title;
    const canvas = element('canvas');
    canvas.setAttribute('aria-label', `3D model ${document.title}. Arrow keys turn it, + and − zoom.`);
    const renderer = new WebGLRenderer({ canvas, antialias: true });
    const model = await load();
    const { animations, definitions, parser } = model;
    const { parts, lods } = findParts(model);
    const teamColor = { value: new Color() };
    const defaultTeam = await addTeamColor(model, parts, teamColor);

    const scene = new Scene();
    scene.environment = surroundings(renderer);
    scene.add(model.scene);
    const light = new DirectionalLight();
    scene.add(light, light.target);
    const camera = new PerspectiveCamera((FOV * 180) / Math.PI);
    const controls = new OrbitControls(camera, canvas);
    const mixer = new AnimationMixer(model.scene);

    let action = null;
    let time = 0;
    let isPlaying = false;
    let isDirty = true;
    const redraw = () => { isDirty = true; };
    controls.addEventListener('change', redraw);

    // Poses

    const duration = () => action?.getClip().duration ?? 0;
    const pose = (at) => {
        if (action) action.time = at;
        mixer.update(0);
        model.scene.updateMatrixWorld(true);
    };
    const setTime = (at) => {
        time = Math.min(Math.max(at, 0), duration());
        redraw();
    };
    const setPlaying = (value) => {
        isPlaying = value && duration() > 0;
        element('play').textContent = isPlaying ? 'Pause' : 'Play';
        redraw();
    };
    const setClip = (name) => {
        const clip = animations.find((clip) => clip.name === name);
        mixer.stopAllAction();
        action = clip ? mixer.clipAction(clip).setLoop(LoopRepeat, Infinity).play() : null;
        element('clip').value = clip ? name : '';
        element('time').max = duration();
        element('time').disabled = element('play').disabled = !clip;
        setTime(0);
        setPlaying(true);
    };

    // Parts

    let lod = 0;
    const setParts = () => {
        for (const { meshes, shown, box } of parts) {
            box.checked = shown;
            for (const { mesh, level, last } of meshes) mesh.layers.set(shown && Math.min(lod, last) === level ? 0 : 1);
        }
        redraw();
    };
    const setLod = (value) => {
        lod = Math.min(Math.max(Math.trunc(value) || 0, 0), lods - 1);
        element('lod').value = lod;
        setParts();
    };
    const variants = (parser.json.extensions?.KHR_materials_variants?.variants ?? []).map(({ name }) => name);
    const setSkin = async (name) => {
        const variant = variants.indexOf(name);
        if (variant < 0) return;
        element('skin').value = name;
        for (const { mesh, material } of parts.flatMap(({ meshes }) => meshes)) {
            const mappings = mesh.userData.gltfExtensions?.KHR_materials_variants?.mappings ?? [];
            const mapping = mappings.find((mapping) => mapping.variants.includes(variant));
            mesh.material = mapping ? await parser.getDependency('material', mapping.material) : material;
            if (mapping) parser.assignFinalMaterial(mesh);
        }
        redraw();
    };

    // Camera and light

    const bounds = () => {
        const box = new Box3();
        // Glows and beams may leave the picture.
        const meshes = parts.flatMap(({ meshes }) => meshes).map(({ mesh }) => mesh).filter(({ material }) => material.userData.blend !== 'additive');
        const vertices = meshes.reduce((sum, { geometry }) => sum + geometry.attributes.position.count, 0);
        const steps = action ? Math.round(Math.min(Math.max(FRAMED_VERTICES / vertices, 2), 32)) : 0;
        const point = new Vector3();
        for (let step = 0; step <= steps; step++) {
            pose((duration() * step) / Math.max(steps, 1));
            for (const mesh of meshes.filter(isDrawn)) {
                for (let vertex = mesh.geometry.attributes.position.count; vertex--;) {
                    const at = mesh.isMesh ? mesh.getVertexPosition(vertex, point) : point.fromBufferAttribute(mesh.geometry.attributes.position, vertex);
                    box.expandByPoint(at.applyMatrix4(mesh.matrixWorld));
                }
            }
        }
        pose(time);
        return box.isEmpty() ? box.setFromCenterAndSize(new Vector3(), new Vector3(1, 1, 1)) : box;
    };
    // All converted models face +Z, except those of UFO: Aftermath.
    const facing = definitions.some(({ extras }) => extras?.format === 'lgw') ? Math.PI : 0;
    const frame = (view) => {
        const [yaw, pitch] = VIEWS[view] ?? VIEWS.iso;
        const rotation = new Quaternion().setFromEuler(new Euler(-pitch, yaw + facing, 0, 'YXZ'));
        const { min, max } = bounds();
        const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((corner) =>
            new Vector3(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z));
        const [eye, depth] = fit(corners, rotation, canvas.clientWidth / canvas.clientHeight);
        camera.position.copy(eye);
        controls.target.copy(eye).add(new Vector3(0, 0, -depth).applyQuaternion(rotation));
        Object.assign(controls, { minDistance: depth / 100, maxDistance: depth * 20 });
        controls.update();
        redraw();
    };
    const setLight = () => {
        const [yaw, pitch] = ['yaw', 'pitch'].map((id) => (element(id).value * Math.PI) / 180);
        light.position.set(Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch));
        light.intensity = Number(element('intensity').value);
        scene.environmentIntensity = Number(element('ambient').value);
        scene.background = new Color(element('background').value);
        document.body.style.background = element('background').value;
        teamColor.value.set(element('team').value);
        redraw();
    };
    const turn = (yaw, pitch, zoom) => {
        const offset = camera.position.clone().sub(controls.target).multiplyScalar(zoom);
        const level = Math.hypot(offset.x, offset.z);
        const to = Math.min(Math.max(Math.atan2(offset.y, level) + pitch, -1.57), 1.57);
        const around = Math.atan2(offset.x, offset.z) + yaw;
        offset.set(Math.sin(around) * Math.cos(to), Math.sin(to), Math.cos(around) * Math.cos(to)).multiplyScalar(offset.length());
        camera.position.copy(controls.target).add(offset);
        controls.update();
    };

    // Controls

    const option = (value, text = value) => new Option(text, value);
    element('clip').append(...animations.map(({ name }) => option(name)), option('', 'rest pose'));
    element('skin').append(...variants.map((name) => option(name)));
    element('lod').append(...Array.from({ length: lods }, (_, level) => option(level, level === 0 ? '0 (finest)' : level)));
    element('bar').hidden = animations.length === 0;
    element('skins').hidden = variants.length < 2;
    element('lods').hidden = lods < 2;
    element('teams').hidden = !defaultTeam;
    if (defaultTeam) element('team').value = `#${defaultTeam.getHexString()}`;
    for (const part of parts) {
        part.box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: true });
        part.box.addEventListener('change', () => {
            part.shown = part.box.checked;
            setParts();
        });
        part.label = document.createElement('label');
        part.label.append(part.box, part.name);
        element('parts').append(part.label);
    }
    for (const [index, view] of Object.keys(VIEWS).entries()) {
        const button = Object.assign(document.createElement('button'), { textContent: view, title: `Key: ${index + 1}` });
        button.addEventListener('click', () => frame(view));
        document.querySelector('.views').append(button);
    }
    const setPanel = (isOpen) => {
        element('panel').hidden = !isOpen;
        element('options').setAttribute('aria-expanded', isOpen);
    };
    const toggleFullScreen = () => {
        if (document.fullscreenElement) document.exitFullscreen();
        else document.documentElement.requestFullscreen?.()?.catch(() => {});
    };
    element('full').hidden = !document.documentElement.requestFullscreen;
    element('full').addEventListener('click', toggleFullScreen);
    element('options').addEventListener('click', () => setPanel(element('panel').hidden));
    element('play').addEventListener('click', () => setPlaying(!isPlaying));
    element('clip').addEventListener('change', ({ target }) => setClip(target.value));
    element('skin').addEventListener('change', ({ target }) => setSkin(target.value));
    element('lod').addEventListener('change', ({ target }) => setLod(target.value));
    element('time').addEventListener('input', ({ target }) => {
        setPlaying(false);
        setTime(Number(target.value));
    });
    for (const id of ['yaw', 'pitch', 'intensity', 'ambient', 'background', 'team']) element(id).addEventListener('input', setLight);
    // The space bar after a click on a button plays or pauses.
    addEventListener('click', ({ target, detail }) => detail > 0 && target.closest('button')?.blur());
    new ResizeObserver(redraw).observe(canvas);
    const step = (seconds) => {
        setPlaying(false);
        setTime(time + seconds);
    };
    const keys = {
        ' ': () => setPlaying(!isPlaying),
        f: toggleFullScreen,
        ',': () => step(-1 / 30),
        '.': () => step(1 / 30),
        '+': () => turn(0, 0, 0.9),
        '-': () => turn(0, 0, 1 / 0.9),
        ArrowLeft: () => turn(-0.1, 0, 1),
        ArrowRight: () => turn(0.1, 0, 1),
        ArrowUp: () => turn(0, 0.1, 1),
        ArrowDown: () => turn(0, -0.1, 1),
    };
    Object.keys(VIEWS).forEach((view, index) => { keys[index + 1] = () => frame(view); });
    addEventListener('keydown', (event) => {
        const { target } = event;
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        const isTaken = key === ' ' ? 'button, select, summary, input:not([type=range])' : 'select, input';
        const isKey = Object.hasOwn(keys, key) && !event.ctrlKey && !event.altKey && !event.metaKey;
        if (!isKey || (target.matches?.(isTaken) && key !== 'f')) return;
        event.preventDefault();
        keys[key]();
    });

    // The state in the address: #clip=MOVE_00&time=0.5

    const applyAddress = async (isFirst) => {
        const state = new URLSearchParams(location.hash.slice(1));
        const preferred = () => animations.find(({ name }) => /^(move|idle|walk|run|stand)/i.test(name)) ?? animations[0];
        if (isFirst || state.has('clip')) setClip(state.get('clip') ?? preferred()?.name);
        if (isFirst && matchMedia('(prefers-reduced-motion: reduce)').matches) setPlaying(false);
        if (state.has('time')) {
            setPlaying(false);
            setTime(Number(state.get('time')) || 0);
        }
        if (state.has('speed')) {
            const speed = state.get('speed');
            if (![...element('speed').options].some(({ value }) => value === speed)) element('speed').append(option(speed, `× ${speed}`));
            element('speed').value = speed;
        }
        const hidden = state.get('hide')?.split(',');
        for (const part of parts) part.shown = hidden ? !hidden.includes(part.name) : part.shown;
        if (isFirst || state.has('lod')) setLod(state.get('lod'));
        setParts();
        await setSkin(state.get('skin') ?? (isFirst ? variants[0] : undefined));
        for (const id of ['yaw', 'pitch', 'intensity', 'ambient']) if (state.has(id)) element(id).value = state.get(id);
        for (const id of ['background', 'team']) {
            if (/^[0-9a-f]{6}$/i.test(state.get(id) ?? '')) element(id).value = `#${state.get(id)}`;
        }
        setLight();
        if (state.has('controls')) document.body.classList.toggle('bare', state.get('controls') === 'none');
        if (isFirst || state.has('view')) frame(state.get('view'));
    };
    addEventListener('hashchange', () => applyAddress(false));

    // Drawing

    const draw = () => {
        const { clientWidth: width, clientHeight: height } = canvas;
        const ratio = Math.min(devicePixelRatio, 2);
        // A new size makes a new buffer.
        if (canvas.width !== Math.floor(width * ratio) || canvas.height !== Math.floor(height * ratio)) {
            renderer.setPixelRatio(ratio);
            renderer.setSize(width, height, false);
        }
        const distance = camera.position.distanceTo(controls.target);
        Object.assign(camera, { aspect: width / height, near: distance * 0.01, far: distance * 1000 });
        camera.updateProjectionMatrix();
        pose(time);
        renderer.render(scene, camera);
        element('time').value = time;
        element('clock').textContent = `${time.toFixed(2)} / ${duration().toFixed(2)} s`;
        if (element('parts').open) {
            for (const { meshes, label } of parts) label.classList.toggle('unseen', !meshes.some(({ mesh }) => isDrawn(mesh)));
        }
    };
    let last = performance.now();
    const loop = (now) => {
        const seconds = Math.min((now - last) / 1000, 0.25);
        last = now;
        if (isPlaying) setTime((time + seconds * Number(element('speed').value)) % duration());
        if (isDirty) {
            isDirty = false;
            draw();
        }
        requestAnimationFrame(loop);
    };
    element('parts').addEventListener('toggle', redraw);
    await applyAddress(true);
    draw();
    requestAnimationFrame(loop);
}

main().then(
    () => {
        element('message').hidden = true;
        document.documentElement.dataset.state = 'ready';
    },
    (error) => {
        console.error(error);
        element('message').textContent = `The model cannot be shown: ${error.message ?? error}`;
        document.documentElement.dataset.state = 'failed';
    },
);
