//! Rays: the nearest triangle that one meets, or any.

use super::node::{Met, count_and_link};
use super::probe::Probe;
use super::triangle::{Crossing, crossing, points, unit_normal};
use super::{CollisionTree, Winding, build};
use bevy::math::{Ray3d, Vec3, Vec4Swizzles};
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

/// What a ray does with triangles whose back it sees.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Clone, Debug, Default, PartialEq, Hash)]
pub enum Backfaces {
    /// It goes through them.
    #[default]
    Cull,
    /// It meets them, and tells the normal of their front, which points away from it.
    Keep,
    /// It meets them, and tells the normal of their back, which points towards it.
    Flip,
}

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeHit {
    /// Distance from the ray's origin.
    pub distance: f32,
    /// The point, in the mesh's space: that of the triangle, which may differ from that of the ray
    /// in the last digits.
    pub point: Vec3,
    /// Normal of the triangle, of length 1: of its front, unless [`Backfaces::Flip`] turned it.
    pub normal: Vec3,
    /// Number of the triangle in the sub-mesh: its first index is at three times that.
    pub triangle: u32,
    /// Weights of the triangle's corners, whose sum is 1.
    pub barycentrics: Vec3,
}

/// The nearest crossing so far.
struct Nearest {
    slot: usize,
    crossing: Crossing,
}

impl CollisionTree {
    /// The nearest triangle that a ray meets no farther than `max`, which may be infinite.
    ///
    /// Rays meet triangles at their edges and corners too, so that they do not slip through between
    /// neighbours, and at their own origin, but not triangles that they see edge on. Of triangles
    /// that are equally near, one is told. A ray that is not finite meets nothing.
    pub fn cast_ray(&self, ray: Ray3d, max: f32, backfaces: Backfaces) -> Option<TreeHit> {
        self.cast_ray_wound(ray, max, backfaces, Winding::default())
    }

    /// [`cast_ray`](Self::cast_ray) with either side as the front.
    pub(in crate::alamo) fn cast_ray_wound(
        &self,
        ray: Ray3d,
        max: f32,
        backfaces: Backfaces,
        winding: Winding,
    ) -> Option<TreeHit> {
        let probe = Probe::new(self, ray, max, winding)?;
        let cull = backfaces == Backfaces::Cull;
        let nearest = if self.shallow {
            self.nearest::<{ build::SHORT_STACK }>(&probe, cull)
        } else {
            self.nearest_deep(&probe, cull)
        };
        let mut hit = self.hit(nearest?, &probe)?;
        if winding == Winding::Clockwise {
            hit.normal = -hit.normal;
        }
        // By rounding, a ray may meet a triangle that has no area.
        if hit.normal == Vec3::ZERO {
            hit.normal = -*ray.direction;
        }
        if backfaces == Backfaces::Flip && hit.normal.dot(*ray.direction) > 0.0 {
            hit.normal = -hit.normal;
        }
        Some(hit)
    }

    /// Whether a ray meets a triangle no farther than `max`: for lines of sight.
    ///
    /// This is faster than [`cast_ray`](Self::cast_ray), for it stops at the first that it finds.
    /// [`Backfaces::Keep`] and [`Backfaces::Flip`] are the same here.
    pub fn any_hit(&self, ray: Ray3d, max: f32, backfaces: Backfaces) -> bool {
        self.any_hit_wound(ray, max, backfaces, Winding::default())
    }

    /// [`any_hit`](Self::any_hit) with either side as the front.
    pub(in crate::alamo) fn any_hit_wound(
        &self,
        ray: Ray3d,
        max: f32,
        backfaces: Backfaces,
        winding: Winding,
    ) -> bool {
        let Some(probe) = Probe::new(self, ray, max, winding) else {
            return false;
        };
        let cull = backfaces == Backfaces::Cull;
        if self.shallow {
            self.meets_any::<{ build::SHORT_STACK }>(&probe, cull)
        } else {
            self.meets_any_deep(&probe, cull)
        }
    }

    // Apart, so that other walks do not reserve the long stack.
    #[cold]
    #[inline(never)]
    fn nearest_deep(&self, probe: &Probe, cull: bool) -> Option<Nearest> {
        self.nearest::<{ build::LONG_STACK }>(probe, cull)
    }

    #[cold]
    #[inline(never)]
    fn meets_any_deep(&self, probe: &Probe, cull: bool) -> bool {
        self.meets_any::<{ build::LONG_STACK }>(probe, cull)
    }

    #[inline(always)]
    fn nearest<const STACK: usize>(&self, probe: &Probe, cull: bool) -> Option<Nearest> {
        // Children by distance, whose bits are in the order of the numbers.
        let mut stack = [0_u64; STACK];
        let mut len = 0_usize;
        let mut max = probe.max;
        let mut nearest = None;
        let mut node = self.nodes.first()?;
        loop {
            let Met { mut mask, near } = node.meets_ray(probe, max);
            let bottom = len;
            while mask != 0 {
                let child = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let entry =
                    u64::from(near[child & 3].to_bits()) << 32 | u64::from(node.child(child));
                // The nearest goes on top, and the others below it in no order: by numbers alone,
                // for branches would be guessed wrong.
                let top = len.saturating_sub(1);
                let below = stack[top % STACK];
                let first = len == bottom;
                let lower = if first { below } else { below.max(entry) };
                let upper = if first { entry } else { below.min(entry) };
                stack[top % STACK] = lower;
                stack[len % STACK] = upper;
                len += 1;
            }
            node = loop {
                if len == 0 {
                    return nearest;
                }
                len -= 1;
                let entry = stack[len % STACK];
                if f32::from_bits((entry >> 32) as u32) > max {
                    continue;
                }
                let (count, link) = count_and_link(entry as u32);
                if count == 0 {
                    break self.nodes.get(link)?;
                }
                for slot in link..link + count {
                    if let Some(crossing) = self.crossing(slot, probe, max, cull) {
                        max = crossing.distance;
                        nearest = Some(Nearest { slot, crossing });
                    }
                }
            };
        }
    }

    #[inline(always)]
    fn meets_any<const STACK: usize>(&self, probe: &Probe, cull: bool) -> bool {
        let mut stack = [0_u32; STACK];
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let (count, link) = count_and_link(stack[len % STACK]);
            if count > 0 {
                let mut slots = link..link + count;
                if slots.any(|slot| self.crossing(slot, probe, probe.max, cull).is_some()) {
                    return true;
                }
                continue;
            }
            let Some(node) = self.nodes.get(link) else {
                return false;
            };
            let mut mask = node.meets_ray(probe, probe.max).mask;
            while mask != 0 {
                stack[len % STACK] = node.child(mask.trailing_zeros() as usize);
                mask &= mask - 1;
                len += 1;
            }
        }
        false
    }

    #[inline(always)]
    fn crossing(&self, slot: usize, probe: &Probe, max: f32, cull: bool) -> Option<Crossing> {
        crossing(self.corners(slot)?, probe, max, cull)
    }

    fn hit(&self, nearest: Nearest, probe: &Probe) -> Option<TreeHit> {
        let Nearest { slot, crossing } = nearest;
        let corners = points(self.corners(slot)?);
        let [a, b, c] = corners;
        let barycentrics = crossing.areas.xyz() / crossing.area;
        let point = a * barycentrics.x + b * barycentrics.y + c * barycentrics.z;
        let distance = probe.start + f64::from(crossing.distance);
        Some(TreeHit {
            distance: (distance * f64::from(self.unscale)) as f32,
            point: point * self.unscale,
            normal: unit_normal(corners),
            triangle: u32::from(*self.triangles.get(slot)?),
            barycentrics,
        })
    }
}
