//! Parses the chunks `Animation` and `AnimDims`.

use super::{Parser, is_not_finite};
use crate::abc::file::{Animation, Keyframe, Node, NodeTrack};
use crate::abc::records::{NodeKey, RawDeform, RawKeyframe};
use crate::read::{Cursor, ErrorKind, ParseError, Quoted};
use core::fmt::Arguments;
use zerocopy::little_endian::F32;

/// Minimum size of an animation in bytes, without tracks.
const MIN_ANIMATION_SIZE: u64 = 2 + 4 + 24 + 4;
/// Minimum size of a keyframe in bytes, without keys of nodes.
const MIN_KEYFRAME_SIZE: u64 = 4 + 24 + 2;
/// Size of a node's track in bytes, without keyframes.
const MIN_TRACK_SIZE: u64 = 24;

/// An empty vector with the capacity for a declared count of elements of at least `min_size` bytes.
///
/// Fails if the remaining bytes cannot hold all of them. So a wrong count fails early, before many elements are read.
fn vec_for_count<T>(
    count: u64,
    body: &Cursor<'_>,
    min_size: u64,
    context: Arguments<'_>,
) -> Result<Vec<T>, ParseError> {
    body.clone().take(count.saturating_mul(min_size), context)?;
    Ok(Vec::with_capacity(
        usize::try_from(count).unwrap_or_default(),
    ))
}

impl Parser {
    pub(super) fn animations<'a>(
        &mut self,
        mut body: Cursor<'a>,
        nodes: &[Node<'_>],
    ) -> Result<Vec<Animation<'a>>, ParseError> {
        let offset = body.offset();
        let count = body.u32("Animation / animation count")?;
        let tracks = MIN_TRACK_SIZE.saturating_mul(nodes.len() as u64);
        let min_size = MIN_ANIMATION_SIZE.saturating_add(tracks);
        let context = format_args!("Animation / animations");
        let mut animations = vec_for_count(count.into(), &body, min_size, context)?;
        for index in 0..count {
            animations.push(self.animation(&mut body, index, nodes)?);
        }
        if count == 0 {
            self.warnings.warn("no animations", offset, || {
                "there are no animations: all nodes have the identity transform".to_owned()
            });
        }
        self.warn_about_rest(&body, "Animation");
        Ok(animations)
    }

    fn animation<'a>(
        &mut self,
        body: &mut Cursor<'a>,
        index: u32,
        nodes: &[Node<'_>],
    ) -> Result<Animation<'a>, ParseError> {
        let context = format_args!("Animation / animation {index}");
        let name = self.text(body, format_args!("{context} name"))?;
        let context = format_args!("{context} {}", Quoted(&name));
        let length = body.u32(format_args!("{context} length"))?;
        let bounds = self.bounds(body, format_args!("{context} bounds"))?;
        let keyframes = self.keyframes(body, nodes.len(), context)?;
        let what = format_args!("{context} nodes");
        let mut tracks = vec_for_count(nodes.len() as u64, body, MIN_TRACK_SIZE, what)?;
        for (index, node) in nodes.iter().enumerate() {
            let context = format_args!("{context} / node {index} {}", Quoted(&node.name));
            tracks.push(self.track(body, keyframes.len(), node, context)?);
        }
        Ok(Animation {
            name,
            length,
            bounds,
            keyframes,
            tracks,
            dims: None,
        })
    }

    fn keyframes<'a>(
        &mut self,
        body: &mut Cursor<'a>,
        nodes: usize,
        context: Arguments<'_>,
    ) -> Result<Vec<Keyframe<'a>>, ParseError> {
        let offset = body.offset();
        let count = body.u32(format_args!("{context} keyframe count"))?;
        if count == 0 {
            self.warnings.warn("no keyframes", offset, || {
                format!("{context} has no keyframes: the rest pose is used")
            });
        }
        let keys = (size_of::<NodeKey>() as u64).saturating_mul(nodes as u64);
        let min_size = MIN_KEYFRAME_SIZE.saturating_add(keys);
        let what = format_args!("{context} keyframes");
        let mut keyframes: Vec<Keyframe<'_>> = vec_for_count(count.into(), body, min_size, what)?;
        for index in 0..count {
            let context = format_args!("{context} / keyframe {index}");
            let offset = body.offset();
            let raw: &RawKeyframe = body.record(context)?;
            let event = self.text(body, format_args!("{context} event"))?;
            let bounds_offset = offset.saturating_add(4);
            let bounds =
                self.finite_vectors(raw.bounds, bounds_offset, format_args!("{context} bounds"));
            let time = raw.time.get();
            let previous = keyframes.last().map(|keyframe| keyframe.time);
            if let Some(previous) = previous.filter(|previous| time <= *previous) {
                self.warnings.warn("keyframe times", offset, || {
                    format!(
                        "{context} at {time} ms is not after the previous one: {previous} ms is used"
                    )
                });
            }
            keyframes.push(Keyframe {
                time: time.max(previous.unwrap_or_default()),
                bounds,
                event,
            });
        }
        Ok(keyframes)
    }

    fn track<'a>(
        &mut self,
        body: &mut Cursor<'a>,
        keyframes: usize,
        node: &Node<'_>,
        context: Arguments<'_>,
    ) -> Result<NodeTrack<'a>, ParseError> {
        let offset = body.offset();
        let keyframes = keyframes as u64;
        let keys: &[NodeKey] = body.array(keyframes, format_args!("{context} keys"))?;
        self.check_keys(body, keys, offset, context)?;
        let deforming = node.deform_vertices.len() as u64;
        let what = format_args!("{context} deforming vertices");
        let deform = body.array(keyframes.saturating_mul(deforming), what)?;
        let offset = body.offset();
        let what = format_args!("{context} scale and translation of deforming vertices");
        let raw: &RawDeform = body.record(what)?;
        let vectors = [raw.scale, raw.translation];
        // For other nodes, these numbers are meaningless.
        if deforming > 0 {
            check_deform(body, &vectors, offset, context)?;
        }
        let [deform_scale, deform_translation] = self.finite_vectors(vectors, offset, what);
        Ok(NodeTrack {
            keys,
            deform,
            deform_scale,
            deform_translation,
        })
    }

    fn check_keys(
        &mut self,
        body: &Cursor<'_>,
        keys: &[NodeKey],
        offset: u64,
        context: Arguments<'_>,
    ) -> Result<(), ParseError> {
        let offsets = (offset..).step_by(size_of::<NodeKey>());
        for ((index, key), offset) in keys.iter().enumerate().zip(offsets) {
            let mut numbers = key.translation.iter().chain(&key.rotation);
            if let Some(position) = numbers.position(is_not_finite) {
                let offset = offset.saturating_add(4 * position as u64);
                let context = format_args!("{context} key {index}");
                return Err(body.error(offset, context, ErrorKind::NotFinite));
            }
            if key.rotation.iter().all(|value| value.get() == 0.0) {
                let offset = offset.saturating_add(size_of_val(&key.translation) as u64);
                self.warnings.warn("zero rotation", offset, || {
                    format!("the rotation of {context} key {index} is zero: the identity is used")
                });
            }
        }
        Ok(())
    }

    /// Sets the half extents of the animations' collision boxes.
    pub(super) fn dims(
        &mut self,
        mut body: Cursor<'_>,
        animations: &mut [Animation<'_>],
    ) -> Result<(), ParseError> {
        let offset = body.offset();
        let count = animations.len() as u64;
        let dims: &[[F32; 3]] = body.array(count, "AnimDims / dimensions")?;
        let offsets = (offset..).step_by(size_of::<[F32; 3]>());
        for ((index, animation), (dims, offset)) in animations
            .iter_mut()
            .enumerate()
            .zip(dims.iter().zip(offsets))
        {
            let context = format_args!("AnimDims / animation {index}");
            let [dims] = self.finite_vectors([*dims], offset, context);
            animation.dims = Some(dims);
        }
        self.warn_about_rest(&body, "AnimDims");
        Ok(())
    }
}

/// Checks that all positions that deforming vertices can have are finite.
fn check_deform(
    body: &Cursor<'_>,
    [scale, translation]: &[[F32; 3]; 2],
    offset: u64,
    context: Arguments<'_>,
) -> Result<(), ParseError> {
    let numbers = scale.iter().chain(translation).map(|value| value.get());
    for (value, offset) in numbers.zip((offset..).step_by(4)) {
        body.check_finite(
            value,
            offset,
            format_args!("{context} scale or translation"),
        )?;
    }
    for ((scale, translation), offset) in scale.iter().zip(translation).zip((offset..).step_by(4)) {
        let max_position = scale.get() * 255.0 + translation.get();
        body.check_finite(
            max_position,
            offset,
            format_args!("{context} scale × 255 + translation"),
        )?;
    }
    Ok(())
}
