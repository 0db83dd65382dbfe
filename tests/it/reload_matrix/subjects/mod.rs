//! The models of the reload matrix. Each subject writes versions of its files, detects which version of a file its instance
//! shows, and checks that the instance keeps its components. There is a module for each format, and for manifests of some
//! formats.

mod abc;
mod alo;
mod attached;
mod lgw;
mod manifest_abc;
mod manifest_alo;
mod manifest_lgw;
mod mdl;

use crate::support::abc_stage::dtx;
use crate::support::prelude::*;
use core::ops::Deref;

/// The format of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Mdl,
    Alo,
    Abc,
    Lgw,
    /// An Alamo model with a manifest.
    Manifest,
    /// A LithTech model with a manifest.
    ManifestOfAbc,
    /// A model of UFO: Aftermath with a manifest.
    ManifestOfLgw,
}

impl Deref for Format {
    type Target = dyn Subject;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Mdl => &mdl::Unit,
            Self::Alo => &alo::Unit,
            Self::Abc => &abc::Unit,
            Self::Lgw => &lgw::Unit,
            Self::Manifest => &manifest_alo::Unit,
            Self::ManifestOfAbc => &manifest_abc::Unit,
            Self::ManifestOfLgw => &manifest_lgw::Unit,
        }
    }
}

/// A kind of file that a model is loaded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Model,
    Meta,
    Texture,
    TextureMeta,
    Animation,
    Palette,
    Manifest,
    /// The manifest of the attachment.
    AttachedManifest,
    /// The model file of the attachment.
    AttachedModel,
    /// The texture of a named skin of a manifest.
    Skin,
}

/// The version that a missing texture shows: the first byte of the placeholder.
const PLACEHOLDER: u8 = 255;

/// The version that a missing skin of a manifest shows: the model uses the first version of the skin of its file, or of its
/// palette.
const OWN_SKIN: u8 = 1;

/// A spawned model whose files are edited.
pub trait Subject: Sync {
    /// The kinds of files that it is loaded from.
    fn kinds(&self) -> &'static [Kind];

    /// The name of the model's file.
    fn model_file(&self) -> &'static str;

    /// The name of its texture.
    fn texture_file(&self) -> &'static str {
        "base.tga"
    }

    /// The name of its animation.
    fn animation_file(&self) -> &'static str {
        "unit_HOLD_00.ala"
    }

    /// The type path of the loader of the model's file.
    fn loader(&self) -> &'static str;

    /// A version of the model's file.
    fn model(&self, version: u8) -> Vec<u8>;

    /// A version of its manifest; empty without a manifest.
    fn manifest(&self, _version: u8) -> String {
        String::new()
    }

    /// The kind of file that is spawned: the manifest, if there is one.
    fn spawned_kind(&self) -> Kind {
        match self.kinds().contains(&Kind::Manifest) {
            true => Kind::Manifest,
            false => Kind::Model,
        }
    }

    /// The kind of file that refers to a file of a kind.
    fn referrer(&self, kind: Kind) -> Kind {
        match kind {
            Kind::Texture => Kind::Model,
            _ => self.spawned_kind(),
        }
    }

    /// The kind of file that uses the palette.
    fn palette_user(&self) -> Kind {
        Kind::Model
    }

    /// Whether files of a kind are used only if there is a file of another kind.
    fn needs(&self, _kind: Kind, _other: Kind) -> bool {
        false
    }

    /// The version that is shown without a file of a kind.
    fn shown_without(&self, kind: Kind) -> u8 {
        match kind {
            Kind::Meta | Kind::TextureMeta => 1,
            Kind::Texture => PLACEHOLDER,
            Kind::Skin => OWN_SKIN,
            _ => 0,
        }
    }

    /// The folder that is searched after the model's folder, relative to the parent of the model's folder.
    fn second_folder(&self) -> &'static str {
        "Textures"
    }

    /// The name of a file in the model's folder.
    fn file(&self, kind: Kind) -> String {
        let name = match kind {
            Kind::Meta => return format!("{}.meta", self.model_file()),
            Kind::TextureMeta => return format!("{}.meta", self.texture_file()),
            Kind::Model => self.model_file(),
            Kind::Texture => self.texture_file(),
            Kind::Animation => self.animation_file(),
            Kind::Palette => "colors.lmp",
            Kind::Manifest => "unit.model.ron",
            Kind::AttachedManifest => "gun.model.ron",
            Kind::AttachedModel => "gun.mdl",
            Kind::Skin => "skin.tga",
        };
        name.to_owned()
    }

    /// The contents of a version of a file.
    fn contents(&self, kind: Kind, version: u8) -> Vec<u8> {
        match kind {
            Kind::Model => self.model(version),
            Kind::Meta => meta(self.loader(), &format!("scale: {version}.0")),
            Kind::Texture if self.texture_file().ends_with("dtx") => {
                dtx(&[[version, 9, 9, 255]; 64])
            }
            Kind::Texture | Kind::Skin => tga(&[[version, 9, 9, 255]; 16]),
            Kind::TextureMeta => {
                let loader = "bevy_classic_models::texture::loader::ClassicImageLoader";
                let settings = ["", "sampler: Default"];
                meta(loader, settings[usize::from(version == 2)])
            }
            Kind::Animation => alo::animation(version),
            Kind::Palette => vec![version; 768],
            Kind::Manifest => self.manifest(version).into_bytes(),
            Kind::AttachedManifest => attached::gun(version).into_bytes(),
            Kind::AttachedModel => mdl::model(version),
        }
    }

    /// Starts loading it.
    fn load(&self, server: &AssetServer, path: String) -> UntypedHandle {
        load_model(server, path)
    }

    /// Spawns it after loading, with all components that the format supports.
    fn spawn(&self, world: &mut World, path: &str) -> Entity;

    /// Changes components that the manifest set, as a game does.
    fn change(&self, _world: &mut World, _root: Entity) {}

    /// Whether it is spawned and has the state of its components.
    fn is_ready(&self, world: &World, root: Entity) -> bool {
        self.check_state(world, root).is_ok()
    }

    /// Checks that the instance has the state of its components. The error names the missing state.
    fn check_state(&self, world: &World, root: Entity) -> Result<(), String>;

    /// The version of a file that the instance shows; none if there is no instance.
    fn shown(&self, world: &World, root: Entity, kind: Kind) -> Option<u8> {
        match kind {
            Kind::Model => self.shown_model(world, root),
            Kind::Meta => scale(world, root),
            Kind::Texture => self.shown_texture(world, root),
            Kind::TextureMeta => match self.texture(world, root)?.sampler {
                ImageSampler::Default => Some(2),
                ImageSampler::Descriptor(_) => Some(1),
            },
            _ => self.shown_other(world, root, kind),
        }
    }

    /// The version of the model's file that the instance shows.
    fn shown_model(&self, world: &World, root: Entity) -> Option<u8>;

    /// The texture of one of its meshes.
    fn texture<'w>(&self, _world: &'w World, _root: Entity) -> Option<&'w Image> {
        None
    }

    /// The version of the texture that the instance shows.
    fn shown_texture(&self, world: &World, root: Entity) -> Option<u8> {
        first_byte(self.texture(world, root)?)
    }

    /// The version that the instance shows of a kind of file that not all formats have.
    fn shown_other(&self, _world: &World, _root: Entity, _kind: Kind) -> Option<u8> {
        None
    }
}

fn meta(loader: &str, settings: &str) -> Vec<u8> {
    let asset = format!("Load(loader: \"{loader}\", settings: ({settings}))");
    format!("(meta_format_version: \"1.0\", asset: {asset})").into_bytes()
}

/// An error unless a condition is true. `what` continues "not …".
fn check(condition: bool, what: &str) -> Result<(), String> {
    condition.then_some(()).ok_or_else(|| format!("not {what}"))
}

/// Spawns the scene of a file with components.
fn spawn_scene(world: &mut World, path: &str, components: impl Bundle) -> Entity {
    let scene = world
        .resource::<AssetServer>()
        .load(format!("{path}#Scene"));
    world.spawn((WorldAssetRoot(scene), components)).id()
}

/// Spawns the model of a manifest with components.
fn spawn_manifest(world: &mut World, path: &str, components: impl Bundle) -> Entity {
    world.spawn((ClassicModel::new(path), components)).id()
}

/// The transform of a model's scene below its root, which may also have attachments as children.
fn scene_transform(world: &World, root: Entity) -> Option<&Transform> {
    let mut children = world.get::<Children>(root)?.iter();
    let scene = children.find(|child| world.get::<AttachedToBone>(*child).is_none())?;
    world.get::<Transform>(scene)
}

fn scale(world: &World, root: Entity) -> Option<u8> {
    Some(scene_transform(world, root)?.scale.x as u8)
}

fn first_byte(image: &Image) -> Option<u8> {
    image.data.as_ref()?.first().copied()
}

/// The base color texture of the `StandardMaterial` of a mesh.
fn standard(world: &World, mesh: Entity) -> Option<&Handle<Image>> {
    let material = world.get::<MeshMaterial3d<StandardMaterial>>(mesh)?;
    let materials = world.resource::<Assets<StandardMaterial>>();
    materials.get(&material.0)?.base_color_texture.as_ref()
}

fn standard_image(world: &World, mesh: Entity) -> Option<&Image> {
    let images = world.resource::<Assets<Image>>();
    images.get(standard(world, mesh)?)
}
