//! The channels of animations.

use super::Reader;
use crate::animation::{Animation, Channel, Interpolation, Property};
use crate::error::{At, Error, Result};
use crate::json;
use crate::scene::Node;
use std::collections::HashSet;

impl Reader<'_> {
    pub(super) fn animation(
        &mut self,
        index: usize,
        animation: &json::Animation,
        nodes: &[Node],
        indices: &[Option<usize>],
    ) -> Result<Animation> {
        let name = match animation.name.as_str() {
            "" => format!("animation{}", index + 1),
            name => name.to_owned(),
        };
        let mut channels = Vec::new();
        let mut known = HashSet::new();
        for (at, channel) in animation.channels.iter().enumerate() {
            let place = format!("channels[{at}]");
            // Others are of extensions that are not read, or of nodes outside of the scene: they have no effect.
            let Some((node, property)) = target(&channel.target) else {
                continue;
            };
            let Some(node) = indices.get(node).copied().flatten() else {
                continue;
            };
            if !known.insert((node, property)) {
                return Err(Error::new("the property of the node has another channel").at(&place));
            }
            let sampler = animation.samplers.get(channel.sampler);
            let sampler =
                sampler.ok_or_else(|| Error::new(format_args!("no sampler {}", channel.sampler)));
            let width = match property {
                Property::Rotation => 4,
                Property::Translation | Property::Scale => 3,
                Property::Visibility => 1,
                Property::Weights => nodes.get(node).map_or(0, |node| node.weights.len()),
            };
            if width == 0 {
                continue;
            }
            let sampler = sampler.at(&place)?;
            channels.push(self.channel(sampler, node, property, width).at(&place)?);
        }
        Ok(Animation { name, channels })
    }

    fn channel(
        &mut self,
        sampler: &json::Sampler,
        node: usize,
        property: Property,
        width: usize,
    ) -> Result<Channel> {
        let times: Vec<f32> = self
            .arrays
            .read::<f32, 1>(sampler.input, None)
            .at("times")?
            .into_flattened();
        let interpolation = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::CubicSpline,
            Some(other) => return Err(Error::new(format_args!("unknown interpolation {other:?}"))),
        };
        let is_increasing =
            times.is_sorted_by(|a, b| a < b) && times.iter().all(|time| time.is_finite());
        if times.is_empty() || !is_increasing {
            return Err(Error::new("the times of the keys must increase"));
        }
        let values = match property {
            Property::Translation | Property::Scale => self
                .arrays
                .read::<f32, 3>(sampler.output, None)
                .at("values")?
                .into_flattened(),
            Property::Rotation => self
                .arrays
                .read::<f32, 4>(sampler.output, None)
                .at("values")?
                .into_flattened(),
            Property::Weights | Property::Visibility => self
                .arrays
                .read::<f32, 1>(sampler.output, None)
                .at("values")?
                .into_flattened(),
        };
        let per_key = match interpolation {
            Interpolation::CubicSpline => 3 * width,
            _ => width,
        };
        let (found, expected) = (values.len(), times.len().saturating_mul(per_key));
        if found != expected {
            return Err(Error::new(format_args!(
                "{found} values of keys instead of {expected}"
            )));
        }
        if !values.iter().all(|value| value.is_finite()) {
            return Err(Error::new("a value of a key is not finite"));
        }
        Ok(Channel {
            node,
            property,
            interpolation,
            times,
            values,
            width,
        })
    }
}

/// The node and the property of a channel, also by a pointer of `KHR_animation_pointer`: `/nodes/0/scale`.
fn target(target: &json::Target) -> Option<(usize, Property)> {
    let (node, path) = match target.path.as_str() {
        "pointer" => {
            let pointer = target
                .extensions
                .get("KHR_animation_pointer")?
                .get("pointer")?;
            let (node, path) = pointer.as_str()?.strip_prefix("/nodes/")?.split_once('/')?;
            (node.parse().ok()?, path)
        }
        path => (target.node?, path),
    };
    let property = match path {
        "translation" => Property::Translation,
        "rotation" => Property::Rotation,
        "scale" => Property::Scale,
        "weights" => Property::Weights,
        "extensions/KHR_node_visibility/visible" => Property::Visibility,
        _ => return None,
    };
    Some((node, property))
}
