//! Models of all formats that tell which version of each of their files they are made of, and what a user
//! chose about them.

use crate::ala_play::{ala, document};
use crate::reload_matrix_manifests as manifests;
use crate::support::abc::{bytes as abc_bytes, figure};
use crate::support::abc_stage::dtx;
use crate::support::alo_stage::{cuboid, tga};
use crate::support::fixtures::figure as mdl_figure;
use crate::support::lgw_stage::{Quad, material, texture};
use bevy::image::ImageSampler;
use bevy::prelude::*;
use bevy_classic_models::alamo::ala::write::{BoneTracks, Vectors};
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh as AloMesh, Parameter};
use bevy_classic_models::alamo::{AloMaterial, AloPart};
use bevy_classic_models::lgw::text::{TextureMode, parse, write as write_lgw};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::mdl::Precision;
use bevy_classic_models::quake::{MdlAnimator, MdlMaterial};

/// The format of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Mdl,
    Alo,
    Abc,
    Lgw,
    /// An Alamo model by a manifest, which holds another one: see [`reload_matrix_manifests`](manifests).
    Manifest,
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
pub const PLACEHOLDER: u8 = 255;

impl Kind {
    /// Whether files of this kind show only where there is one of another kind.
    pub fn needs(self, other: Self) -> bool {
        match other {
            Self::Held => matches!(self, Self::HeldModel | Self::Palette | Self::Skin),
            Self::HeldModel => matches!(self, Self::Held | Self::Palette | Self::Skin),
            _ => false,
        }
    }
}

impl Format {
    pub fn kinds(self) -> &'static [Kind] {
        use Kind::{Animation, Meta, Model, Palette, Picture, PictureMeta};
        match self {
            Self::Mdl => &[Model, Meta, Palette],
            Self::Alo => &[Model, Meta, Animation, Picture, PictureMeta],
            Self::Abc => &[Model, Meta, Picture, PictureMeta],
            Self::Lgw => &[Model, Meta, Picture],
            Self::Manifest => manifests::KINDS,
        }
    }

    /// The file that is spawned.
    pub fn opened(self) -> Kind {
        match self {
            Self::Manifest => Kind::Manifest,
            _ => Kind::Model,
        }
    }

    /// The file that looks for one of a kind.
    pub fn seeker(self, kind: Kind) -> Kind {
        match (self, kind) {
            (Self::Manifest, Kind::Held | Kind::Animation) => Kind::Manifest,
            (Self::Manifest, Kind::HeldModel | Kind::Palette | Kind::Skin) => Kind::Held,
            _ => Kind::Model,
        }
    }

    /// The file that the palette is for.
    pub fn colored(self) -> Kind {
        match self {
            Self::Manifest => Kind::HeldModel,
            _ => Kind::Model,
        }
    }

    /// The name of a file in the model's folder.
    pub fn file(self, kind: Kind) -> String {
        let model = match self {
            Self::Mdl => "unit.mdl",
            Self::Alo | Self::Manifest => "unit.alo",
            Self::Abc => "unit.abc",
            Self::Lgw => "unit.lgw",
        };
        let picture = match self {
            Self::Abc => "worn.dtx",
            _ => "worn.tga",
        };
        match kind {
            Kind::Model => model.into(),
            Kind::Meta => format!("{model}.meta"),
            Kind::Picture => picture.into(),
            Kind::PictureMeta => format!("{picture}.meta"),
            Kind::Animation if self == Self::Manifest => manifests::ANIMATION.into(),
            Kind::Animation => "unit_HOLD_00.ala".into(),
            Kind::Palette => "colors.lmp".into(),
            Kind::Manifest => "unit.model.ron".into(),
            Kind::Held => "gun.model.ron".into(),
            Kind::HeldModel => "gun.mdl".into(),
            Kind::Skin => "skin.tga".into(),
        }
    }

    /// What a version of a file holds.
    pub fn contents(self, kind: Kind, version: u8) -> Vec<u8> {
        match (kind, self) {
            (Kind::Model, Self::Mdl) | (Kind::HeldModel, _) => mdl(version),
            (Kind::Model, Self::Alo | Self::Manifest) => alo(version),
            (Kind::Model, Self::Abc) => abc(version),
            (Kind::Model, Self::Lgw) => lgw(version),
            (Kind::Meta, _) => meta(self.loader(), &format!("scale: {version}.0")),
            (Kind::Picture, Self::Abc) => dtx(&[[version, 9, 9, 255]; 64]),
            (Kind::Manifest, _) => manifests::unit(version).into_bytes(),
            (Kind::Held, _) => manifests::gun(version).into_bytes(),
            (Kind::Picture | Kind::Skin, _) => tga(&[[version, 9, 9, 255]; 16]),
            (Kind::PictureMeta, _) => {
                let loader = "bevy_classic_models::texture::loader::ClassicImageLoader";
                let settings = ["", "sampler: Default"];
                meta(loader, settings[usize::from(version == 2)])
            }
            (Kind::Animation, _) => {
                let mut hull = BoneTracks::new("Hull", 1, [0.0; 3]);
                hull.translation = Vectors::constant([version.into(), 0.0, 1.0]);
                ala(&document(5, vec![hull]))
            }
            (Kind::Palette, _) => vec![version; 768],
        }
    }

    fn loader(self) -> &'static str {
        match self {
            Self::Mdl => "bevy_classic_models::quake::loader::MdlLoader",
            Self::Alo | Self::Manifest => "bevy_classic_models::alamo::loader::AloLoader",
            Self::Abc => "bevy_classic_models::lithtech::loader::AbcLoader",
            Self::Lgw => "bevy_classic_models::lgw::loader::LgwLoader",
        }
    }

    /// Begins to load a model.
    pub fn load(self, server: &AssetServer, path: String) -> UntypedHandle {
        let builder = server.load_builder();
        match self {
            Self::Mdl => {
                let set = |settings: &mut MdlLoaderSettings| {
                    settings.palette = Some("colors.lmp".into());
                };
                builder.with_settings(set).load::<Mdl>(path).untyped()
            }
            Self::Abc => {
                let set = |settings: &mut AbcLoaderSettings| {
                    settings.skins = ["plain.dtx", "worn.dtx"].map(String::from).into();
                };
                builder.with_settings(set).load::<Abc>(path).untyped()
            }
            Self::Alo => builder.load::<Alo>(path).untyped(),
            Self::Lgw => builder.load::<Lgw>(path).untyped(),
            Self::Manifest => builder.load::<ModelManifest>(path).untyped(),
        }
    }

    /// Spawns a model that is loaded, with everything chosen that can be.
    pub fn spawn(self, world: &mut World, path: &str) -> Entity {
        if self == Self::Manifest {
            return manifests::spawn(world, path);
        }
        let server = world.resource::<AssetServer>();
        let scene = WorldAssetRoot(server.load(format!("{path}#Scene")));
        let root = world.spawn(scene).id();
        let mut root = world.entity_mut(root);
        match self {
            Self::Mdl => {
                let colors = PlayerColors {
                    shirt: 4,
                    pants: 13,
                };
                let clip = PlayClip::looping("run").starting_at(0.25);
                root.insert((clip, ModelSkin::Index(1), colors));
            }
            Self::Alo => {
                let chosen = (ModelAlt(1), TeamColor(Color::WHITE));
                let clip = PlayClip::looping("HOLD_00").starting_at(0.25);
                root.insert((clip, chosen, HiddenParts::new(["extra"])));
            }
            Self::Abc => {
                let clip = PlayClip::looping(0_usize).starting_at(0.05);
                root.insert((clip, ModelSkin::Index(1), ModelLod(2)));
            }
            Self::Lgw => {
                root.insert(HiddenParts::new(["quad 1"]));
            }
            Self::Manifest => unreachable!("it is spawned above"),
        }
        root.id()
    }

    /// Whether a model is spawned and as it was told to be.
    pub fn is_settled(self, world: &World, root: Entity) -> bool {
        self.keeps(world, root).is_ok()
    }

    /// Fails unless everything that was chosen shows.
    pub fn keeps(self, world: &World, root: Entity) -> Result<(), String> {
        match self {
            Self::Mdl => keeps_mdl(world, root),
            Self::Alo => keeps_alo(world, root, 0.25),
            Self::Abc => keeps_abc(world, root),
            Self::Lgw => keeps_lgw(world, root),
            Self::Manifest => manifests::keeps(world, root),
        }
    }

    /// Changes what was given to a model that is spawned, as a game does.
    pub fn change(self, world: &mut World, root: Entity) {
        if self == Self::Manifest {
            manifests::change(world, root);
        }
    }

    /// Which version of a file shows; none while there is no model.
    pub fn shown(self, world: &World, root: Entity, kind: Kind) -> Option<u8> {
        match kind {
            Kind::Model => self.shown_model(world, root),
            Kind::Meta => {
                let scene = world.get::<Children>(root)?.first()?;
                Some(world.get::<Transform>(*scene)?.scale.x as u8)
            }
            Kind::Picture => Some(*self.picture(world, root)?.data.as_ref()?.first()?),
            Kind::PictureMeta => match self.picture(world, root)?.sampler {
                ImageSampler::Default => Some(2),
                ImageSampler::Descriptor(_) => Some(1),
            },
            Kind::Animation => {
                let bone = *world.get::<AloInstance>(root)?.bones().get(1)?;
                Some(world.get::<Transform>(bone)?.translation.x as u8)
            }
            Kind::Palette if self == Self::Manifest => manifests::shown(world, root, kind),
            Kind::Palette => palette(world, root),
            Kind::Manifest | Kind::Held | Kind::HeldModel | Kind::Skin => {
                manifests::shown(world, root, kind)
            }
        }
    }

    fn shown_model(self, world: &World, root: Entity) -> Option<u8> {
        Some(match self {
            Self::Mdl => world.get::<MdlAnimator>(root)?.model().radius as u8,
            Self::Alo | Self::Manifest => {
                let model = world.get::<AloInstance>(root)?.model();
                model.bones.get(2)?.transform.translation.z as u8
            }
            Self::Abc => {
                let model = world.get::<AbcInstance>(root)?.model();
                model.command_string.parse().ok()?
            }
            Self::Lgw => {
                let model = world.get::<LgwInstance>(root)?.model();
                model.name.parse().ok()?
            }
        })
    }

    /// The picture that a mesh of a model wears.
    fn picture(self, world: &World, root: Entity) -> Option<&Image> {
        let image = match self {
            Self::Mdl => None,
            Self::Alo | Self::Manifest => {
                let meshes = world.get::<AloInstance>(root)?;
                let parts = meshes.parts().iter();
                let mut drawn = parts.flat_map(|part| world.get::<Children>(*part).into_iter());
                let mesh = drawn.next()?.first()?;
                let material = world.get::<MeshMaterial3d<AloMaterial>>(*mesh)?;
                let material = world.resource::<Assets<AloMaterial>>().get(&material.0)?;
                material.base.base_color_texture.as_ref()
            }
            Self::Abc => standard(world, *world.get::<AbcInstance>(root)?.meshes().first()?),
            Self::Lgw => standard(world, *world.get::<LgwInstance>(root)?.meshes().first()?),
        };
        world.resource::<Assets<Image>>().get(image?)
    }
}

/// The first byte of an MDL model's palette.
pub fn palette(world: &World, root: Entity) -> Option<u8> {
    let model = world.get::<MdlAnimator>(root)?.model();
    let image = world.resource::<Assets<Image>>().get(&model.palette)?;
    image.data.as_ref()?.first().copied()
}

fn standard(world: &World, mesh: Entity) -> Option<&Handle<Image>> {
    let material = world.get::<MeshMaterial3d<StandardMaterial>>(mesh)?;
    let materials = world.resource::<Assets<StandardMaterial>>();
    materials.get(&material.0)?.base_color_texture.as_ref()
}

pub fn check(is_so: bool, what: &str) -> Result<(), String> {
    is_so.then_some(()).ok_or_else(|| format!("not {what}"))
}

fn keeps_mdl(world: &World, root: Entity) -> Result<(), String> {
    let animator = world.get::<MdlAnimator>(root).ok_or("no model")?;
    let time = world.get::<Playback>(root).ok_or("no clip")?.time;
    check(time == 0.25, "at the clip's time")?;
    let poses = animator.shown().to;
    // Half of the way from the third pose of the clip to the fourth.
    check(
        poses.b == poses.a + 1 && poses.towards_b == 0.5,
        "in its pose",
    )?;
    let mesh = animator.mesh();
    let material = world.get::<MeshMaterial3d<MdlMaterial>>(mesh);
    let materials = world.resource::<Assets<MdlMaterial>>();
    let material = material.and_then(|material| materials.get(&material.0));
    let material = material.ok_or("no material")?;
    let skin = &animator.model().skins[1].pictures[0];
    let worn = material.base.base_color_texture.as_ref();
    check(worn == Some(&skin.image), "in its skin")?;
    let colors = (
        material.extension.uniform.shirt,
        material.extension.uniform.pants,
    );
    check(
        material.extension.recolor && colors == (4, 13),
        "in its colours",
    )
}

/// Fails unless an Alamo model is in the middle of its clip and shows what was chosen.
pub fn keeps_alo(world: &World, root: Entity, time: f32) -> Result<(), String> {
    let instance = world.get::<AloInstance>(root).ok_or("no model")?;
    let playback = world.get::<Playback>(root).ok_or("no clip")?;
    let hull = world
        .get::<Transform>(instance.bones()[1])
        .ok_or("no bone")?;
    if hull.translation.x != 0.0 {
        check(playback.time == time, "at the clip's time")?;
    }
    for part in instance.parts() {
        let (of, visibility) = (world.get::<AloPart>(*part), world.get::<Visibility>(*part));
        let of = of.ok_or("no part")?;
        let shows = visibility == Some(&Visibility::Inherited);
        check(shows == (of.name == "Hull_ALT1"), "of those parts")?;
        for mesh in world.get::<Children>(*part).into_iter().flatten() {
            let tag = world.get::<bevy::mesh::MeshTag>(*mesh);
            check(tag.is_some_and(|tag| tag.0 != 0), "in the team's colour")?;
        }
    }
    Ok(())
}

fn keeps_abc(world: &World, root: Entity) -> Result<(), String> {
    let instance = world.get::<AbcInstance>(root).ok_or("no model")?;
    let model = instance.model();
    let time = world.get::<Playback>(root).ok_or("no clip")?.time;
    check(time == 0.05, "at the clip's time")?;
    let level = model.level(2).ok_or("no level")?;
    let skin = model.skins.last().ok_or("no skin")?;
    for mesh in instance.meshes() {
        let node = world.get::<bevy_classic_models::lithtech::AbcMesh>(*mesh);
        let expected = node.and_then(|of| level.mesh(of.node)).map(|of| &of.mesh);
        let shown = world.get::<Mesh3d>(*mesh).map(|mesh| &mesh.0);
        check(shown == expected, "of its level of detail")?;
        check(standard(world, *mesh) == Some(&skin.image), "in its skin")?;
    }
    // The arm is nowhere at rest, nor at the beginning of the clip.
    let arm = instance
        .nodes()
        .get(1)
        .and_then(|node| world.get::<Transform>(*node));
    let rest = &model.nodes[1].transform;
    check(arm.is_some_and(|arm| arm != rest), "in its pose")
}

fn keeps_lgw(world: &World, root: Entity) -> Result<(), String> {
    let instance = world.get::<LgwInstance>(root).ok_or("no model")?;
    let expected = [Visibility::Inherited, Visibility::Hidden];
    let shown = instance
        .meshes()
        .iter()
        .map(|mesh| world.get::<Visibility>(*mesh));
    check(shown.eq(expected.iter().map(Some)), "of those parts")
}

fn meta(loader: &str, settings: &str) -> Vec<u8> {
    let asset = format!("Load(loader: \"{loader}\", settings: ({settings}))");
    format!("(meta_format_version: \"1.0\", asset: {asset})").into_bytes()
}

fn mdl(version: u8) -> Vec<u8> {
    let mut document = mdl_figure(Precision::Bits8);
    document.header.radius = version.into();
    document.to_bytes()
}

/// A box that is whole, one that is damaged, and one to hide; a bone without anything says the version.
fn alo(version: u8) -> Vec<u8> {
    let (vertices, triangles) = cuboid([9.0; 3], [0.0, 0.0, f32::from(version)]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Hull", Some(0), [0.0, 0.0, 1.0]),
        Bone::new("Version", Some(1), [0.0, 0.0, version.into()]),
    ]);
    let names = ["Hull_ALT0", "Hull_ALT1", "Extra"].into_iter();
    let parts = names.map(|name| {
        let parameters = vec![
            Parameter::float4("Specular", [0.0; 4]),
            Parameter::float4("Colorization", [0.0, 1.0, 0.0, 1.0]),
            Parameter::texture("BaseTexture", "worn.tga"),
        ];
        let submesh = buffers.submesh("MeshBumpColorize.fx", "alD3dVertNU2", parameters);
        AloMesh::new(name, 1, vec![submesh])
    });
    file.meshes = parts.collect();
    write(&file).unwrap()
}

fn abc(version: u8) -> Vec<u8> {
    let mut document = figure();
    document.command_string = version.to_string();
    for vertex in &mut document.geometry.vertices {
        vertex.position[0] = (vertex.position[0].get() + f32::from(version)).into();
    }
    abc_bytes(&document)
}

fn lgw(version: u8) -> Vec<u8> {
    let picture = || vec![texture("worn.tga", TextureMode::Modulate)];
    let materials = [material(0, picture()), material(1, picture())];
    let quads = [0, 1].map(|index| Quad::in_grid(index, 2));
    let bytes = crate::support::lgw_stage::model(&materials, &quads);
    let mut file = parse(&bytes, Default::default()).unwrap();
    file.name = version.to_string().into();
    write_lgw(&file).unwrap()
}
