//! Constructors for models made of plain numbers.

use super::bounds::bounds_of;
use super::tree::TreeBuffers;
use crate::alo::file::{AloFile, Bone, Mesh, Parameter, ParameterValue, Submesh};
use crate::alo::records::{Vertex, VertexHead, VertexTail, VertexV1, VertexV2, Vertices, floats};
use std::borrow::Cow;
use zerocopy::little_endian::{F32, U16, U32};

impl From<&Vertex> for VertexHead {
    fn from(vertex: &Vertex) -> Self {
        Self {
            position: vertex.position.map(F32::new),
            normal: vertex.normal.map(F32::new),
            tex_coords: vertex.tex_coords.map(|uv| uv.map(F32::new)),
            tangent: vertex.tangent.map(F32::new),
            binormal: vertex.binormal.map(F32::new),
            color: vertex.color.map(F32::new),
        }
    }
}

impl From<&Vertex> for VertexTail {
    fn from(vertex: &Vertex) -> Self {
        Self {
            bone_indices: vertex.bone_indices.map(U32::new),
            bone_weights: vertex.bone_weights.map(F32::new),
        }
    }
}

impl From<Vertex> for VertexV1 {
    fn from(vertex: Vertex) -> Self {
        Self {
            head: (&vertex).into(),
            tail: (&vertex).into(),
        }
    }
}

impl From<Vertex> for VertexV2 {
    fn from(vertex: Vertex) -> Self {
        Self {
            head: (&vertex).into(),
            unused: [F32::ZERO; 4],
            tail: (&vertex).into(),
        }
    }
}

impl<'a> AloFile<'a> {
    /// A model of version 1 that has only bones.
    pub fn new(bones: Vec<Bone<'a>>) -> Self {
        Self {
            version: 1,
            bones,
            meshes: Vec::new(),
            lights: Vec::new(),
            proxies: Vec::new(),
            dazzles: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

impl<'a> Bone<'a> {
    /// A visible bone without rotation, at a translation in its parent's space.
    pub fn new(name: impl Into<Cow<'a, str>>, parent: Option<u32>, [x, y, z]: [f32; 3]) -> Self {
        Self {
            name: name.into(),
            parent,
            visible: true,
            billboard: 0,
            is_v1: false,
            matrix: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]],
        }
    }
}

impl<'a> Mesh<'a> {
    /// A visible mesh attached to `bone`. Computes the bounding box from the vertices.
    pub fn new(name: impl Into<Cow<'a, str>>, bone: u32, submeshes: Vec<Submesh<'a>>) -> Self {
        let positions = submeshes.iter().flat_map(|submesh| submesh.vertices.iter());
        Self {
            name: name.into(),
            bounds: bounds_of(positions.map(|vertex| vertex.position)),
            hidden: false,
            collidable: submeshes.iter().any(|submesh| submesh.tree.is_some()),
            bone: Some(bone),
            submeshes,
        }
    }
}

impl<'a> Parameter<'a> {
    /// A parameter of four numbers.
    pub fn float4(name: impl Into<Cow<'a, str>>, value: [f32; 4]) -> Self {
        Self {
            name: name.into(),
            value: ParameterValue::Float4(value),
        }
    }

    /// A parameter with the file name of a texture.
    pub fn texture(name: impl Into<Cow<'a, str>>, file: impl Into<Cow<'a, str>>) -> Self {
        Self {
            name: name.into(),
            value: ParameterValue::Texture(file.into()),
        }
    }
}

/// The arrays that a [`Submesh`] borrows.
#[derive(Clone, Debug, Default)]
pub struct SubmeshBuffers {
    vertices: Vec<VertexV2>,
    /// The same vertices as older records, if these are to be written.
    v1_vertices: Option<Vec<VertexV1>>,
    indices: Vec<U16>,
    palette: Vec<U32>,
    tree: Option<TreeBuffers>,
}

impl SubmeshBuffers {
    /// Vertices, and triangles of vertex indices; front faces are counter-clockwise.
    pub fn new(vertices: &[Vertex], triangles: &[[u16; 3]]) -> Self {
        let indices = triangles.as_flattened().iter();
        Self {
            vertices: vertices.iter().copied().map(Into::into).collect(),
            indices: indices.copied().map(U16::new).collect(),
            ..Self::default()
        }
    }

    /// Writes the vertices as the older record, chunk 0x10005.
    #[must_use]
    pub fn with_v1_vertices(mut self) -> Self {
        let v1_vertex = |vertex: &VertexV2| VertexV1 {
            head: vertex.head,
            tail: vertex.tail,
        };
        self.v1_vertices = Some(self.vertices.iter().map(v1_vertex).collect());
        self
    }

    /// Sets the palette: the bones that the vertices' bone indices refer to, at most
    /// [`MAX_PALETTE`](crate::alo::MAX_PALETTE).
    #[must_use]
    pub fn with_palette(mut self, bones: &[u32]) -> Self {
        self.palette = bones.iter().copied().map(U32::new).collect();
        self
    }

    /// Adds a collision tree, unless there are no triangles or more than the 65 536 of a tree.
    #[must_use]
    pub fn with_tree(mut self) -> Self {
        let corner = |index: &U16| {
            let vertex = self.vertices.get(usize::from(index.get()));
            vertex.map_or([0.0; 3], |vertex| floats(vertex.head.position))
        };
        let corners: Vec<_> = self.indices.iter().map(corner).collect();
        let (triangles, _) = corners.as_chunks();
        self.tree = TreeBuffers::new(triangles);
        self
    }

    /// A sub-mesh that borrows the arrays.
    pub fn submesh<'a>(
        &'a self,
        shader: impl Into<Cow<'a, str>>,
        vertex_format: impl Into<Cow<'a, str>>,
        parameters: Vec<Parameter<'a>>,
    ) -> Submesh<'a> {
        Submesh {
            shader: shader.into(),
            parameters,
            vertex_format: vertex_format.into(),
            vertices: match &self.v1_vertices {
                Some(vertices) => Vertices::V1(vertices),
                None => Vertices::V2(&self.vertices),
            },
            indices: &self.indices,
            palette: &self.palette,
            tree: self.tree.as_ref().map(TreeBuffers::tree),
        }
    }
}
