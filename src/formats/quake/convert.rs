//! Converts a parsed model to Bevy's types without assets or I/O. Most of a load's time is spent here.

use crate::formats::quake::asset::{MdlClip, MdlFrame, clips, flags, frames};
use crate::formats::quake::dependencies::Palette;
use crate::formats::quake::external_skins::ExternalSkins;
use crate::formats::quake::poses::{MdlPoses, Texels};
use crate::formats::quake::settings::{MdlCutout, MdlLoaderSettings};
use crate::formats::quake::skins::{ConvertedSkin, SkinConverter, SkinImage};
use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use classic_model_formats::mdl;
use classic_model_formats::mdl::MdlFile;
use classic_model_formats::read::{ErrorKind, Format, ParseError, Warning};
use zerocopy::IntoBytes;

/// The contents of a file as Bevy types, before they are added as assets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertedMdl {
    /// The mesh in pose 0.
    pub mesh: Mesh,
    /// All poses, as a data texture for the shader.
    pub poses_image: Image,
    /// The skins.
    pub skins: Vec<ConvertedSkin>,
    /// Makes the images of skins in player colors.
    pub(crate) skin_converter: SkinConverter,
    /// Whether texels with the palette index of the settings are transparent.
    pub has_holes: bool,
    /// All poses, for the CPU.
    pub poses: MdlPoses,
    /// Names of all poses.
    pub pose_names: Vec<Box<str>>,
    /// The frames, as game code numbers them.
    pub frames: Vec<MdlFrame>,
    /// Runs of frames whose names share a stem, and frame groups.
    pub clips: Vec<MdlClip>,
    /// The header's values.
    pub header: mdl::Header,
    /// Problems of the file that did not prevent loading.
    pub warnings: Vec<Warning>,
}

/// Maximum side of a texture, in texels, if the adapter's limit is not known. Current adapters support it.
pub(crate) const MAX_TEXTURE_SIZE: u32 = 8192;

impl ConvertedMdl {
    /// Converts the bytes of a file, for adapters whose textures may be 8192 texels wide and high.
    ///
    /// # Errors
    /// A [`ParseError`] if the bytes are not a valid model, or if the model needs larger textures.
    pub fn load(
        bytes: &[u8],
        settings: &MdlLoaderSettings,
        palette: &Palette,
    ) -> Result<Self, ParseError> {
        let file = mdl::parse(bytes)?;
        let external = ExternalSkins::default();
        Self::of(file, &external, settings, palette, MAX_TEXTURE_SIZE)
    }

    /// Converts a file, for adapters whose textures may be `max_texture_size` texels wide and high. Skins of the file are not made
    /// if `external` replaces them.
    pub(crate) fn of(
        mut file: MdlFile<'_>,
        external: &ExternalSkins,
        settings: &MdlLoaderSettings,
        palette: &Palette,
        max_texture_size: u32,
    ) -> Result<Self, ParseError> {
        check_skin_size(&file, max_texture_size)?;
        let mut warnings = core::mem::take(&mut file.warnings);
        let poses = MdlPoses::decode(&file, &mut warnings);
        let poses_image = poses_image(&poses, max_texture_size as usize)?;
        let has_holes = match settings.cutout {
            MdlCutout::ByFlag => file.header.flags & flags::HOLEY != 0,
            MdlCutout::On => true,
            MdlCutout::Off => false,
        };
        let hole_index = has_holes.then_some(settings.hole_index);
        let size = [file.header.skin_width, file.header.skin_height];
        let skin_converter = SkinConverter::new(size, palette, hole_index, settings);
        let skin = |(index, skin): (usize, &mdl::Skin<'_>)| {
            let images = skin.images().enumerate();
            let images = images.map(
                |(image, indices)| match external.replacement(index, image) {
                    Some(external) => SkinImage::External(external.clone()),
                    None => SkinImage::OfFile(skin_converter.convert(indices)),
                },
            );
            ConvertedSkin {
                images: images.collect(),
                timing: skin.timing.clone(),
            }
        };
        let pose_names: Vec<Box<str>> = file.poses.iter().map(|pose| pose.name().into()).collect();
        let frames = frames(&file, &pose_names);
        Ok(Self {
            mesh: mesh(&file, &poses, settings.asset_usage),
            poses_image,
            skins: file.skins.iter().enumerate().map(skin).collect(),
            skin_converter,
            has_holes,
            poses,
            clips: clips(&frames, settings.frame_rate),
            pose_names,
            frames,
            header: file.header,
            warnings,
        })
    }
}

fn extent(width: usize, height: usize) -> Extent3d {
    Extent3d {
        width: width as u32,
        height: height as u32,
        depth_or_array_layers: 1,
    }
}

/// Checks that skins are not larger than the adapter's maximum texture size. Otherwise, the renderer would end the app.
fn check_skin_size(file: &MdlFile<'_>, max_texture_size: u32) -> Result<(), ParseError> {
    let sides = [
        (file.header.skin_width, mdl::SKIN_WIDTH_OFFSET, "skin width"),
        (
            file.header.skin_height,
            mdl::SKIN_HEIGHT_OFFSET,
            "skin height",
        ),
    ];
    for (side, offset, context) in sides {
        if side > max_texture_size && !file.skins.is_empty() {
            return Err(too_large(offset, &format!("{context} {side}")));
        }
    }
    Ok(())
}

fn too_large(offset: u64, context: &str) -> ParseError {
    ParseError {
        format: Format::Mdl,
        offset,
        position: None,
        context: context.into(),
        kind: ErrorKind::LimitExceeded {
            limit: "the adapter's maximum texture size",
        },
    }
}

/// Makes the data texture of all poses: one texel per vertex, row by row.
fn poses_image(poses: &MdlPoses, max_texture_size: usize) -> Result<Image, ParseError> {
    let (bytes, format, texel) = match poses.texels() {
        Texels::Bits8(texels) => (texels.as_bytes(), TextureFormat::Rgba8Uint, 4),
        Texels::Bits16(texels) => (texels.as_bytes(), TextureFormat::Rgba16Uint, 8),
    };
    let texels = bytes.len() / texel;
    // Every adapter supports 2048. Wider only while the texture would be higher than wide.
    let mut width = max_texture_size.min(2048);
    while texels.div_ceil(width) > width && 2 * width <= max_texture_size {
        width *= 2;
    }
    let height = texels.div_ceil(width);
    if height > max_texture_size {
        return Err(too_large(
            0,
            &format!("texture of all poses ({width} × {height} texels)"),
        ));
    }
    // A texture of less than one row needs no padding.
    let width = width.min(texels);
    let mut data = Vec::with_capacity(width * height * texel);
    data.extend_from_slice(bytes);
    data.resize(width * height * texel, 0);
    Ok(Image::new(
        extent(width, height),
        TextureDimension::D2,
        data,
        format,
        RenderAssetUsages::RENDER_WORLD,
    ))
}

/// The vertices of the mesh. Vertices of the file are duplicated if triangles of both sides of the skin's seam use
/// them.
struct SplitVertices {
    /// Index of each vertex in the file, and whether it uses the back half of the skin.
    vertices: Vec<(u32, bool)>,
    /// Vertex indices of the triangles, counterclockwise.
    indices: Vec<u32>,
}

fn split_vertices(file: &MdlFile<'_>) -> SplitVertices {
    const NONE: u32 = u32::MAX;
    let mut split = SplitVertices {
        vertices: Vec::with_capacity(file.st_vertices.len()),
        indices: Vec::with_capacity(3 * file.triangles.len()),
    };
    // For each vertex of the file, its index in `split` on the front and on the back half.
    let mut new_indices = vec![[NONE; 2]; file.st_vertices.len()];
    for triangle in file.triangles {
        let back = triangle.faces_front.get() == 0;
        let [a, b, c] = triangle.vertices.map(|index| index.get() as u32);
        // Front faces are clockwise in the file and counterclockwise in Bevy.
        for vertex in [a, c, b] {
            let index = vertex as usize;
            let (Some(st), Some(halves)) =
                (file.st_vertices.get(index), new_indices.get_mut(index))
            else {
                continue;
            };
            let shifted = back && st.on_seam.get() != 0;
            let new_index = &mut halves[usize::from(shifted)];
            if *new_index == NONE {
                *new_index = split.vertices.len() as u32;
                split.vertices.push((vertex, shifted));
            }
            split.indices.push(*new_index);
        }
    }
    split
}

fn mesh(file: &MdlFile<'_>, poses: &MdlPoses, usage: RenderAssetUsages) -> Mesh {
    let SplitVertices { vertices, indices } = split_vertices(file);
    let header = &file.header;
    let texture_coordinate = |&(vertex, shifted): &(u32, bool)| {
        let Some(st) = file.st_vertices.get(vertex as usize) else {
            return [0.0; 2];
        };
        let shift = if shifted { header.skin_width / 2 } else { 0 };
        let s = f64::from(st.s.get()) + f64::from(shift) + 0.5;
        let t = f64::from(st.t.get()) + 0.5;
        let size = |size: u32| f64::from(size.max(1));
        [
            (s / size(header.skin_width)) as f32,
            (t / size(header.skin_height)) as f32,
        ]
    };
    let pose_0 = |&(vertex, _): &(u32, bool)| {
        let (position, normal) = poses.vertex(0, vertex);
        (position.to_array(), normal.to_array())
    };
    let (positions, normals): (Vec<_>, Vec<_>) = vertices.iter().map(pose_0).unzip();
    let coordinates: Vec<_> = vertices.iter().map(texture_coordinate).collect();
    let file_vertices: Vec<_> = vertices.iter().map(|(v, _)| [*v as f32, 0.0]).collect();
    let indices = if vertices.len() <= usize::from(u16::MAX) {
        Indices::U16(indices.iter().map(|index| *index as u16).collect())
    } else {
        Indices::U32(indices)
    };
    Mesh::new(PrimitiveTopology::TriangleList, usage)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, coordinates)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_1, file_vertices)
        .with_inserted_indices(indices)
}
