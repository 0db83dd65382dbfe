//! [`Format`]: what a model format provides so that its files are loaded, spawned and respawned; [`ModelLoader`], the loader of
//! all formats; and [`ModelInfo`], what code for any format can ask about a spawned model.

use crate::geometry::box_index::transformed;
use crate::geometry::stride::ClipPose;
use crate::load::defaults::WithDefaults;
use crate::load::error::ModelLoadError;
use crate::load::loading::{InvalidSetting, LoaderOverride, ModelLoad, ModelLoading};
use crate::root::play::ClipRef;
use crate::spawn::instance::ModelFormat;
use bevy::asset::io::Reader;
use bevy::asset::meta::Settings;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::math::Affine3A;
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::prelude::*;
use bevy::tasks::ConditionalSendFuture;
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// A format, implemented by the asset of its files. [`add_format`](crate::spawn::plugin::add_format) registers it.
pub trait Format: Asset + Sized {
    const FORMAT: ModelFormat;

    /// The path by which `.meta` files name the loader.
    const LOADER: &'static str;

    /// The settings of the loader.
    type Settings: Settings + Clone + Default + Serialize + for<'a> Deserialize<'a> + WithDefaults;

    /// What the loader holds beside its extensions.
    type State: Send + Sync + 'static;

    /// The component on the root of a spawned model.
    type Instance: Component;

    /// The components that a root has only while it is a model of this format.
    type OnRoot: Bundle;

    /// Applies the overrides of manifests to settings, and checks the result.
    ///
    /// # Errors
    /// The first invalid setting.
    fn prepare(
        settings: &mut Self::Settings,
        overrides: &LoaderOverride,
    ) -> Result<(), InvalidSetting>;

    /// Makes the asset and its labeled assets from the bytes of a file. Also returns the images whose loads the end of this
    /// load waits for.
    fn load(
        loader: &ModelLoader<Self>,
        load: &ModelLoad<'_>,
        bytes: &[u8],
        settings: &Self::Settings,
        load_context: &mut LoadContext<'_>,
    ) -> impl ConditionalSendFuture<Output = Result<(Self, Vec<Handle<Image>>), ModelLoadError>>;

    /// The scene of a loaded model.
    fn scene(&self) -> &Handle<WorldAsset>;

    /// The distances at which the levels of detail after the finest begin, unless the root has
    /// [`LodDistances`](crate::root::LodDistances).
    fn lod_distances(_: &Self::Instance) -> &[f32] {
        &[]
    }
}

/// Loads the models of a format.
pub struct ModelLoader<F: Format> {
    pub(crate) loading: ModelLoading,
    pub(crate) extensions: Vec<String>,
    /// The settings of the app, where a load sets none.
    pub(crate) defaults: F::Settings,
    pub(crate) state: F::State,
}

impl<F: Format> TypePath for ModelLoader<F> {
    fn type_path() -> &'static str {
        F::LOADER
    }

    fn short_type_path() -> &'static str {
        F::LOADER.rsplit("::").next().unwrap_or_default()
    }
}

impl<F: Format> AssetLoader for ModelLoader<F> {
    type Asset = F;
    type Settings = F::Settings;
    type Error = ModelLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &F::Settings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<F, ModelLoadError> {
        let load = self.loading.begin(load_context);
        let mut settings = settings.clone().with_defaults(&self.defaults);
        load.checked(F::prepare(&mut settings, load.overrides()))?;
        let bytes = load.read(reader).await?;
        let (asset, images) = F::load(self, &load, &bytes, &settings, load_context).await?;
        load.finish(load_context, images).await;
        Ok(asset)
    }
}

/// A clip of a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelClip {
    /// Its name in the file. Clips of ABC and MDL models may share a name.
    pub name: String,
    /// Its duration in seconds. `None` while an ALO animation is not loaded.
    pub seconds: Option<f32>,
    /// The count of its frames: keyframes of an ABC animation, poses of an MDL clip. `None` while an ALO animation is not
    /// loaded.
    pub frames: Option<u32>,
}

/// The pose that a model shows: a time in a clip. During a cross-fade, that of the clip that fades in.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelPose {
    /// The index of the clip in [`ModelQuery::clips`](crate::query::ModelQuery::clips). `None` if it is not one of them, such
    /// as a range of frames of an MDL model.
    pub clip: Option<usize>,
    /// Seconds since the beginning of the whole clip.
    pub seconds: f32,
    /// The frame at or before that time, counted from the beginning of the whole clip.
    pub frame: u32,
    /// The fraction of the way to the next frame, from 0 to 1.
    pub towards_next: f32,
}

/// A bone of a spawned model, or a part that is not a bone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedEntity {
    pub(crate) entity: Entity,
    pub(crate) name: String,
    /// The bone above it.
    pub(crate) parent: Option<Entity>,
}

/// The result of a lookup of a clip.
pub(crate) enum FoundClip {
    /// The model does not support this kind of reference.
    Unsupported,
    /// The model does not have the clip.
    Missing,
    Found {
        /// The count of its frames, if it is known.
        frames: Option<u32>,
        /// The files that the count depends on.
        files: Vec<UntypedHandle>,
    },
}

/// The models of one format. Methods return `None` or nothing if the root's model is of another format.
///
/// Boxes are in the space of the scene's root entity, which is the file's space unless the loader mirrored it.
pub(crate) trait ModelInfo {
    /// The clips, in file order.
    fn clips(&self, _: Entity) -> Vec<ModelClip> {
        Vec::new()
    }

    /// Looks up a clip that is not a [`ClipRef::Part`].
    fn find_clip(&self, _: Entity, _: &ClipRef) -> FoundClip {
        FoundClip::Unsupported
    }

    /// The pose at a time of the clip that plays, in seconds. `frames` is the part of the clip that plays.
    fn pose(&self, _: Entity, _time: f32, _frames: Option<&Range<u32>>) -> Option<ModelPose> {
        None
    }

    /// The box around the parts that the model shows at rest.
    fn bounds(&self, root: Entity) -> Option<Aabb3d>;

    /// A box around these parts in all poses of a clip.
    fn clip_bounds(&self, _: Entity, _: &ClipRef) -> Option<Aabb3d> {
        None
    }

    /// The vertices of what the model shows at rest, in poses of a whole pass through a clip. `None` if there is no such clip,
    /// or it is not loaded.
    fn clip_poses(&self, _: Entity, _: &ClipRef) -> Option<Vec<ClipPose>> {
        None
    }

    /// The count of the levels of detail, at least 1.
    fn levels(&self, _: Entity) -> usize {
        1
    }

    /// The count of the model's own skins.
    fn skins(&self, _: Entity) -> usize {
        0
    }

    /// The bones, in file order.
    fn bones(&self, _: Entity) -> Vec<NamedEntity> {
        Vec::new()
    }

    /// The parts, in file order.
    fn parts(&self, root: Entity) -> Vec<NamedEntity>;

    /// The transform of a bone of a crowd's member to the space of the scene's root entity. `None` if the root is no
    /// member, or there is no such bone.
    fn crowd_bone(&self, _: Entity, _: usize) -> Option<Affine3A> {
        None
    }
}

/// The box around two boxes.
pub(crate) fn merged(a: Option<Aabb3d>, b: Option<Aabb3d>) -> Option<Aabb3d> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.merge(&b)),
        (a, b) => a.or(b),
    }
}

/// The axis-aligned box around a transformed box. `None` if it is not finite.
pub(crate) fn transformed_bounds(affine: &Affine3A, bounds: &Aabb3d) -> Option<Aabb3d> {
    let bounds = transformed(affine, bounds);
    (bounds.min.is_finite() && bounds.max.is_finite()).then_some(bounds)
}

/// The frame at a time, and the fraction of the way to the next frame. `times` never descend.
pub(crate) fn frame_at(times: impl Fn(u32) -> f32, count: u32, seconds: f32) -> (u32, f32) {
    let (mut low, mut high) = (0, count);
    // The first frame after the time.
    while low < high {
        let middle = low + (high - low) / 2;
        if times(middle) <= seconds {
            low = middle + 1
        } else {
            high = middle
        }
    }
    let Some(frame) = low.checked_sub(1) else {
        return (0, 0.0);
    };
    if low >= count {
        return (frame, 0.0);
    }
    let (from, to) = (times(frame), times(low));
    (frame, ((seconds - from) / (to - from)).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_at_times_are_found() {
        let times = [0.0, 0.25, 0.25, 0.75];
        let at = |seconds| frame_at(|frame| times[frame as usize], 4, seconds);
        assert_eq!(at(-1.0), (0, 0.0));
        assert_eq!(at(0.125), (0, 0.5));
        assert_eq!(at(0.25), (2, 0.0));
        assert_eq!(at(0.5), (2, 0.5));
        assert_eq!(at(0.75), (3, 0.0));
        assert_eq!(at(f32::NAN), (0, 0.0));
        assert_eq!(frame_at(|_| 0.0, 0, 1.0), (0, 0.0));
    }
}
