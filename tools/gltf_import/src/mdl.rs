//! Makes Quake models: all meshes become one, and animations become poses.

use crate::animation::Animation;
use crate::error::{Error, Result};
use crate::palette::{Dithering, Palette};
use crate::parts::{Part, parts};
use crate::pose::{Pose, Vertices};
use crate::scene::{Scene, numbers};
use crate::skin::Skins;
use classic_model_formats::mdl::write::{
    FrameDocument, Grid, MdlDocument, PoseDocument, Shape, SkinDocument, bounds_corner, quantize,
};
use classic_model_formats::mdl::{Header, Precision, StVertex, TriVertex, Triangle};
use glam::Vec3;
use serde_json::Value;
use std::collections::HashMap;
use zerocopy::little_endian::I32;

/// The games show ten poses per second.
const RATE: f32 = 10.0;

/// The bytes of a pose's name, with the zero at its end.
const NAME_BYTES: usize = 16;

/// The maximum count of poses of a model, and of their vertices and nodes together. The engines have lower limits.
const MAX_POSES: usize = 1 << 16;
const MAX_VERTICES: usize = 1 << 26;

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
    let poses: usize = clips.iter().map(Clip::count).fold(0, usize::saturating_add);
    let all = vertices.saturating_add(scene.nodes.len());
    if poses > MAX_POSES || poses.saturating_mul(all) > MAX_VERTICES {
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

/// An animation that becomes a clip, or the scene at rest.
struct Clip<'a> {
    name: String,
    animation: Option<&'a Animation>,
    /// For frame groups that were converted, the end of each pose in seconds.
    times: Option<Vec<f32>>,
    is_group: bool,
}

/// The clips of a model: those of the options, otherwise all, in the order of the converted model if it was one.
fn clips<'a>(scene: &'a Scene, options: &Options<'_>) -> Result<Vec<Clip<'a>>> {
    scene.check_names(options.groups)?;
    let converted = scene.extra("mdl", "clips");
    let stated = |name: &str| converted.and_then(|clips| clips.get(name));
    let animations = scene.clips(options.clips, |animation| {
        stated(&animation.name)?.get("first")?.as_u64()
    })?;
    let clip = |animation: &'a Animation| {
        let times = stated(&animation.name).and_then(|clip| clip.get("times")?.as_array().cloned());
        let times = times.map(|times| {
            times
                .iter()
                .filter_map(Value::as_f64)
                .map(|time| time as f32)
                .collect()
        });
        Clip {
            // Names that are not unique in the games' files have a number in glTF files.
            name: without_number(&animation.name).to_owned(),
            is_group: times.is_some() || options.groups.contains(&animation.name),
            times,
            animation: Some(animation),
        }
    };
    if animations.is_empty() {
        let name = "base".to_owned();
        return Ok(vec![Clip {
            name,
            animation: None,
            times: None,
            is_group: false,
        }]);
    }
    Ok(animations.into_iter().map(clip).collect())
}

/// A name without the number that makes it unique: `run#2`.
fn without_number(name: &str) -> &str {
    match name.rsplit_once('#') {
        Some((name, number))
            if !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()) =>
        {
            name
        }
        _ => name,
    }
}

impl Clip<'_> {
    /// The count of its poses, before a repeated one is left out.
    fn count(&self) -> usize {
        let [begin, end] = self.animation.map_or([0.0; 2], Animation::span);
        match &self.times {
            Some(times) => times.len().max(1),
            None => (((end - begin) * RATE + 0.01) as usize).saturating_add(1),
        }
    }

    /// The times of its poses.
    fn samples(&self) -> impl Iterator<Item = f32> {
        let [begin, _] = self.animation.map_or([0.0; 2], Animation::span);
        (0..self.count()).map(move |index| {
            let ends = self.times.as_ref();
            let time = ends.map(|ends| {
                index
                    .checked_sub(1)
                    .and_then(|before| ends.get(before))
                    .copied()
            });
            begin + time.map_or(index as f32 / RATE, Option::unwrap_or_default)
        })
    }

    /// The end of each pose in seconds, if it becomes a frame group.
    fn group_times(&self, count: usize) -> Option<Vec<f32>> {
        let times = self.times.clone().filter(|times| times.len() == count);
        let regular = || (1..=count).map(|index| index as f32 / RATE).collect();
        self.is_group.then(|| times.unwrap_or_else(regular))
    }

    /// The name of a pose: the clip's name and a number. `name` is a name that the file has for it.
    fn pose_name(&self, index: usize, name: Option<&str>) -> String {
        let stem = |name: &str| match name.trim_end_matches(|it: char| it.is_ascii_digit()) {
            "" => "frames".to_owned(),
            stem => stem.to_owned(),
        };
        let name = name
            .map(without_number)
            .filter(|name| name.len() < NAME_BYTES);
        if let Some(name) = name.filter(|name| stem(name) == self.name) {
            return name.to_owned();
        }
        // The number of the pose must not be taken for one of the name.
        let separator = if self.name.ends_with(|it: char| it.is_ascii_digit()) {
            "_"
        } else {
            ""
        };
        let number = format!("{separator}{}", index + 1);
        let mut length = self
            .name
            .len()
            .min((NAME_BYTES - 1).saturating_sub(number.len()));
        while !self.name.is_char_boundary(length) {
            length -= 1;
        }
        format!("{}{number}", self.name.get(..length).unwrap_or_default())
    }
}

/// Samples the shapes of a scene.
struct Shapes<'a> {
    scene: &'a Scene,
    parts: &'a [Part<'a>],
    /// Units per meter.
    units: f32,
}

impl Shapes<'_> {
    /// The poses of a clip.
    fn sample(&self, clip: &Clip<'_>, warnings: &mut Vec<String>) -> Vec<Shape> {
        let mut shapes: Vec<Shape> = Vec::new();
        for (index, time) in clip.samples().enumerate() {
            let pose = self
                .scene
                .pose(clip.animation.map(|animation| (animation, time)));
            let mut shape = self.shape(&pose);
            shape.name = clip.pose_name(index, self.target_name(&pose));
            shapes.push(shape);
        }
        if let [first, .., before, last] | [first @ before, last] = shapes.as_slice()
            && clip.times.is_none()
            && (is_same(first, last) || is_same(before, last))
        {
            shapes.pop();
        }
        let longest = clip.pose_name(shapes.len() - 1, None);
        if !longest.starts_with(&clip.name) {
            warnings.push(format!(
                "clip {:?}: its poses are named {longest:?}, because names have 15 bytes",
                clip.name
            ));
        }
        shapes
    }

    /// The vertices of all parts.
    fn shape(&self, pose: &Pose) -> Shape {
        let mut shape = Shape::default();
        for part in self.parts {
            let Some((index, node, primitive)) = part.shown(pose) else {
                continue;
            };
            let Vertices { positions, normals } =
                self.scene.vertices(pose, *index, node, primitive);
            let axes = |it: Vec3| [it.z, it.x, it.y];
            shape
                .positions
                .extend(positions.into_iter().map(|it| axes(it * self.units)));
            shape.normals.extend(normals.into_iter().map(axes));
        }
        shape
    }

    /// The name of the morph target that a pose is, if it is exactly one.
    fn target_name(&self, pose: &Pose) -> Option<&str> {
        let shown = self.parts.iter().filter_map(|part| part.shown(pose));
        let mut names = shown.filter_map(|(index, node, _)| {
            let weights = pose.weights.get(*index)?;
            let mut weights = weights
                .iter()
                .enumerate()
                .filter(|(_, weight)| **weight != 0.0);
            let (target, weight) = weights.next()?;
            let names = &self.scene.meshes.get(node.mesh?)?.target_names;
            (*weight == 1.0 && weights.next().is_none()).then(|| names.get(target))?
        });
        names.next().map(String::as_str)
    }
}

/// Whether two poses have the same positions, to a part of their size that no quantization shows.
fn is_same(a: &Shape, b: &Shape) -> bool {
    let size = a
        .positions
        .iter()
        .flatten()
        .fold(0.0_f32, |max, value| max.max(value.abs()));
    let pairs = a
        .positions
        .iter()
        .flatten()
        .zip(b.positions.iter().flatten());
    pairs.into_iter().all(|(a, b)| (a - b).abs() <= size * 1e-5)
}

/// The quantization of a converted model, if all poses fit into it.
fn stated_grid(scene: &Scene, shapes: &[Shape], precision: Precision) -> Option<Grid> {
    let stated = scene.extra("mdl", "grid")?;
    let grid = Grid {
        scale: numbers(stated.get("scale"))?,
        origin: numbers(stated.get("origin"))?,
    };
    let max = match precision {
        Precision::Bits8 => 255.01,
        Precision::Bits16 => 255.998,
    };
    let mut positions = shapes.iter().flat_map(|shape| &shape.positions);
    let fits = positions.all(|position| {
        (0..3).all(|axis| {
            let offset = position[axis] - grid.origin[axis];
            match grid.scale[axis] {
                0.0 => offset.abs() <= 1e-4,
                scale => (-0.01..=max).contains(&(offset / scale)),
            }
        })
    });
    fits.then_some(grid)
}

/// The mean area of the triangles of a pose, in square units.
fn mean_area(shape: &Shape, parts: &[Part<'_>]) -> f32 {
    let corner = |part: &Part<'_>, index: u32| {
        let position = shape.positions.get(part.first_vertex + index as usize);
        position.copied().map(Vec3::from_array).unwrap_or_default()
    };
    let triangles = parts
        .iter()
        .flat_map(|part| part.primitive.triangles.iter().map(move |it| (part, it)));
    let areas = triangles.map(|(part, triangle)| {
        let [a, b, c] = triangle.map(|index| corner(part, index));
        (b - a).cross(c - a).length() / 2.0
    });
    let (sum, count) = areas.fold((0.0, 0), |(sum, count), area| (sum + area, count + 1));
    sum / count.max(1) as f32
}

/// The vertices and triangles after equal vertices were merged.
struct Merged {
    st_vertices: Vec<StVertex>,
    triangles: Vec<Triangle>,
    /// For each vertex, the index of one before the merge.
    sources: Vec<usize>,
}

/// What makes a vertex: its bytes in all poses, and its texel.
type Key = (Vec<[u8; 4]>, [i32; 2]);

impl Merged {
    fn new(scene: &Scene, parts: &[Part<'_>], skins: &Skins, poses: &[PoseDocument]) -> Self {
        let texels: Vec<[i32; 2]> = parts
            .iter()
            .flat_map(|part| skins.texels(scene, part.primitive))
            .collect();
        // For each vertex before the merge, the one after it.
        let mut merged = Vec::with_capacity(texels.len());
        let mut keys: Vec<Key> = Vec::new();
        let mut sources = Vec::new();
        let mut known: HashMap<Key, u32> = HashMap::new();
        for (vertex, texel) in texels.iter().enumerate() {
            let bytes = poses.iter().flat_map(|pose| {
                let low = pose.low_vertices.get(vertex);
                let bytes = pose.vertices.get(vertex).into_iter().chain(low);
                bytes.map(
                    |TriVertex {
                         position: [x, y, z],
                         normal,
                     }| [*x, *y, *z, *normal],
                )
            });
            let key = (bytes.collect::<Vec<_>>(), *texel);
            let next = keys.len() as u32;
            let index = *known.entry(key.clone()).or_insert_with(|| {
                keys.push(key);
                sources.push(vertex);
                next
            });
            merged.push(index);
        }
        let mut triangles = Vec::new();
        for part in parts {
            for triangle in &part.primitive.triangles {
                let corners =
                    triangle.map(|index| merged.get(part.first_vertex + index as usize).copied());
                let [a, b, c] = corners.map(Option::unwrap_or_default);
                // Front faces of the file are clockwise.
                triangles.push(if part.is_mirrored {
                    [a, b, c]
                } else {
                    [a, c, b]
                });
            }
        }
        let halves = Halves::new(&keys, &known, &triangles, skins.width as i32 / 2);
        halves.merge(&keys, &triangles, &sources)
    }

    /// The vertices of a pose.
    fn pick(&self, pose: &PoseDocument) -> PoseDocument {
        let pick = |from: &[TriVertex]| -> Vec<TriVertex> {
            self.sources
                .iter()
                .filter_map(|source| from.get(*source).copied())
                .collect()
        };
        let vertices = pick(&pose.vertices);
        PoseDocument {
            name: pose.name,
            min: bounds_corner(&vertices, u8::min),
            max: bounds_corner(&vertices, u8::max),
            low_vertices: pick(&pose.low_vertices),
            vertices,
        }
    }
}

/// Vertices on the seam between the front half and the back half of the skin: two that differ only by half of its width become
/// one.
struct Halves {
    /// The vertices in the front half by those in the back half.
    front: HashMap<u32, u32>,
    /// The vertices in the back half by those in the front half.
    on_seam: HashMap<u32, u32>,
}

impl Halves {
    fn new(keys: &[Key], known: &HashMap<Key, u32>, triangles: &[[u32; 3]], half: i32) -> Self {
        let mut halves = Self {
            front: HashMap::new(),
            on_seam: HashMap::new(),
        };
        for (vertex, (bytes, [s, t])) in (0..).zip(keys) {
            let Some(back) = known
                .get(&(bytes.clone(), [s.saturating_add(half), *t]))
                .filter(|_| half > 0)
            else {
                continue;
            };
            let is_free = !halves.front.contains_key(&vertex) && !halves.on_seam.contains_key(back);
            if is_free {
                halves.front.insert(*back, vertex);
                halves.on_seam.insert(vertex, *back);
            }
        }
        // A triangle uses one half only.
        for triangle in triangles {
            let is_mixed = triangle.iter().any(|it| halves.front.contains_key(it))
                && triangle.iter().any(|it| halves.on_seam.contains_key(it));
            if is_mixed {
                triangle.iter().for_each(|vertex| halves.part(*vertex));
            }
        }
        halves
    }

    /// Keeps a vertex and its other half as two.
    fn part(&mut self, vertex: u32) {
        if let Some(front) = self.front.remove(&vertex) {
            self.on_seam.remove(&front);
        } else if let Some(back) = self.on_seam.remove(&vertex) {
            self.front.remove(&back);
        }
    }

    fn merge(&self, keys: &[Key], triangles: &[[u32; 3]], sources: &[usize]) -> Merged {
        let mut merged = Merged {
            st_vertices: Vec::new(),
            triangles: Vec::new(),
            sources: Vec::new(),
        };
        let mut indices = vec![0; keys.len()];
        for ((vertex, (_, [s, t])), source) in (0..).zip(keys).zip(sources) {
            if self.front.contains_key(&vertex) {
                continue;
            }
            if let Some(index) = indices.get_mut(vertex as usize) {
                *index = merged.st_vertices.len() as i32;
            }
            let on_seam = if self.on_seam.contains_key(&vertex) {
                0x20
            } else {
                0
            };
            merged.st_vertices.push(StVertex {
                on_seam: I32::new(on_seam),
                s: I32::new(*s),
                t: I32::new(*t),
            });
            merged.sources.push(*source);
        }
        for triangle in triangles {
            let is_back = triangle
                .iter()
                .any(|vertex| self.front.contains_key(vertex));
            let index = |vertex: u32| {
                let vertex = self.front.get(&vertex).copied().unwrap_or(vertex);
                I32::new(indices.get(vertex as usize).copied().unwrap_or_default())
            };
            merged.triangles.push(Triangle {
                faces_front: I32::new(i32::from(!is_back)),
                vertices: triangle.map(index),
            });
        }
        merged
    }
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
    let times_of = |skin: usize| {
        let mut groups = groups.into_iter().flatten();
        let group =
            groups.find(|group| group.get("skin").and_then(Value::as_u64) == Some(skin as u64))?;
        let times = group.get("times")?.as_array()?.iter();
        Some(
            times
                .filter_map(|time| Some(time.as_f64()? as f32))
                .collect::<Vec<_>>(),
        )
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
