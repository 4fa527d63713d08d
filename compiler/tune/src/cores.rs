//! Work on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Applies a function to each element, on all cores. The results are in the order of the elements.
pub(crate) fn on_all_cores<T: Sync, R: Send>(all: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((index, item)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, all.get(i)?)))
        {
            done.push((index, f(item)));
        }
        done
    };
    let cores = thread::available_parallelism().map_or(1, usize::from).min(all.len());
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let joined =
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.flatten().collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
