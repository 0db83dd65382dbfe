//! Resolves the [`ModelSkin`] of a root, loads external skin textures, and makes the materials that use them.

use crate::load::alternatives::{did_you_mean, listed_names};
use crate::load::error::first_line;
use crate::load::reloads::add_loading_check;
use crate::load::warnings::ModelWarnings;
use crate::load::weak_cache::{Address, WeakCache};
use crate::root::environment::ClassicModelsSystems;
use crate::root::skins::{ModelSkin, ModelSkins, path_of_skin};
use crate::texture::loader::model_images::{ImageLoads, load_skin_image};
use bevy::asset::{AssetPath, LoadContext, LoadState, StrongHandle};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use core::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

/// The skin that a root uses. Without it, a model uses its own first skin.
///
/// It changes only when the image of a new [`ModelSkin`] is loaded, because Bevy draws no material whose texture is
/// missing.
#[derive(Component, Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActiveSkin {
    /// The index of the model's own skin that is used or replaced.
    pub(crate) index: usize,
    /// An external image that replaces the model's own skin.
    pub(crate) image: Option<ActiveImage>,
}

impl ActiveSkin {
    /// The warning if the index is out of bounds for a model with this count of skins.
    pub(crate) fn index_warning(&self, skins: usize) -> Option<String> {
        let index = self.index;
        match skins {
            _ if index < skins.max(1) => None,
            0 => Some(format!("has no skins; skin {index} is ignored")),
            1 => Some(format!("has 1 skin; skin {index} is drawn as skin 0")),
            _ => Some(format!(
                "has {skins} skins; skin {index} is drawn as skin {}",
                skins - 1
            )),
        }
    }
}

/// An external skin texture.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ActiveImage {
    pub(crate) image: Handle<Image>,
    /// The texture of the unlit texels.
    pub(crate) glow: Option<Handle<Image>>,
}

impl ActiveImage {
    fn new(skin: &ModelSkin, server: &AssetServer) -> Option<Self> {
        match skin {
            ModelSkin::Index(_) | ModelSkin::Name(_) => None,
            ModelSkin::Image(image) => Some(Self {
                image: image.clone(),
                glow: None,
            }),
            ModelSkin::Path(path) => {
                let (image, glow) = load_skin_image(ImageLoads::App(server), path);
                Some(Self { image, glow })
            }
        }
    }
}

/// Starts loading a skin and the texture of its unlit texels as dependencies of the asset that is being loaded. Uses
/// the same settings as models with this skin.
pub(crate) fn preload_skin(
    load_context: &mut LoadContext<'_>,
    path: &AssetPath<'static>,
) -> (Handle<Image>, Option<Handle<Image>>) {
    load_skin_image(ImageLoads::Dependencies(load_context), path)
}

/// A skin texture that is applied when it is loaded.
#[derive(Component)]
pub(crate) struct PendingSkin {
    image: ActiveImage,
    /// The warning that no skin has this name, if the path was a possible name.
    unknown_name: Option<String>,
    /// Whether the failure was logged. The handle is kept, because a reload of the file may succeed.
    has_failed: bool,
}

impl PendingSkin {
    /// Whether the image is loading. It stays pending if that fails.
    pub(crate) fn is_loading(&self) -> bool {
        !self.has_failed
    }
}

/// The components that determine the skin of a root.
type SkinQuery<'w> = (Entity, Ref<'w, ModelSkin>, Option<&'w ModelSkins>);

/// Filters roots whose skin may have changed.
type SkinChanged = Or<(Changed<ModelSkin>, Changed<ModelSkins>)>;

/// A skin that is not a [`ModelSkin::Name`].
struct Resolved<'a> {
    skin: Cow<'a, ModelSkin>,
    /// The warning that no skin has this name, if the path was a possible name.
    unknown_name: Option<String>,
}

/// Resolves a skin that can be a name. `None` and a warning if the name is neither a skin nor a path.
///
/// Without [`ModelSkins`] there is no warning, because a manifest may insert them later.
fn resolve<'a>(
    root: Entity,
    skin: &'a ModelSkin,
    named: Option<&'a ModelSkins>,
    warnings: &mut ModelWarnings,
) -> Option<Resolved<'a>> {
    let mut seen = Vec::new();
    let mut skin = skin;
    loop {
        let ModelSkin::Name(name) = skin else {
            return Some(Resolved {
                skin: Cow::Borrowed(skin),
                unknown_name: None,
            });
        };
        let of_name = named.and_then(|named| named.get(name));
        // Names can refer to other names, but not in a circle.
        let is_circular = seen.contains(&name);
        seen.push(name);
        match of_name.filter(|_| !is_circular) {
            Some(of_name) => skin = of_name,
            None => {
                let unknown_name = named
                    .filter(|_| !is_circular)
                    .map(|named| unknown_name(name, named));
                return resolve_path(root, name, unknown_name, is_circular, warnings);
            }
        }
    }
}

/// Resolves a name that no skin has as a path.
fn resolve_path<'a>(
    root: Entity,
    name: &str,
    unknown_name: Option<String>,
    is_circular: bool,
    warnings: &mut ModelWarnings,
) -> Option<Resolved<'a>> {
    if let Some(path) = path_of_skin(name) {
        return Some(Resolved {
            skin: Cow::Owned(ModelSkin::Path(path)),
            unknown_name,
        });
    }
    if is_circular {
        let message =
            format!("keeps its skin: the name \"{name}\" in `ModelSkins` refers to itself");
        warnings.warn_once(root, &message);
    } else if let Some(unknown_name) = unknown_name {
        warnings.warn_once(root, &no_skin(&unknown_name));
    }
    None
}

fn no_skin(reason: &str) -> String {
    format!("keeps its skin: {reason}, and a path needs a file extension")
}

/// The warning about a skin that is neither a name nor a path. It follows the path of the model.
pub(crate) fn unknown_skin_warning(name: &str, named: Option<&ModelSkins>) -> Option<String> {
    if path_of_skin(name).is_some() {
        return None;
    }
    match named {
        None => Some(no_skin(&format!(
            "the name \"{name}\" needs `ModelSkins` on the root"
        ))),
        Some(named) if named.get(name).is_none() => Some(no_skin(&unknown_name(name, named))),
        Some(_) => None,
    }
}

/// The warning that no skin has a name. Lists all names.
fn unknown_name(name: &str, named: &ModelSkins) -> String {
    let mut names: Vec<_> = named.names().collect();
    names.sort_unstable();
    let near = did_you_mean(name, names.iter().copied());
    let names = listed_names(names.into_iter());
    format!("`ModelSkins` has no entry named \"{name}\", only {names}{near}")
}

/// Registers the systems that choose skins.
pub(crate) fn register(app: &mut App) {
    add_loading_check(app, |_, entity| {
        let skin = entity.get::<PendingSkin>();
        skin.is_some_and(PendingSkin::is_loading)
    });
    app.add_systems(
        PostUpdate,
        (choose_skins, apply_loaded_skins)
            .chain()
            .before(ClassicModelsSystems::Appearance),
    );
}

/// Applies models' own skins, and starts loading external ones.
fn choose_skins(
    mut commands: Commands,
    server: Res<AssetServer>,
    changed: Query<SkinQuery<'static>, SkinChanged>,
    mut removed: RemovedComponents<ModelSkin>,
    skins: Query<(), With<ModelSkin>>,
    mut warnings: ModelWarnings,
) {
    for (root, skin, named) in &changed {
        // A change of `ModelSkins` affects only skins by name.
        if !skin.is_changed() && !matches!(*skin, ModelSkin::Name(_)) {
            continue;
        }
        let resolved = resolve(root, &skin, named, &mut warnings);
        let mut entity = commands.entity(root);
        let Some(Resolved { skin, unknown_name }) = resolved else {
            // The skin that was requested before is no longer wanted.
            entity.try_remove::<PendingSkin>();
            continue;
        };
        if let Some(image) = ActiveImage::new(&skin, &server) {
            entity.try_insert(PendingSkin {
                image,
                unknown_name,
                has_failed: false,
            });
        } else {
            let active = ActiveSkin {
                index: skin.index().unwrap_or(0),
                image: None,
            };
            entity.try_insert(active).try_remove::<PendingSkin>();
        }
    }
    for entity in removed.read() {
        // The component may have been inserted again.
        if !skins.contains(entity)
            && let Ok(mut entity) = commands.get_entity(entity)
        {
            entity.try_remove::<(ActiveSkin, PendingSkin)>();
        }
    }
}

/// Applies skin textures that have finished loading.
fn apply_loaded_skins(
    mut commands: Commands,
    server: Res<AssetServer>,
    images: Res<Assets<Image>>,
    mut pending: Query<(Entity, &mut PendingSkin)>,
    mut warnings: ModelWarnings,
) {
    for (entity, mut pending) in &mut pending {
        let image = &pending.image;
        let state = |image: &Handle<Image>| {
            if images.contains(image) {
                LoadState::Loaded
            } else {
                server.load_state(image)
            }
        };
        let glow = image.glow.as_ref().map(state);
        match state(&image.image) {
            LoadState::Loaded if !matches!(glow, Some(LoadState::Loading)) => {
                let mut image = image.clone();
                image.glow = image.glow.filter(|glow| images.contains(glow));
                let active = ActiveSkin {
                    index: 0,
                    image: Some(image),
                };
                let mut entity = commands.entity(entity);
                entity.try_insert(active).try_remove::<PendingSkin>();
            }
            LoadState::Failed(error) if !pending.has_failed => {
                let unknown_name = pending.unknown_name.as_ref();
                let unknown_name = unknown_name
                    .map_or_else(String::new, |unknown_name| format!("{unknown_name}, and "));
                let error = first_line(&error);
                let message =
                    format!("keeps its skin: {unknown_name}the image could not be loaded: {error}");
                warnings.warn_once(entity, &message);
                pending.has_failed = true;
            }
            _ => {}
        }
    }
}

/// Replaces the base color texture and the emissive texture of a material.
pub(crate) fn apply_skin(
    material: &mut StandardMaterial,
    image: Handle<Image>,
    glow: Option<Handle<Image>>,
) {
    material.base_color = Color::WHITE;
    material.base_color_texture = Some(image);
    material.emissive = match glow {
        Some(_) => LinearRgba::WHITE,
        None => LinearRgba::BLACK,
    };
    material.emissive_texture = glow;
}

/// The materials with external skin textures: one per model, material of it, image and emissive image. A reload makes
/// another model.
#[derive(Resource)]
pub(crate) struct ActiveMaterials<M: Asset>(WeakCache<SkinKey<M>, StrongHandle>);

type SkinKey<M> = (Address, AssetId<M>, AssetId<Image>, Option<AssetId<Image>>);

impl<M: Asset> Default for ActiveMaterials<M> {
    fn default() -> Self {
        Self(WeakCache::default())
    }
}

/// All materials of type `M`, and those with external skin textures.
#[derive(SystemParam)]
pub struct SkinMaterials<'w, M: Asset> {
    pub(crate) all: ResMut<'w, Assets<M>>,
    active: ResMut<'w, ActiveMaterials<M>>,
}

impl<M: Asset + Clone> SkinMaterials<'_, M> {
    /// A copy of `plain` that uses an external skin texture, or `plain` itself without one. `None` if `plain` is not
    /// loaded. `base` returns the `StandardMaterial` of a material.
    pub(crate) fn with_skin<Model: Any + Send + Sync>(
        &mut self,
        model: &Arc<Model>,
        plain: &Handle<M>,
        image: Option<&ActiveImage>,
        base: impl FnOnce(&mut M) -> &mut StandardMaterial,
    ) -> Option<Handle<M>> {
        let Some(ActiveImage { image, glow }) = image else {
            return Some(plain.clone());
        };
        let glow_id = glow.as_ref().map(Handle::id);
        let key = (Address::of(model), plain.id(), image.id(), glow_id);
        if let Some(material) = self.active.0.handle(&key) {
            return Some(material);
        }
        let mut material = self.all.get(plain)?.clone();
        apply_skin(base(&mut material), image.clone(), glow.clone());
        let material = self.all.add(material);
        self.active.0.insert_handle(key, &material);
        Some(material)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::asset::Assets;
    use bevy::color::LinearRgba;
    use bevy::ecs::system::SystemState;
    use bevy::ecs::world::World;
    use bevy::image::Image;
    use bevy::pbr::StandardMaterial;
    use std::sync::Arc;

    #[test]
    fn skins_with_and_without_an_emissive_image_have_different_materials() {
        let mut images = Assets::<Image>::default();
        let [image, glow] = [(); 2].map(|()| images.add(Image::default()));
        let with_glow = ActiveImage {
            image: image.clone(),
            glow: Some(glow),
        };
        let without_glow = ActiveImage { image, glow: None };
        let mut world = World::new();
        world.init_resource::<Assets<StandardMaterial>>();
        world.init_resource::<ActiveMaterials<StandardMaterial>>();
        let plain = world
            .resource_mut::<Assets<StandardMaterial>>()
            .add(StandardMaterial::default());
        let model = Arc::new(());
        let mut state = SystemState::<SkinMaterials<StandardMaterial>>::new(&mut world);
        let mut materials = state.get_mut(&mut world).unwrap();
        let skins = [&with_glow, &without_glow, &with_glow].map(|skin| {
            let skinned = materials.with_skin(&model, &plain, Some(skin), |material| material);
            skinned.unwrap()
        });
        assert_eq!(skins[0], skins[2], "a skin shares its material");
        let emissive = |index: usize| materials.all.get(&skins[index]).unwrap().emissive;
        assert_eq!(emissive(0), LinearRgba::WHITE);
        assert_eq!(emissive(1), LinearRgba::BLACK);
    }
}
