//! Lets a task wait for the next frame if no other event wakes it.

use bevy::ecs::resource::Resource;
use bevy::ecs::system::Res;
use core::future::poll_fn;
use core::mem;
use core::task::{Poll, Waker};
use std::sync::{Arc, Mutex, PoisonError};

/// The tasks that wait for the next frame. Clones share one list.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct FrameWakers(Arc<Mutex<Vec<Waker>>>);

impl FrameWakers {
    /// Completes in the next frame.
    pub(crate) async fn next(&self) {
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

/// Wakes all waiting tasks. Runs once per frame.
pub(crate) fn wake_tasks(frames: Res<FrameWakers>) {
    let wakers = mem::take(&mut *frames.0.lock().unwrap_or_else(PoisonError::into_inner));
    wakers.into_iter().for_each(Waker::wake);
}
