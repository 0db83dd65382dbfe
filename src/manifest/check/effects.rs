//! Finds fields of manifests that have no effect on the format of their model. Part of
//! [`ManifestCheck`](crate::manifest::ManifestCheck).

use crate::manifest::check::manifest::Found;
use crate::manifest::read::problem::Step::{Element, Field};
use crate::spawn::instance::{ModelFormat, ModelInstance};
use crate::spawn::unsupported::{ModelComponent, no_effect_warning};
use bevy::prelude::*;

impl Found<'_> {
    /// Finds fields without effect on the model's format.
    pub(crate) fn check_effects(&mut self, world: &World, root: Entity) {
        let Some(format) = world.get::<ModelInstance>(root).map(ModelInstance::format) else {
            return;
        };
        use ModelComponent::*;
        let m = self.manifest;
        for (field, is_set, component) in [
            ("play", is_set(&m.play), PlayClip),
            ("masks", is_set(&m.masks), ClipLayers),
            ("skins", is_set(&m.skins), ModelSkin),
            ("skin", is_set(&m.skin), ModelSkin),
            ("lod_distances", is_set(&m.lod_distances), LodDistances),
            ("damage_stage", is_set(&m.damage_stage), DamageStage),
            ("team_color", is_set(&m.team_color), TeamColor),
            ("player_colors", is_set(&m.player_colors), PlayerColors),
            ("crowd", m.crowd == Some(true), Crowd),
            ("hidden", is_set(&m.hidden), PartVisibility),
            ("shown", is_set(&m.shown), PartVisibility),
        ] {
            if is_set && let Some(warning) = no_effect_warning(component, format) {
                self.add_of_model(&[Field(field)], &warning);
            }
        }
        self.check_file_fields(format);
    }

    /// Finds fields without a component that have no effect on a format.
    fn check_file_fields(&mut self, format: ModelFormat) {
        use ModelFormat::{Alamo, LithTech, Quake, UfoAftermath};
        let m = self.manifest;
        let (is_alamo, is_quake) = (format == Alamo, format == Quake);
        let has_clips = format != UfoAftermath;
        let lights = "files of the format have no lights";
        let bones = "bones of the format have no visibility";
        let colors = "textures of the format have their own colors";
        let palette = "textures of the format have no palette";
        let clips = "the format has no animations";
        let hides_bones = is_set(&m.hidden_bones_hide_children);
        for (field, is_set, has_effect, reason) in [
            ("load_lights", is_set(&m.load_lights), is_alamo, lights),
            ("hidden_bones_hide_children", hides_bones, is_alamo, bones),
            ("palette", is_set(&m.palette), is_quake, colors),
            ("hole_index", is_set(&m.hole_index), is_quake, palette),
            ("clips", is_set(&m.clips), has_clips, clips),
            ("events", is_set(&m.events), has_clips, clips),
        ] {
            if is_set && !has_effect {
                let message = format!("is in {format}, on which `{field}` has no effect: {reason}");
                self.add_of_model(&[Field(field)], &message);
            }
        }
        // Quake models report such clips as missing.
        let with_file = m.clips.iter().enumerate();
        let with_file = with_file.filter(|(_, clip)| clip.file.is_some() && format == LithTech);
        for (index, _) in with_file {
            let message = format!(
                "is in {format}, on which `file` has no effect: the bones of animation files are not its nodes"
            );
            self.add_of_model(&[Field("clips"), Element(index), Field("file")], &message);
        }
    }
}

fn is_set<T: Default + PartialEq>(value: &T) -> bool {
    *value != T::default()
}
