//! The positions and normals of all vertices in poses.

use super::clips::Clip;
use crate::parts::Part;
use crate::pose::{Pose, Vertices};
use crate::scene::{Scene, numbers};
use classic_model_formats::mdl::Precision;
use classic_model_formats::mdl::write::{Grid, Shape};
use glam::Vec3;

/// Samples the shapes of a scene.
pub struct Shapes<'a> {
    pub scene: &'a Scene,
    pub parts: &'a [Part<'a>],
    /// Units per meter.
    pub units: f32,
}

impl Shapes<'_> {
    /// The poses of a clip.
    pub fn sample(&self, clip: &Clip<'_>, warnings: &mut Vec<String>) -> Vec<Shape> {
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
pub fn stated_grid(scene: &Scene, shapes: &[Shape], precision: Precision) -> Option<Grid> {
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
pub fn mean_area(shape: &Shape, parts: &[Part<'_>]) -> f32 {
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
