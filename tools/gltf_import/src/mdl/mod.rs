//! Makes Quake models: all meshes become one, and animations become poses.
//!
//! `clips` has the times of poses, `shapes` their vertices, and `merge` the vertices and triangles of the file.

mod clips;
mod merge;
mod shapes;

use crate::error::Error;
use crate::palette::{Dithering, Palette};
use crate::parts::parts;
use crate::scene::{Scene, numbers};
use crate::skin::Skins;
use classic_model_formats::mdl::write::{
    FrameDocument, Grid, MdlDocument, PoseDocument, SkinDocument, bounds_corner, quantize,
};
use classic_model_formats::mdl::{Header, Precision, TriVertex};
use clips::{Clip, clips};
use merge::Merged;
use serde_json::Value;
use shapes::{Shapes, mean_area, stated_grid};
use std::collections::HashMap;

/// The maximum count of poses of a model, and of their vertices and nodes together. The engines have lower limits.
const MAX_POSES: usize = 1 << 16;
const MAX_VERTICES: usize = 1 << 26;

/// The maximum count of vertices and their differences in all poses.
const MAX_POSED: usize = 1 << 29;

/// The flag for skins with holes.
const HOLES: u32 = 1 << 14;

/// How a model is made.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Meters per unit of the model. `None` is the value in the `extras` of a converted model, otherwise 1.
    pub scale: Option<f32>,
    /// The colors of skins.
    pub palette: &'a Palette,
    /// How colors that the palette does not have are mapped.
    pub dithering: Dithering,
    /// The index of holes.
    pub hole_index: u8,
    /// The precision of positions. `None` is that of a converted model, otherwise 8 bits.
    pub precision: Option<Precision>,
    /// The names of the animations that become clips, in this order. Empty for all.
    pub clips: &'a [String],
    /// The names of the animations that become frame groups, which the games play on their own.
    pub groups: &'a [String],
}

/// A model that was made.
#[derive(Debug)]
pub struct Converted {
    /// The model.
    pub document: MdlDocument,
    /// Warnings about values that were left out or changed.
    pub warnings: Vec<String>,
}

/// Makes a model of all meshes of a scene.
///
/// glTF's (x, y, z) becomes (z, x, y): X forward, Z up. Animations are sampled ten times per second. If the last pose of an
/// animation is the first one again, it is left out, because the games play clips in a loop; so is a repeated last pose.
///
/// # Errors
/// If the scene has no triangles, an image cannot be decoded, or an animation of the options does not exist.
pub fn convert(scene: &Scene, options: &Options<'_>) -> core::result::Result<Converted, Error> {
    let mut warnings = scene.warnings.clone();
    let parts = parts(scene);
    let count: usize = parts
        .iter()
        .map(|part| part.primitive.triangles.len())
        .sum();
    if count == 0 {
        return Err(Error::new("the scene has no triangles"));
    }
    let clips = clips(scene, options)?;
    let scale = scene.meters_per_unit("mdl", options.scale);
    let shapes = Shapes {
        scene,
        parts: &parts,
        units: 1.0 / scale,
    };
    let vertices: usize = parts
        .iter()
        .map(|part| part.primitive.positions.len())
        .sum();
    let posed: usize = parts
        .iter()
        .map(|part| part.primitive.posed_vertices())
        .sum();
    let poses: usize = clips.iter().map(Clip::count).fold(0, usize::saturating_add);
    let all = vertices.saturating_add(scene.nodes.len());
    if poses > MAX_POSES
        || poses.saturating_mul(all) > MAX_VERTICES
        || poses.saturating_mul(posed) > MAX_POSED
    {
        return Err(Error::new(format_args!(
            "too long: {poses} poses of {vertices} vertices"
        )));
    }
    let mut sampled = Vec::new();
    let mut frames = Vec::new();
    for clip in &clips {
        let poses = shapes.sample(clip, &mut warnings);
        frames.push(Frames {
            times: clip.group_times(poses.len()),
            count: poses.len(),
        });
        sampled.extend(poses);
    }
    if !sampled
        .iter()
        .flat_map(|shape| &shape.positions)
        .flatten()
        .all(|value| value.is_finite())
    {
        return Err(Error::new("a vertex is not finite"));
    }
    let stated = scene.extra("mdl", "precision").and_then(Value::as_u64);
    let stated = if stated == Some(16) {
        Precision::Bits16
    } else {
        Precision::Bits8
    };
    let precision = options.precision.unwrap_or(stated);
    let grid = stated_grid(scene, &sampled, precision).unwrap_or_else(|| Grid::around(&sampled));
    if precision == Precision::Bits16 {
        // 1/256 steps are truncated. Half of one more rounds them.
        let positions = sampled.iter_mut().flat_map(|shape| &mut shape.positions);
        for position in positions {
            for (value, scale) in position.iter_mut().zip(grid.scale) {
                *value += scale / 512.0;
            }
        }
    }
    let quantized = quantize(&sampled, precision, grid);
    let skins = Skins::new(scene, parts.iter().map(|part| part.primitive))?;
    let blended = scene
        .materials
        .iter()
        .filter(|material| material.is_blended);
    warnings.extend(blended.map(|material| {
        let name = &material.name;
        format!("material {name:?} blends, which Quake models cannot: it has holes where alpha is below 0.5")
    }));
    let mesh = Merged::new(scene, &parts, &skins, &quantized.poses);
    let poses = quantized.poses.iter().map(|pose| mesh.pick(pose));
    let has_holes = skins
        .pictures
        .iter()
        .any(|picture| picture.cutoff.is_some());
    let flags = scene
        .extra("mdl", "flags")
        .and_then(Value::as_u64)
        .unwrap_or_default() as u32;
    let header = Header {
        scale: quantized.scale,
        origin: quantized.origin,
        radius: quantized.radius,
        eye_position: numbers(scene.extra("mdl", "eyePosition")).unwrap_or_default(),
        skin_width: skins.width,
        skin_height: skins.height,
        sync_type: scene
            .extra("mdl", "synctype")
            .and_then(Value::as_i64)
            .unwrap_or_default() as i32,
        flags: if has_holes {
            flags | HOLES
        } else {
            flags & !HOLES
        },
        average_triangle_size: sampled
            .first()
            .map_or(0.0, |shape| mean_area(shape, &parts)),
    };
    let images = skins.pictures.iter();
    let images = images.map(|it| {
        options
            .palette
            .map(it, options.hole_index, options.dithering)
    });
    let document = MdlDocument {
        precision,
        header,
        skins: skin_documents(scene, images.collect()),
        frames: frame_documents(&frames, poses.collect()),
        st_vertices: mesh.st_vertices,
        triangles: mesh.triangles,
    };
    Ok(Converted { document, warnings })
}

/// The poses of a clip: as a frame group if it has times, otherwise as a frame each.
struct Frames {
    times: Option<Vec<f32>>,
    count: usize,
}

fn frame_documents(frames: &[Frames], poses: Vec<PoseDocument>) -> Vec<FrameDocument> {
    let mut poses = poses.into_iter();
    let mut documents = Vec::new();
    for Frames { times, count } in frames {
        let poses = poses.by_ref().take(*count);
        let Some(times) = times.clone() else {
            documents.extend(poses.map(FrameDocument::Single));
            continue;
        };
        let poses: Vec<PoseDocument> = poses.collect();
        let corners =
            |corner: fn(&PoseDocument) -> TriVertex| poses.iter().map(corner).collect::<Vec<_>>();
        documents.push(FrameDocument::Group {
            min: bounds_corner(&corners(|pose| pose.min), u8::min),
            max: bounds_corner(&corners(|pose| pose.max), u8::max),
            times,
            poses,
        });
    }
    documents
}

/// The skins. Images of the same skin group of a converted model become one skin again.
fn skin_documents(scene: &Scene, images: Vec<Vec<u8>>) -> Vec<SkinDocument> {
    let groups = scene.extra("mdl", "skinGroups").and_then(Value::as_array);
    let groups = groups.into_iter().flatten();
    let groups: HashMap<u64, &Value> = groups
        .filter_map(|group| Some((group.get("skin")?.as_u64()?, group.get("times")?)))
        .collect();
    let times_of = |skin: usize| {
        let times = groups.get(&(skin as u64))?.as_array()?.iter();
        let times = times.filter_map(|time| Some(time.as_f64()? as f32));
        Some(times.collect::<Vec<_>>())
    };
    let mut images = images.into_iter().peekable();
    let mut skins = Vec::new();
    while images.peek().is_some() {
        let times =
            times_of(skins.len()).filter(|times| !times.is_empty() && times.len() <= images.len());
        skins.push(match times {
            Some(times) => {
                let images = images.by_ref().take(times.len()).collect();
                SkinDocument::Group { times, images }
            }
            None => SkinDocument::Single(images.next().unwrap_or_default()),
        });
    }
    skins
}
