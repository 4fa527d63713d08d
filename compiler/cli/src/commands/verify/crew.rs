//! Kernels verified side by side, each on a thread of its own: progress, and the limit of time.

use std::any::Any;
use std::io::{self, IsTerminal};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use culet_image::{Image, Record};
use culet_prove::theorem::Rejection;
use indicatif::ProgressBar;

use super::super::spinner;
use super::super::watch::{QUIET, STACK};
use super::{Outcome, outcome};
use crate::output::Output;

/// Time after which kernels under way are named, if none has ended meanwhile and there is no terminal.
const STILL: Duration = Duration::from_secs(10);
/// Time beyond the limit after which a kernel is given up that has not ended by itself.
const GRACE: Duration = Duration::from_secs(1);

/// How kernels are verified.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    /// Number of kernels at a time.
    pub jobs: usize,
    /// The time that all proofs of one kernel may take.
    pub limit: Duration,
    /// Whether to prove safety only.
    pub is_safe_only: bool,
}

/// A message of the thread that proves a kernel.
enum Message {
    /// The outcome that holds if the proof finds nothing more.
    SoFar(Outcome),
    Over(Outcome),
    Panicked(Box<dyn Any + Send>),
}

/// A kernel whose proofs are under way.
struct Running {
    kernel: usize,
    start: Instant,
    so_far: Option<Outcome>,
}

/// Verifies kernels. Returns for each what was proved of it, and the time that this took.
pub(super) fn verify(
    kernels: &[(String, Record)],
    image: &Arc<Image>,
    work: Work,
    output: Output,
) -> Vec<(Outcome, Duration)> {
    let (sender, receiver) = channel();
    let mut crew = Crew {
        kernels,
        work,
        running: Vec::new(),
        results: kernels.iter().map(|_| None).collect(),
        progress: ProgressReport::new(output),
    };
    let mut waiting = 0..kernels.len();
    loop {
        while crew.running.len() < work.jobs
            && let Some(kernel) = waiting.next()
        {
            start(kernel, &kernels[kernel], image, work, &sender);
            crew.running.push(Running { kernel, start: Instant::now(), so_far: None });
        }
        if crew.running.is_empty() {
            break;
        }
        crew.listen(&receiver);
    }
    crew.progress.bar.finish_and_clear();
    crew.results.into_iter().flatten().collect()
}

/// Starts the thread of a kernel. If it is given up while it compares, it goes on until the command ends.
fn start(
    kernel: usize,
    (name, record): &(String, Record),
    image: &Arc<Image>,
    work: Work,
    sender: &Sender<(usize, Message)>,
) {
    let (name, record, image, sender) = (name.clone(), record.clone(), Arc::clone(image), sender.clone());
    let run = move || {
        let tell = |message| drop(sender.send((kernel, message)));
        let prove = || outcome(&name, &record, &image, work, &|so_far| tell(Message::SoFar(so_far)));
        tell(match catch_unwind(AssertUnwindSafe(prove)) {
            Ok(outcome) => Message::Over(outcome),
            Err(panic) => Message::Panicked(panic),
        });
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(run);
    thread.unwrap_or_else(|error| panic!("no thread can be started: {error}"));
}

struct Crew<'k> {
    kernels: &'k [(String, Record)],
    work: Work,
    running: Vec<Running>,
    results: Vec<Option<(Outcome, Duration)>>,
    progress: ProgressReport,
}

impl Crew<'_> {
    /// Takes the next message, or gives up what has taken too long.
    fn listen(&mut self, receiver: &Receiver<(usize, Message)>) {
        self.progress.show(self.running.iter().map(|running| &*self.kernels[running.kernel].0), self.kernels.len());
        let oldest = self.running.iter().map(|running| running.start + self.work.limit + GRACE).min();
        let until = oldest.map_or(self.progress.next_line, |oldest| oldest.min(self.progress.next_line));
        match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok((kernel, message)) => {
                // Messages of a kernel that was given up are ignored.
                let Some(place) = self.running.iter().position(|running| running.kernel == kernel) else { return };
                match message {
                    Message::SoFar(outcome) => self.running[place].so_far = Some(outcome),
                    Message::Over(outcome) => self.end(place, outcome),
                    Message::Panicked(panic) => resume_unwind(panic),
                }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let is_over = |running: &Running| running.start.elapsed() >= self.work.limit + GRACE;
                if let Some(place) = self.running.iter().position(is_over) {
                    let seconds = self.work.limit.as_secs();
                    let outcome = match self.running[place].so_far.take() {
                        Some(Outcome::Safe { proved, lengths, .. }) => {
                            Outcome::Safe { proved, lengths, why: Some(Rejection::OutOfTime { seconds }) }
                        }
                        _ => Outcome::out_of_time(self.work.limit),
                    };
                    self.end(place, outcome);
                }
            }
        }
    }

    fn end(&mut self, place: usize, outcome: Outcome) {
        let Running { kernel, start, .. } = self.running.remove(place);
        self.progress.ended(&self.kernels[kernel].0, &outcome, start.elapsed(), self.kernels.len());
        self.results[kernel] = Some((outcome, start.elapsed()));
    }
}

/// Progress on stderr: what is under way on a terminal, and elsewhere a line for each kernel that ends later than the first moments.
struct ProgressReport {
    output: Output,
    bar: ProgressBar,
    start: Instant,
    next_line: Instant,
    over: usize,
}

impl ProgressReport {
    fn new(output: Output) -> ProgressReport {
        let start = Instant::now();
        ProgressReport { output, bar: spinner("proving", output), start, next_line: start + STILL, over: 0 }
    }

    fn show<'n>(&mut self, running: impl Iterator<Item = &'n str>, total: usize) {
        let names = running.collect::<Vec<_>>().join(", ");
        self.bar.set_message(format!("{} of {total} kernels; proving {names}", self.over));
        if Instant::now() >= self.next_line {
            self.line(&format!("proving {names}, for {} s so far", self.start.elapsed().as_secs()));
        }
    }

    fn ended(&mut self, name: &str, outcome: &Outcome, time: Duration, total: usize) {
        self.over += 1;
        if self.start.elapsed() >= QUIET {
            let word = outcome.word();
            self.line(&format!("{} of {total}: {name} is {word}, {:.1} s", self.over, time.as_secs_f64()));
        }
    }

    fn line(&mut self, text: &str) {
        if !io::stderr().is_terminal() {
            self.output.progress(text);
        }
        self.next_line = Instant::now() + STILL;
    }
}
