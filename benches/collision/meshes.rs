//! The measured meshes with their file trees, and the queries on them.

use bevy::math::bounding::Aabb3d;
use bevy::math::{Dir3, Ray3d, Vec3};
use bevy_classic_models::alamo::TreeLink;
use bevy_classic_models::alamo::alo::write::TreeBuffers;
use bevy_classic_models::alamo::alo::{Submesh, Tree, TreeNode, parse};
use classic_models_support::bench_models::alo_models;
use std::f32::consts::{PI, TAU};
use std::path::Path;

/// Approximate query count of each kind per group.
const QUERIES: usize = 8192;

/// A sub-mesh and its collision tree, in the file's form.
#[derive(Clone)]
pub struct Part {
    pub positions: Vec<[f32; 3]>,
    pub indices: Vec<u16>,
    pub bounds: [[f32; 3]; 2],
    pub nodes: Vec<TreeNode>,
    pub map: Vec<u16>,
}

impl Part {
    /// A sub-mesh with a tree that this crate's writer builds.
    fn new(positions: Vec<[f32; 3]>, indices: Vec<u16>) -> Self {
        let corners: Vec<_> = indices
            .iter()
            .map(|index| positions[usize::from(*index)])
            .collect();
        let buffers =
            TreeBuffers::new(corners.as_chunks().0).expect("the mesh fits in the file's format");
        Self::with_tree(positions, indices, &buffers.tree())
    }

    fn with_tree(positions: Vec<[f32; 3]>, indices: Vec<u16>, tree: &Tree) -> Self {
        Self {
            positions,
            indices,
            bounds: tree.bounds,
            nodes: tree.nodes.to_vec(),
            map: tree
                .triangles
                .iter()
                .map(|triangle| triangle.get())
                .collect(),
        }
    }

    /// A sub-mesh of a file. `None` if it has no tree, or one without triangles.
    fn of_file(submesh: &Submesh) -> Option<Self> {
        let tree = submesh.tree.as_ref()?;
        let positions = submesh
            .vertices
            .iter()
            .map(|vertex| vertex.position)
            .collect();
        let indices: Vec<_> = submesh.indices.iter().map(|index| index.get()).collect();
        let part = Self::with_tree(positions, indices, tree);
        (!part.map.is_empty()).then_some(part)
    }

    /// Bytes of positions and indices.
    pub fn bytes(&self) -> usize {
        12 * self.positions.len() + 2 * self.indices.len()
    }

    pub fn corners(&self, triangle: u16) -> [Vec3; 3] {
        let first = 3 * usize::from(triangle);
        let corner = |index: usize| self.positions[usize::from(self.indices[first + index])].into();
        [0, 1, 2].map(corner)
    }

    pub fn links(&self) -> impl Iterator<Item = TreeLink> {
        self.nodes.iter().map(|node| TreeLink {
            triangle_count: node.triangle_count.get(),
            link: node.link.get(),
        })
    }
}

/// One mesh to the other implementations: one sub-mesh, or two if it is too large for the file's format.
/// Includes its queries.
pub struct Mesh {
    pub parts: Vec<Part>,
    pub rays: Vec<Ray3d>,
    pub boxes: Vec<Aabb3d>,
    pub points: Vec<Vec3>,
}

impl Mesh {
    fn new(parts: Vec<Part>, queries: usize) -> Self {
        let mut mesh = Self {
            parts,
            rays: Vec::new(),
            boxes: Vec::new(),
            points: Vec::new(),
        };
        mesh.add_queries(queries);
        mesh
    }

    pub fn triangles(&self) -> usize {
        self.corners().len()
    }

    /// Bytes of its positions and indices.
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(Part::bytes).sum()
    }

    /// Positions and indices of all parts, joined.
    pub fn joined(&self) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
        let mut positions = Vec::new();
        let mut indices = Vec::new();
        for part in &self.parts {
            let first = positions.len() as u32;
            let triangles: &[[u16; 3]] = part.indices.as_chunks().0;
            indices.extend(
                triangles
                    .iter()
                    .map(|triangle| triangle.map(|index| u32::from(index) + first)),
            );
            positions.extend_from_slice(&part.positions);
        }
        (positions, indices)
    }

    pub fn corners(&self) -> Vec<[[f32; 3]; 3]> {
        let (positions, indices) = self.joined();
        let corners = |triangle: &[u32; 3]| triangle.map(|index| positions[index as usize]);
        indices.iter().map(corners).collect()
    }

    /// Adds pseudo-random queries: rays from all directions to points in the mesh's bounding box, boxes of a tenth of
    /// its size around points on triangles, and points in and around it.
    fn add_queries(&mut self, queries: usize) {
        let corners = self.corners();
        let points = corners.as_flattened().iter().copied().map(Vec3::from);
        let min = points.clone().fold(Vec3::MAX, Vec3::min);
        let max = points.fold(Vec3::MIN, Vec3::max);
        let (center, half) = (0.5 * (min + max), 0.5 * (max - min));
        let mut state = 1;
        while self.rays.len() < queries {
            let [side, target, offset] = [(); 3].map(|()| random_point(&mut state));
            if !(0.1..1.0).contains(&side.length()) {
                continue;
            }
            let origin = center + side.normalize() * half.length() * 1.5;
            let Ok(direction) = Dir3::new(center + target * half - origin) else {
                continue;
            };
            self.rays.push(Ray3d::new(origin, direction));
            self.points.push(center + offset * half * 1.5);
            let [a, b, c] = corners[self.rays.len() * 7919 % corners.len()].map(Vec3::from);
            let point = a + (b - a) * target.x.abs() * 0.5 + (c - a) * target.y.abs() * 0.5;
            self.boxes.push(Aabb3d::new(point, half * 0.1));
        }
    }
}

/// Meshes that are measured together.
pub struct Group {
    pub name: String,
    pub meshes: Vec<Mesh>,
}

impl Group {
    fn new(name: &str, meshes: Vec<Vec<Part>>) -> Self {
        let queries = (QUERIES / meshes.len().max(1)).max(64);
        Self {
            name: name.into(),
            meshes: meshes
                .into_iter()
                .map(|parts| Mesh::new(parts, queries))
                .collect(),
        }
    }

    pub fn triangles(&self) -> usize {
        self.meshes.iter().map(Mesh::triangles).sum()
    }
}

/// All measured groups. The corpus is the folder that `CLASSIC_MODELS_CORPUS` names.
pub fn groups() -> Vec<Group> {
    let walker = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/walker.alo");
    let walker = std::fs::read(walker).expect("the samples are bundled");
    let mut groups = vec![
        Group::new("cube", vec![vec![cube()]]),
        Group::new("ball", vec![vec![ball(14, 8, 0..8)]]),
        Group::new("ball", vec![vec![ball(50, 30, 0..30)]]),
        Group::new(
            "ball of two sub-meshes",
            vec![vec![ball(282, 141, 0..70), ball(282, 141, 70..141)]],
        ),
        Group::new("walker.alo", trees_of(&walker)),
    ];
    if std::env::var_os("CLASSIC_MODELS_CORPUS").is_some() {
        let models = alo_models();
        let others = models.iter().filter(|model| model.bytes != walker);
        let trees = others.flat_map(|model| trees_of(&model.bytes));
        let (large, small) = trees.partition(|parts| parts[0].indices.len() >= 300);
        groups.push(Group::new("corpus, 100 triangles and more", large));
        groups.push(Group::new("corpus, fewer than 100 triangles", small));
    }
    groups.retain(|group| !group.meshes.is_empty());
    groups
}

/// The sub-meshes of a file that have trees, each as a mesh.
fn trees_of(bytes: &[u8]) -> Vec<Vec<Part>> {
    let Ok(file) = parse(bytes) else {
        return Vec::new();
    };
    let submeshes = file.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    let parts = submeshes.filter_map(Part::of_file);
    parts.map(|part| vec![part]).collect()
}

fn cube() -> Part {
    let corner = |bits: u16| [0, 1, 2].map(|axis| f32::from(bits >> axis & 1));
    let faces: [[u16; 4]; 6] = [
        [0, 2, 1, 3],
        [4, 5, 6, 7],
        [0, 1, 4, 5],
        [2, 6, 3, 7],
        [0, 4, 2, 6],
        [1, 3, 5, 7],
    ];
    let indices = faces
        .iter()
        .flat_map(|[a, b, c, d]| [*a, *b, *c, *c, *b, *d]);
    Part::new((0..8).map(corner).collect(), indices.collect())
}

/// A range of the rings of a dented ball, which has `rings` rings from pole to pole.
fn ball(segments: u16, rings: u16, range: std::ops::Range<u16>) -> Part {
    let mut positions = Vec::new();
    for ring in range.start..=range.end {
        for segment in 0..segments {
            let polar = PI * f32::from(ring) / f32::from(rings);
            let azimuth = TAU * f32::from(segment) / f32::from(segments);
            let radius = 1.0 + 0.3 * (7.0 * azimuth).sin() * (9.0 * polar).sin();
            // Exactly 0 at the poles, so that all vertices of a pole coincide.
            let ring_radius = if ring % rings == 0 {
                0.0
            } else {
                polar.sin() * radius
            };
            positions.push([
                azimuth.cos() * ring_radius,
                azimuth.sin() * ring_radius,
                polar.cos() * radius,
            ]);
        }
    }
    let mut indices = Vec::new();
    for ring in range.clone() {
        let first = (ring - range.start) * segments;
        for segment in 0..segments {
            let next = (segment + 1) % segments;
            let [a, b] = [first + segment, first + next];
            let [c, d] = [a + segments, b + segments];
            if ring > 0 {
                indices.extend([a, c, b]);
            }
            if ring + 1 < rings {
                indices.extend([b, c, d]);
            }
        }
    }
    Part::new(positions, indices)
}

/// A pseudo-random value from -1 to 1, by splitmix64.
fn random(state: &mut u64) -> f32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    (bits >> 40) as f32 / (1 << 23) as f32 - 1.0
}

fn random_point(state: &mut u64) -> Vec3 {
    Vec3::new(random(state), random(state), random(state))
}
