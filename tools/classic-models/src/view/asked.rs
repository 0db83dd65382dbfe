//! What the command line asks of models that were opened by manifests: it goes before what those state.

use crate::view::args::Args;
use crate::view::clips::{ClipList, ClipState};
use crate::view::models::{ViewedModel, mdl_clip};
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::lgw::LgwInstance;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;
use bevy_classic_models::quake::MdlAnimator;
use bevy_classic_models::scene::Repeat;

/// On models of manifests of which it was asked.
#[derive(Component)]
pub struct Asked;

/// What a manifest has given to its model.
#[derive(QueryData)]
pub struct Given {
    entity: Entity,
    model: &'static ViewedModel,
    is_mdl: Has<MdlAnimator>,
    alo: Option<&'static AloInstance>,
    abc: Option<&'static AbcInstance>,
    is_lgw: Has<LgwInstance>,
    list: Option<&'static ClipList>,
    clips: Option<&'static ModelClips>,
    play: Option<&'static PlayClip>,
    hidden: Option<&'static PartVisibility>,
}

/// Whether a manifest has given all that it states, and nothing was asked since.
type Unasked = (With<ClassicModel>, With<WorldAssetRoot>, Without<Asked>);

/// Asks it once, when a model is there and it is known what it can play.
pub fn ask(
    mut commands: Commands,
    args: Res<Args>,
    mdl: Res<Assets<Mdl>>,
    models: Query<Given, Unasked>,
) {
    for given in models.iter().filter(GivenItem::is_there) {
        let mut entity = commands.entity(given.entity);
        entity.insert(Asked);
        ask_for_clip(&mut entity, &args, &given, &mdl);
        ask_for_look(&mut entity, &args, &given);
    }
}

impl GivenItem<'_, '_> {
    fn is_there(&self) -> bool {
        let alo = self.alo.map(|of| of.model().animations.len());
        let abc = self.abc.map(|of| of.model().animations.len());
        let Some(count) = alo.or(abc) else {
            return self.is_mdl || self.is_lgw;
        };
        let has_clips = count > 0 || self.clips.is_some();
        let list = self.list.map_or(&[][..], |list| &list.0);
        let is_loading = list.iter().any(|clip| clip.state == ClipState::Loading);
        !is_loading && (!has_clips || !list.is_empty())
    }

    /// A clip by a name that the manifest or the model's file has, or by its place.
    fn clip(&self, name: &str, mdl: &Assets<Mdl>) -> Option<ClipRef> {
        if self.clips.is_some_and(|own| own.get(name).is_some()) {
            return Some(name.into());
        }
        let mdl = self.model.handle.mdl().and_then(|of| mdl.get(of));
        let of_mdl = mdl.and_then(|mdl| mdl_clip(mdl, name));
        of_mdl.or_else(|| Some(self.list?.named(name)?.ready()?.play.clone()))
    }
}

fn ask_for_clip(
    entity: &mut EntityCommands<'_>,
    args: &Args,
    given: &GivenItem<'_, '_>,
    mdl: &Assets<Mdl>,
) {
    if args.rest {
        entity.remove::<PlayClip>();
        return;
    }
    let asked = args.clip.as_deref();
    let asked = asked.and_then(|name| given.clip(name, mdl));
    let Some(mut play) = asked
        .map(PlayClip::from_manifest)
        .or_else(|| given.play.cloned())
    else {
        return;
    };
    if args.once {
        play.repeat = Repeat::Once;
    }
    if args.time.is_some() {
        play.start = args.time;
        play.paused = true;
    }
    // What is as it was stays the manifest's to change.
    if given.play != Some(&play) {
        entity.insert(play);
    }
}

fn ask_for_look(entity: &mut EntityCommands<'_>, args: &Args, given: &GivenItem<'_, '_>) {
    if let Some(skin) = &args.skin {
        entity.insert(skin.clone());
    }
    if let Some(colors) = args.colors {
        entity.insert(colors);
    }
    if let Some(steps) = args.lod {
        entity.insert(ModelLod(steps));
    }
    if let Some(stage) = args.alt {
        entity.insert(DamageStage(stage));
    }
    if let Some(team) = args.team {
        entity.insert(TeamColor(team));
    }
    if !args.parts.0.is_empty() {
        entity.insert(
            args.parts
                .applied_to(given.hidden.cloned().unwrap_or_default()),
        );
    }
}

/// Whether all models of manifests are as the command line asks for, or never will be.
pub fn all_asked(models: Query<(&ViewedModel, Has<Asked>)>) -> bool {
    models
        .iter()
        .all(|(model, is_asked)| is_asked || model.manifest.is_none() || model.problem.is_some())
}
