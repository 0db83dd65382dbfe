//! Observers that despawn models, change their components and spawn other models, when an event is sent to a root.

use crate::clips::named::{app as app_of_clips, named};
use crate::support::prelude::*;
use bevy_classic_models::root::PlayerColors;

/// A model of each format. The last has no clips.
pub const MODELS: [&str; 4] = ["tetra.mdl", "art/Unit.alo", "model.abc", "bike.lgw"];

/// What the observers do when they receive an event of this root, once.
#[derive(Component, Clone, Debug)]
pub enum Action {
    Despawn(Vec<Entity>),
    /// Another root needs a clip that is not loaded yet.
    RequestClip(Entity, &'static str),
    InsertComponents,
    SpawnAnother,
    ReplaceModel,
    RemoveModel,
}

/// On models that an observer has spawned.
#[derive(Component)]
pub struct SpawnedByObserver;

/// Loaded models.
#[derive(Resource)]
pub struct Loaded {
    pub models: Vec<UntypedHandle>,
    server: AssetServer,
}

/// Executes the action of a root.
pub fn act(root: Entity, actions: &Query<&Action>, loaded: &Loaded, commands: &mut Commands) {
    let Ok(action) = actions.get(root) else {
        return;
    };
    match action {
        Action::Despawn(targets) => {
            targets
                .iter()
                .for_each(|target| commands.entity(*target).despawn());
            return;
        }
        Action::RequestClip(target, path) => {
            let clip = loaded.server.load(*path);
            let clips = [named("late", clip, 1.0, Repeat::Loop)];
            commands.entity(*target).insert(ModelClips::new(clips));
        }
        Action::InsertComponents => insert_components(commands, root),
        Action::SpawnAnother => {
            let to = on(root, "");
            for model in &loaded.models {
                let model = ClassicModel::new(model.clone());
                commands.spawn((model.clone(), SpawnedByObserver));
                commands.spawn((model, SpawnedByObserver, to.clone()));
            }
        }
        Action::ReplaceModel => {
            commands
                .entity(root)
                .insert(ClassicModel::new(loaded.models[0].clone()));
        }
        Action::RemoveModel => {
            commands.entity(root).remove::<ClassicModel>();
        }
    }
    commands.entity(root).remove::<Action>();
}

/// Inserts components of all kinds.
fn insert_components(commands: &mut Commands, root: Entity) {
    commands.entity(root).insert((
        PlayClip::looping(0),
        ClipLayers::new([ClipLayer::looping(0)]),
        ModelSkin::from(0),
        TeamColor(Color::WHITE),
        PlayerColors { shirt: 1, pants: 2 },
        DamageStage(1),
        ModelLod(1),
        PartVisibility::hidden(["Arm", "Turret"]),
        BevySpace::default(),
        FollowVelocity::default(),
        RootMotion::default(),
        ModelMasks::default(),
    ));
}

/// An app with a loaded model of each format.
pub fn app() -> TestApp {
    let mut app = app_of_clips();
    let bike = BICYCLE.as_bytes().to_vec();
    app.save("bike.lgw", bike);
    let server = app.server();
    let models = MODELS.map(|path| load_model(&server, path));
    app.wait_until(|_| {
        let mut models = models.iter();
        models.all(|model| server.is_loaded_with_dependencies(model))
    });
    let models = models.into();
    app.insert_resource(Loaded { models, server });
    app
}

/// Despawns the roots that still exist.
pub fn despawn(app: &mut TestApp, roots: &[Entity]) {
    for root in roots {
        app.world().try_despawn(*root).ok();
    }
    app.step(0.1);
}
