//! Loads models by the extensions of their files, spawns them, and applies the options of the command line to them. Options
//! override manifests.

use crate::file_format::{has_extension, is_manifest};
use crate::view::models::clip_list::ClipState;
use crate::view::models::shown_model::{ShownModel, ShownModelItem};
use crate::view::models::viewed_model::{ModelAssets, ViewedModel};
use crate::view::open::args::Args;
use crate::view::open::files::Folders;
use bevy::asset::AssetPath;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Alo, AloLoaderSettings};
use bevy_classic_models::lgw::{Lgw, LgwLoaderSettings};
use bevy_classic_models::lithtech::{Abc, AbcLoaderSettings};
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{Mdl, MdlLoaderSettings};
use bevy_classic_models::root::ModelLod;
use bevy_classic_models::root::Repeat;
use bevy_classic_models::spawn::ModelInstance;
use std::path::Path;

/// Spawns models without a manifest.
pub fn spawn(
    mut commands: Commands,
    args: Res<Args>,
    assets: ModelAssets,
    models: Query<(Entity, &ViewedModel), Without<WorldAssetRoot>>,
) {
    for (entity, model) in models.iter().filter(|(_, model)| model.manifest.is_none()) {
        let Some((scene, contents)) = assets.scene(model) else {
            continue;
        };
        let mut entity = commands.entity(entity);
        entity.insert(WorldAssetRoot(scene));
        apply_options(&mut entity, &args, model, None);
        info!("{}: {contents}", model.name);
    }
}

impl ModelAssets<'_> {
    /// The scene of a loaded model, and the counts of what it has.
    fn scene(&self, model: &ViewedModel) -> Option<(Handle<WorldAsset>, String)> {
        if let Some(mdl) = model.asset(&self.mdl) {
            let contents = format!(
                "{} vertices, {} poses, {} clips, {} skins",
                mdl.poses.vertex_count(),
                mdl.poses.pose_count(),
                mdl.clips.len(),
                mdl.skins.len()
            );
            return Some((mdl.scene.clone(), contents));
        }
        if let Some(abc) = model.asset(&self.abc) {
            let contents = format!(
                "{} nodes ({} with deformed vertices), {} levels of detail, {} clips, {} skins",
                abc.nodes.len(),
                abc.deforms.len(),
                abc.levels.len(),
                abc.animations.len(),
                abc.skins.len()
            );
            return Some((abc.scene.clone(), contents));
        }
        if let Some(lgw) = model.asset(&self.lgw) {
            let (materials, meshes) = (lgw.materials.len(), lgw.meshes.len());
            let contents = format!("{materials} materials, {meshes} meshes");
            return Some((lgw.scene.clone(), contents));
        }
        let alo = model.asset(&self.alo)?;
        let particles = alo.particles.as_ref();
        let particles = particles.and_then(|particles| self.particles.get(particles));
        let contents = match particles {
            Some(particles) => format!("{} emitters", particles.emitters.len()),
            None => format!(
                "{} bones, {} meshes, {} lights, {} proxies, {} dazzles, {} clips",
                alo.bones.len(),
                alo.meshes.len(),
                alo.lights.len(),
                alo.proxies.len(),
                alo.dazzles.len(),
                alo.animations.len()
            ),
        };
        Some((alo.scene.clone(), contents))
    }
}

/// Sets what the options request: of a model without a manifest, only what its format has. `parts` are those that a manifest
/// hides and shows.
fn apply_options(
    entity: &mut EntityCommands<'_>,
    args: &Args,
    model: &ViewedModel,
    parts: Option<&PartVisibility>,
) {
    let is_any = model.manifest.is_some();
    let (is_alo, is_abc) = (model.is::<Alo>(), model.is::<Abc>());
    let (is_lgw, is_mdl) = (model.is::<Lgw>(), model.is::<Mdl>());
    if let Some(skin) = args.skin.as_ref().filter(|_| is_any || is_abc || is_mdl) {
        entity.insert(skin.clone());
    }
    if let Some(colors) = args.colors.filter(|_| is_any || is_mdl) {
        entity.insert(colors);
    }
    if let Some(level) = args.lod.filter(|_| is_any || is_alo || is_abc) {
        entity.insert(ModelLod(level));
    }
    if let Some(stage) = args.damage_stage.filter(|_| is_any || is_alo) {
        entity.insert(DamageStage(stage));
    }
    if let Some(team) = args.team.filter(|_| is_any || is_alo) {
        entity.insert(TeamColor(team));
    }
    if !args.parts.0.is_empty() && (is_any || is_alo || is_lgw) {
        entity.insert(args.parts.applied_to(parts.cloned().unwrap_or_default()));
    }
}

/// Marks a model of a manifest to which the options were applied.
#[derive(Component)]
pub struct OverridesApplied;

/// Models to which the manifest was applied, but not yet the options.
type WithoutOverrides = (
    With<ClassicModel>,
    With<ModelInstance>,
    Without<OverridesApplied>,
);

/// Applies the options once to each model of a manifest, when the model is spawned and its clips are listed.
pub fn apply_overrides(
    mut commands: Commands,
    args: Res<Args>,
    models: Query<(Entity, ShownModel), WithoutOverrides>,
) {
    for (root, model) in models.iter().filter(|(_, model)| model.is_ready()) {
        let mut entity = commands.entity(root);
        entity.insert(OverridesApplied);
        override_clip(&mut entity, &args, &model);
        apply_options(&mut entity, &args, model.model, model.parts);
    }
}

impl ShownModelItem<'_, '_> {
    /// Whether the model is spawned and its clips are listed.
    fn is_ready(&self) -> bool {
        let alo = self.alo.map(|of| of.model().animations.len());
        let abc = self.abc.map(|(of, _)| of.model().animations.len());
        let mdl = self.mdl.map(|of| of.model().clips.len());
        let Some(count) = alo.or(abc).or(mdl) else {
            return self.lgw.is_some();
        };
        let has_clips = count > 0 || self.clips.is_some();
        let list = self.list.map_or(&[][..], |list| &list.0);
        let is_loading = list.iter().any(|clip| clip.state == ClipState::Loading);
        !is_loading && (!has_clips || !list.is_empty())
    }

    /// A clip by its name in the manifest, its name in the model's file, or its index.
    fn clip(&self, name: &str) -> Option<ClipRef> {
        if self.clips.is_some_and(|own| own.get(name).is_some()) {
            return Some(name.into());
        }
        Some(self.list?.named(name)?.ready()?.play.clone())
    }
}

fn override_clip(entity: &mut EntityCommands<'_>, args: &Args, model: &ShownModelItem<'_, '_>) {
    if args.rest {
        entity.remove::<PlayClip>();
        return;
    }
    let requested = args.clip.as_deref().and_then(|name| model.clip(name));
    let requested = requested.map(PlayClip::from_manifest);
    let before = model.play.map(|(play, _)| play);
    let Some(mut play) = requested.or_else(|| before.cloned()) else {
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
    if before != Some(&play) {
        entity.insert(play);
    }
}

/// Whether the options were applied to all models of manifests that loaded.
pub fn overrides_applied(models: Query<(&ViewedModel, Has<OverridesApplied>)>) -> bool {
    models
        .iter()
        .all(|(model, is_done)| is_done || model.manifest.is_none() || model.problem.is_some())
}

// Quake units per Alamo and per LGW unit, so that models of all formats have similar sizes in the row.
const ALO_SCALE: f32 = 4.0;
const LGW_SCALE: f32 = 0.3;

/// The largest count of levels of detail of LithTech models to choose from.
const LEVELS: u16 = 24;

/// Loads a model with the loader of its extension.
pub fn load(
    file: &Path,
    path: &AssetPath<'static>,
    folders: &Folders,
    server: &AssetServer,
) -> UntypedHandle {
    fn untyped<A: Asset>(handle: Handle<A>) -> UntypedHandle {
        handle.untyped()
    }
    let (builder, path) = (server.load_builder(), path.clone());
    let mut textures = folders.texture_folders(file);
    if has_extension(file, "alo") {
        let settings = move |settings: &mut AloLoaderSettings| {
            settings.scale = ALO_SCALE;
            settings.texture_folders.extend(textures.iter().cloned());
        };
        untyped::<Alo>(builder.with_settings(settings).load(path))
    } else if has_extension(file, "abc") {
        let skins = folders.skins.clone();
        // From the full model to the coarsest.
        let shares = (0..LEVELS).map(|level| f32::from(level) / f32::from(LEVELS));
        let shares: Vec<f32> = shares.collect();
        let settings = move |settings: &mut AbcLoaderSettings| {
            settings.skins.extend(skins.iter().cloned());
            settings.texture_folders.extend(textures.iter().cloned());
            settings.lod_shares.clone_from(&shares);
        };
        untyped::<Abc>(builder.with_settings(settings).load(path))
    } else if has_extension(file, "lgw") {
        // Texture paths are relative to the game's folder, which may be any folder above the model.
        textures.extend(folders.above(file));
        let settings = move |settings: &mut LgwLoaderSettings| {
            settings.scale = LGW_SCALE;
            settings.texture_folders.extend(textures.iter().cloned());
        };
        untyped::<Lgw>(builder.with_settings(settings).load(path))
    } else if is_manifest(file) {
        untyped::<ModelManifest>(builder.load(path))
    } else {
        let (palette, hole_index) = (folders.palette(), folders.hole_index);
        let external_skins = folders.external_skins;
        let settings = move |settings: &mut MdlLoaderSettings| {
            settings.palette = palette.clone().or_else(|| settings.palette.take());
            settings.hole_index = hole_index.unwrap_or(settings.hole_index);
            settings.external_skins |= external_skins;
        };
        untyped::<Mdl>(builder.with_settings(settings).load(path))
    }
}
