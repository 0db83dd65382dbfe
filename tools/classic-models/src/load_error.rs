//! The messages of errors of loaders.

use bevy::asset::AssetLoadError;
use bevy_classic_models::load::ModelLoadError;
use bevy_classic_models::manifest::ManifestLoaderError;

/// The loader's error message, without Bevy's text around it.
pub fn explain(error: &AssetLoadError) -> String {
    let AssetLoadError::AssetLoaderError(error) = error else {
        return error.to_string();
    };
    let own = error.error();
    None.or_else(|| Some(own.downcast_ref::<ModelLoadError>()?.to_string()))
        .or_else(|| Some(own.downcast_ref::<ManifestLoaderError>()?.to_string()))
        .unwrap_or_else(|| error.to_string())
}
