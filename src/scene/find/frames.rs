//! Waiting for the next frame, for tasks that have nothing else to wake them.

use bevy::ecs::resource::Resource;
use bevy::ecs::system::Res;
use core::future::poll_fn;
use core::mem;
use core::task::{Poll, Waker};
use std::sync::{Arc, Mutex, PoisonError};

/// The tasks that wait for the next frame. All clones are one.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct FrameWakers(Arc<Mutex<Vec<Waker>>>);

impl FrameWakers {
    /// Ends in the next frame.
    pub(super) async fn next(&self) {
        let mut is_waiting = false;
        poll_fn(|context| {
            if is_waiting {
                return Poll::Ready(());
            }
            is_waiting = true;
            let mut wakers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            wakers.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

/// Wakes the tasks that wait for this frame.
pub(super) fn wake_tasks(frames: Res<FrameWakers>) {
    let wakers = mem::take(&mut *frames.0.lock().unwrap_or_else(PoisonError::into_inner));
    wakers.into_iter().for_each(Waker::wake);
}
