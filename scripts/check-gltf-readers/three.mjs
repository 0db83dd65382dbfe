// Prints the bounds that three.js has for the files of a list. Argument: the list.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { bounds, report } from './bounds.mjs';

// What three.js needs of a browser.
globalThis.self = globalThis;
console.warn = console.error;

await report(async (bytes) => {
    const { scene, animations } = await new GLTFLoader().parseAsync(bytes.buffer, '');
    const mixer = new THREE.AnimationMixer(scene);
    return (clip, time) => {
        mixer.stopAllAction();
        if (clip !== null) {
            const action = mixer.clipAction(animations.find(({ name }) => name === clip));
            action.setLoop(THREE.LoopOnce).clampWhenFinished = true;
            action.reset().play();
            mixer.setTime(time);
        }
        scene.updateMatrixWorld(true);
        const meshes = [];
        scene.traverseVisible((mesh) => {
            if (mesh.isMesh) {
                mesh.skeleton?.update();
                const { count } = mesh.geometry.attributes.position;
                const point = (_, index) => mesh.getVertexPosition(index, new THREE.Vector3()).applyMatrix4(mesh.matrixWorld).toArray();
                meshes.push(Array.from({ length: count }, point));
            }
        });
        return bounds(meshes);
    };
});
