//! The walkers.

use crate::Options;
use crate::support::dice::Dice;
use crate::support::stage::extent;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use std::f32::consts::TAU;

const MODEL: &str = "models/walker.alo";

/// The clip that they play.
const CLIP: &str = "MOVE_00";

/// Spawns as many walkers as were asked for, once their model is there.
pub struct FieldPlugin;

impl Plugin for FieldPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, load)
            .add_systems(Update, populate.run_if(not(resource_exists::<Field>)));
    }
}

/// The model, which has to be there before the field can be laid out.
#[derive(Resource)]
pub struct Model(pub Handle<Alo>);

/// Where the walkers stand: a square around the origin.
#[derive(Resource, Clone, Copy, Debug)]
pub struct Field {
    /// Half its side.
    pub half: f32,
    /// How far one walker is from the next.
    pub spacing: f32,
    /// How tall a walker is.
    pub height: f32,
}

fn load(mut commands: Commands, server: Res<AssetServer>) {
    // Each walker has lights of its own, which so many of them cannot afford.
    let settings = |settings: &mut AloLoaderSettings| settings.load_lights = false;
    let builder = server.load_builder().with_settings(settings);
    commands.insert_resource(Model(builder.load(MODEL)));
}

fn populate(
    mut commands: Commands,
    options: Res<Options>,
    model: Res<Model>,
    models: Res<Assets<Alo>>,
    clips: Res<Assets<Ala>>,
) {
    let Some(model) = models.get(&model.0) else {
        return;
    };
    let clip = model.animations.iter().find(|clip| *clip.name == *CLIP);
    let Some(clip) = clip.and_then(|clip| clips.get(&clip.ala)) else {
        return;
    };
    let seconds = clip.seconds();
    let (low, high) = extent(model);
    let size = high - low;
    let field = Field {
        half: 0.0,
        spacing: 1.15 * size.x.max(size.y),
        height: size.z,
    };
    let per_side = (options.walkers as f32).sqrt().ceil() as usize;
    let middle = (per_side as f32 - 1.0) / 2.0;
    for index in 0..options.walkers {
        let (row, column) = (index / per_side, index % per_side);
        let place = Vec3::new(column as f32 - middle, 0.0, row as f32 - middle);
        let mut dice = Dice::new(index as u32);
        let turn = Quat::from_rotation_y(dice.roll() * TAU);
        commands.spawn((
            WorldAssetRoot(model.scene.clone()),
            Transform::from_translation(place * field.spacing - Vec3::Y * low.z)
                .with_rotation(turn),
            PlayClip::looping(CLIP)
                .starting_at(dice.roll() * seconds)
                .with_speed(0.75 + dice.roll() / 2.0),
        ));
    }
    commands.insert_resource(Field {
        half: per_side as f32 / 2.0 * field.spacing,
        ..field
    });
}
