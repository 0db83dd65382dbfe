//! What is said about components of a root that mean nothing on its model: which format has no use for
//! which, what it has instead, and names that no part has.
//!
//! Whoever adds a component or spawns a model pays for it; nothing is looked through frame by frame.

use crate::model::models::Models;
use crate::scene::{
    HiddenParts, LodDistances, ModelAlt, ModelFormat, ModelInstance, ModelLod, ModelSkin,
    ModelSkins, PlayClip, PlayerColors, TeamColor, Told, path_of_skin,
};
use bevy::app::{App, PostUpdate};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::{Add, Insert};
use bevy::ecs::observer::On;
use bevy::ecs::query::{Changed, Has, QueryItem, Without};
use bevy::ecs::system::{Query, SystemParam};

/// A component that chooses something about a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    PlayClip,
    ModelSkin,
    ModelLod,
    LodDistances,
    ModelAlt,
    TeamColor,
    PlayerColors,
    HiddenParts,
}

/// What a format has instead of what a component chooses; none if the component means something.
fn instead(word: Word, format: ModelFormat) -> Option<&'static str> {
    use ModelFormat::{Alamo, LithTech, Quake, UfoAftermath};
    Some(match (word, format) {
        (Word::PlayClip, UfoAftermath) => {
            "the format has no animations; move the entities of `LgwInstance::meshes`"
        }
        (Word::ModelSkin, Alamo) => {
            "sub-meshes wear what their materials name; put other materials on their entities"
        }
        (Word::ModelSkin, UfoAftermath) => {
            "meshes wear what their materials name; put other materials on their entities"
        }
        (Word::ModelLod | Word::LodDistances, Quake | UfoAftermath) => {
            "the format has no levels of detail; Bevy's `VisibilityRange` chooses between models"
        }
        (Word::ModelAlt, Quake) => "the format has no damage stages; `ModelSkin` chooses a skin",
        (Word::ModelAlt, LithTech | UfoAftermath) => {
            "the format has no damage stages; `HiddenParts` hides parts by their names"
        }
        (Word::TeamColor, Quake) => {
            "the format has no colour of a team; `PlayerColors` chooses rows of the palette"
        }
        (Word::TeamColor | Word::PlayerColors, LithTech) => {
            "the format has no colours of players; `ModelSkin` chooses a picture"
        }
        (Word::TeamColor | Word::PlayerColors, UfoAftermath) => {
            "the format has no colours of players; put other materials on its entities"
        }
        (Word::PlayerColors, Alamo) => "the format has the colour of a team: `TeamColor`",
        (Word::HiddenParts, Quake) => "a model of the format is a single mesh without parts",
        _ => return None,
    })
}

/// Whether a root has each of the words, in the order of [`Word`].
type Words = (
    Has<PlayClip>,
    Has<ModelSkin>,
    Has<ModelLod>,
    Has<LodDistances>,
    Has<ModelAlt>,
    Has<TeamColor>,
    Has<PlayerColors>,
    Has<HiddenParts>,
);

/// The words that a root has.
fn said(words: QueryItem<'_, '_, Words>) -> impl Iterator<Item = Word> {
    let (clip, skin, lod, distances, alt, team, colors, hidden) = words;
    let all = [
        (clip, Word::PlayClip),
        (skin, Word::ModelSkin),
        (lod, Word::ModelLod),
        (distances, Word::LodDistances),
        (alt, Word::ModelAlt),
        (team, Word::TeamColor),
        (colors, Word::PlayerColors),
        (hidden, Word::HiddenParts),
    ];
    let is_said = |(has, word): (bool, Word)| has.then_some(word);
    all.into_iter().filter_map(is_said)
}

/// Tells what means nothing.
#[derive(SystemParam)]
struct Teller<'w, 's> {
    models: Models<'w, 's>,
    told: Told<'w, 's>,
}

impl Teller<'_, '_> {
    fn tell(&mut self, root: Entity, format: ModelFormat, word: Word) {
        if let Some(instead) = instead(word, format)
            // What is chosen for a model is passed on to those that it brings along.
            && !self.models.is_of_proxy(root)
        {
            let what = format!("is of {format}, where `{word:?}` means nothing: {instead}");
            self.told.warn_once(root, &what);
        }
    }

    fn tell_parts(&mut self, root: Entity, hidden: &HiddenParts) {
        for (name, _) in hidden.iter() {
            if let Some(what) = self.models.missing_part(root, name) {
                self.told.warn_once(root, &what);
            }
        }
    }

    fn tell_skin(&mut self, root: Entity, format: ModelFormat, skin: &ModelSkin) {
        let ModelSkin::Name(name) = skin else {
            return;
        };
        if path_of_skin(name).is_none() && instead(Word::ModelSkin, format).is_none() {
            let what = format!(
                "keeps its skin: the name \"{name}\" needs `ModelSkins` on the root, and a path needs a file extension"
            );
            self.told.warn_once(root, &what);
        }
    }
}

/// A component was put on a root whose model may be there.
fn on_word<C: Component>(word: Word) -> impl Fn(On<Add, C>, Teller) {
    move |added, mut teller| {
        if let Some(format) = teller.models.format(added.entity) {
            teller.tell(added.entity, format, word);
        }
    }
}

/// All that a root says.
type Sayings = (
    Words,
    Option<&'static HiddenParts>,
    Option<&'static ModelSkin>,
    Has<ModelSkins>,
);

/// A model was spawned or respawned on a root that may have components.
fn on_model(
    inserted: On<Insert, ModelInstance>,
    mut teller: Teller,
    roots: Query<(&ModelInstance, Sayings)>,
) {
    let root = inserted.entity;
    let Ok((instance, (words, hidden, skin, has_skins))) = roots.get(root) else {
        return;
    };
    let format = instance.format();
    for word in said(words) {
        teller.tell(root, format, word);
    }
    if let Some(hidden) = hidden {
        teller.tell_parts(root, hidden);
    }
    if let Some(skin) = skin.filter(|_| !has_skins) {
        teller.tell_skin(root, format, skin);
    }
}

/// Tells of names that no part has.
fn check_parts(mut teller: Teller, changed: Query<(Entity, &HiddenParts), Changed<HiddenParts>>) {
    for (root, hidden) in &changed {
        teller.tell_parts(root, hidden);
    }
}

/// Skins by names on roots that have no names.
type Nameless = (Changed<ModelSkin>, Without<ModelSkins>);

/// Tells of names of skins where there are none.
fn check_skins(mut teller: Teller, changed: Query<(Entity, &ModelSkin), Nameless>) {
    for (root, skin) in &changed {
        if let Some(format) = teller.models.format(root) {
            teller.tell_skin(root, format, skin);
        }
    }
}

/// Has everything said that is to be said.
pub(super) fn register(app: &mut App) {
    app.add_observer(on_word::<PlayClip>(Word::PlayClip))
        .add_observer(on_word::<ModelSkin>(Word::ModelSkin))
        .add_observer(on_word::<ModelLod>(Word::ModelLod))
        .add_observer(on_word::<LodDistances>(Word::LodDistances))
        .add_observer(on_word::<ModelAlt>(Word::ModelAlt))
        .add_observer(on_word::<TeamColor>(Word::TeamColor))
        .add_observer(on_word::<PlayerColors>(Word::PlayerColors))
        .add_observer(on_word::<HiddenParts>(Word::HiddenParts))
        .add_observer(on_model)
        .add_systems(PostUpdate, (check_parts, check_skins));
}
