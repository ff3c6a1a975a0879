//! Passes in turns, timed by the CPU time of the thread.

use rustix::time::{ClockId, clock_gettime};

/// What is timed.
pub(crate) type Pass = Box<dyn FnMut()>;

const PASSES: usize = 201;

fn cpu_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Times those passes whose names contain all that the command line asks for; each pass goes through so many
/// messages. Prints ns a message. With `--untimed` they run without a clock, for callgrind to count instructions.
pub(crate) fn run(mut passes: Vec<(String, Pass)>, messages: u32) {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    passes.retain(|(name, _)| wanted.iter().all(|it| name.contains(it.as_str())));
    if std::env::args().any(|it| it == "--untimed") {
        (0..PASSES).for_each(|_| passes.iter_mut().for_each(|(_, pass)| pass()));
        return;
    }
    let mut times = vec![Vec::new(); passes.len()];
    for _ in 0..PASSES {
        for ((_, pass), times) in passes.iter_mut().zip(&mut times) {
            let start = cpu_time();
            pass();
            times.push((cpu_time() - start) / f64::from(messages));
        }
    }
    for ((name, _), times) in passes.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        println!("{name:44} {:8.0} best {:8.0} median ns", times[0], times[PASSES / 2]);
    }
}
