//! The chunks of animations.

use super::{Reader, is_not_finite};
use crate::abc::file::{Animation, Keyframe, Node, NodeTrack};
use crate::abc::records::{NodeKey, RawDeform, RawKeyframe};
use crate::read::{Cursor, ErrorKind, ParseError, Quoted};
use core::fmt::Arguments;
use zerocopy::little_endian::F32;

/// Bytes of an animation with neither name nor keyframes, but for its nodes.
const LEAST_ANIMATION: u64 = 2 + 4 + 24 + 4;
/// Bytes of a keyframe without event, but for its keys.
const LEAST_KEYFRAME: u64 = 4 + 24 + 2;
/// Bytes of a node's track without keyframes.
const LEAST_TRACK: u64 = 24;

/// An empty list with room for as many things as are announced, if the bytes left can hold them.
///
/// They are asked for as a whole, so that a count which lies fails here and not after many things.
fn room<T>(
    announced: u64,
    body: &Cursor<'_>,
    least: u64,
    context: Arguments<'_>,
) -> Result<Vec<T>, ParseError> {
    body.clone()
        .take(announced.saturating_mul(least), context)?;
    Ok(Vec::with_capacity(
        usize::try_from(announced).unwrap_or_default(),
    ))
}

impl Reader {
    pub(super) fn animations<'a>(
        &mut self,
        mut body: Cursor<'a>,
        nodes: &[Node<'_>],
    ) -> Result<Vec<Animation<'a>>, ParseError> {
        let offset = body.offset();
        let count = body.u32("Animation / number of animations")?;
        let tracks = LEAST_TRACK.saturating_mul(nodes.len() as u64);
        let least = LEAST_ANIMATION.saturating_add(tracks);
        let context = format_args!("Animation / animations");
        let mut animations = room(count.into(), &body, least, context)?;
        for index in 0..count {
            animations.push(self.animation(&mut body, index, nodes)?);
        }
        if count == 0 {
            self.flaws.warn("no animations", offset, || {
                "there are no animations, so nothing says how the nodes stand".to_owned()
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
        let mut tracks = room(nodes.len() as u64, body, LEAST_TRACK, what)?;
        for (number, node) in nodes.iter().enumerate() {
            let context = format_args!("{context} / node {number} {}", Quoted(&node.name));
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
        let count = body.u32(format_args!("{context} number of keyframes"))?;
        if count == 0 {
            self.flaws.warn("no keyframes", offset, || {
                format!("{context} has no keyframes: the model stands as it was built")
            });
        }
        let keys = (size_of::<NodeKey>() as u64).saturating_mul(nodes as u64);
        let least = LEAST_KEYFRAME.saturating_add(keys);
        let what = format_args!("{context} keyframes");
        let mut keyframes: Vec<Keyframe<'_>> = room(count.into(), body, least, what)?;
        for number in 0..count {
            let context = format_args!("{context} / keyframe {number}");
            let offset = body.offset();
            let raw: &RawKeyframe = body.record(context)?;
            let event = self.text(body, format_args!("{context} event"))?;
            let bounds_offset = offset.saturating_add(4);
            let bounds = self.hint(raw.bounds, bounds_offset, format_args!("{context} bounds"));
            let time = raw.time.get();
            let earliest = keyframes.last().map(|keyframe| keyframe.time);
            if earliest.is_some_and(|earliest| time <= earliest) {
                self.flaws.warn("keyframe times", offset, || {
                    format!(
                        "{context} at {time} ms is not after the one before it: it takes no time"
                    )
                });
            }
            keyframes.push(Keyframe {
                time: time.max(earliest.unwrap_or_default()),
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
        // In other nodes these numbers mean nothing.
        if deforming > 0 {
            check_deform(body, &vectors, offset, context)?;
        }
        let [deform_scale, deform_translation] = self.hint(vectors, offset, what);
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
        for ((number, key), offset) in keys.iter().enumerate().zip(offsets) {
            let mut numbers = key.translation.iter().chain(&key.rotation);
            if let Some(wrong) = numbers.position(is_not_finite) {
                let offset = offset.saturating_add(4 * wrong as u64);
                let context = format_args!("{context} key {number}");
                return Err(body.error(offset, context, ErrorKind::NotFinite));
            }
            if key.rotation.iter().all(|value| value.get() == 0.0) {
                let offset = offset.saturating_add(size_of_val(&key.translation) as u64);
                self.flaws.warn("zero rotation", offset, || {
                    format!("the rotation of {context} key {number} is zero: taken for none")
                });
            }
        }
        Ok(())
    }

    /// The collision boxes, one for each animation.
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
            let [dims] = self.hint([*dims], offset, context);
            animation.dims = Some(dims);
        }
        self.warn_about_rest(&body, "AnimDims");
        Ok(())
    }
}

/// Whether all places that deforming vertices can have are finite.
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
        let furthest = scale.get() * 255.0 + translation.get();
        body.check_finite(
            furthest,
            offset,
            format_args!("{context} scale, times 255,"),
        )?;
    }
    Ok(())
}
