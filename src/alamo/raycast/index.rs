//! Boxes around all colliders, where they are in the world.
//!
//! The boxes are put in an order in which neighbours in space are neighbours in number (Morton's),
//! and four by four into groups, and these into groups, up to one: a tree without links, which is
//! fitted anew in little time when things move. Only if the groups have grown, or things came or
//! went, is the order made anew.

use bevy::ecs::entity::Entity;
use bevy::math::bounding::Aabb3d;
use bevy::math::{Affine3A, Ray3d, Vec3A, Vec4};

/// Boxes of a group.
const WIDTH: usize = 4;

/// How much larger groups may be than when the order was made.
const GROWTH: f32 = 1.5;

/// The part by which boxes are widened, so that rounding loses nothing.
const ROOM: f32 = 1e-5;

/// The box of what is nowhere: inside out, so that no ray meets it.
pub(super) const NOWHERE: Aabb3d = Aabb3d {
    min: Vec3A::INFINITY,
    max: Vec3A::NEG_INFINITY,
};

/// A collider's entity and the box around it in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) entity: Entity,
    pub(super) bounds: Aabb3d,
}

/// Four boxes. One that is not there is inside out, so that no ray meets it.
#[derive(Clone, Copy, Debug)]
struct Group {
    min: [Vec4; 3],
    max: [Vec4; 3],
}

impl Group {
    const EMPTY: Self = Self {
        min: [Vec4::INFINITY; 3],
        max: [Vec4::NEG_INFINITY; 3],
    };

    fn set(&mut self, lane: usize, bounds: &Aabb3d) {
        for axis in 0..3 {
            self.min[axis][lane % WIDTH] = bounds.min[axis];
            self.max[axis][lane % WIDTH] = bounds.max[axis];
        }
    }

    fn bounds(&self) -> Aabb3d {
        Aabb3d {
            min: Vec3A::from_array(self.min.map(Vec4::min_element)),
            max: Vec3A::from_array(self.max.map(Vec4::max_element)),
        }
    }
}

/// The boxes of all colliders.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// By the order in which the world tells of them.
    slots: Vec<Slot>,
    /// Places of those in the order of the groups.
    order: Vec<u32>,
    /// The lowest groups first, four slots each; the last has but one group.
    levels: Vec<Vec<Group>>,
    /// Size of the lowest groups when the order was made.
    size: f32,
    /// Whether slots changed since the groups were fitted.
    dirty: bool,
    /// How many slots of this turn are known already.
    told: usize,
}

impl Index {
    /// Begins to take down the colliders of the world.
    pub(super) fn begin(&mut self) {
        self.told = 0;
    }

    /// The next collider of the world. Its box is asked for if it may have changed.
    pub(super) fn tell(&mut self, entity: Entity, moved: bool, bounds: impl FnOnce() -> Aabb3d) {
        let known = self.slots.get_mut(self.told);
        self.told += 1;
        match known {
            Some(slot) if slot.entity == entity && !moved => return,
            Some(slot) => {
                *slot = Slot {
                    entity,
                    bounds: widened(bounds()),
                }
            }
            None => self.slots.push(Slot {
                entity,
                bounds: widened(bounds()),
            }),
        }
        self.dirty = true;
    }

    /// Fits the groups to what was told.
    pub(super) fn end(&mut self) {
        self.dirty |= self.slots.len() != self.told;
        self.slots.truncate(self.told);
        if !self.dirty {
            return;
        }
        self.dirty = false;
        if self.order.len() == self.slots.len() {
            self.fit();
            // Not so either if it is NaN.
            if self.lowest_size() <= self.size * GROWTH {
                return;
            }
        }
        self.sort();
        self.fit();
        self.size = self.lowest_size();
    }

    /// Morton, "A Computer Oriented Geodetic Data Base" (1966): by the centres' coordinates, bit by
    /// bit in turns.
    fn sort(&mut self) {
        let center = |slot: &Slot| (slot.bounds.min + slot.bounds.max) * 0.5;
        let finite = self.slots.iter().map(center).filter(|at| at.is_finite());
        let nothing = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
        let (min, max) = finite.fold(nothing, |(min, max), at| (min.min(at), max.max(at)));
        let steps = 1023.0 / (max - min).max(Vec3A::splat(f32::MIN_POSITIVE));
        let code = |slot: &Slot| {
            // Numbers that are none become 0.
            let place = (center(slot) - min) * steps;
            spread(place.x as u32) | spread(place.y as u32) << 1 | spread(place.z as u32) << 2
        };
        let slots = (0..).zip(&self.slots);
        let mut codes: Vec<(u32, u32)> = slots.map(|(index, slot)| (code(slot), index)).collect();
        codes.sort_unstable();
        self.order.clear();
        self.order.extend(codes.into_iter().map(|(_, index)| index));
    }

    /// Makes the groups of the slots in their order.
    fn fit(&mut self) {
        let boxes = |index: &u32| self.slots.get(*index as usize).map(|slot| slot.bounds);
        let mut boxes: Vec<Aabb3d> = self.order.iter().filter_map(boxes).collect();
        let mut level = 0;
        while !boxes.is_empty() {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            let Some(groups) = self.levels.get_mut(level) else {
                break;
            };
            groups.clear();
            for four in boxes.chunks(WIDTH) {
                let mut group = Group::EMPTY;
                for (lane, bounds) in four.iter().enumerate() {
                    group.set(lane, bounds);
                }
                groups.push(group);
            }
            level += 1;
            if groups.len() == 1 {
                break;
            }
            boxes.clear();
            boxes.extend(groups.iter().map(Group::bounds));
        }
        self.levels.truncate(level);
    }

    /// The sum of the half perimeters of the lowest groups.
    fn lowest_size(&self) -> f32 {
        let groups = self.levels.first().into_iter().flatten();
        let size = |group: &Group| {
            let bounds = group.bounds();
            (bounds.max - bounds.min).element_sum()
        };
        groups.map(size).filter(|size| size.is_finite()).sum()
    }

    /// Tells of every collider whose box a ray meets, nearer ones mostly first. `visit` answers how
    /// far the ray is still to go; below zero ends it.
    pub(super) fn along(
        &self,
        ray: Ray3d,
        mut max: f32,
        stack: &mut Vec<Waiting>,
        mut visit: impl FnMut(Entity, f32) -> f32,
    ) {
        stack.clear();
        let Some(top) = self.levels.len().checked_sub(1) else {
            return;
        };
        let probe = Probe::new(ray);
        stack.push(Waiting {
            near: 0.0,
            level: top as u32 + 1,
            index: 0,
        });
        while let Some(waiting) = stack.pop() {
            if waiting.near > max {
                continue;
            }
            let index = waiting.index as usize;
            let Some(level) = waiting.level.checked_sub(1) else {
                let slot = self.order.get(index);
                let slot = slot.and_then(|slot| self.slots.get(*slot as usize));
                if let Some(slot) = slot {
                    max = visit(slot.entity, max);
                }
                continue;
            };
            let groups = self.levels.get(level as usize);
            let Some(group) = groups.and_then(|groups| groups.get(index)) else {
                continue;
            };
            let (mut mask, near) = probe.meets(group, max);
            let bottom = stack.len();
            while mask != 0 {
                let lane = mask.trailing_zeros();
                mask &= mask - 1;
                stack.push(Waiting {
                    near: near[lane as usize % WIDTH],
                    level,
                    index: waiting.index * WIDTH as u32 + lane,
                });
            }
            if let Some(new) = stack.get_mut(bottom..) {
                // The nearest goes on top.
                new.sort_unstable_by(|a, b| b.near.total_cmp(&a.near));
            }
        }
    }
}

/// A group, or at level 0 a slot, that a ray is yet to look into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    near: f32,
    level: u32,
    index: u32,
}

/// A ray made ready for boxes.
struct Probe {
    origin: [Vec4; 3],
    inverse: [Vec4; 3],
}

impl Probe {
    fn new(ray: Ray3d) -> Self {
        /// Slower than this along an axis is none at all; dividing by it does not overflow.
        const SLOWEST: f32 = 1e-20;
        let inverse = ray.direction.to_array().map(|along| {
            let speed = along.abs().max(SLOWEST);
            Vec4::splat(speed.recip().copysign(along))
        });
        Self {
            origin: ray.origin.to_array().map(Vec4::splat),
            inverse,
        }
    }

    /// Which boxes of a group the ray meets within a distance, and how near they are.
    fn meets(&self, group: &Group, max: f32) -> (u32, [f32; WIDTH]) {
        let mut near = Vec4::ZERO;
        let mut far = Vec4::splat(max);
        for axis in 0..3 {
            let [origin, inverse] = [self.origin[axis], self.inverse[axis]];
            let a = (group.min[axis] - origin) * inverse;
            let b = (group.max[axis] - origin) * inverse;
            // A box that is inside out stays so, since the planes are told apart by the direction.
            let forward = inverse.cmpgt(Vec4::ZERO);
            near = near.max(Vec4::select(forward, a, b));
            far = far.min(Vec4::select(forward, b, a));
        }
        // Distances round by parts of themselves.
        let met = (near * (1.0 - ROOM)).cmple(far * (1.0 + ROOM));
        (met.bitmask(), near.to_array())
    }
}

/// Widens a box by a part of its greatest coordinates. One whose corners are no numbers would spoil
/// those of its neighbours too.
fn widened(bounds: Aabb3d) -> Aabb3d {
    if !bounds.min.is_finite() || !bounds.max.is_finite() {
        return NOWHERE;
    }
    let reach = bounds.min.abs().max(bounds.max.abs());
    let room = Vec3A::splat(reach.max_element() * ROOM);
    Aabb3d {
        min: bounds.min - room,
        max: bounds.max + room,
    }
}

/// Puts two zero bits before each of the last ten bits.
fn spread(bits: u32) -> u32 {
    let bits = bits & 0x3ff;
    let bits = (bits | bits << 16) & 0x0300_00ff;
    let bits = (bits | bits << 8) & 0x0300_f00f;
    let bits = (bits | bits << 4) & 0x030c_30c3;
    (bits | bits << 2) & 0x0924_9249
}

/// The box around a box that is moved.
pub(super) fn moved(affine: &Affine3A, bounds: &Aabb3d) -> Aabb3d {
    let center = affine.transform_point3a((bounds.min + bounds.max) * 0.5);
    let half = (bounds.max - bounds.min) * 0.5;
    let matrix = affine.matrix3.abs();
    let half = matrix * half;
    Aabb3d {
        min: center - half,
        max: center + half,
    }
}
