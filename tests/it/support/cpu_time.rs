//! The time that a thread has run, in which other processes and threads do not count.

use std::time::Duration;

/// How long the processor has run the calling thread. `None` where the system does not tell.
pub fn of_thread() -> Option<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = times.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// Asserts that something takes no more of the processor's time on this thread.
pub fn assert_below(limit: Duration, what: &str, run: impl FnOnce()) {
    let begin = of_thread();
    run();
    let (Some(begin), Some(end)) = (begin, of_thread()) else {
        return;
    };
    let taken = end - begin;
    assert!(taken < limit, "{what} takes {taken:?}");
}
