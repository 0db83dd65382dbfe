//! Pictures that become another texture while materials wear them.
//!
//! A picture whose file changes may be of another size, format or number of levels. That is another texture
//! to the GPU, and Bevy leaves a material with the one that it had until the material itself changes.

use bevy::app::{App, PostUpdate};
use bevy::asset::{Asset, AssetEvent, AssetEventSystems, AssetId, AssetServer, Assets, Handle};
use bevy::ecs::message::MessageReader;
use bevy::ecs::resource::Resource;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::schedule::common_conditions::resource_exists;
use bevy::ecs::system::{Res, ResMut};
use bevy::image::Image;
use bevy::pbr::{ExtendedMaterial, MaterialExtension, StandardMaterial};
use core::marker::PhantomData;
use std::collections::HashSet;

/// A material, or what extends one.
pub(crate) trait HasTextures {
    /// All pictures that it binds and that may change.
    fn pictures(&self) -> Vec<&Handle<Image>>;
}

impl HasTextures for StandardMaterial {
    fn pictures(&self) -> Vec<&Handle<Image>> {
        let pictures = [
            &self.base_color_texture,
            &self.emissive_texture,
            &self.metallic_roughness_texture,
            &self.normal_map_texture,
            &self.occlusion_texture,
            &self.depth_map,
        ];
        pictures.into_iter().flatten().collect()
    }
}

impl<E: MaterialExtension + HasTextures> HasTextures for ExtendedMaterial<StandardMaterial, E> {
    fn pictures(&self) -> Vec<&Handle<Image>> {
        let mut pictures = self.base.pictures();
        pictures.extend(self.extension.pictures());
        pictures
    }
}

/// Has the materials of a kind follow their pictures, however often it is asked for.
pub(crate) fn follow_pictures<M: Asset + HasTextures>(app: &mut App) {
    if app.world().contains_resource::<Follows<M>>() {
        return;
    }
    app.insert_resource(Follows::<M>(PhantomData)).add_systems(
        PostUpdate,
        bind_changed_pictures::<M>
            // Materials that change now are drawn so in this frame.
            .before(AssetEventSystems)
            .run_if(resource_exists::<Assets<Image>>),
    );
}

#[derive(Resource)]
struct Follows<M: Asset>(PhantomData<M>);

/// Has Bevy bind anew what materials wear of the pictures whose files have changed.
///
/// Pictures of no file are left out: somebody may paint one in every frame.
fn bind_changed_pictures<M: Asset + HasTextures>(
    mut events: MessageReader<AssetEvent<Image>>,
    server: Res<AssetServer>,
    mut materials: ResMut<Assets<M>>,
) {
    let changed = events.read().filter_map(|event| match event {
        AssetEvent::Modified { id } => server.get_path(*id).map(|_| *id),
        _ => None,
    });
    let changed: HashSet<AssetId<Image>> = changed.collect();
    if changed.is_empty() {
        return;
    }
    let wears = |material: &M| {
        let mut pictures = material.pictures().into_iter();
        pictures.any(|picture| changed.contains(&picture.id()))
    };
    let stale = materials.iter().filter(|(_, material)| wears(material));
    let stale: Vec<AssetId<M>> = stale.map(|(id, _)| id).collect();
    for id in stale {
        if let Some(material) = materials.get_mut(id) {
            material.into_inner();
        }
    }
}
