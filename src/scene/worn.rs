//! Pictures from elsewhere that models wear: found for their paths, and materials made of them.

use crate::scene::{ModelSkin, ModelSkins, Told, path_of_skin};
use bevy::asset::{Asset, AssetId, AssetServer, Assets, Handle, LoadState, StrongHandle};
#[cfg(feature = "manifest")]
use bevy::asset::{AssetPath, LoadContext};
use bevy::color::{Color, LinearRgba};
use bevy::ecs::change_detection::{DetectChanges, Ref};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Commands, Query, Res, ResMut, SystemParam};
use bevy::image::Image;
use bevy::pbr::StandardMaterial;
use bevy::platform::collections::HashMap;
use core::any::Any;
use std::borrow::Cow;
use std::sync::{Arc, Weak};

/// What a root's [`ModelSkin`] says, as far as it is there: until a picture is loaded it stays what it was, for
/// Bevy draws no material that lacks one. Without it a model wears its first skin.
#[derive(Component, Clone, Debug, PartialEq, Eq)]
pub(crate) struct WornSkin {
    /// Which of the model's own skins it is, or is made of.
    pub(crate) index: usize,
    /// What is worn in its place.
    pub(crate) picture: Option<WornPicture>,
}

impl WornSkin {
    /// What to say of a model that has only so many skins.
    pub(crate) fn complaint(&self, skins: usize) -> Option<String> {
        let index = self.index;
        match skins {
            _ if index < skins.max(1) => None,
            0 => Some(format!("has no skins, so skin {index} means nothing")),
            1 => Some(format!("has 1 skin, so skin {index} is drawn as that")),
            _ => Some(format!(
                "has {skins} skins, so skin {index} is drawn as its last"
            )),
        }
    }
}

/// A picture that is none of a model's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WornPicture {
    pub(crate) image: Handle<Image>,
    /// What of it is unlit.
    pub(crate) glow: Option<Handle<Image>>,
}

impl WornPicture {
    fn new(skin: &ModelSkin, server: &AssetServer) -> Option<Self> {
        match skin {
            ModelSkin::Index(_) | ModelSkin::Name(_) => None,
            ModelSkin::Image(image) => Some(Self {
                image: image.clone(),
                glow: None,
            }),
            #[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
            ModelSkin::Path(path) => {
                let (image, glow) = crate::texture::load_worn(server, path);
                Some(Self { image, glow })
            }
            #[cfg(not(any(feature = "alamo", feature = "lgw", feature = "lithtech")))]
            ModelSkin::Path(path) => Some(Self {
                image: server.load(path),
                glow: None,
            }),
        }
    }
}

/// Begins to load a skin and what of it is unlit, in the way in which models that are given it do, as dependencies of
/// what is being loaded.
#[cfg(feature = "manifest")]
pub(crate) fn preload_skin(
    load_context: &mut LoadContext<'_>,
    path: &AssetPath<'static>,
) -> (Handle<Image>, Option<Handle<Image>>) {
    #[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
    return crate::texture::preload_worn(load_context, path);
    #[cfg(not(any(feature = "alamo", feature = "lgw", feature = "lithtech")))]
    (load_context.load_builder().load(path), None)
}

/// Puts a picture on a material, and has it give off light where the other picture says so.
pub(crate) fn wear(
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

/// A picture that is to be worn once it is there.
#[derive(Component)]
pub(crate) struct AwaitedPicture {
    picture: WornPicture,
    /// If its path was taken for a name first: a text that says that no skin has the name.
    unnamed: Option<String>,
    /// Somebody was told that it cannot be loaded. It is held all the same, because its file may be
    /// mended.
    has_failed: bool,
}

/// What a root says of its skin.
type SaidOfSkin<'w> = (Entity, Ref<'w, ModelSkin>, Option<&'w ModelSkins>);

/// Where that may be something else than before.
type SaysAnother = Or<(Changed<ModelSkin>, Changed<ModelSkins>)>;

/// A skin that is no name of another one.
struct Resolved<'a> {
    skin: Cow<'a, ModelSkin>,
    /// If it is a path because no skin has this name: a text that says so.
    unnamed: Option<String>,
}

/// The skin that a root asks for by what may be a name; none for a name that is neither that of a skin nor a path, which
/// is a warning.
///
/// A root that has no names yet may be given some later, as one whose manifest is loaded.
fn resolve<'a>(
    root: Entity,
    skin: &'a ModelSkin,
    named: Option<&'a ModelSkins>,
    told: &mut Told,
) -> Option<Resolved<'a>> {
    let mut seen = Vec::new();
    let mut skin = skin;
    loop {
        let ModelSkin::Name(name) = skin else {
            return Some(Resolved {
                skin: Cow::Borrowed(skin),
                unnamed: None,
            });
        };
        let of_name = named.and_then(|named| named.get(name));
        // A name may stand for another one, but not forever.
        let is_circular = seen.contains(&name);
        seen.push(name);
        match of_name.filter(|_| !is_circular) {
            Some(of_name) => skin = of_name,
            None => {
                let unnamed = named
                    .filter(|_| !is_circular)
                    .map(|named| unnamed(name, named));
                return resolve_path(root, name, unnamed, is_circular, told);
            }
        }
    }
}

/// Takes a name that no skin has for a path.
fn resolve_path<'a>(
    root: Entity,
    name: &str,
    unnamed: Option<String>,
    is_circular: bool,
    told: &mut Told,
) -> Option<Resolved<'a>> {
    if let Some(path) = path_of_skin(name) {
        return Some(Resolved {
            skin: Cow::Owned(ModelSkin::Path(path)),
            unnamed,
        });
    }
    if is_circular {
        let what = "keeps its skin: the names of its skins stand only for each other";
        told.warn_once(root, what);
    } else if let Some(unnamed) = unnamed {
        let what = format!("keeps its skin: {unnamed}, and a path needs a file extension");
        told.warn_once(root, &what);
    }
    None
}

fn unnamed(name: &str, named: &ModelSkins) -> String {
    let mut names: Vec<_> = named.names().collect();
    names.sort_unstable();
    let names = names.join(", ");
    format!("`ModelSkins` has no skin named \"{name}\", only {names}")
}

/// Applies skins of models' own, and begins to load what others name by their paths.
pub(crate) fn choose_skins(
    mut commands: Commands,
    server: Res<AssetServer>,
    changed: Query<SaidOfSkin<'static>, SaysAnother>,
    mut removed: RemovedComponents<ModelSkin>,
    skins: Query<(), With<ModelSkin>>,
    mut told: Told,
) {
    for (root, skin, named) in &changed {
        // Other names make no difference to what is not named.
        if !skin.is_changed() && !matches!(*skin, ModelSkin::Name(_)) {
            continue;
        }
        let resolved = resolve(root, &skin, named, &mut told);
        let mut entity = commands.entity(root);
        let Some(Resolved { skin, unnamed }) = resolved else {
            // What was asked for before is not wanted any more.
            entity.try_remove::<AwaitedPicture>();
            continue;
        };
        if let Some(picture) = WornPicture::new(&skin, &server) {
            entity.try_insert(AwaitedPicture {
                picture,
                unnamed,
                has_failed: false,
            });
        } else {
            let worn = WornSkin {
                index: skin.index(),
                picture: None,
            };
            entity.try_insert(worn).try_remove::<AwaitedPicture>();
        }
    }
    for entity in removed.read() {
        // It may have been given another one since.
        if !skins.contains(entity)
            && let Ok(mut entity) = commands.get_entity(entity)
        {
            entity.try_remove::<(WornSkin, AwaitedPicture)>();
        }
    }
}

/// Puts on what has come.
pub(crate) fn put_on_pictures(
    mut commands: Commands,
    server: Res<AssetServer>,
    images: Res<Assets<Image>>,
    mut awaited: Query<(Entity, &mut AwaitedPicture)>,
    mut told: Told,
) {
    for (entity, mut awaited) in &mut awaited {
        let picture = &awaited.picture;
        let state = |image: &Handle<Image>| match images.contains(image) {
            true => LoadState::Loaded,
            false => server.load_state(image),
        };
        let glow = picture.glow.as_ref().map(state);
        match state(&picture.image) {
            LoadState::Loaded if !matches!(glow, Some(LoadState::Loading)) => {
                let mut picture = picture.clone();
                picture.glow = picture.glow.filter(|glow| images.contains(glow));
                let worn = WornSkin {
                    index: 0,
                    picture: Some(picture),
                };
                let mut entity = commands.entity(entity);
                entity.try_insert(worn).try_remove::<AwaitedPicture>();
            }
            LoadState::Failed(error) if !awaited.has_failed => {
                let unnamed = awaited.unnamed.as_ref();
                let unnamed =
                    unnamed.map_or_else(String::new, |unnamed| format!("{unnamed}, and "));
                let what =
                    format!("keeps its skin: {unnamed}the picture could not be loaded: {error}");
                told.warn_once(entity, &what);
                awaited.has_failed = true;
            }
            _ => {}
        }
    }
}

/// Materials that wear pictures from elsewhere: one per material of a model and picture, as long as
/// something is drawn with it.
#[derive(Resource)]
pub(crate) struct WornMaterials<M: Asset> {
    made: HashMap<(AssetId<M>, AssetId<Image>), Made>,
}

struct Made {
    /// The model that the material is of: after a change of its file another one, whose materials keep
    /// their names.
    model: Weak<dyn Any + Send + Sync>,
    material: Weak<StrongHandle>,
}

impl<M: Asset> Default for WornMaterials<M> {
    fn default() -> Self {
        Self {
            made: HashMap::default(),
        }
    }
}

/// All materials of a kind, and those that wear pictures from elsewhere.
#[derive(SystemParam)]
pub(crate) struct Wardrobe<'w, M: Asset> {
    all: ResMut<'w, Assets<M>>,
    worn: ResMut<'w, WornMaterials<M>>,
}

impl<M: Asset + Clone> Wardrobe<'_, M> {
    pub(crate) fn all_mut(&mut self) -> &mut Assets<M> {
        &mut self.all
    }

    /// The material like `plain` that wears a picture, or `plain` itself without one; none if `plain` is
    /// not loaded. Of a material `base` is what Bevy draws.
    pub(crate) fn dressed<Model: Any + Send + Sync>(
        &mut self,
        model: &Arc<Model>,
        plain: &Handle<M>,
        picture: Option<&WornPicture>,
        base: impl FnOnce(&mut M) -> &mut StandardMaterial,
    ) -> Option<Handle<M>> {
        let Some(WornPicture { image, glow }) = picture else {
            return Some(plain.clone());
        };
        let made = &mut self.worn.made;
        let key = (plain.id(), image.id());
        let model: Arc<dyn Any + Send + Sync> = model.clone();
        let model = Arc::downgrade(&model);
        let known = made.get(&key).filter(|made| made.model.ptr_eq(&model));
        if let Some(material) = known.and_then(|made| made.material.upgrade()) {
            return Some(Handle::Strong(material));
        }
        let mut material = self.all.get(plain)?.clone();
        wear(base(&mut material), image.clone(), glow.clone());
        let material = self.all.add(material);
        if let Handle::Strong(material) = &material {
            made.retain(|_, made| made.material.strong_count() > 0);
            let material = Arc::downgrade(material);
            made.insert(key, Made { model, material });
        }
        Some(material)
    }
}
