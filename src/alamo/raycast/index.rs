//! Boxes around all colliders, where they are in the world.
//!
//! The boxes are put in an order in which neighbours in space are neighbours in number, and four by
//! four into groups, and these into groups, up to one: a tree without links, which is fitted anew in
//! little time when things move. Only if the groups have grown, or things came or went, is the order
//! made anew. The first ray after things moved does without the groups: for one alone they do not pay.

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
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// How true the groups are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    /// As true as the slots.
    #[default]
    Grouped,
    /// Slots changed.
    Moved,
    /// Slots changed, and a ray has asked since.
    Asked,
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
    state: State,
    /// How many slots of this turn are known already.
    told: usize,
    /// How many boxes were computed so far.
    #[cfg(test)]
    pub(super) computed: usize,
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
        if let Some(slot) = &known
            && slot.entity == entity
            && !moved
        {
            return;
        }
        #[cfg(test)]
        {
            self.computed += 1;
        }
        let told = Slot {
            entity,
            bounds: widened(bounds()),
        };
        match known {
            Some(slot) if *slot == told => return,
            Some(slot) => *slot = told,
            None => self.slots.push(told),
        }
        self.state = State::Moved;
    }

    /// Forgets what was not told of.
    pub(super) fn end(&mut self) {
        if self.slots.len() != self.told {
            self.slots.truncate(self.told);
            self.state = State::Moved;
        }
    }

    /// Makes the groups true.
    fn group(&mut self) {
        self.state = State::Grouped;
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

    /// Puts the slots in order: halved at the median along the axis on which they lie farthest apart,
    /// and so on, at places where groups end.
    fn sort(&mut self) {
        let center = |slot: &Slot| {
            let center = (slot.bounds.min + slot.bounds.max) * 0.5;
            // What is nowhere is put somewhere.
            if center.is_finite() {
                center
            } else {
                Vec3A::ZERO
            }
        };
        let centers: Vec<Vec3A> = self.slots.iter().map(center).collect();
        let of = |index: &u32| centers.get(*index as usize).copied().unwrap_or_default();
        self.order.clear();
        self.order.extend(0..self.slots.len() as u32);
        let mut tasks = vec![(0, self.order.len())];
        while let Some((begin, end)) = tasks.pop() {
            let Some(part) = self.order.get_mut(begin..end) else {
                continue;
            };
            let nothing = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
            let around = |(min, max): (Vec3A, Vec3A), at| (min.min(at), max.max(at));
            let (min, max) = part.iter().map(of).fold(nothing, around);
            let axis = (max - min).max_position();
            let half = half(part.len());
            if half > 0 {
                part.select_nth_unstable_by(half, |a, b| of(a)[axis].total_cmp(&of(b)[axis]));
                let middle = begin + half;
                tasks.extend([(begin, middle), (middle, end)]);
            }
        }
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
        &mut self,
        ray: Ray3d,
        max: f32,
        stack: &mut Vec<Waiting>,
        visit: impl FnMut(Entity, f32) -> f32,
    ) {
        let probe = Probe::new(ray);
        stack.clear();
        match self.state {
            State::Moved => {
                self.state = State::Asked;
                return self.look_at_all(&probe, max, stack, visit);
            }
            State::Asked => self.group(),
            State::Grouped => {}
        }
        self.walk(&probe, max, stack, visit);
    }

    /// Asks every box by itself.
    fn look_at_all(
        &self,
        probe: &Probe,
        mut max: f32,
        met: &mut Vec<Waiting>,
        mut visit: impl FnMut(Entity, f32) -> f32,
    ) {
        for (index, slot) in (0..).zip(&self.slots) {
            if let Some(near) = probe.meets_box(&slot.bounds, max) {
                met.push(Waiting {
                    near,
                    level: 0,
                    index,
                });
            }
        }
        met.sort_unstable_by(|a, b| a.near.total_cmp(&b.near));
        for waiting in met.iter() {
            let slot = self.slots.get(waiting.index as usize);
            if let Some(slot) = slot.filter(|_| waiting.near <= max) {
                max = visit(slot.entity, max);
            }
        }
    }

    fn walk(
        &self,
        probe: &Probe,
        mut max: f32,
        stack: &mut Vec<Waiting>,
        mut visit: impl FnMut(Entity, f32) -> f32,
    ) {
        let Some(top) = self.levels.len().checked_sub(1) else {
            return;
        };
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
                // The nearest goes on top.
                let mut at = stack.len() - 1;
                while at > bottom && stack[at - 1].near < stack[at].near {
                    stack.swap(at - 1, at);
                    at -= 1;
                }
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
    origin: Vec3A,
    inverse: Vec3A,
}

impl Probe {
    fn new(ray: Ray3d) -> Self {
        /// Slower than this along an axis is none at all; dividing by it does not overflow.
        const SLOWEST: f32 = 1e-20;
        let direction = Vec3A::from(*ray.direction);
        let speed = direction.abs().max(Vec3A::splat(SLOWEST));
        Self {
            origin: ray.origin.into(),
            inverse: speed.recip().copysign(direction),
        }
    }

    /// How near a box is, if the ray meets it within a distance.
    fn meets_box(&self, bounds: &Aabb3d, max: f32) -> Option<f32> {
        let a = (bounds.min - self.origin) * self.inverse;
        let b = (bounds.max - self.origin) * self.inverse;
        let forward = self.inverse.cmpgt(Vec3A::ZERO);
        let near = Vec3A::select(forward, a, b).max_element().max(0.0);
        let far = Vec3A::select(forward, b, a).min_element().min(max);
        // Distances round by parts of themselves.
        (near * (1.0 - ROOM) <= far * (1.0 + ROOM)).then_some(near)
    }

    /// Which boxes of a group the ray meets within a distance, and how near they are.
    fn meets(&self, group: &Group, max: f32) -> (u32, [f32; WIDTH]) {
        let mut near = Vec4::ZERO;
        let mut far = Vec4::splat(max);
        for axis in 0..3 {
            let [origin, inverse] = [self.origin, self.inverse].map(|of| Vec4::splat(of[axis]));
            let a = (group.min[axis] - origin) * inverse;
            let b = (group.max[axis] - origin) * inverse;
            // A box that is inside out stays so, since the planes are told apart by the direction.
            let forward = inverse.cmpgt(Vec4::ZERO);
            near = near.max(Vec4::select(forward, a, b));
            far = far.min(Vec4::select(forward, b, a));
        }
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

/// Where so many slots are halved: half of the largest groups that they fill, or begin to. 0 if they
/// are one group.
fn half(count: usize) -> usize {
    let mut group = WIDTH;
    while group * WIDTH < count {
        group *= WIDTH;
    }
    count.div_ceil(group) / 2 * group
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
