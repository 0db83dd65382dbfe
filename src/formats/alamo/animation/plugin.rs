//! Registers animations with an app, and loads them.

use crate::appearance::parts::BoneVisibility;
use crate::formats::alamo::animation::asset::{Ala, AlaAssetLabel};
use crate::formats::alamo::animation::clip::{AlaCurves, clip_of, tracks};
use crate::formats::alamo::animation::rig::clip_files;
use crate::formats::alamo::animation::sound_events::{AloSoundEvents, AloSoundEventsLoader};
use crate::formats::alamo::appearance::{on_bone_inserted, on_bone_unlinked, show_bones};
use crate::formats::alamo::asset::Alo;
use crate::load::error::ModelLoadError;
use crate::load::labels::reserve_extensions;
use crate::load::loading::ModelLoading;
use crate::load::warnings::update_warning_log;
use crate::playback::skeletal::add_rig;
use bevy::app::AnimationSystems;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;
use bevy::reflect::TypePath;
use classic_model_formats::ala;

/// Animations: loads them, plays them.
pub(crate) struct AnimationPlugin {
    pub(crate) extensions: Vec<String>,
}

impl Plugin for AnimationPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<Ala>().init_asset::<AloSoundEvents>();
        add_rig::<Alo>(app, &self.extensions);
        app.insert_resource(clip_files())
            .register_type::<BoneVisibility>()
            .add_observer(on_bone_inserted)
            .add_observer(on_bone_unlinked)
            .add_systems(SpawnScene, update_warning_log::<Ala>)
            .add_systems(
                PostUpdate,
                show_bones
                    .after(AnimationSystems)
                    .before(VisibilitySystems::VisibilityPropagate),
            );
        reserve_extensions::<AlaLoader>(app, &self.extensions);
    }

    fn finish(&self, app: &mut App) {
        let loading = ModelLoading::of(app.world());
        app.register_asset_loader(AlaLoader::new(loading.clone()));
        app.register_asset_loader(AloSoundEventsLoader::new(loading));
    }
}

/// Loads Alamo animations as [`Ala`] assets.
#[derive(TypePath)]
#[type_path = "bevy_classic_models::alamo"]
pub struct AlaLoader {
    loading: ModelLoading,
}

impl AlaLoader {
    pub(crate) fn new(loading: ModelLoading) -> Self {
        Self { loading }
    }
}

impl AssetLoader for AlaLoader {
    type Asset = Ala;
    type Settings = ();
    type Error = ModelLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        load_context: &mut LoadContext<'_>,
    ) -> Result<Ala, ModelLoadError> {
        let load = self.loading.begin(load_context);
        let bytes = load.read(reader).await?;
        let file = load.parsed(ala::parse(&bytes))?;
        load.warn(&file.warnings);
        let curves = AlaCurves::new(&file);
        let clip = clip_of(&file, &curves);
        let clip = load_context.add_labeled_asset(AlaAssetLabel::Clip.to_string(), clip);
        let tracks = tracks(&file, &curves);
        Ok(Ala::new(file, tracks, clip))
    }
}
