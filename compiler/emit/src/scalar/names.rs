//! The names of a function: of its slots, and new ones.

use std::collections::{HashMap, HashSet};

use culet_ir::{Func, Slot, SlotKind};

use super::syntax::Syntax;
use crate::names::{identifier, single_underscores};

/// Names of counters, from the outermost loop inwards.
const COUNTERS: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

pub(crate) struct Names {
    pub slots: Vec<String>,
    /// Other names of streams, by the slot's number.
    pub streams: HashMap<usize, [String; 2]>,
    /// Streams in whose places results stand. They have the names of these results.
    in_place: HashSet<usize>,
    taken: HashSet<String>,
    temporaries: u32,
    counters: Vec<String>,
    variables: Vec<String>,
    erasing: Option<String>,
}

impl Names {
    /// The names of a function's slots, none of which is `taken`, with results in the places of streams.
    pub fn of(func: &Func, taken: &[String], places: &HashMap<Slot, Slot>, syntax: &dyn Syntax) -> Names {
        let mut names = Names {
            slots: Vec::new(),
            streams: HashMap::new(),
            in_place: HashSet::new(),
            taken: taken.iter().cloned().collect(),
            temporaries: 0,
            counters: Vec::new(),
            variables: Vec::new(),
            erasing: None,
        };
        for slot in &func.slots {
            let mut name = single_underscores(&identifier(&slot.name));
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                name.insert(0, 'x');
            }
            name = syntax.cased(&name, matches!(slot.kind, SlotKind::Constants(_)));
            if syntax.is_reserved(&name) {
                name.push('_');
            }
            let name = names.take(&name);
            names.slots.push(name);
        }
        for (index, slot) in func.slots.iter().enumerate() {
            if slot.kind.is_stream() {
                let name = names.slots[index].trim_end_matches('_').to_owned();
                let own = syntax.stream_names().map(|word| names.take(&format!("{name}_{word}")));
                names.streams.insert(index, own);
            }
        }
        for (stream, result) in places.iter().map(|(stream, result)| (stream.index(), result.index())) {
            names.slots[stream] = names.slots[result].clone();
            names.streams.insert(stream, names.streams[&result].clone());
            names.in_place.insert(stream);
        }
        names
    }

    /// Whether a result stands in the place of this slot.
    pub fn is_in_place(&self, slot: usize) -> bool {
        self.in_place.contains(&slot)
    }

    /// The name, or one like it that is free.
    pub fn take(&mut self, name: &str) -> String {
        let mut candidate = name.to_owned();
        let mut number = 2;
        while !self.taken.insert(candidate.clone()) {
            candidate = format!("{name}_{number}");
            number += 1;
        }
        candidate
    }

    pub fn temporary(&mut self) -> String {
        self.temporaries += 1;
        self.take(&format!("t{}", self.temporaries - 1))
    }

    /// The counter of a loop at this nesting depth.
    pub fn counter(&mut self, depth: usize) -> String {
        while self.counters.len() <= depth {
            let depth = self.counters.len();
            let name = COUNTERS.get(depth).map_or_else(|| format!("i{depth}"), |&name| name.to_owned());
            let name = self.take(&name);
            self.counters.push(name);
        }
        self.counters[depth].clone()
    }

    /// The counter of loops that overwrite arrays.
    pub fn erasing(&mut self) -> String {
        if self.erasing.is_none() {
            self.erasing = Some(self.take("at"));
        }
        self.erasing.clone().unwrap_or_default()
    }

    /// The variable with this number.
    pub fn variable(&mut self, number: u32) -> String {
        while self.variables.len() <= number as usize {
            let name = self.take(&format!("v{}", self.variables.len()));
            self.variables.push(name);
        }
        self.variables[number as usize].clone()
    }
}
