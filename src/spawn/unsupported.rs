//! Warnings about components that have no effect on the format of a model, and about names of parts and skins
//! that the model does not have.
//!
//! The checks run only when a component is added or changed and when a model is spawned.

use crate::appearance::skins::unknown_skin_warning;
use crate::load::warnings::ModelWarnings;
use crate::root::layers::ClipLayers;
use crate::root::motion::RootMotion;
use crate::root::parts::{DamageStage, LodDistances, ModelLod, PartVisibility};
use crate::root::play::PlayClip;
use crate::root::skins::{ModelSkin, ModelSkins, PlayerColors, TeamColor};
use crate::spawn::instance::{ModelFormat, ModelInstance};
use crate::spawn::roots::ModelRoots;
use bevy::ecs::query::QueryItem;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// Defines the components that configure a model on its root.
macro_rules! model_components {
    ($($component:ident),*) => {
        /// A component that configures a model on its root.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum ModelComponent {
            $($component),*
        }

        /// Whether a root has each component.
        type HasComponents = ($(Has<$component>,)*);

        /// The components that a root has.
        fn present(has: QueryItem<'_, '_, HasComponents>) -> impl Iterator<Item = ModelComponent> {
            let all = [$(ModelComponent::$component),*].into_iter().zip(<[bool; _]>::from(has));
            all.filter_map(|(component, has)| has.then_some(component))
        }

        fn add_component_observers(app: &mut App) {
            $(app.add_observer(on_component_added::<$component>(ModelComponent::$component));)*
        }
    };
}

model_components!(
    PlayClip,
    ClipLayers,
    RootMotion,
    ModelSkin,
    ModelLod,
    LodDistances,
    DamageStage,
    TeamColor,
    PlayerColors,
    PartVisibility
);

/// Why a component has no effect on a format, and the alternative. `None` if it has an effect.
fn alternative(component: ModelComponent, format: ModelFormat) -> Option<&'static str> {
    use ModelFormat::{Alamo, LithTech, Quake, UfoAftermath};
    Some(match (component, format) {
        (ModelComponent::ClipLayers, Quake) => {
            "a model of the format has no bones; `PlayClip` plays clips of the whole model"
        }
        (
            ModelComponent::PlayClip | ModelComponent::ClipLayers | ModelComponent::RootMotion,
            UfoAftermath,
        ) => "the format has no animations; move the entities of `LgwInstance::meshes`",
        (ModelComponent::ModelSkin, Alamo) => {
            "sub-meshes use the textures of their materials; replace the materials on their entities"
        }
        (ModelComponent::ModelSkin, UfoAftermath) => {
            "meshes use the textures of their materials; replace the materials on their entities"
        }
        (ModelComponent::ModelLod | ModelComponent::LodDistances, Quake | UfoAftermath) => {
            "the format has no levels of detail; Bevy's `VisibilityRange` switches between models"
        }
        (ModelComponent::DamageStage, Quake) => {
            "the format has no damage stages; `ModelSkin` selects a skin"
        }
        (ModelComponent::DamageStage, LithTech | UfoAftermath) => {
            "the format has no damage stages; `PartVisibility` hides parts by their names"
        }
        (ModelComponent::TeamColor, Quake) => {
            "the format has no team color; `PlayerColors` selects rows of the palette"
        }
        (ModelComponent::TeamColor | ModelComponent::PlayerColors, LithTech) => {
            "the format has no player colors; `ModelSkin` selects a texture"
        }
        (ModelComponent::TeamColor | ModelComponent::PlayerColors, UfoAftermath) => {
            "the format has no player colors; replace the materials on its entities"
        }
        (ModelComponent::PlayerColors, Alamo) => "the format has a team color; set `TeamColor`",
        (ModelComponent::PartVisibility, Quake) => {
            "a model of the format is a single mesh without parts"
        }
        _ => return None,
    })
}

/// The warning for a component without effect on a format. It follows the path of the model. `None` if it has an effect.
pub(crate) fn no_effect_warning(component: ModelComponent, format: ModelFormat) -> Option<String> {
    let alternative = alternative(component, format)?;
    Some(format!(
        "is in {format}, on which `{component:?}` has no effect: {alternative}"
    ))
}

/// Warns about components without effect.
#[derive(SystemParam)]
struct ComponentWarnings<'w, 's> {
    models: ModelRoots<'w, 's>,
    warnings: ModelWarnings<'w, 's>,
}

impl ComponentWarnings<'_, '_> {
    /// Warns if a component has no effect on a root's format.
    fn check_component(&mut self, root: Entity, format: ModelFormat, component: ModelComponent) {
        // Components of a model are copied to the models of its proxies.
        if self.models.is_of_proxy(root) {
            return;
        }
        if let Some(what) = no_effect_warning(component, format) {
            self.warnings.warn_once(root, &what);
        }
    }

    fn check_parts(&mut self, root: Entity, parts: &PartVisibility) {
        for name in parts.spelled() {
            if let Some(what) = self.models.missing_part(root, name) {
                self.warnings.warn_once(root, &what);
            }
        }
    }

    /// Warns about a skin that is neither a path nor, without `ModelSkins`, a name.
    fn check_skin(&mut self, root: Entity, format: ModelFormat, skin: &ModelSkin) {
        let ModelSkin::Name(name) = skin else {
            return;
        };
        let is_supported = alternative(ModelComponent::ModelSkin, format).is_none();
        if let Some(what) = unknown_skin_warning(name, None).filter(|_| is_supported) {
            self.warnings.warn_once(root, &what);
        }
    }
}

/// Checks a component that was added to a root whose model is spawned.
fn on_component_added<C: Component>(
    component: ModelComponent,
) -> impl Fn(On<Add, C>, ComponentWarnings) {
    move |added, mut warnings| {
        if let Some(format) = warnings.models.format(added.entity) {
            warnings.check_component(added.entity, format, component);
        }
    }
}

/// The components of a root that have names of parts and skins.
type Named = (
    Option<&'static PartVisibility>,
    Option<&'static ModelSkin>,
    Has<ModelSkins>,
);

/// Checks the components of a root whose model was spawned or respawned.
fn on_model(
    inserted: On<Insert, ModelInstance>,
    mut warnings: ComponentWarnings,
    roots: Query<(&ModelInstance, HasComponents, Named)>,
) {
    let root = inserted.entity;
    let Ok((instance, has, (parts, skin, has_skins))) = roots.get(root) else {
        return;
    };
    for component in present(has) {
        warnings.check_component(root, instance.format(), component);
    }
    if let Some(parts) = parts {
        warnings.check_parts(root, parts);
    }
    if let Some(skin) = skin.filter(|_| !has_skins) {
        warnings.check_skin(root, instance.format(), skin);
    }
}

/// Warns about part names that models do not have.
fn check_parts(
    mut warnings: ComponentWarnings,
    changed: Query<(Entity, &PartVisibility), Changed<PartVisibility>>,
) {
    for (root, parts) in &changed {
        warnings.check_parts(root, parts);
    }
}

/// Skins that changed on roots without skin names.
type ChangedWithoutNames = (Changed<ModelSkin>, Without<ModelSkins>);

/// Warns about skin names on roots without `ModelSkins`.
fn check_skins(
    mut warnings: ComponentWarnings,
    changed: Query<(Entity, &ModelSkin), ChangedWithoutNames>,
) {
    for (root, skin) in &changed {
        if let Some(format) = warnings.models.format(root) {
            warnings.check_skin(root, format, skin);
        }
    }
}

/// Registers the checks.
pub(crate) fn register(app: &mut App) {
    add_component_observers(app);
    app.add_observer(on_model)
        .add_systems(PostUpdate, (check_parts, check_skins));
}
