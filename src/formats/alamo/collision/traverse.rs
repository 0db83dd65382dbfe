//! The traversals of a tree that all queries share.

use crate::formats::alamo::collision::build::{LONG_STACK, SHORT_STACK};
use crate::formats::alamo::collision::node::{BoxHits, Node, count_and_link};
use crate::formats::alamo::collision::tree::CollisionTree;
use core::ops::ControlFlow;

impl CollisionTree {
    /// Calls `visit` with the slot of each triangle in the boxes of a node that are set in the mask of `overlapping`, until
    /// it breaks. The order is unspecified.
    #[inline(always)]
    pub(crate) fn traverse<B>(
        &self,
        overlapping: impl Fn(&Node) -> u32,
        visit: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.shallow {
            self.traverse_with::<SHORT_STACK, B>(overlapping, visit)
        } else {
            self.traverse_deep(overlapping, visit)
        }
    }

    // A separate function, so that shallow trees do not reserve the long stack.
    #[cold]
    #[inline(never)]
    fn traverse_deep<B>(
        &self,
        overlapping: impl Fn(&Node) -> u32,
        visit: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.traverse_with::<LONG_STACK, B>(overlapping, visit)
    }

    #[inline(always)]
    fn traverse_with<const STACK: usize, B>(
        &self,
        overlapping: impl Fn(&Node) -> u32,
        mut visit: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut stack = [0_u32; STACK];
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let (count, link) = count_and_link(stack[len % STACK]);
            for slot in link..link + count {
                visit(slot)?;
            }
            let (0, Some(node)) = (count, self.nodes.get(link)) else {
                continue;
            };
            let mut mask = overlapping(node);
            while mask != 0 {
                stack[len % STACK] = node.child(mask.trailing_zeros() as usize);
                mask &= mask - 1;
                len += 1;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the boxes of nodes within the distance `max`, of each node the nearest first. `near` returns the boxes of a
    /// node within a distance. `visit` is called with the slot of each triangle in them, and may return a smaller `max`.
    #[inline(always)]
    pub(crate) fn traverse_nearest_first(
        &self,
        max: f32,
        near: impl Fn(&Node, f32) -> BoxHits,
        visit: impl FnMut(usize, f32) -> Option<f32>,
    ) {
        if self.shallow {
            self.nearest_first_with::<SHORT_STACK>(max, near, visit);
        } else {
            self.nearest_first_deep(max, near, visit);
        }
    }

    #[cold]
    #[inline(never)]
    fn nearest_first_deep(
        &self,
        max: f32,
        near: impl Fn(&Node, f32) -> BoxHits,
        visit: impl FnMut(usize, f32) -> Option<f32>,
    ) {
        self.nearest_first_with::<LONG_STACK>(max, near, visit);
    }

    #[inline(always)]
    fn nearest_first_with<const STACK: usize>(
        &self,
        mut max: f32,
        near: impl Fn(&Node, f32) -> BoxHits,
        mut visit: impl FnMut(usize, f32) -> Option<f32>,
    ) {
        // The high 32 bits are the distance, whose bits are ordered like its values; the low ones the child.
        let mut stack = [0_u64; STACK];
        let mut len = 0_usize;
        let mut next = self.nodes.first();
        while let Some(node) = next {
            let BoxHits {
                mut mask,
                distances,
            } = near(node, max);
            let bottom = len;
            while mask != 0 {
                let child = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let entry =
                    u64::from(distances[child & 3].to_bits()) << 32 | u64::from(node.child(child));
                // The nearest goes on top, the others below it in any order. Without branches, because
                // they would be mispredicted.
                let top = len.saturating_sub(1);
                let below = stack[top % STACK];
                let first = len == bottom;
                let lower = if first { below } else { below.max(entry) };
                let upper = if first { entry } else { below.min(entry) };
                stack[top % STACK] = lower;
                stack[len % STACK] = upper;
                len += 1;
            }
            next = loop {
                if len == 0 {
                    return;
                }
                len -= 1;
                let entry = stack[len % STACK];
                if f32::from_bits((entry >> 32) as u32) > max {
                    continue;
                }
                let (count, link) = count_and_link(entry as u32);
                if count == 0 {
                    break self.nodes.get(link);
                }
                for slot in link..link + count {
                    max = visit(slot, max).unwrap_or(max);
                }
            };
        }
    }
}
