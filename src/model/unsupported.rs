//! What is said about components of a root that mean nothing on its model: which format has no use for
//! which, what it has instead, and names that no part has.
//!
//! Whoever adds a component or spawns a model pays for it; nothing is looked through frame by frame.

use crate::model::models::ModelQuery;
use crate::scene::{
    DamageStage, LodDistances, ModelFormat, ModelInstance, ModelLod, ModelSkin, ModelSkins,
    ModelWarnings, PartVisibility, PlayClip, PlayerColors, TeamColor, path_of_skin,
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
enum ModelComponent {
    PlayClip,
    ModelSkin,
    ModelLod,
    LodDistances,
    DamageStage,
    TeamColor,
    PlayerColors,
    PartVisibility,
}

/// What a format has instead of what a component chooses; none if the component means something.
fn instead(word: ModelComponent, format: ModelFormat) -> Option<&'static str> {
    use ModelFormat::{Alamo, LithTech, Quake, UfoAftermath};
    Some(match (word, format) {
        (ModelComponent::PlayClip, UfoAftermath) => {
            "the format has no animations; move the entities of `LgwInstance::meshes`"
        }
        (ModelComponent::ModelSkin, Alamo) => {
            "sub-meshes wear what their materials name; put other materials on their entities"
        }
        (ModelComponent::ModelSkin, UfoAftermath) => {
            "meshes wear what their materials name; put other materials on their entities"
        }
        (ModelComponent::ModelLod | ModelComponent::LodDistances, Quake | UfoAftermath) => {
            "the format has no levels of detail; Bevy's `VisibilityRange` chooses between models"
        }
        (ModelComponent::DamageStage, Quake) => {
            "the format has no damage stages; `ModelSkin` chooses a skin"
        }
        (ModelComponent::DamageStage, LithTech | UfoAftermath) => {
            "the format has no damage stages; `PartVisibility` hides parts by their names"
        }
        (ModelComponent::TeamColor, Quake) => {
            "the format has no colour of a team; `PlayerColors` chooses rows of the palette"
        }
        (ModelComponent::TeamColor | ModelComponent::PlayerColors, LithTech) => {
            "the format has no colours of players; `ModelSkin` chooses a picture"
        }
        (ModelComponent::TeamColor | ModelComponent::PlayerColors, UfoAftermath) => {
            "the format has no colours of players; put other materials on its entities"
        }
        (ModelComponent::PlayerColors, Alamo) => "the format has the colour of a team: `TeamColor`",
        (ModelComponent::PartVisibility, Quake) => {
            "a model of the format is a single mesh without parts"
        }
        _ => return None,
    })
}

/// Whether a root has each of the words, in the order of [`ModelComponent`].
type Words = (
    Has<PlayClip>,
    Has<ModelSkin>,
    Has<ModelLod>,
    Has<LodDistances>,
    Has<DamageStage>,
    Has<TeamColor>,
    Has<PlayerColors>,
    Has<PartVisibility>,
);

/// The words that a root has.
fn said(words: QueryItem<'_, '_, Words>) -> impl Iterator<Item = ModelComponent> {
    let (clip, skin, lod, distances, alt, team, colors, hidden) = words;
    let all = [
        (clip, ModelComponent::PlayClip),
        (skin, ModelComponent::ModelSkin),
        (lod, ModelComponent::ModelLod),
        (distances, ModelComponent::LodDistances),
        (alt, ModelComponent::DamageStage),
        (team, ModelComponent::TeamColor),
        (colors, ModelComponent::PlayerColors),
        (hidden, ModelComponent::PartVisibility),
    ];
    let is_said = |(has, word): (bool, ModelComponent)| has.then_some(word);
    all.into_iter().filter_map(is_said)
}

/// Tells what means nothing.
#[derive(SystemParam)]
struct Teller<'w, 's> {
    models: ModelQuery<'w, 's>,
    told: ModelWarnings<'w, 's>,
}

impl Teller<'_, '_> {
    fn tell(&mut self, root: Entity, format: ModelFormat, word: ModelComponent) {
        if let Some(instead) = instead(word, format)
            // What is chosen for a model is passed on to those that it brings along.
            && !self.models.is_of_proxy(root)
        {
            let what = format!("is of {format}, where `{word:?}` means nothing: {instead}");
            self.told.warn_once(root, &what);
        }
    }

    fn tell_parts(&mut self, root: Entity, hidden: &PartVisibility) {
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
        if path_of_skin(name).is_none() && instead(ModelComponent::ModelSkin, format).is_none() {
            let what = format!(
                "keeps its skin: the name \"{name}\" needs `ModelSkins` on the root, and a path needs a file extension"
            );
            self.told.warn_once(root, &what);
        }
    }
}

/// A component was put on a root whose model may be there.
fn on_word<C: Component>(word: ModelComponent) -> impl Fn(On<Add, C>, Teller) {
    move |added, mut teller| {
        if let Some(format) = teller.models.format(added.entity) {
            teller.tell(added.entity, format, word);
        }
    }
}

/// All that a root says.
type Sayings = (
    Words,
    Option<&'static PartVisibility>,
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
fn check_parts(
    mut teller: Teller,
    changed: Query<(Entity, &PartVisibility), Changed<PartVisibility>>,
) {
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
    app.add_observer(on_word::<PlayClip>(ModelComponent::PlayClip))
        .add_observer(on_word::<ModelSkin>(ModelComponent::ModelSkin))
        .add_observer(on_word::<ModelLod>(ModelComponent::ModelLod))
        .add_observer(on_word::<LodDistances>(ModelComponent::LodDistances))
        .add_observer(on_word::<DamageStage>(ModelComponent::DamageStage))
        .add_observer(on_word::<TeamColor>(ModelComponent::TeamColor))
        .add_observer(on_word::<PlayerColors>(ModelComponent::PlayerColors))
        .add_observer(on_word::<PartVisibility>(ModelComponent::PartVisibility))
        .add_observer(on_model)
        .add_systems(PostUpdate, (check_parts, check_skins));
}
