//! A CPU that executes out of order, roughly.
//!
//! Instructions enter in order, a few a cycle and at most [`WINDOW`] at once; each starts when its operands have
//! arrived and a port is free; they leave in order.

use std::collections::VecDeque;

use culet_ir::{Op, Target, Type};

use super::machine::{self, CLASSES, Class, WINDOW};

/// The instructions of one operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    /// Instructions of each class.
    parts: [(Class, u32); 2],
    /// Cycles from the start to the result.
    latency: u32,
}

impl Work {
    pub fn one(class: Class, latency: u32) -> Work {
        Work { parts: [(class, 1), (Class::Logic, 0)], latency }
    }

    /// The work of an operation on operands of this type. In a word that is `packed`, masks keep instances apart.
    pub fn of(op: &Op, ty: Type, target: Target, packed: bool) -> Work {
        let masked = |class, own, masks, latency| Work { parts: [(class, own), (Class::Logic, masks)], latency };
        match op {
            Op::Rotl(_) if packed => return masked(Class::Shift, 2, 3, 3),
            Op::Shl(_) | Op::Shr(_) if packed => return masked(Class::Shift, 1, 1, 2),
            Op::Sar(_) if packed => return masked(Class::Shift, 3, 4, 5),
            Op::Add | Op::Sub if packed => return masked(Class::Add, 1, 5, 3),
            _ => {}
        }
        let cost = machine::cost(op, ty, target);
        // Two shifts and an or.
        let logic = u32::from(matches!((op, cost.class, cost.count), (Op::Rotl(_), Class::Shift, 3)));
        Work { parts: [(cost.class, cost.count - logic), (Class::Logic, logic)], latency: cost.latency }
    }

    pub fn times(self, count: u32) -> Work {
        Work { parts: self.parts.map(|(class, own)| (class, own * count)), ..self }
    }

    pub fn count(&self) -> u32 {
        self.parts.iter().map(|(_, count)| count).sum()
    }
}

pub(super) struct Core {
    ports: [u32; CLASSES],
    /// Instructions of all classes but loads, stores and control that can start in one cycle.
    computing: u32,
    /// Instructions that enter in a hundred cycles.
    pub front_end: u64,
    /// Hundredths of a cycle until the next instruction enters.
    now: u64,
    /// Ports taken in each cycle from `start` on, and those for computing together.
    taken: VecDeque<([u32; CLASSES], u32)>,
    start: u64,
    /// Times at which the instructions in flight leave.
    flight: VecDeque<u64>,
    end: u64,
    /// Whether nothing but operands is waited for.
    unlimited: bool,
}

impl Core {
    pub fn new(ports: [u32; CLASSES]) -> Core {
        let computing = ports[Class::Logic as usize].max(ports[Class::Add as usize]);
        let (taken, flight) = (VecDeque::new(), VecDeque::new());
        Core { ports, computing, front_end: 600, now: 0, taken, start: 0, flight, end: 0, unlimited: false }
    }

    /// A CPU with as many ports as there are instructions, which all enter at once.
    pub fn unlimited() -> Core {
        Core { unlimited: true, ..Core::new([1; CLASSES]) }
    }

    /// The time at which everything so far is done.
    pub fn end(&self) -> u64 {
        self.end.max(self.now / 100)
    }

    /// Lets the instructions of an operation enter whose operands are `ready` at this time. Returns when its result is.
    pub fn run(&mut self, ready: u64, work: Work) -> u64 {
        if self.unlimited {
            let done = ready + u64::from(work.latency);
            self.end = self.end.max(done);
            return done;
        }
        // Hundredths of a cycle.
        self.now += u64::from(work.count()) * 10_000 / self.front_end;
        for _ in 0..work.count() {
            if self.flight.len() >= WINDOW {
                self.now = self.now.max(100 * self.flight.pop_front().unwrap_or(0));
            }
            self.flight.push_back(self.end);
        }
        let now = self.now / 100;
        self.forget(now);
        let mut started = ready.max(now);
        for (class, count) in work.parts {
            started = started.max(self.start_of(ready.max(now), class, count));
        }
        let done = started + u64::from(work.latency);
        self.end = self.end.max(done);
        if let Some(last) = self.flight.back_mut() {
            *last = self.end;
        }
        done
    }

    fn forget(&mut self, now: u64) {
        while self.start < now {
            if self.taken.pop_front().is_none() {
                self.start = now;
                return;
            }
            self.start += 1;
        }
    }

    /// The first cycle, not before `from`, in which the last of these instructions can start.
    fn start_of(&mut self, from: u64, class: Class, count: u32) -> u64 {
        let (mut cycle, mut left) = ((from - self.start) as usize, count);
        let computes = !matches!(class, Class::Load | Class::Store | Class::Control);
        let mut last = cycle;
        while left > 0 {
            while self.taken.len() <= cycle {
                self.taken.push_back(([0; CLASSES], 0));
            }
            let (taken, computing) = &mut self.taken[cycle];
            let mut free = self.ports[class as usize].saturating_sub(taken[class as usize]).min(left);
            if computes {
                free = free.min(self.computing.saturating_sub(*computing));
                *computing += free;
            }
            taken[class as usize] += free;
            left -= free;
            last = cycle;
            cycle += 1;
        }
        self.start + last as u64
    }
}
