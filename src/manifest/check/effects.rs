//! Finds fields of manifests that have no effect on the format of their model. Part of
//! [`ManifestCheck`](crate::manifest::ManifestCheck).

use crate::manifest::check::manifest::Found;
use crate::manifest::read::problem::Step::{Element, Field};
use crate::spawn::instance::{ModelFormat, ModelInstance};
use crate::spawn::unsupported::{ModelComponent, no_effect_warning};
use bevy::ecs::entity::Entity;
use bevy::ecs::world::World;

impl Found<'_> {
    /// Finds fields without effect on the model's format.
    pub(crate) fn check_effects(&mut self, world: &World, root: Entity) {
        let Some(format) = world.get::<ModelInstance>(root).map(ModelInstance::format) else {
            return;
        };
        let manifest = self.manifest;
        let fields = [
            ("play", manifest.play.is_some(), ModelComponent::PlayClip),
            (
                "masks",
                !manifest.masks.is_empty(),
                ModelComponent::ClipLayers,
            ),
            (
                "skins",
                !manifest.skins.is_empty(),
                ModelComponent::ModelSkin,
            ),
            ("skin", manifest.skin.is_some(), ModelComponent::ModelSkin),
            (
                "lod_distances",
                !manifest.lod_distances.is_empty(),
                ModelComponent::LodDistances,
            ),
            (
                "damage_stage",
                manifest.damage_stage.is_some(),
                ModelComponent::DamageStage,
            ),
            (
                "team_color",
                manifest.team_color.is_some(),
                ModelComponent::TeamColor,
            ),
            (
                "player_colors",
                manifest.player_colors.is_some(),
                ModelComponent::PlayerColors,
            ),
            ("crowd", manifest.crowd == Some(true), ModelComponent::Crowd),
            (
                "hidden",
                !manifest.hidden.is_empty(),
                ModelComponent::PartVisibility,
            ),
            (
                "shown",
                !manifest.shown.is_empty(),
                ModelComponent::PartVisibility,
            ),
        ];
        for (field, is_set, component) in fields {
            if is_set && let Some(warning) = no_effect_warning(component, format) {
                self.add_of_model(&[Field(field)], &warning);
            }
        }
        self.check_file_fields(format);
    }

    /// Finds fields without a component that have no effect on a format.
    fn check_file_fields(&mut self, format: ModelFormat) {
        use ModelFormat::{Alamo, LithTech, Quake, UfoAftermath};
        let manifest = self.manifest;
        let has_clips = format != UfoAftermath;
        let no_clips = "the format has no animations";
        let fields = [
            (
                "load_lights",
                manifest.load_lights.is_some() && format != Alamo,
                "files of the format have no lights",
            ),
            (
                "hidden_bones_hide_children",
                manifest.hidden_bones_hide_children.is_some() && format != Alamo,
                "bones of the format have no visibility",
            ),
            (
                "palette",
                manifest.palette.is_some() && format != Quake,
                "textures of the format have their own colors",
            ),
            (
                "hole_index",
                manifest.hole_index.is_some() && format != Quake,
                "textures of the format have no palette",
            ),
            ("clips", !manifest.clips.is_empty() && !has_clips, no_clips),
            (
                "events",
                !manifest.events.is_empty() && !has_clips,
                no_clips,
            ),
        ];
        for (field, is_without_effect, reason) in fields {
            if is_without_effect {
                let message = format!("is in {format}, on which `{field}` has no effect: {reason}");
                self.add_of_model(&[Field(field)], &message);
            }
        }
        // Quake models report such clips as missing.
        let with_file = manifest.clips.iter().enumerate();
        let with_file = with_file.filter(|(_, clip)| clip.file.is_some() && format == LithTech);
        for (index, _) in with_file {
            let message = format!(
                "is in {format}, on which `file` has no effect: the bones of animation files are not its nodes"
            );
            self.add_of_model(&[Field("clips"), Element(index), Field("file")], &message);
        }
    }
}
