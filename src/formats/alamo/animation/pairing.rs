//! Finds the animation files of a model: `<MODEL>_<TYPE>_<NN>.ala`, case-insensitively.

use crate::formats::alamo::animation::asset::{Ala, AlaAssetLabel, AloAnimation};
use crate::load::find::FileSearch;
use crate::load::names::uppercased;
use crate::root::play::ClipRef;
use bevy::asset::{AssetPath, LoadContext};

/// Finds a model's animations in its own folder and in `folders`, and starts to load them.
///
/// A file belongs to the model if its name begins with the model's name, unless the name of another model in these
/// folders is a longer prefix. If two files have the same name, the one in the earlier folder is used.
pub(crate) async fn find_animations(
    search: &mut FileSearch<'_>,
    folders: &[String],
    model_extensions: &[String],
    extensions: &[String],
    load_context: &mut LoadContext<'_>,
) -> Vec<AloAnimation> {
    let model = stem(load_context.path());
    let clips = search.files_beginning(&model, folders, extensions).await;
    if clips.is_empty() {
        return Vec::new();
    }
    let others = search
        .files_beginning(&model, folders, model_extensions)
        .await;
    let other_models: Vec<String> = others.iter().map(stem).collect();
    let mut found: Vec<(String, AssetPath<'static>)> = Vec::new();
    for path in clips {
        if let Some(name) = name_of(&stem(&path), &model, &other_models)
            && !found.iter().any(|(other, _)| *other == name)
        {
            found.push((name, path));
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    let animation = |(name, path): (String, AssetPath<'static>)| {
        let clip = AlaAssetLabel::Clip.from_asset(path.clone());
        AloAnimation {
            reference: ClipRef::Name(name.clone()),
            events: Vec::new(),
            name: name.into(),
            ala: load_context.load_builder().load::<Ala>(path),
            clip: load_context.load_builder().load(clip),
        }
    };
    found.into_iter().map(animation).collect()
}

/// A file's name in upper case, without its extension.
pub(crate) fn stem(path: &AssetPath<'_>) -> String {
    let stem = path.path().file_stem().unwrap_or_default();
    uppercased(&stem.to_string_lossy())
}

/// The name of a model's animation in upper case, such as `MOVE_00` for the file `walker_MOVE_00.ala` of `walker.alo`.
/// `None` if the file does not belong to the model, or if the name of another model is a longer prefix of its name.
///
/// All parameters are file names without extensions, in any case.
pub fn animation_name(file: &str, model: &str, other_models: &[String]) -> Option<String> {
    let others: Vec<String> = other_models.iter().map(|name| uppercased(name)).collect();
    name_of(&uppercased(file), &uppercased(model), &others)
}

/// The same for names in upper case.
fn name_of(file: &str, model: &str, other_models: &[String]) -> Option<String> {
    let without = |model: &str| file.strip_prefix(model)?.strip_prefix('_');
    let name = without(model).filter(|name| !name.is_empty())?;
    let is_longer = |other: &&String| other.len() > model.len() && without(other).is_some();
    let is_own = other_models.iter().find(is_longer).is_none();
    is_own.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_in_any_case() {
        let name = animation_name("Tank_Move_00", "tANK", &["tank_heavy".to_owned()]);
        assert_eq!(name.as_deref(), Some("MOVE_00"));
    }

    #[test]
    fn animation_belongs_to_the_model_with_the_longest_prefix() {
        let models = ["TANK", "TANK_HEAVY", "TANKER"].map(String::from);
        let name = |file, model| name_of(file, model, &models);
        assert_eq!(name("TANK_MOVE_00", "TANK").as_deref(), Some("MOVE_00"));
        assert_eq!(name("TANK_HEAVY_MOVE_00", "TANK"), None);
        assert_eq!(
            name("TANK_HEAVY_MOVE_00", "TANK_HEAVY").as_deref(),
            Some("MOVE_00")
        );
        assert_eq!(name("TANKER_IDLE_00", "TANK"), None);
        assert_eq!(name("TANK_DIE00", "TANK").as_deref(), Some("DIE00"));
        assert_eq!(name("TANK", "TANK"), None);
        assert_eq!(name("TANK_", "TANK"), None);
        // A model's name must be followed by an underscore.
        assert_eq!(
            name("TANK_HEAVYMETAL", "TANK").as_deref(),
            Some("HEAVYMETAL")
        );
    }
}
