//! Collects what the panels show from entities and assets. One module per format. It must not draw.

mod abc;
mod alo;
mod lgw;
mod playing;
mod textures;

use crate::view::draw::lighting::Lighting;
use crate::view::draw::overlays::Overlays;
use crate::view::draw::pointer::Pointer;
use crate::view::model_events::EventLog;
use crate::view::models::clip_list::ClipState;
use crate::view::models::clips::PendingClips;
use crate::view::models::particle_systems::ModelSystems;
use crate::view::models::shown_model::{ShownModel, ShownModelItem};
use crate::view::open::files::candidates;
use crate::view::panels::data::{ModelRow, PanelData, PlaceRow, Problem, SkinRow};
use crate::view::row::Row;
use abc::{collect_abc, collect_mdl};
use alo::{collect_alo, collect_alo_textures};
use bevy::ecs::system::SystemParam;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloMaterial, AloParticles, BoneVisibility, ParticleTint};
use bevy_classic_models::prelude::*;
use bevy_classic_models::root::NightTime;
use lgw::collect_lgw;
use playing::collect_particles;
use std::path::PathBuf;
use textures::{Textures, file_name};

/// The visibility of a part or a bone.
type Visibilities = (
    &'static InheritedVisibility,
    Option<&'static BoneVisibility>,
);

/// Collects what the panels show.
#[derive(SystemParam)]
pub struct Collector<'w, 's> {
    row: Res<'w, Row>,
    overlays: Res<'w, Overlays>,
    night: Res<'w, NightTime>,
    lighting: Res<'w, Lighting>,
    pointer: Res<'w, Pointer>,
    events: Res<'w, EventLog>,
    time: Res<'w, Time<Real>>,
    pending_clips: Res<'w, PendingClips>,
    shown: Query<'w, 's, ShownModel>,
    entities: ModelQuery<'w, 's>,
    visibilities: Query<'w, 's, Visibilities>,
    systems: ModelSystems<'w, 's>,
    tints: Query<'w, 's, &'static ParticleTint>,
    particles: Res<'w, Assets<AloParticles>>,
    meshes: Res<'w, Assets<Mesh>>,
    alo_materials: Res<'w, Assets<AloMaterial>>,
    textures: Textures<'w, 's>,
    /// The candidates of the model that had none last, because listing folders takes time.
    candidates: Local<'s, Option<(PathBuf, Vec<PathBuf>)>>,
}

impl Collector<'_, '_> {
    /// What the panels show in this frame.
    pub fn collect(&mut self) -> PanelData {
        self.textures.update();
        let mut data = PanelData {
            selected: self.row.selected,
            overlays: *self.overlays,
            night: self.night.0,
            lighting: *self.lighting,
            pointed: self.pointer.hits.clone(),
            events: self.events.shown(self.time.elapsed_secs()),
            ..PanelData::default()
        };
        for entity in &self.row.models {
            let Ok(shown) = self.shown.get(*entity) else {
                continue;
            };
            data.models.push(ModelRow {
                name: shown.model.name.clone(),
                is_broken: shown.model.problem.is_some(),
            });
            data.problems.extend(problems(&shown));
        }
        let unassigned = self.pending_clips.problems.iter().map(|text| Problem {
            model: String::new(),
            text: text.clone(),
            is_error: true,
        });
        data.problems.extend(unassigned);
        if let Some(entity) = self.row.selected() {
            self.collect_selected(entity, &mut data);
        }
        data
    }

    fn collect_selected(&mut self, entity: Entity, data: &mut PanelData) {
        self.collect_bones(entity, data);
        let Ok(shown) = self.shown.get(entity) else {
            return;
        };
        data.clips = playing::clips(&shown);
        let stops = shown.alo.is_some() || shown.abc.is_some();
        data.is_at_rest = stops.then_some(shown.play.is_none());
        data.playback = playing::playing(&shown);
        let (details, textures) = (&mut data.details, &mut self.textures);
        let parts = self.entities.parts(entity);
        collect_mdl(&shown, &self.meshes, textures, details);
        let is_hidden = |entity| is_hidden(&self.visibilities, entity);
        collect_alo(&shown, &parts, data.overlays.trees, is_hidden, details);
        if let Some(alo) = shown.alo.filter(|_| shown.particle_file.is_none()) {
            collect_alo_textures(alo.model(), &self.alo_materials, textures, details);
        }
        collect_abc(&shown, parts, textures, details);
        collect_lgw(&shown, textures, details);
        let systems = self.systems.of(entity);
        if let Some(first) = systems.first() {
            let tint = self.tints.get(first.owner);
            details.tint = Some(tint.map_or(Color::WHITE, |tint| tint.0));
        }
        collect_particles(&shown, &systems, &self.particles, textures, data);
        let details = &mut data.details;
        if shown.abc.is_some() && shown.model.problem.is_none() && details.skins.is_empty() {
            let model = &shown.model.file;
            let known = self.candidates.take().filter(|(of, _)| of == model);
            let known = known.unwrap_or_else(|| (model.clone(), candidates(model)));
            details.skin_candidates.clone_from(&known.1);
            *self.candidates = Some(known);
        }
        let names = self.entities.skins(entity).names;
        details.skins.extend(manifest_skins(&shown, names));
    }

    /// The bones with the count of bones above each.
    fn collect_bones(&self, root: Entity, data: &mut PanelData) {
        let bones = self.entities.bones(root);
        let mut depths = HashMap::<Entity, usize>::default();
        for bone in bones {
            // Parents come before their children.
            let above = bone.parent.and_then(|parent| depths.get(&parent));
            let depth = above.map_or(0, |depth| depth + 1);
            depths.insert(bone.entity, depth);
            data.details.bones.push(PlaceRow {
                depth,
                is_hidden: is_hidden(&self.visibilities, bone.entity),
                name: bone.name,
                entity: Some(bone.entity),
                ..PlaceRow::default()
            });
        }
        data.details.overlays.bones = !data.details.bones.is_empty();
    }
}

/// Whether a part or bone is hidden.
fn is_hidden(visibilities: &Query<Visibilities>, entity: Entity) -> bool {
    let visibility = visibilities.get(entity);
    visibility
        .is_ok_and(|(inherited, own)| !inherited.get() || own.is_some_and(|own| !own.is_visible()))
}

/// The skins that a manifest names, and the image that replaces them.
fn manifest_skins(
    shown: &ShownModelItem<'_, '_>,
    names: Vec<String>,
) -> impl Iterator<Item = SkinRow> {
    let names = names.into_iter().map(|name| SkinRow {
        label: format!("{name} (manifest)"),
        is_active: matches!(shown.skin, Some(ModelSkin::Name(active)) if active.to_lowercase() == name),
        skin: ModelSkin::Name(name),
    });
    let image = shown.skin.and_then(|skin| match skin {
        ModelSkin::Path(path) => Some(SkinRow {
            label: file_name(path),
            skin: skin.clone(),
            is_active: true,
        }),
        _ => None,
    });
    names.chain(image)
}

/// The load error of a model, its warnings, and its broken clips.
fn problems(shown: &ShownModelItem<'_, '_>) -> Vec<Problem> {
    let model = &shown.model.name;
    let problem = |text: String, is_error: bool| Problem {
        model: model.clone(),
        text,
        is_error,
    };
    let failure = shown.model.problem.iter().cloned();
    let failure = failure.map(|text| problem(text, true));
    let mdl = shown.mdl.map(|mdl| &mdl.model().warnings);
    let alo = shown.alo.map(|alo| &alo.model().warnings);
    let abc = shown.abc.map(|(abc, _)| &abc.model().warnings);
    let lgw = shown.lgw.map(|(lgw, _)| &lgw.model().warnings);
    let warnings = [mdl, alo, abc, lgw].into_iter().flatten().flatten();
    let warnings = warnings.map(|warning| problem(warning.to_string(), false));
    let clips = shown.list.iter().flat_map(|list| &list.0);
    let clips = clips.filter_map(|clip| match &clip.state {
        ClipState::Broken(why) => Some(problem(format!("clip {}: {why}", clip.name), true)),
        ClipState::Ready(ready) => {
            let remark = ready.remark.as_ref()?;
            Some(problem(format!("clip {}: {remark}", clip.name), false))
        }
        ClipState::Loading => None,
    });
    failure.chain(warnings).chain(clips).collect()
}
