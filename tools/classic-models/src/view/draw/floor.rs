//! A floor below the models, on which they cast shadows. It fades out around them.

use crate::view::actions::action::Overlay;
use crate::view::draw::overlays::Overlays;
use crate::view::models::bounds::WorldBounds;
use crate::view::models::viewed_model::{ViewedModel, limits};
use crate::view::row::RowLayout;
use bevy::asset::RenderAssetUsages;
use bevy::light::NotShadowCaster;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use std::f32::consts::TAU;

const COLOR: Color = Color::srgb(0.3, 0.31, 0.33);

/// The radius of the floor; 1 is half of the diagonal of the models on the ground.
const RADIUS: f32 = 3.5;

/// The share of the radius that is opaque.
const OPAQUE: f32 = 0.25;

/// The count of corners of the circle.
const CORNERS: u16 = 64;

/// The count of rings in which the floor fades out.
const RINGS: u16 = 12;

#[derive(Component)]
struct Floor;

/// Draws a floor while [`Overlays`] has it.
pub fn floor_plugin(app: &mut App) {
    app.add_systems(
        PostUpdate,
        place_floor
            .after(RowLayout)
            .before(TransformSystems::Propagate),
    );
}

type Floors = (
    Entity,
    &'static mut Transform,
    &'static MeshMaterial3d<StandardMaterial>,
);

/// Spawns the floor, and moves it below the models.
fn place_floor(
    mut commands: Commands,
    overlays: Res<Overlays>,
    bounds: WorldBounds,
    mut floors: Query<Floors, (With<Floor>, Without<ViewedModel>)>,
    (mut meshes, mut materials): (ResMut<Assets<Mesh>>, ResMut<Assets<StandardMaterial>>),
) {
    let corners = bounds.all_corners();
    if !overlays.draws(Overlay::Floor) || corners.is_empty() {
        for (floor, ..) in &floors {
            commands.entity(floor).despawn();
        }
        return;
    }
    let (low, high) = limits(corners);
    let size = (high - low).xz().length().max((high - low).y);
    let radius = size / 2.0 * RADIUS;
    let center = (low + high) / 2.0;
    let placed = Transform {
        // Below surfaces at the height of the ground.
        translation: Vec3::new(center.x, low.y - size * 2e-4, center.z),
        scale: Vec3::splat(radius),
        ..default()
    };
    // Among transparent surfaces, it is drawn first.
    let depth_bias = -4.0 * radius;
    let Ok((_, mut transform, material)) = floors.single_mut() else {
        let material = StandardMaterial {
            base_color: COLOR,
            perceptual_roughness: 1.0,
            reflectance: 0.0,
            alpha_mode: AlphaMode::Blend,
            depth_bias,
            ..default()
        };
        let mesh = Mesh3d(meshes.add(disc()));
        let material = MeshMaterial3d(materials.add(material));
        commands.spawn((Floor, placed, mesh, material, NotShadowCaster));
        return;
    };
    if *transform != placed {
        *transform = placed;
        if let Some(mut material) = materials.get_mut(&material.0) {
            material.depth_bias = depth_bias;
        }
    }
}

/// A disc of radius 1 that faces up. Its alpha falls from 1 to 0.
fn disc() -> Mesh {
    let rings = (0..=RINGS).map(|ring| f32::from(ring) / f32::from(RINGS));
    let rings = rings.map(|share| (OPAQUE + (1.0 - OPAQUE) * share, share));
    let mut positions = vec![[0.0; 3]];
    let mut colors = vec![[1.0; 4]];
    for (radius, share) in rings {
        for corner in 0..CORNERS {
            let (sin, cos) = (f32::from(corner) / f32::from(CORNERS) * TAU).sin_cos();
            positions.push([cos * radius, 0.0, sin * radius]);
            // Without a visible edge at either end.
            let fade = 0.5 + 0.5 * (share * TAU / 2.0).cos();
            colors.push([1.0, 1.0, 1.0, fade]);
        }
    }
    let at = |ring: u16, corner: u16| 1 + ring * CORNERS + corner % CORNERS;
    let inner = (0..CORNERS).flat_map(|corner| [0, at(0, corner + 1), at(0, corner)]);
    let outer = (0..RINGS).flat_map(|ring| {
        (0..CORNERS).flat_map(move |corner| {
            let [a, b] = [at(ring, corner), at(ring, corner + 1)];
            let [c, d] = [at(ring + 1, corner), at(ring + 1, corner + 1)];
            [a, b, d, a, d, c]
        })
    });
    let normals = vec![[0.0, 1.0, 0.0]; positions.len()];
    Mesh::new(
        PrimitiveTopology::TriangleList,
        RenderAssetUsages::RENDER_WORLD,
    )
    .with_inserted_indices(Indices::U16(inner.chain(outer).collect()))
    .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
    .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
    .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colors)
}

#[cfg(test)]
mod tests {
    use super::disc;
    use bevy::mesh::VertexAttributeValues;
    use bevy::prelude::*;

    #[test]
    fn all_triangles_face_up() {
        let mesh = disc();
        let Some(VertexAttributeValues::Float32x3(positions)) =
            mesh.attribute(Mesh::ATTRIBUTE_POSITION)
        else {
            panic!("no positions");
        };
        let indices: Vec<usize> = mesh.indices().unwrap().iter().collect();
        for triangle in indices.as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|index| Vec3::from(positions[index]));
            assert!((b - a).cross(c - a).y > 0.0, "{triangle:?}");
        }
    }
}
