//! Where the nodes of a LithTech model are, computed in doubles from nothing but what was parsed.

use crate::support::matrix::{Rows, composed, product, turn};
use bevy_classic_models::lithtech::abc::{AbcFile, Animation, NodeKey, NodeTrack};

/// A keyframe, the next one, and the way from the one to the other.
pub type Moment = (usize, usize, f64);

/// From the space of each node to the model's, both as in the file.
pub fn nodes(file: &AbcFile<'_>, animation: usize, seconds: f64) -> Vec<Rows> {
    let animation = &file.animations[animation];
    let moment = moment(animation, seconds);
    let inverts = file.transform_info.is_none_or(|info| info.flip_animation);
    let mut nodes: Vec<Rows> = Vec::new();
    for (node, track) in file.nodes.iter().zip(&animation.tracks) {
        let local = local(track, moment, inverts);
        let parent = node.parent.map(|parent| nodes[parent as usize]);
        nodes.push(parent.map_or(local, |parent| product(&parent, &local)));
    }
    nodes
}

/// The keyframes around a time in seconds.
pub fn moment(animation: &Animation<'_>, seconds: f64) -> Moment {
    let time = seconds * 1000.0;
    let times: Vec<f64> = animation
        .keyframes
        .iter()
        .map(|keyframe| keyframe.time.into())
        .collect();
    let last = times.len() - 1;
    match times.iter().rposition(|begin| *begin <= time) {
        None => (0, 0, 0.0),
        Some(key) if key == last => (last, last, 0.0),
        Some(key) => {
            let way = (time - times[key]) / (times[key + 1] - times[key]);
            (key, key + 1, way)
        }
    }
}

fn local(track: &NodeTrack<'_>, (key, next, way): Moment, inverts: bool) -> Rows {
    let [from, to] = [key, next].map(|key| &track.keys[key]);
    let place = |key: &NodeKey| key.translation.map(|value| f64::from(value.get()));
    let rotation = |key: &NodeKey| key.rotation.map(|value| f64::from(value.get()));
    let [x, y, z, w] = slerp(rotation(from), rotation(to), way);
    let rotation = match inverts {
        true => [-x, -y, -z, w],
        false => [x, y, z, w],
    };
    let place = between(place(from), place(to), way);
    composed(place, turn(rotation), [1.0; 3])
}

/// Linear interpolation.
pub fn between<const N: usize>(a: [f64; N], b: [f64; N], way: f64) -> [f64; N] {
    core::array::from_fn(|axis| a[axis] * (1.0 - way) + b[axis] * way)
}

/// From one rotation to another on the shorter arc, both of which need not be of length 1.
fn slerp(a: [f64; 4], b: [f64; 4], way: f64) -> [f64; 4] {
    let unit = |value: [f64; 4]| {
        let length = value.map(|n| n * n).iter().sum::<f64>().sqrt();
        value.map(|n| n / length)
    };
    let (a, mut b) = (unit(a), unit(b));
    let mut cosine: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
    if cosine < 0.0 {
        (b, cosine) = (b.map(|n| -n), -cosine);
    }
    let angle = cosine.min(1.0).acos();
    if angle < 1e-6 {
        return unit(between(a, b, way));
    }
    let [of_a, of_b] = [1.0 - way, way].map(|share| (share * angle).sin() / angle.sin());
    core::array::from_fn(|n| a[n] * of_a + b[n] * of_b)
}
