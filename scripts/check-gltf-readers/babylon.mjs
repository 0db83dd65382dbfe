// Prints the bounds that Babylon.js has for the files of a list. Argument: the list.
import { ImportMeshAsync } from '@babylonjs/core/Loading/sceneLoader.js';
import { Logger } from '@babylonjs/core/Misc/logger.js';
import { NullEngine } from '@babylonjs/core/Engines/nullEngine.js';
import { Scene } from '@babylonjs/core/scene.js';
import { Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import '@babylonjs/loaders/glTF/2.0/glTFLoader.js';
import '@babylonjs/loaders/glTF/2.0/Extensions/dynamic.js';
import '@babylonjs/loaders/glTF/glTFFileLoader.js';
import { bounds, report } from './bounds.mjs';

// Frames per second of the loader's animations.
const FRAMES = 60;

Logger.LogLevels = Logger.NoneLogLevel;
const engine = new NullEngine();

await report(async (bytes) => {
    const scene = new Scene(engine);
    scene.useRightHandedSystem = true;
    const { animationGroups } = await ImportMeshAsync(bytes, scene, { pluginExtension: '.glb' });
    const stop = () => animationGroups.forEach((group) => group.stop());
    stop();
    return (clip, time) => {
        // Values of the clip before remain, as in games that change clips.
        stop();
        if (clip !== null) {
            const group = animationGroups.find(({ name }) => name === clip);
            group.start(false);
            group.goToFrame(time * FRAMES);
            group.pause();
        }
        scene.skeletons.forEach((skeleton) => skeleton.prepare(true));
        const meshes = [];
        for (const mesh of scene.meshes) {
            mesh.computeWorldMatrix(true);
            if (mesh.getTotalVertices() === 0 || !mesh.isEnabled() || !mesh.isVisible) {
                continue;
            }
            const data = mesh.getPositionData(true, true);
            const world = mesh.getWorldMatrix();
            const point = (_, index) => Vector3.TransformCoordinates(Vector3.FromArray(data, 3 * index), world).asArray();
            meshes.push(Array.from({ length: data.length / 3 }, point));
        }
        return bounds(meshes);
    };
});
process.exit(0);
