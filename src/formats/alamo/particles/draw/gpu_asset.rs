//! The part of a particle system that all its instances share on the GPU: the keys of its tracks as a texture.

use crate::formats::alamo::particles::Interpolation;
use crate::formats::alamo::particles::Track;
use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::particles::computed::is_computed;
use crate::formats::alamo::particles::draw::pipeline::{DrawMode, EmitterUniform};
use crate::formats::alamo::particles::emitter::{AloEmitter, Style};
use crate::formats::alamo::particles::evaluate::{PreparedEmitter, Space};
use crate::formats::alamo::particles::plugins::DrawStyle;
use crate::texture::placeholder::PLACEHOLDER_IMAGE;
use bevy::ecs::system::SystemParamItem;
use bevy::ecs::system::lifetimeless::SRes;
use bevy::prelude::*;
use bevy::render::render_asset::{PrepareAssetError, RenderAsset};
use bevy::render::render_resource::{
    Extent3d, TextureDataOrder, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages,
    TextureView, TextureViewDescriptor,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};

/// `KEYS_PER_ROW` in `particles.wgsl`.
const KEYS_PER_ROW: u32 = 1024;

/// `KEY_COUNT_BITS` in `particles.wgsl`.
const KEY_COUNT_BITS: u32 = 28;

/// A particle system on the GPU.
pub(crate) struct GpuParticles {
    /// The keys of all tracks.
    pub(crate) keys: TextureView,
    /// The emitters, in file order.
    pub(crate) emitters: Vec<GpuEmitter>,
    /// [`AloParticles::world_rotation`].
    pub(crate) world_rotation: Quat,
}

/// An emitter on the GPU.
pub(crate) struct GpuEmitter {
    /// The values that all instances share.
    pub(crate) uniform: EmitterUniform,
    pub(crate) texture: AssetId<Image>,
    /// `None` if it is not drawn.
    pub(crate) mode: Option<DrawMode>,
    /// The space of its records.
    pub(crate) space: Space,
    /// Whether the plane of flat particles turns with the system.
    pub(crate) is_plane_local: bool,
    /// Its position in [`AloParticles::draw_order`].
    pub(crate) rank: usize,
}

impl GpuParticles {
    /// The emitter with an index and how it is drawn; `None` if it is not.
    pub(crate) fn drawn(&self, emitter: usize) -> Option<(&GpuEmitter, DrawMode)> {
        let emitter = self.emitters.get(emitter)?;
        Some((emitter, emitter.mode?))
    }
}

impl RenderAsset for GpuParticles {
    type SourceAsset = AloParticles;
    type Param = (SRes<RenderDevice>, SRes<RenderQueue>);

    fn prepare_asset(
        particles: AloParticles,
        _: AssetId<AloParticles>,
        (device, queue): &mut SystemParamItem<Self::Param>,
        _: Option<&Self>,
    ) -> Result<Self, PrepareAssetError<AloParticles>> {
        let mut keys = Keys {
            texels: Vec::new(),
            limit: KEYS_PER_ROW as usize * device.limits().max_texture_dimension_2d as usize,
        };
        let emitters = particles.emitters.iter().zip(particles.prepared());
        let emitters = emitters.map(|(info, prepared)| gpu_emitter(info, prepared, &mut keys));
        let mut emitters: Vec<GpuEmitter> = emitters.collect();
        for (rank, index) in particles.draw_order().iter().enumerate() {
            if let Some(emitter) = emitters.get_mut(*index) {
                emitter.rank = rank;
            }
        }
        Ok(Self {
            emitters,
            keys: keys.into_texture(device, queue),
            world_rotation: particles.world_rotation,
        })
    }
}

fn gpu_emitter(info: &AloEmitter, prepared: &PreparedEmitter, keys: &mut Keys) -> GpuEmitter {
    let mut uniform = EmitterUniform::of_emitter(info, prepared);
    let mut mode = DrawMode::of(info);
    let mut packed = [0; 16];
    let tracks = info.emitter.tracks.entries();
    // The values of computed particles are in their slots.
    let tracks = tracks.into_iter().filter(|_| !is_computed(prepared));
    for ((name, track), place) in tracks.zip(packed.chunks_exact_mut(2)) {
        match keys.push(track, name == "rotation_speed") {
            Some(entry) => place.copy_from_slice(&entry),
            None => mode = None,
        }
    }
    for (vector, four) in uniform.tracks.iter_mut().zip(packed.chunks_exact(4)) {
        *vector = UVec4::from_slice(four);
    }
    GpuEmitter {
        uniform,
        texture: info.texture.as_ref().unwrap_or(&PLACEHOLDER_IMAGE).id(),
        mode,
        space: Space::of(prepared),
        is_plane_local: matches!(
            info.style,
            Style::Renderer(DrawStyle::XyAligned { local_space: true })
        ),
        rank: 0,
    }
}

/// The keys of a system's tracks.
struct Keys {
    /// Time, value, and the integral of the value up to the key.
    texels: Vec<[f32; 4]>,
    limit: usize,
}

impl Keys {
    /// Adds a track. Returns the index of its first key, and its count of keys with the interpolation in the upper bits;
    /// `None` if there are too many keys for a texture.
    fn push(&mut self, track: &Track, has_integral: bool) -> Option<[u32; 2]> {
        // A track of one value has one key.
        let count = if track.is_constant() {
            track.keys.len().min(1)
        } else {
            track.keys.len()
        };
        if count == 0 || self.texels.len() + count > self.limit {
            if count > 0 {
                warn!("an emitter is not drawn: its tracks have too many keys");
            }
            return None;
        }
        let first = self.texels.len();
        let integrals = if has_integral {
            track.integrals()
        } else {
            Vec::new()
        };
        for (index, key) in track.keys.iter().take(count).enumerate() {
            let integral = integrals.get(index).copied().unwrap_or(0.0);
            self.texels.push([key.time, key.value, integral, 0.0]);
        }
        let interpolation = match track.interpolation {
            Interpolation::Linear => 0,
            Interpolation::Smooth => 1,
            Interpolation::Step => 2,
        };
        // The texture's size limits both numbers to 24 bits or so.
        let count = u32::try_from(count).ok()?;
        Some([
            u32::try_from(first).ok()?,
            count | interpolation << KEY_COUNT_BITS,
        ])
    }

    fn into_texture(mut self, device: &RenderDevice, queue: &RenderQueue) -> TextureView {
        let rows = self.texels.len().div_ceil(KEYS_PER_ROW as usize).max(1);
        let width = match rows {
            1 => self.texels.len().max(1),
            _ => KEYS_PER_ROW as usize,
        };
        self.texels.resize(rows * width, [0.0; 4]);
        let bytes: Vec<u8> = self
            .texels
            .as_flattened()
            .iter()
            .flat_map(|value| value.to_ne_bytes())
            .collect();
        let texture = device.create_texture_with_data(
            queue,
            &TextureDescriptor {
                label: Some("particle tracks"),
                size: Extent3d {
                    width: width as u32,
                    height: rows as u32,
                    depth_or_array_layers: 1,
                },
                mip_level_count: 1,
                sample_count: 1,
                dimension: TextureDimension::D2,
                format: TextureFormat::Rgba32Float,
                usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
                view_formats: &[],
            },
            TextureDataOrder::default(),
            &bytes,
        );
        texture.create_view(&TextureViewDescriptor::default())
    }
}
