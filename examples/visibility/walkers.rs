//! The three walkers, and what they play.

use crate::Options;
use crate::tracks::Show;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use std::f32::consts::PI;

/// Seconds of a fade.
pub const FADE: f32 = 1.5;

/// How far the walkers are turned from looking straight at the camera.
const TURN: f32 = 0.6;

/// How a walker differs from the others.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walker {
    /// Plays the clip.
    AsAnimated,
    /// Plays it without its tracks.
    WithoutTracks,
    /// The same, and shows the bones that the model hides.
    FlagsSet,
}

impl Walker {
    pub const ALL: [Self; 3] = [Self::AsAnimated, Self::WithoutTracks, Self::FlagsSet];

    /// What is written above it.
    pub fn caption(self) -> [&'static str; 2] {
        match self {
            Self::AsAnimated => ["as animated", "the tracks show and hide"],
            Self::WithoutTracks => ["tracks left out", "AloBone::visible as in the file"],
            Self::FlagsSet => ["tracks left out", "AloBone::visible = true"],
        }
    }
}

/// What plays, once everything is loaded.
#[derive(Resource)]
pub struct Program {
    pub shows: Vec<Show>,
    /// What was chosen.
    pub current: usize,
    /// What it fades from.
    pub before: Option<usize>,
}

impl Program {
    pub fn show(&self) -> Option<&Show> {
        self.shows.get(self.current)
    }

    /// What fades out.
    pub fn fading(&self) -> Option<&Show> {
        self.shows.get(self.before?)
    }

    /// The clip of a walker.
    pub fn clip(&self, walker: Walker) -> ClipRef {
        match self.show() {
            Some(show) if walker == Walker::AsAnimated => ClipRef::Name(show.name.clone()),
            Some(show) => ClipRef::Handle(show.stripped.clone()),
            None => ClipRef::Index(0),
        }
    }

    /// The place of a clip, which may be named without the number at its end: `die`.
    pub fn find(&self, name: &str) -> Option<usize> {
        let place = |is_it: &dyn Fn(&str) -> bool| {
            let mut shows = self.shows.iter();
            shows.position(|show| is_it(&show.name))
        };
        let kind = |show: &str| {
            show.rsplit_once('_')
                .map_or("", |(kind, _)| kind)
                .to_owned()
        };
        place(&|show| show.eq_ignore_ascii_case(name))
            .or_else(|| place(&|show| kind(show).eq_ignore_ascii_case(name)))
    }
}

/// Spawns the walkers and lets them play.
pub struct WalkersPlugin;

impl Plugin for WalkersPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn).add_systems(
            Update,
            (
                begin,
                set_flags,
                end_fade.run_if(resource_exists::<Program>),
            )
                .chain(),
        );
    }
}

/// The model.
#[derive(Resource)]
pub struct Model(pub Handle<Alo>);

fn spawn(mut commands: Commands, server: Res<AssetServer>) {
    let model = server.load("models/walker.alo");
    let scene = server.load(AloAssetLabel::Scene.from_asset("models/walker.alo"));
    for walker in Walker::ALL {
        let turned = Transform::from_rotation(Quat::from_rotation_y(PI + TURN));
        commands.spawn((walker, WorldAssetRoot(scene.clone()), turned));
    }
    commands.insert_resource(Model(model));
}

/// Lets all walkers begin together, when all is there.
fn begin(
    mut commands: Commands,
    options: Res<Options>,
    program: Option<Res<Program>>,
    model: Res<Model>,
    (models, alas): (Res<Assets<Alo>>, Res<Assets<Ala>>),
    mut clips: ResMut<Assets<AnimationClip>>,
    walkers: Query<(Entity, &Walker), With<AloInstance>>,
) {
    if program.is_some() || walkers.iter().count() < Walker::ALL.len() {
        return;
    }
    let Some(model) = models.get(&model.0) else {
        return;
    };
    let is_there = |ala| alas.get(ala).is_some_and(|ala| clips.contains(&ala.clip));
    if !model.animations.iter().all(|clip| is_there(&clip.ala)) {
        return;
    }
    let shows = model.animations.iter().filter_map(|clip| {
        let ala = alas.get(&clip.ala)?;
        Show::new(&clip.name, ala, model, &mut clips)
    });
    let mut program = Program {
        shows: shows.collect(),
        current: 0,
        before: None,
    };
    program.current = program.find(&options.clip).unwrap_or(0);
    for (entity, walker) in &walkers {
        let play = PlayClip::looping(program.clip(*walker)).with_fade(FADE);
        commands.entity(entity).insert(play);
    }
    commands.insert_resource(program);
}

/// Shows what the model hides, on the walker that is for this.
fn set_flags(
    walkers: Query<(&Walker, &AloInstance), Changed<AloInstance>>,
    bones: Query<&AloBone>,
    mut commands: Commands,
) {
    let of_flags = walkers.iter().filter(|(w, _)| **w == Walker::FlagsSet);
    for entity in of_flags.flat_map(|(_, instance)| instance.bones()) {
        if let Ok(bone) = bones.get(*entity) {
            commands.entity(*entity).insert(AloBone {
                visible: true,
                ..*bone
            });
        }
    }
}

fn end_fade(mut program: ResMut<Program>, walkers: Query<(&Walker, &AloAnimator, &PlayClip)>) {
    if program.before.is_none() {
        return;
    }
    let plays = |(walker, animator, play): (&Walker, &AloAnimator, &PlayClip)| {
        *walker == Walker::WithoutTracks
            && ClipRef::from(animator.clip().cloned().unwrap_or_default()) == play.clip
            && animator.weight() >= 1.0
    };
    if walkers.iter().any(plays) {
        program.before = None;
    }
}
