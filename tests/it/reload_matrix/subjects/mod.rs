//! Models of all formats that tell which version of each of their files they are made of, and what a user
//! chose about them. Each format has a file of its own, and so have manifests of models of different formats.

mod abc;
mod alo;
mod held;
mod lgw;
mod manifest_abc;
mod manifest_alo;
mod manifest_lgw;
mod mdl;

use crate::support::abc_stage::dtx;
use crate::support::alo_stage::tga;
use bevy::image::ImageSampler;
use bevy::prelude::*;
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::lgw::Lgw;
use bevy_classic_models::lithtech::Abc;
use bevy_classic_models::model::ModelManifest;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;
use core::ops::Deref;

/// The format of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Mdl,
    Alo,
    Abc,
    Lgw,
    /// An Alamo model by a manifest.
    Manifest,
    /// A LithTech model by a manifest.
    ManifestOfAbc,
    /// A model of UFO: Aftermath by a manifest.
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

/// A kind of file that a model is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Model,
    Meta,
    Picture,
    PictureMeta,
    Animation,
    Palette,
    Manifest,
    /// The manifest of what hangs on a bone.
    Held,
    HeldModel,
    /// A picture that a manifest gives a name.
    Skin,
}

/// What a picture shows that is not there: the first byte of the placeholder.
const PLACEHOLDER: u8 = 255;

/// The first byte of the skin that a model wears whose manifest names one that is nowhere: its own, in the first
/// version of that or of its palette.
const OWN_SKIN: u8 = 1;

/// A model that is spawned and whose files are edited: what is the same for all formats, and what is not.
pub trait Subject: Sync {
    /// The kinds of files that it is made of.
    fn kinds(&self) -> &'static [Kind];

    /// The name of the model's file.
    fn model_file(&self) -> &'static str;

    /// The name of the picture that it wears.
    fn picture_file(&self) -> &'static str {
        "worn.tga"
    }

    /// The name of its animation.
    fn animation_file(&self) -> &'static str {
        "unit_HOLD_00.ala"
    }

    /// What loads the model's file.
    fn loader(&self) -> &'static str;

    /// A version of the model's file.
    fn model(&self, version: u8) -> Vec<u8>;

    /// A version of its manifest; empty where it has none.
    fn manifest(&self, _version: u8) -> String {
        String::new()
    }

    /// The file that is spawned.
    fn opened(&self) -> Kind {
        match self.kinds().contains(&Kind::Manifest) {
            true => Kind::Manifest,
            false => Kind::Model,
        }
    }

    /// The file that looks for one of a kind.
    fn seeker(&self, kind: Kind) -> Kind {
        match kind {
            Kind::Picture => Kind::Model,
            _ => self.opened(),
        }
    }

    /// The file that the palette is for.
    fn colored(&self) -> Kind {
        Kind::Model
    }

    /// Whether files of a kind show only where there is one of another kind.
    fn needs(&self, _kind: Kind, _other: Kind) -> bool {
        false
    }

    /// The version that shows where there is no file of a kind.
    fn shown_without(&self, kind: Kind) -> u8 {
        match kind {
            Kind::Meta | Kind::PictureMeta => 1,
            Kind::Picture => PLACEHOLDER,
            Kind::Skin => OWN_SKIN,
            _ => 0,
        }
    }

    /// The folder beside the model's that is looked into after that, or one in it.
    fn second_folder(&self) -> &'static str {
        "Textures"
    }

    /// The name of a file in the model's folder.
    fn file(&self, kind: Kind) -> String {
        let name = match kind {
            Kind::Meta => return format!("{}.meta", self.model_file()),
            Kind::PictureMeta => return format!("{}.meta", self.picture_file()),
            Kind::Model => self.model_file(),
            Kind::Picture => self.picture_file(),
            Kind::Animation => self.animation_file(),
            Kind::Palette => "colors.lmp",
            Kind::Manifest => "unit.model.ron",
            Kind::Held => "gun.model.ron",
            Kind::HeldModel => "gun.mdl",
            Kind::Skin => "skin.tga",
        };
        name.to_owned()
    }

    /// What a version of a file holds.
    fn contents(&self, kind: Kind, version: u8) -> Vec<u8> {
        match kind {
            Kind::Model => self.model(version),
            Kind::Meta => meta(self.loader(), &format!("scale: {version}.0")),
            Kind::Picture if self.picture_file().ends_with("dtx") => {
                dtx(&[[version, 9, 9, 255]; 64])
            }
            Kind::Picture | Kind::Skin => tga(&[[version, 9, 9, 255]; 16]),
            Kind::PictureMeta => {
                let loader = "bevy_classic_models::texture::loader::ClassicImageLoader";
                let settings = ["", "sampler: Default"];
                meta(loader, settings[usize::from(version == 2)])
            }
            Kind::Animation => alo::animation(version),
            Kind::Palette => vec![version; 768],
            Kind::Manifest => self.manifest(version).into_bytes(),
            Kind::Held => held::gun(version).into_bytes(),
            Kind::HeldModel => mdl::model(version),
        }
    }

    /// Begins to load it.
    fn load(&self, server: &AssetServer, path: String) -> UntypedHandle {
        server.load::<ModelManifest>(path).untyped()
    }

    /// Spawns it when it is loaded, with everything chosen that can be.
    fn spawn(&self, world: &mut World, path: &str) -> Entity;

    /// Changes what was given to it, as a game does.
    fn change(&self, _world: &mut World, _root: Entity) {}

    /// Whether it is spawned and as it was told to be.
    fn is_settled(&self, world: &World, root: Entity) -> bool {
        self.keeps(world, root).is_ok()
    }

    /// Fails unless everything that was chosen shows.
    fn keeps(&self, world: &World, root: Entity) -> Result<(), String>;

    /// Which version of a file shows; none while there is no model.
    fn shown(&self, world: &World, root: Entity, kind: Kind) -> Option<u8> {
        match kind {
            Kind::Model => self.shown_model(world, root),
            Kind::Meta => scale(world, root),
            Kind::Picture => self.shown_picture(world, root),
            Kind::PictureMeta => match self.picture(world, root)?.sampler {
                ImageSampler::Default => Some(2),
                ImageSampler::Descriptor(_) => Some(1),
            },
            _ => self.shown_other(world, root, kind),
        }
    }

    /// Which version of the model's file shows.
    fn shown_model(&self, world: &World, root: Entity) -> Option<u8>;

    /// The picture that one of its meshes wears.
    fn picture<'w>(&self, _world: &'w World, _root: Entity) -> Option<&'w Image> {
        None
    }

    /// Which version of that shows.
    fn shown_picture(&self, world: &World, root: Entity) -> Option<u8> {
        first_byte(self.picture(world, root)?)
    }

    /// Which version shows of a file of a kind that not all have.
    fn shown_other(&self, _world: &World, _root: Entity, _kind: Kind) -> Option<u8> {
        None
    }
}

fn meta(loader: &str, settings: &str) -> Vec<u8> {
    let asset = format!("Load(loader: \"{loader}\", settings: ({settings}))");
    format!("(meta_format_version: \"1.0\", asset: {asset})").into_bytes()
}

fn check(is_so: bool, what: &str) -> Result<(), String> {
    is_so.then_some(()).ok_or_else(|| format!("not {what}"))
}

/// Spawns a scene of a file with what is chosen about it.
fn spawn_scene(world: &mut World, path: &str, chosen: impl Bundle) -> Entity {
    let scene = world
        .resource::<AssetServer>()
        .load(format!("{path}#Scene"));
    world.spawn((WorldAssetRoot(scene), chosen)).id()
}

/// Spawns what a manifest says with what is chosen about it.
fn spawn_manifest(world: &mut World, path: &str, chosen: impl Bundle) -> Entity {
    let manifest = world.resource::<AssetServer>().load(path.to_owned());
    world.spawn((ClassicModel(manifest), chosen)).id()
}

/// How the scene of a model stands below its root, where others may hang too.
fn stand(world: &World, root: Entity) -> Option<&Transform> {
    let mut children = world.get::<Children>(root)?.iter();
    let scene = children.find(|child| world.get::<AttachedToBone>(*child).is_none())?;
    world.get::<Transform>(scene)
}

fn scale(world: &World, root: Entity) -> Option<u8> {
    Some(stand(world, root)?.scale.x as u8)
}

fn first_byte(image: &Image) -> Option<u8> {
    image.data.as_ref()?.first().copied()
}

/// The picture of Bevy's own material on a mesh.
fn standard(world: &World, mesh: Entity) -> Option<&Handle<Image>> {
    let material = world.get::<MeshMaterial3d<StandardMaterial>>(mesh)?;
    let materials = world.resource::<Assets<StandardMaterial>>();
    materials.get(&material.0)?.base_color_texture.as_ref()
}

fn standard_image(world: &World, mesh: Entity) -> Option<&Image> {
    let images = world.resource::<Assets<Image>>();
    images.get(standard(world, mesh)?)
}
