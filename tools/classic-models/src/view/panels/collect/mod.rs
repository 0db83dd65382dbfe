//! Collects what the panels show from entities and assets. One module per format. It must not draw.

mod abc;
mod alo;
mod lgw;
mod mdl;
mod particles;
mod playing;
mod textures;

use crate::view::draw::overlays::Overlays;
use crate::view::draw::pointer::Pointer;
use crate::view::model_events::EventLog;
use crate::view::models::clip_list::ClipState;
use crate::view::models::clips::PendingClips;
use crate::view::models::particle_systems::ModelSystems;
use crate::view::open::skins::candidates;
use crate::view::panels::data::{BoneRow, ModelRow, PanelData, Problem, SkinRow};
use crate::view::row::Row;
use crate::view::shown_model::{ShownModel, ShownModelItem};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloMaterial, AloParticles, BoneVisibility, ParticleTint};
use bevy_classic_models::prelude::*;
use bevy_classic_models::root::NightTime;
use std::path::PathBuf;
use textures::{Textures, file_name};

/// Collects what the panels show.
#[derive(SystemParam)]
pub struct Collector<'w, 's> {
    row: Res<'w, Row>,
    overlays: Res<'w, Overlays>,
    night: Res<'w, NightTime>,
    pointer: Res<'w, Pointer>,
    events: Res<'w, EventLog>,
    time: Res<'w, Time<Real>>,
    pending_clips: Res<'w, PendingClips>,
    shown: Query<'w, 's, ShownModel>,
    entities: ModelQuery<'w, 's>,
    visibilities: Query<
        'w,
        's,
        (
            &'static InheritedVisibility,
            Option<&'static BoneVisibility>,
        ),
    >,
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
        let Ok(shown) = self.shown.get(entity) else {
            return;
        };
        let shows_skins = shown.model.problem.is_none();
        let (is_abc, file) = (shown.abc.is_some(), shown.model.file.clone());
        data.clips = playing::clips(&shown);
        let stops = shown.alo.is_some() || shown.abc.is_some();
        data.is_at_rest = stops.then_some(shown.play.is_none());
        data.playback = playing::playing(&shown);
        self.collect_bones(entity, data);
        self.collect_mdl(entity, data);
        self.collect_alo(entity, data);
        self.collect_abc(entity, data);
        self.collect_lgw(entity, data);
        self.collect_particles(entity, data);
        if is_abc && shows_skins && data.details.skins.is_empty() {
            data.details.skin_candidates = self.skin_candidates(file);
        }
        self.collect_named_skins(entity, data);
    }

    /// The bones with the count of bones above each.
    fn collect_bones(&self, root: Entity, data: &mut PanelData) {
        let bones = self.entities.bones(root);
        let mut depths = bevy::platform::collections::HashMap::<Entity, usize>::default();
        for bone in bones {
            // Parents come before their children.
            let above = bone.parent.and_then(|parent| depths.get(&parent));
            let depth = above.map_or(0, |depth| depth + 1);
            depths.insert(bone.entity, depth);
            data.details.bones.push(BoneRow {
                depth,
                is_hidden: self.is_hidden(bone.entity),
                name: bone.name,
                entity: bone.entity,
            });
        }
        data.details.overlays.bones = !data.details.bones.is_empty();
    }

    /// Whether a part or bone is hidden.
    fn is_hidden(&self, entity: Entity) -> bool {
        let visibility = self.visibilities.get(entity);
        visibility.is_ok_and(|(inherited, own)| {
            !inherited.get() || own.is_some_and(|own| !own.is_visible())
        })
    }

    /// The skins that a manifest names.
    fn collect_named_skins(&self, entity: Entity, data: &mut PanelData) {
        let Ok(shown) = self.shown.get(entity) else {
            return;
        };
        for name in self.entities.skins(entity).names {
            data.details.skins.push(SkinRow {
                label: format!("{name} (manifest)"),
                is_active: matches!(shown.skin, Some(ModelSkin::Name(active)) if active.to_lowercase() == name),
                skin: ModelSkin::Name(name),
            });
        }
        if let Some(ModelSkin::Path(path)) = shown.skin {
            data.details.skins.push(SkinRow {
                label: file_name(path),
                skin: ModelSkin::Path(path.clone()),
                is_active: true,
            });
        }
    }

    fn skin_candidates(&mut self, model: PathBuf) -> Vec<PathBuf> {
        match &*self.candidates {
            Some((of, found)) if *of == model => found.clone(),
            _ => {
                let found = candidates(&model);
                *self.candidates = Some((model, found.clone()));
                found
            }
        }
    }
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
