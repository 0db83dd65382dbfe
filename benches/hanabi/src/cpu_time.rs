//! The CPU time of this process without that of a software graphics driver. Linux only.

use std::fs;
use std::path::Path;
use std::time::Duration;

/// The beginnings of the names of threads that emulate a GPU.
const DRIVER_THREADS: [&str; 2] = ["llvmpipe", "lp-"];

/// CPU time of all threads since they started, except those of a software driver. Threads that ended do not count.
///
/// # Panics
/// If the system has no `/proc`.
pub fn of_app() -> Duration {
    let threads = fs::read_dir("/proc/self/task").expect("Linux lists threads in /proc");
    let times = threads.filter_map(|thread| time_of(&thread.ok()?.path()));
    times.sum()
}

/// The CPU time of a thread. `None` if it belongs to the driver, or has ended.
fn time_of(thread: &Path) -> Option<Duration> {
    let name = fs::read_to_string(thread.join("comm")).ok()?;
    if DRIVER_THREADS.iter().any(|driver| name.starts_with(driver)) {
        return None;
    }
    // The first number is the time on a CPU in nanoseconds.
    let statistics = fs::read_to_string(thread.join("schedstat")).ok()?;
    let time = statistics.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(time))
}
