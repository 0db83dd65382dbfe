//! Applies the options of the command line to models that were opened by manifests. Options override the manifest.

use crate::view::args::Args;
use crate::view::clips::{ClipList, ClipState};
use crate::view::mdl_models::mdl_clip;
use crate::view::viewed_model::ViewedModel;
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::lgw::LgwInstance;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;
use bevy_classic_models::quake::MdlInstance;
use bevy_classic_models::root::Repeat;

/// Marks a model of a manifest to which the options were applied.
#[derive(Component)]
pub struct OverridesApplied;

/// A model of a manifest, with the components that the options change.
#[derive(QueryData)]
pub struct ManifestModel {
    entity: Entity,
    model: &'static ViewedModel,
    is_mdl: Has<MdlInstance>,
    alo: Option<&'static AloInstance>,
    abc: Option<&'static AbcInstance>,
    is_lgw: Has<LgwInstance>,
    list: Option<&'static ClipList>,
    clips: Option<&'static ModelClips>,
    play: Option<&'static PlayClip>,
    hidden: Option<&'static PartVisibility>,
}

/// Models to which the manifest was applied, but not yet the options.
type WithoutOverrides = (
    With<ClassicModel>,
    With<WorldAssetRoot>,
    Without<OverridesApplied>,
);

/// Applies the options once to each model, when the model is spawned and its clips are listed.
pub fn apply_overrides(
    mut commands: Commands,
    args: Res<Args>,
    mdl: Res<Assets<Mdl>>,
    models: Query<ManifestModel, WithoutOverrides>,
) {
    for model in models.iter().filter(ManifestModelItem::is_ready) {
        let mut entity = commands.entity(model.entity);
        entity.insert(OverridesApplied);
        override_clip(&mut entity, &args, &model, &mdl);
        override_appearance(&mut entity, &args, &model);
    }
}

impl ManifestModelItem<'_, '_> {
    /// Whether the model is spawned and its clips are listed.
    fn is_ready(&self) -> bool {
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

    /// A clip by its name in the manifest, its name in the model's file, or its index.
    fn clip(&self, name: &str, mdl: &Assets<Mdl>) -> Option<ClipRef> {
        if self.clips.is_some_and(|own| own.get(name).is_some()) {
            return Some(name.into());
        }
        let of_mdl = self.model.asset(mdl).and_then(|mdl| mdl_clip(mdl, name));
        of_mdl.or_else(|| Some(self.list?.named(name)?.ready()?.play.clone()))
    }
}

fn override_clip(
    entity: &mut EntityCommands<'_>,
    args: &Args,
    model: &ManifestModelItem<'_, '_>,
    mdl: &Assets<Mdl>,
) {
    if args.rest {
        entity.remove::<PlayClip>();
        return;
    }
    let requested = args.clip.as_deref();
    let requested = requested.and_then(|name| model.clip(name, mdl));
    let Some(mut play) = requested
        .map(PlayClip::from_manifest)
        .or_else(|| model.play.cloned())
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
    // An unchanged component still follows changes of the manifest.
    if model.play != Some(&play) {
        entity.insert(play);
    }
}

fn override_appearance(
    entity: &mut EntityCommands<'_>,
    args: &Args,
    model: &ManifestModelItem<'_, '_>,
) {
    if let Some(skin) = &args.skin {
        entity.insert(skin.clone());
    }
    if let Some(colors) = args.colors {
        entity.insert(colors);
    }
    if let Some(level) = args.lod {
        entity.insert(ModelLod(level));
    }
    if let Some(stage) = args.damage_stage {
        entity.insert(DamageStage(stage));
    }
    if let Some(team) = args.team {
        entity.insert(TeamColor(team));
    }
    if !args.parts.0.is_empty() {
        entity.insert(
            args.parts
                .applied_to(model.hidden.cloned().unwrap_or_default()),
        );
    }
}

/// Whether the options were applied to all models of manifests that loaded.
pub fn overrides_applied(models: Query<(&ViewedModel, Has<OverridesApplied>)>) -> bool {
    models
        .iter()
        .all(|(model, is_done)| is_done || model.manifest.is_none() || model.problem.is_some())
}
