//! Selections of parts, and the merged meshes that show them.

use crate::alamo::crowd::material::AloCrowdMaterial;
use bevy::asset::Handle;
use bevy::mesh::Mesh;
use bevy::platform::collections::HashMap;
use std::sync::Weak;

/// The merged meshes of one selection of parts.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) draws: Vec<Draw>,
    /// The parts that are shown, by their indices in the file.
    pub(super) shown: Box<[bool]>,
}

/// A merged mesh.
#[derive(Debug)]
pub(super) struct Draw {
    pub(super) mesh: Handle<Mesh>,
    pub(super) material: Handle<AloCrowdMaterial>,
    pub(super) casts_shadows: bool,
}

/// The looks that members show, by the parts that are shown.
#[derive(Debug, Default)]
pub(super) struct Looks(pub(super) HashMap<Box<[bool]>, Weak<Look>>);
