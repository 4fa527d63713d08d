//! Proofs on a thread of their own. Progress is reported if they take long, and they are given up at the time limit.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use culet_diag::Diagnostics;
use culet_driver::FunctionProof;
use culet_prove::theorem::Rejection;

use super::spinner;
use crate::args::TimeLimits;
use crate::output::Output;

/// Messages from the proving thread.
pub enum Progress {
    /// A function whose proof begins.
    Begun(String),
    /// A proof that is over.
    Over(Box<FunctionProof>),
    /// Nothing can be proved.
    Wrong(Diagnostics),
}

/// Time before the first line of progress where there is no terminal.
pub const QUIET: Duration = Duration::from_secs(2);
/// Time between later lines.
const BETWEEN_LINES: Duration = Duration::from_secs(5);
/// Time between looks at the CPU time.
const LOOK: Duration = Duration::from_millis(200);
/// Stack of a proving thread, in bytes: more than the system's default, since the depth of terms and gates is
/// unbounded.
pub const STACK: usize = 256 << 20;

/// Runs `work` and returns the proofs that it reports. If the time runs out, the function under way is given up, and
/// its rejection comes last.
pub fn proofs(
    limit: TimeLimits,
    output: Output,
    work: impl FnOnce(&Sender<Progress>) + Send + 'static,
) -> Result<Vec<FunctionProof>, Diagnostics> {
    let (sender, receiver) = channel();
    let worker = thread::Builder::new().stack_size(STACK).spawn(move || work(&sender));
    let worker = worker.unwrap_or_else(|error| panic!("no thread can be started: {error}"));
    let heard = listen(&receiver, limit, output)?;
    // A proof that is given up goes on until the command ends.
    if !heard.is_given_up
        && let Err(panic) = worker.join()
    {
        std::panic::resume_unwind(panic);
    }
    Ok(heard.proofs)
}

#[derive(Default)]
struct Heard {
    proofs: Vec<FunctionProof>,
    is_given_up: bool,
}

fn listen(receiver: &Receiver<Progress>, limit: TimeLimits, output: Output) -> Result<Heard, Diagnostics> {
    let start = Instant::now();
    let cpu_before = cpu_time().unwrap_or_default();
    let bar = spinner("proving", output);
    let mut next_line = QUIET;
    let (mut heard, mut current) = (Heard::default(), String::new());
    loop {
        let until = limit.wall.map_or(next_line, |wall| wall.min(next_line));
        let wait = until.saturating_sub(start.elapsed());
        match receiver.recv_timeout(if limit.cpu.is_some() { wait.min(LOOK) } else { wait }) {
            Ok(Progress::Begun(symbol)) => {
                bar.set_message(format!("proving {symbol}"));
                current = symbol;
            }
            Ok(Progress::Over(proof)) => heard.proofs.push(*proof),
            Ok(Progress::Wrong(diagnostics)) => {
                bar.finish_and_clear();
                return Err(diagnostics);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                if let Some(seconds) = limit.passed(start.elapsed(), cpu_before) {
                    let outcome = Err(Rejection::OutOfTime { seconds });
                    heard.is_given_up = true;
                    heard.proofs.push(FunctionProof { symbol: current, lengths: Vec::new(), outcome, replay: None });
                    break;
                }
                if start.elapsed() < next_line {
                    continue;
                }
                if !io::stderr().is_terminal() {
                    output.progress(&format!("proving {current}, for {} s so far", start.elapsed().as_secs()));
                }
                next_line = start.elapsed() + BETWEEN_LINES;
            }
        }
    }
    bar.finish_and_clear();
    Ok(heard)
}

impl TimeLimits {
    /// The seconds that were taken, if they are more than they may be.
    fn passed(&self, wall: Duration, cpu_before: Duration) -> Option<u64> {
        let cpu = || cpu_time().map_or(wall, |now| now.saturating_sub(cpu_before));
        match *self {
            TimeLimits { wall: Some(limit), .. } if wall >= limit => Some(wall.as_secs()),
            TimeLimits { cpu: Some(limit), .. } if cpu() >= limit => Some(cpu().as_secs()),
            _ => None,
        }
    }
}

/// The CPU time of this process, where the system tells it as Linux does: fields 14 and 15 of `/proc/self/stat`, in
/// hundredths of a second (proc(5)).
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the command, in parentheses, may hold spaces.
    let (_, fields) = text.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<u64>);
    let (user, system) = (times.next()?.ok()?, times.next()?.ok()?);
    Some(Duration::from_millis(10 * (user + system)))
}
