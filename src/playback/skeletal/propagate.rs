//! Propagates the transforms of models with bones, instead of Bevy.
//!
//! Bevy finds out for every bone that moves which trees it is in, and walks each tree from child to child. That takes most of the
//! time of an animated model. Here, it is known which models have moved, and each has a list of the entities below it.
//!
//! Bevy skips the scene of such a model, because its root entity has no `TransformTreeChanged`. But Bevy still marks the root of
//! the model when something below it has changed: parts, attachments, and bones that users move.

use bevy::prelude::*;
use bevy::transform::components::TransformTreeChanged;
use bevy::transform::systems::{propagate_parent_transforms, sync_simple_transforms};

/// On the root of a model with bones: its scene, whose transforms this crate propagates.
#[derive(Component, Debug)]
pub struct PosedScene {
    /// The root entity of the scene.
    scene: Entity,
    /// Whether clips have moved bones in this frame.
    pub(crate) is_moved: bool,
    /// The entities of the scene, parents before their children, each with the index of its parent; the first is the scene
    /// itself. Empty if it must be made again.
    nodes: Vec<(Entity, usize)>,
}

impl PosedScene {
    pub(crate) fn new(scene: Entity) -> Self {
        Self {
            scene,
            is_moved: true,
            nodes: Vec::new(),
        }
    }

    /// The root entity of the scene.
    pub(crate) fn scene(&self) -> Entity {
        self.scene
    }

    fn list(&mut self, children: &Query<&Children>) {
        self.nodes.push((self.scene, 0));
        let mut index = 0;
        while let Some((entity, _)) = self.nodes.get(index) {
            let children = children.get(*entity).into_iter().flatten();
            self.nodes.extend(children.map(|child| (*child, index)));
            index += 1;
        }
    }
}

/// Registers the systems, once for all formats.
pub(crate) fn register(app: &mut App) {
    app.add_systems(
        PostUpdate,
        (forget_nodes, propagate_scenes)
            .chain()
            .in_set(TransformSystems::Propagate)
            .after(propagate_parent_transforms)
            .after(sync_simple_transforms),
    );
}

/// Forgets the lists of entities of scenes in which entities were added, moved or removed.
fn forget_nodes(
    changed: Query<Entity, Changed<Children>>,
    mut without: RemovedComponents<Children>,
    parents: Query<&ChildOf>,
    mut scenes: Query<&mut PosedScene>,
) {
    for entity in changed.iter().chain(without.read()) {
        for above in parents.iter_ancestors(entity) {
            if let Ok(mut posed) = scenes.get_mut(above) {
                posed.bypass_change_detection().nodes.clear();
            }
        }
    }
}

type Roots<'w, 's> = Query<
    'w,
    's,
    (
        Entity,
        Ref<'static, GlobalTransform>,
        Ref<'static, TransformTreeChanged>,
        &'static mut PosedScene,
    ),
>;

type Nodes<'w, 's> = Query<'w, 's, (&'static Transform, &'static mut GlobalTransform)>;

/// Writes the global transforms in the scenes that have moved.
fn propagate_scenes(
    mut commands: Commands,
    mut params: ParamSet<(Roots, (Query<&PosedScene>, Nodes))>,
    children: Query<&Children>,
    marked: Query<(), With<TransformTreeChanged>>,
    static_scenes: Res<StaticTransformOptimizations>,
    mut moved: Local<Vec<Entity>>,
    mut globals: Local<Vec<GlobalTransform>>,
) {
    let marks = static_scenes.is_enabled();
    for (root, global, tree, mut posed) in &mut params.p0() {
        let posed = posed.bypass_change_detection();
        if core::mem::take(&mut posed.is_moved)
            || global.is_changed()
            || tree.is_changed()
            || !marks
        {
            moved.push(root);
            if posed.nodes.is_empty() {
                posed.list(&children);
            }
            // Inserting a `Transform` adds it again.
            if marked.contains(posed.scene) {
                let mut scene = commands.entity(posed.scene);
                scene.try_remove::<TransformTreeChanged>();
            }
        }
    }
    let (scenes, mut nodes) = params.p1();
    // A model that is attached to another one may come first. Then the other one visits it again.
    for root in moved.drain(..) {
        let (Ok(posed), Ok((_, root))) = (scenes.get(root), nodes.get(root)) else {
            continue;
        };
        let root = *root;
        globals.clear();
        for (entity, parent) in &posed.nodes {
            let parent = globals.get(*parent).copied().unwrap_or(root);
            let mut own = parent;
            if let Ok((transform, mut global)) = nodes.get_mut(*entity) {
                own = parent.mul_transform(*transform);
                global.set_if_neq(own);
            }
            globals.push(own);
        }
    }
}
