//! The CPU time of this process without that of a software graphics driver. Linux only.

use std::fs;
use std::path::Path;
use std::process;
use std::time::Duration;

/// The beginnings of the names of threads that emulate a GPU.
const DRIVER_THREADS: [&str; 2] = ["llvmpipe", "lp-"];

/// CPU time of all threads since they started, except those of a software driver. Threads that ended do not count.
///
/// The driver executes commands on a thread that it does not name. Such a thread has the name of the thread that creates it: the
/// main thread, whose name is that of the process. The apps here have no pipelined rendering, whose thread has no name either.
///
/// # Panics
/// If the system has no `/proc`.
pub fn of_app() -> Duration {
    let main = process::id().to_string();
    let process_name = fs::read_to_string("/proc/self/comm").expect("the process has a name");
    let threads = fs::read_dir("/proc/self/task").expect("Linux lists threads in /proc");
    let times = threads.filter_map(|thread| {
        let thread = thread.ok()?;
        let name = fs::read_to_string(thread.path().join("comm")).ok()?;
        let is_unnamed = name == process_name && thread.file_name() != *main;
        let is_driver = DRIVER_THREADS.iter().any(|driver| name.starts_with(driver));
        let is_app = !is_unnamed && !is_driver;
        is_app.then(|| time_of(&thread.path())).flatten()
    });
    times.sum()
}

/// The CPU time of a thread. `None` if it has ended.
fn time_of(thread: &Path) -> Option<Duration> {
    // The first number is the time on a CPU in nanoseconds.
    let statistics = fs::read_to_string(thread.join("schedstat")).ok()?;
    let time = statistics.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(time))
}
