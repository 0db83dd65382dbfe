//! Births on the vertices or the surface of a mesh.

use super::pose::EmitterPose;
use super::random::{Draws, Purpose};
use super::vector::{add, direction, scaled, transform};

/// Where the particles of an emitter are born.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmitMode {
    /// In the position group.
    Group,
    /// At a random vertex of the mesh.
    RandomVertex,
    /// At a random point of the mesh's surface. All parts of the surface are equally likely.
    Surface,
    /// At every vertex of the mesh: a round has its particles for each vertex.
    EveryVertex,
}

impl EmitMode {
    /// The mode of a property's value.
    pub(super) fn new(emit_mode: u32) -> Self {
        match emit_mode {
            1 => Self::RandomVertex,
            2 => Self::Surface,
            3 => Self::EveryVertex,
            _ => Self::Group,
        }
    }
}

/// A mesh on which particles are born.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmissionMesh {
    vertices: Vec<MeshPoint>,
    triangles: Vec<[MeshPoint; 3]>,
    /// For each triangle the sum of the areas up to and including it.
    areas: Vec<f64>,
}

/// A point of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeshPoint {
    /// Position in the space of the mesh.
    pub position: [f32; 3],
    /// Direction of the normal; 0 if unknown.
    pub normal: [f32; 3],
}

impl EmissionMesh {
    /// A mesh of these vertices. Triangles are indices of vertices; those out of range are ignored.
    pub fn new(
        vertices: impl IntoIterator<Item = MeshPoint>,
        triangles: impl IntoIterator<Item = [u32; 3]>,
    ) -> Self {
        let vertices: Vec<_> = vertices.into_iter().map(MeshPoint::normalized).collect();
        let corner = |index: u32| vertices.get(usize::try_from(index).ok()?).copied();
        let triangles = triangles.into_iter();
        let triangles: Vec<_> = triangles
            .filter_map(|[a, b, c]| Some([corner(a)?, corner(b)?, corner(c)?]))
            .collect();
        let mut sum = 0.0;
        let areas = triangles.iter().map(|triangle| {
            sum += area(triangle);
            sum
        });
        Self {
            areas: areas.collect(),
            triangles,
            vertices,
        }
    }

    /// The vertices.
    pub fn vertices(&self) -> &[MeshPoint] {
        &self.vertices
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// How many points of the mesh have particles in a round, at least 1.
    pub(super) fn points_per_round(&self, mode: EmitMode) -> u32 {
        match mode {
            EmitMode::EveryVertex => u32::try_from(self.vertices.len())
                .unwrap_or(u32::MAX)
                .max(1),
            EmitMode::Group | EmitMode::RandomVertex | EmitMode::Surface => 1,
        }
    }

    /// The point at which a particle is born. `index` is its number in its round. `None` if the emitter does not use
    /// the mesh, or if the mesh has no such point.
    pub(super) fn point(&self, mode: EmitMode, draws: Draws, index: u32) -> Option<MeshPoint> {
        let random = |offset| f64::from(draws.unit(Purpose::Mesh, offset));
        match mode {
            EmitMode::Group => None,
            EmitMode::RandomVertex => {
                // The conversion saturates.
                let vertex = random(0) * self.vertices.len() as f64;
                self.vertices.get(vertex as usize).copied()
            }
            EmitMode::Surface => {
                let at = random(0) * self.areas.last()?;
                let triangle = self.areas.partition_point(|sum| *sum <= at);
                let [a, b, c] = self.triangles.get(triangle)?;
                // Evenly distributed: half of the parallelogram is folded onto the other one.
                let (u, v) = (draws.unit(Purpose::Mesh, 1), draws.unit(Purpose::Mesh, 2));
                let (u, v) = if u + v > 1.0 {
                    (1.0 - u, 1.0 - v)
                } else {
                    (u, v)
                };
                let mixed = |of: fn(&MeshPoint) -> [f32; 3]| {
                    let ab = add(scaled(of(a), 1.0 - u - v), scaled(of(b), u));
                    add(ab, scaled(of(c), v))
                };
                let point = MeshPoint {
                    position: mixed(|point| point.position),
                    normal: mixed(|point| point.normal),
                };
                Some(point.normalized())
            }
            EmitMode::EveryVertex => {
                let count = u32::try_from(self.vertices.len()).ok()?;
                let vertex = usize::try_from(index.checked_rem(count)?).ok()?;
                self.vertices.get(vertex).copied()
            }
        }
    }
}

impl MeshPoint {
    fn normalized(self) -> Self {
        Self {
            normal: direction(self.normal),
            ..self
        }
    }

    /// The pose of an emitter at this point of a mesh with the pose `mesh`: at a distance along the normal, with +Z along
    /// the normal.
    pub(super) fn pose(&self, mesh: &EmitterPose, offset: f32) -> EmitterPose {
        let position = add(self.position, scaled(self.normal, offset));
        let columns = rotation_to(self.normal);
        EmitterPose {
            position: add(mesh.position, transform(mesh.orientation, position)),
            orientation: columns.map(|column| transform(mesh.orientation, column)),
            ..*mesh
        }
    }
}

/// The area of a triangle; 0 if it is not finite.
fn area([a, b, c]: &[MeshPoint; 3]) -> f64 {
    let [[ux, uy, uz], [vx, vy, vz]] =
        [b, c].map(|corner| add(corner.position, scaled(a.position, -1.0)).map(f64::from));
    let cross = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    let area = 0.5 * cross.iter().map(|it| it * it).sum::<f64>().sqrt();
    if area.is_finite() { area } else { 0.0 }
}

/// The columns of the shortest rotation from +Z to a direction. No rotation for 0.
fn rotation_to([x, y, z]: [f32; 3]) -> [[f32; 3]; 3] {
    if [x, y, z] == [0.0; 3] {
        return super::vector::IDENTITY;
    }
    if z < -0.999_999 {
        return [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];
    }
    let k = 1.0 / (1.0 + z);
    [
        [1.0 - x * x * k, -x * y * k, -x],
        [-x * y * k, 1.0 - y * y * k, -y],
        [x, y, z],
    ]
}
