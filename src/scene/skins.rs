//! Pictures from elsewhere that models wear: found for their paths.

use crate::scene::{ModelSkin, ModelSkins, ModelWarnings, path_of_skin};
use bevy::asset::{AssetPath, LoadContext};
use bevy::asset::{AssetServer, Assets, Handle, LoadState};
use bevy::ecs::change_detection::{DetectChanges, Ref};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::system::{Commands, Query, Res};
use bevy::image::Image;
use std::borrow::Cow;

/// What a root's [`ModelSkin`] says, as far as it is there: until a picture is loaded it stays what it was, for
/// Bevy draws no material that lacks one. Without it a model wears its first skin.
#[derive(Component, Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActiveSkin {
    /// Which of the model's own skins it is, or is made of.
    pub(crate) index: usize,
    /// What is worn in its place.
    pub(crate) picture: Option<ActiveImage>,
}

/// A picture that is none of a model's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActiveImage {
    pub(crate) image: Handle<Image>,
    /// What of it is unlit.
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
            #[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
            ModelSkin::Path(path) => {
                let (image, glow) = crate::texture::load_skin_image(server, path);
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
pub(crate) fn preload_skin(
    load_context: &mut LoadContext<'_>,
    path: &AssetPath<'static>,
) -> (Handle<Image>, Option<Handle<Image>>) {
    #[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
    return crate::texture::preload_skin_image(load_context, path);
    #[cfg(not(any(feature = "alamo", feature = "lgw", feature = "lithtech")))]
    (load_context.load_builder().load(path), None)
}

/// A picture that is to be worn once it is there.
#[derive(Component)]
pub(crate) struct AwaitedPicture {
    picture: ActiveImage,
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
    told: &mut ModelWarnings,
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
    told: &mut ModelWarnings,
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
    mut told: ModelWarnings,
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
        if let Some(picture) = ActiveImage::new(&skin, &server) {
            entity.try_insert(AwaitedPicture {
                picture,
                unnamed,
                has_failed: false,
            });
        } else {
            let worn = ActiveSkin {
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
            entity.try_remove::<(ActiveSkin, AwaitedPicture)>();
        }
    }
}

/// Puts on what has come.
pub(crate) fn apply_loaded_skins(
    mut commands: Commands,
    server: Res<AssetServer>,
    images: Res<Assets<Image>>,
    mut awaited: Query<(Entity, &mut AwaitedPicture)>,
    mut told: ModelWarnings,
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
                let worn = ActiveSkin {
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
