//! Resolves the [`PlayClip`] of a model with [`ModelClips`] to a clip of a file or a part of one, builds warnings for clips
//! that a model does not have, and sets the speeds of clips by [`FollowVelocity`].
//!
//! Players read the [`ResolvedClip`] instead of the [`PlayClip`].

use crate::load::alternatives::{did_you_mean, listed_names};
use crate::root::play::{
    ClipRef, FollowVelocity, Frames, LastPosition, MeasuredStride, ModelClips, PlayClip, Playback,
    Repeat, ResolvedClip, ResolvedPlay, part_within,
};
use bevy::prelude::*;
use core::ops::Range;
use std::sync::Arc;

/// The result of the lookup of a clip.
pub(crate) struct Lookup<'a> {
    /// The names in [`ModelClips`] that it went through, in this order.
    pub(crate) names: Vec<LookupName>,
    /// The clip of the file. It is not a part.
    pub(crate) clip: &'a ClipRef,
    /// The frames of `clip` that were requested; `None` for all.
    pub(crate) frames: Option<Range<u32>>,
}

/// A name that the lookup of a clip went through.
pub(crate) struct LookupName {
    /// The index in [`ModelClips`].
    pub(crate) entry: usize,
    /// The frames of this entry's clip that were requested; `None` for all.
    pub(crate) frames: Option<Range<u32>>,
}

/// Looks up the clip of a file. Each name is looked up at most once: it can refer to the file's clip of the same name.
pub(crate) fn look_up<'a>(requested: &'a ClipRef, table: Option<&'a ModelClips>) -> Lookup<'a> {
    let (mut clip, mut frames) = (requested, None);
    let mut names = Vec::<LookupName>::new();
    loop {
        let index = match clip {
            ClipRef::Part {
                clip: of,
                frames: which,
            } => {
                frames = Some(part_within(which, frames));
                clip = of;
                continue;
            }
            ClipRef::Name(name) => table.and_then(|table| table.index_of(name)),
            _ => None,
        };
        let is_new = |index: &usize| names.iter().all(|name| name.entry != *index);
        let Some((entry, table)) = index.filter(is_new).zip(table) else {
            return Lookup {
                names,
                clip,
                frames,
            };
        };
        let frames = frames.clone();
        names.push(LookupName { entry, frames });
        clip = &table.0[entry].clip;
    }
}

impl ResolvedPlay {
    pub(crate) fn new(requested: &PlayClip, table: Option<&ModelClips>) -> Self {
        let (mut speed, mut repeat, mut stride) = (1.0, Repeat::FromManifest, None);
        let lookup = look_up(&requested.clip, table);
        let names = lookup.names.iter();
        for named in names.filter_map(|name| table?.0.get(name.entry)) {
            speed *= named.speed;
            stride = stride.or(named.stride);
            if repeat == Repeat::FromManifest {
                repeat = named.repeat;
            }
        }
        let whole = lookup.clip.clone();
        let clip = match lookup.frames {
            Some(frames) => ClipRef::Part {
                clip: Arc::new(whole),
                frames,
            },
            None => whole,
        };
        Self {
            play: combine(clip, requested, (speed, repeat)),
            requested: requested.clip.clone(),
            requested_repeat: requested.repeat,
            named: (speed, repeat),
            stride,
        }
    }

    /// Updates all fields except the clip, which must be unchanged.
    fn update(&mut self, requested: &PlayClip) {
        let clip = core::mem::replace(&mut self.play.clip, ClipRef::Index(0));
        self.play = combine(clip, requested, self.named);
        self.requested_repeat = requested.repeat;
    }

    /// Whether [`update`](Self::update) would change nothing.
    fn is_current(&self, requested: &PlayClip) -> bool {
        let PlayClip {
            clip: _,
            repeat,
            speed,
            start,
            fade,
            interpolate,
            paused,
        } = &self.play;
        let (named_speed, named_repeat) = self.named;
        self.requested_repeat == requested.repeat
            && *repeat == end_behavior(requested.repeat, named_repeat)
            && *speed == requested.speed * named_speed
            && (*start, *fade) == (requested.start, requested.fade)
            && (*interpolate, *paused) == (requested.interpolate, requested.paused)
    }
}

/// Combines a resolved clip, the request, and the speed and end behavior of the clip's names.
fn combine(clip: ClipRef, requested: &PlayClip, (speed, repeat): (f32, Repeat)) -> PlayClip {
    PlayClip {
        clip,
        speed: requested.speed * speed,
        repeat: end_behavior(requested.repeat, repeat),
        ..*requested
    }
}

/// The requested end behavior, otherwise that of a name.
fn end_behavior(requested: Repeat, named: Repeat) -> Repeat {
    match (requested, named) {
        (Repeat::FromManifest, Repeat::FromManifest) => Repeat::Loop,
        (Repeat::FromManifest, named) => named,
        (requested, _) => requested,
    }
}

/// The request, the named clips, and the resolved clip.
type ClipQuery<'w> = (
    Ref<'w, PlayClip>,
    Option<Ref<'w, ModelClips>>,
    &'w mut ResolvedClip,
);

/// Resolves the clips of models whose request or named clips have changed. Players run after it.
pub(crate) fn resolve_clips(
    mut models: Query<ClipQuery<'static>>,
    mut removed: RemovedComponents<ModelClips>,
) {
    for (play, table, mut resolved) in &mut models {
        let is_table_changed = table.as_ref().is_some_and(Ref::is_changed);
        if !is_table_changed && !play.is_changed() {
            continue;
        }
        match resolved.get() {
            // Games may change the speed in every frame, so that it does not cause a lookup.
            Some(current) if !is_table_changed && current.requested == play.clip => {
                if !current.is_current(&play)
                    && let Some(current) = &mut resolved.0
                {
                    current.update(&play);
                }
            }
            _ => {
                let clip = ResolvedPlay::new(&play, table.as_deref());
                resolved.set_if_neq(ResolvedClip(Some(clip)));
            }
        }
    }
    for root in removed.read() {
        if let Ok((play, table, mut resolved)) = models.get_mut(root) {
            let clip = ResolvedPlay::new(&play, table.as_deref());
            resolved.set_if_neq(ResolvedClip(Some(clip)));
        }
    }
}

impl ClipRef {
    /// The whole clip, and the range of its frames if this is a part. Nested parts are combined.
    pub(crate) fn split_frames(&self) -> (&Self, Option<Range<u32>>) {
        let (mut clip, mut frames) = (self, None);
        while let Self::Part {
            clip: of,
            frames: which,
        } = clip
        {
            frames = Some(part_within(which, frames));
            clip = of;
        }
        (clip, frames)
    }
}

impl ResolvedPlay {
    /// The warning for a model that does not have the clip. Lists the clips that it has.
    pub(crate) fn missing_clip_warning(&self, table: Option<&ModelClips>, own: &[&str]) -> String {
        let mut names = listed_names(own.iter().copied());
        let mut all = own.to_vec();
        if let Some(ModelClips(table)) = table.filter(|table| !table.0.is_empty()) {
            let aliases: Vec<&str> = table.iter().map(|clip| &*clip.name).collect();
            names += &format!("; names in `ModelClips`: {}", aliases.join(", "));
            all.extend(aliases);
        }
        let near = match self.play.clip.split_frames().0 {
            ClipRef::Name(name) => did_you_mean(name, all.into_iter()),
            _ => String::new(),
        };
        format!(
            "has no clip {}; available clips: {names}{near}",
            self.description()
        )
    }

    /// The warning for a part of a clip that has none of the requested frames. `count` is the clip's frame count, if it
    /// is known.
    pub(crate) fn empty_part_warning(&self, count: Option<u32>) -> String {
        let why = match count {
            Some(1) => "its only frame is 0".to_owned(),
            Some(count) => format!("its frames are 0 to {}", count.saturating_sub(1)),
            None => "its frame count is unknown".to_owned(),
        };
        format!("has no valid frame in clip {}; {why}", self.description())
    }

    /// The warning for a part of a clip that has only some of the requested frames, of `count`.
    pub(crate) fn missing_frames_warning(&self, part: &Range<u32>, count: u32) -> String {
        let missing = Frames(&(count..part.end));
        let (clip, last) = (self.description(), count.saturating_sub(1));
        format!("has no {missing} in clip {clip}; its frames are 0 to {last}")
    }

    /// The clip, and its alias if it was requested by one.
    fn description(&self) -> String {
        let clip = &self.play.clip;
        if *clip == self.requested {
            clip.to_string()
        } else {
            format!("{clip} (alias {})", self.requested)
        }
    }
}

/// The components of a root whose clip follows its velocity.
type Followers<'w> = (
    Entity,
    &'w FollowVelocity,
    &'w mut LastPosition,
    &'w mut MeasuredStride,
    &'w mut PlayClip,
    &'w Playback,
    &'w ResolvedClip,
);

/// Sets the speeds of clips. Runs before clips are resolved, so that the speeds apply in the same frame.
pub(crate) fn follow_velocity(
    time: Res<Time>,
    transforms: TransformHelper,
    mut roots: Query<Followers<'static>>,
) {
    let seconds = time.delta_secs();
    for (root, follow, mut last, mut measured, mut play, playback, resolved) in &mut roots {
        let Ok(transform) = transforms.compute_global_transform(root) else {
            continue;
        };
        let position = transform.translation();
        let before = last.0.replace(position);
        let moved = before.map(|before| (position - before) / seconds);
        let Some(velocity) = follow.velocity.or(moved) else {
            continue;
        };
        let speed_forward = speed_forward(velocity, &transform);
        measured.is_moving = speed_forward.is_normal();
        // Until the clip is resolved, its stride is not known.
        let Some(resolved) = resolved.get().filter(|of| of.requested == play.clip) else {
            continue;
        };
        let (stride, named_speed) = resolved.stride_and_speed();
        let stride = follow.stride.or(stride).or(measured.stride);
        let Some(stride) = stride.filter(|stride| *stride > 0.0 && stride.is_finite()) else {
            continue;
        };
        let passes_per_second = speed_forward / stride;
        if follow.velocity.is_none() && (passes_per_second * seconds).abs() > 1.0 {
            continue;
        }
        let speed = passes_per_second * playback.duration / named_speed;
        // A frame without time has no velocity, and a clip that is not loaded no duration.
        if speed.is_finite() && playback.duration > 0.0 && play.speed != speed {
            play.speed = speed;
        }
    }
}

/// The speed across the root's Y axis, in units of the root per second. It is negative if the root moves backward.
fn speed_forward(velocity: Vec3, transform: &GlobalTransform) -> f32 {
    let axes = transform.affine().matrix3;
    let forward = Vec3::from(-axes.z_axis);
    let up = Vec3::from(axes.y_axis).normalize_or_zero();
    let along = velocity - up * velocity.dot(up);
    let speed = along.length() / forward.length();
    if along.dot(forward) < 0.0 {
        -speed
    } else {
        speed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::play::NamedClip;
    use bevy::transform::components::Transform;

    fn named(name: &str, clip: impl Into<ClipRef>, speed: f32, repeat: Repeat) -> NamedClip {
        NamedClip {
            name: name.to_owned(),
            clip: clip.into(),
            speed,
            repeat,
            stride: None,
        }
    }

    fn table() -> ModelClips {
        ModelClips::new([
            named("walk", "walk", 2.0, Repeat::Once),
            named("Stroll", "WALK", 0.25, Repeat::FromManifest),
            named(
                "step",
                ClipRef::part("stroll", 2..6),
                3.0,
                Repeat::FromManifest,
            ),
            named("a", "b", 2.0, Repeat::FromManifest),
            named("b", "A", 2.0, Repeat::FromManifest),
            named("first", 0_usize, 1.0, Repeat::Loop),
        ])
    }

    #[track_caller]
    fn assert_resolves(
        requested: impl Into<ClipRef>,
        clip: impl Into<ClipRef>,
        speed: f32,
        repeat: Repeat,
    ) {
        let found = ResolvedPlay::new(&PlayClip::from_manifest(requested), Some(&table())).play;
        assert_eq!(
            (found.clip, found.speed, found.repeat),
            (clip.into(), speed, repeat)
        );
    }

    #[test]
    fn names_resolve_through_aliases_to_clips_of_the_file() {
        assert_resolves("Walk", "walk", 2.0, Repeat::Once);
        assert_resolves("stroll", "walk", 0.5, Repeat::Once);
        assert_resolves("step", ClipRef::part("walk", 2..6), 1.5, Repeat::Once);
        assert_resolves(
            ClipRef::part("step", 1..9),
            ClipRef::part("walk", 3..6),
            1.5,
            Repeat::Once,
        );
        assert_resolves("FIRST", 0, 1.0, Repeat::Loop);
        assert_resolves("swim", "swim", 1.0, Repeat::Loop);
        assert_resolves(0, 0, 1.0, Repeat::Loop);
    }

    #[test]
    fn circular_names_resolve_without_an_infinite_loop() {
        assert_resolves("a", "A", 4.0, Repeat::Loop);
        assert_resolves("B", "b", 4.0, Repeat::Loop);
        let chain =
            (0..1000).map(|n| named(&n.to_string(), (n + 1).to_string(), 1.0, Repeat::Loop));
        let chain = ModelClips::new(chain);
        let last = ResolvedPlay::new(&PlayClip::looping("0"), Some(&chain));
        assert_eq!(last.play.clip, "1000");
    }

    #[test]
    fn explicit_repeat_overrides_manifest() {
        let end = |play: PlayClip| ResolvedPlay::new(&play, Some(&table())).play.repeat;
        assert_eq!(end(PlayClip::looping("walk")), Repeat::Loop);
        assert_eq!(end(PlayClip::once("first")), Repeat::Once);
        assert_eq!(end(PlayClip::from_manifest("first")), Repeat::Loop);
    }

    #[test]
    fn updated_fields_equal_a_new_lookup() {
        let table = table();
        for name in ["Walk", "stroll", "step", "swim", "first"] {
            let mut resolved = ResolvedPlay::new(&PlayClip::from_manifest(name), Some(&table));
            for requested in [
                PlayClip::from_manifest(name).with_speed(-3.0),
                PlayClip::looping(name).with_fade(0.5).paused(),
                PlayClip::once(name).starting_at(0.25),
                PlayClip::from_manifest(name).without_interpolation(),
            ] {
                let expected = ResolvedPlay::new(&requested, Some(&table));
                assert!(!resolved.is_current(&requested), "{requested:?}");
                resolved.update(&requested);
                assert_eq!(resolved, expected);
                assert!(resolved.is_current(&requested), "{requested:?}");
            }
        }
    }

    #[test]
    fn speed_is_in_units_of_the_root_along_its_plane() {
        let root = Transform::from_xyz(5.0, 0.0, 0.0).with_scale(Vec3::splat(2.0));
        let root = GlobalTransform::from(root);
        let speed = |x, y, z| speed_forward(Vec3::new(x, y, z), &root);
        assert!((speed(0.0, 0.0, -3.0) - 1.5).abs() < 1e-6);
        assert!((speed(0.0, 7.0, -3.0) - 1.5).abs() < 1e-6, "a jump");
        assert!((speed(0.0, 0.0, 3.0) + 1.5).abs() < 1e-6, "backward");
        assert!((speed(4.0, 0.0, 0.0) - 2.0).abs() < 1e-6, "sideways");
        assert_eq!(speed(0.0, -9.0, 0.0), 0.0);
        let flat = GlobalTransform::from(Transform::from_scale(Vec3::ZERO));
        assert!(!speed_forward(Vec3::X, &flat).is_finite());
    }
}
