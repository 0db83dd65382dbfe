//! An index of the boxes of the parts in the world that rays can hit.
//!
//! The boxes are sorted so that boxes close in space are close in the order. Each four boxes form a
//! group, each four groups form a group of the next level, and so on up to one group. This is an implicit
//! bounding volume hierarchy: fitting it to moved boxes is fast. The boxes are sorted again only if the
//! groups have grown, or if parts were added or removed.

use bevy::camera::primitives::Aabb;
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;

/// Boxes per group.
const WIDTH: usize = 4;

/// The greatest growth of the groups, relative to when the boxes were sorted, before they are sorted again.
const MAX_GROWTH: f32 = 1.5;

/// Relative tolerance by which boxes are widened, so that rounding loses no hits.
const TOLERANCE: f32 = 1e-5;

/// A box that all rays hit.
const UNBOUNDED: Aabb3d = Aabb3d {
    min: Vec3A::NEG_INFINITY,
    max: Vec3A::INFINITY,
};

/// A part and the box around it in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slot {
    part: Entity,
    bounds: Aabb3d,
}

/// Four boxes. Unused ones are empty, so that no ray hits them.
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

/// The index of the boxes of all parts.
#[derive(Debug, Default)]
pub(crate) struct BoxIndex {
    /// In the order of the last update.
    slots: Vec<Slot>,
    /// Indices of slots, sorted in space.
    order: Vec<u32>,
    /// The groups by level, the lowest first. The last level has one group.
    levels: Vec<Vec<Group>>,
    /// Total size of the lowest groups when the slots were sorted.
    sorted_size: f32,
    /// The groups that are yet to be visited.
    stack: Vec<Pending>,
}

impl BoxIndex {
    /// Updates the index to all parts in the world and their boxes.
    pub(crate) fn update(&mut self, parts: impl Iterator<Item = (Entity, Aabb3d)>) {
        let mut count = 0;
        let mut is_changed = false;
        for (part, bounds) in parts {
            let current = Slot { part, bounds };
            match self.slots.get_mut(count) {
                Some(slot) if *slot == current => {}
                Some(slot) => {
                    *slot = current;
                    is_changed = true;
                }
                None => {
                    self.slots.push(current);
                    is_changed = true;
                }
            }
            count += 1;
        }
        is_changed |= self.slots.len() != count;
        self.slots.truncate(count);
        if is_changed {
            self.group();
        }
    }

    /// Brings the groups up to date.
    fn group(&mut self) {
        if self.order.len() == self.slots.len() {
            self.fit();
            // False for NaN.
            if self.lowest_size() <= self.sorted_size * MAX_GROWTH {
                return;
            }
        }
        self.sort();
        self.fit();
        self.sorted_size = self.lowest_size();
    }

    /// Sorts the slots: splits them at the median along their longest axis, recursively. The splits are
    /// at the ends of groups.
    fn sort(&mut self) {
        let center = |slot: &Slot| {
            let center = (slot.bounds.min + slot.bounds.max) * 0.5;
            // Unbounded boxes have no center.
            if center.is_finite() {
                center
            } else {
                Vec3A::ZERO
            }
        };
        let centers: Vec<Vec3A> = self.slots.iter().map(center).collect();
        let center = |index: &u32| centers.get(*index as usize).copied().unwrap_or_default();
        self.order.clear();
        self.order.extend(0..self.slots.len() as u32);
        let mut tasks = vec![(0, self.order.len())];
        while let Some((begin, end)) = tasks.pop() {
            let Some(range) = self.order.get_mut(begin..end) else {
                continue;
            };
            let empty = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
            let extend = |(min, max): (Vec3A, Vec3A), at| (min.min(at), max.max(at));
            let (min, max) = range.iter().map(center).fold(empty, extend);
            let axis = (max - min).max_position();
            let split = split_index(range.len());
            if split > 0 {
                range.select_nth_unstable_by(split, |a, b| {
                    center(a)[axis].total_cmp(&center(b)[axis])
                });
                let middle = begin + split;
                tasks.extend([(begin, middle), (middle, end)]);
            }
        }
    }

    /// Fits the groups to the sorted slots.
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

    /// Visits every part whose box a ray hits, in roughly ascending distance. `visit` gets the ray's length and returns the
    /// new length; a negative one ends the traversal.
    pub(crate) fn visit_along(
        &mut self,
        ray: &BoxRay,
        mut max: f32,
        mut visit: impl FnMut(Entity, f32) -> f32,
    ) {
        let Self {
            slots,
            order,
            levels,
            stack,
            ..
        } = self;
        stack.clear();
        let Some(top) = levels.len().checked_sub(1) else {
            return;
        };
        stack.push(Pending {
            distance: 0.0,
            level: top as u32 + 1,
            index: 0,
        });
        while let Some(pending) = stack.pop() {
            if pending.distance > max {
                continue;
            }
            let index = pending.index as usize;
            let Some(level) = pending.level.checked_sub(1) else {
                let slot = order.get(index);
                let slot = slot.and_then(|slot| slots.get(*slot as usize));
                if let Some(slot) = slot {
                    max = visit(slot.part, max);
                }
                continue;
            };
            let groups = levels.get(level as usize);
            let Some(group) = groups.and_then(|groups| groups.get(index)) else {
                continue;
            };
            let (mut mask, distances) = ray.hits_group(group, max);
            let bottom = stack.len();
            while mask != 0 {
                let lane = mask.trailing_zeros();
                mask &= mask - 1;
                stack.push(Pending {
                    distance: distances[lane as usize % WIDTH],
                    level,
                    index: pending.index * WIDTH as u32 + lane,
                });
                // The nearest goes on top.
                let mut at = stack.len() - 1;
                while at > bottom && stack[at - 1].distance < stack[at].distance {
                    stack.swap(at - 1, at);
                    at -= 1;
                }
            }
        }
    }
}

/// A group, or at level 0 a slot, that is yet to be visited.
#[derive(Clone, Copy, Debug)]
struct Pending {
    distance: f32,
    level: u32,
    index: u32,
}

/// A ray prepared for tests on boxes.
pub(crate) struct BoxRay {
    origin: Vec3A,
    inverse: Vec3A,
}

impl BoxRay {
    pub(crate) fn new(ray: Ray3d) -> Self {
        /// The least size of a component, so that its reciprocal doesn't overflow.
        const MIN_COMPONENT: f32 = 1e-20;
        let direction = Vec3A::from(*ray.direction);
        let speed = direction.abs().max(Vec3A::splat(MIN_COMPONENT));
        Self {
            origin: ray.origin.into(),
            inverse: speed.recip().copysign(direction),
        }
    }

    /// The distance of the box of a part, if the ray hits it within `max`, or if the box is not finite.
    pub(crate) fn hits_part(
        &self,
        aabb: &Aabb,
        transform: &GlobalTransform,
        max: f32,
    ) -> Option<f32> {
        let bounds = WorldBox::new(aabb, transform, self.origin);
        let middle = bounds.center * self.inverse;
        let half = bounds.half * self.inverse.abs();
        let entry = (middle - half).max_element().max(0.0);
        let exit = (middle + half).min_element().min(max);
        // True for NaN.
        let misses = entry > exit;
        (!misses).then_some(entry)
    }

    /// The bit mask of the boxes of a group that the ray hits within `max`, and their distances.
    fn hits_group(&self, group: &Group, max: f32) -> (u32, [f32; WIDTH]) {
        let mut entry = Vec4::ZERO;
        let mut exit = Vec4::splat(max);
        for axis in 0..3 {
            let [origin, inverse] = [self.origin, self.inverse].map(|of| Vec4::splat(of[axis]));
            let a = (group.min[axis] - origin) * inverse;
            let b = (group.max[axis] - origin) * inverse;
            // Planes are selected by the ray's direction, so an empty box stays empty.
            let forward = inverse.cmpgt(Vec4::ZERO);
            entry = entry.max(Vec4::select(forward, a, b));
            exit = exit.min(Vec4::select(forward, b, a));
        }
        let hits = (entry * (1.0 - TOLERANCE)).cmple(exit * (1.0 + TOLERANCE));
        (hits.bitmask(), entry.to_array())
    }
}

/// The box in the world around a part.
pub(crate) struct WorldBox {
    /// The center, relative to an origin.
    center: Vec3A,
    /// Half the size. It is widened, so that rounding loses no hits.
    half: Vec3A,
}

impl WorldBox {
    /// `origin` is a point near the rays, because coordinates are more precise near the origin.
    pub(crate) fn new(aabb: &Aabb, transform: &GlobalTransform, origin: Vec3A) -> Self {
        let Affine3A {
            matrix3,
            translation,
        } = transform.affine();
        let half = matrix3.abs() * aabb.half_extents;
        let offset = matrix3 * aabb.center;
        let reach = translation.abs() + origin.abs() + offset.abs() + half;
        Self {
            center: offset + (translation - origin),
            half: half + reach * TOLERANCE,
        }
    }

    /// All of space if it is not finite.
    pub(crate) fn bounds(&self) -> Aabb3d {
        let (min, max) = (self.center - self.half, self.center + self.half);
        if min.is_finite() && max.is_finite() {
            Aabb3d { min, max }
        } else {
            UNBOUNDED
        }
    }
}

/// The index at which to split `count` slots: near the middle, and at the end of a group of the highest
/// level below that which contains all of them. 0 if they fit in one group.
fn split_index(count: usize) -> usize {
    let mut group = WIDTH;
    while group * WIDTH < count {
        group *= WIDTH;
    }
    count.div_ceil(group) / 2 * group
}

/// The axis-aligned box around a transformed box.
pub(crate) fn transformed(affine: &Affine3A, bounds: &Aabb3d) -> Aabb3d {
    let center = affine.transform_point3a((bounds.min + bounds.max) * 0.5);
    let half = (bounds.max - bounds.min) * 0.5;
    let matrix = affine.matrix3.abs();
    let half = matrix * half;
    Aabb3d {
        min: center - half,
        max: center + half,
    }
}

/// Relative tolerance of equal distances: all parts at the same distance must be found, regardless of the
/// order of tests.
pub(crate) const TIE: f32 = 1e-6;
