//! The text form of circuits, which parses back:
//!
//! ```text
//! # χ on three bits
//! inputs 3
//! outputs 3
//! table 0 5 3 2 6 1 4 7
//! g0 = andn i2 i1
//! g1 = xor i0 g0
//! …
//! out g1 g3 g5
//! ```
//!
//! `#` starts a comment. Signals are `0`, `1`, `i<n>` and `g<n>`; gates are numbered from 0 in order. The `table` line
//! is optional for a circuit and required in a database file.

use std::fmt;
use std::str::FromStr;

use crate::circuit::{Circuit, Gate, Signal};
use crate::table::{MAX_INPUTS, MAX_OUTPUTS};

/// The reason why a text is not a circuit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextError {
    /// The line number, from 1.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for TextError {}

/// A circuit with the values of its table, if the text has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    pub circuit: Circuit,
    pub table: Option<Vec<u64>>,
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Signal::Zero => write!(f, "0"),
            Signal::One => write!(f, "1"),
            Signal::Input(input) => write!(f, "i{input}"),
            Signal::Gate(gate) => write!(f, "g{gate}"),
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gate::And(a, b) => write!(f, "and {a} {b}"),
            Gate::Or(a, b) => write!(f, "or {a} {b}"),
            Gate::Xor(a, b) => write!(f, "xor {a} {b}"),
            Gate::Andn(a, b) => write!(f, "andn {a} {b}"),
            Gate::Not(a) => write!(f, "not {a}"),
        }
    }
}

impl fmt::Display for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Listing { circuit: self.clone(), table: None }.fmt(f)
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let circuit = &self.circuit;
        writeln!(f, "inputs {}", circuit.inputs)?;
        writeln!(f, "outputs {}", circuit.outputs.len())?;
        if let Some(values) = &self.table {
            write!(f, "table")?;
            values.iter().try_for_each(|value| write!(f, " {value}"))?;
            writeln!(f)?;
        }
        for (number, gate) in circuit.gates.iter().enumerate() {
            writeln!(f, "g{number} = {gate}")?;
        }
        write!(f, "out")?;
        circuit.outputs.iter().try_for_each(|signal| write!(f, " {signal}"))?;
        writeln!(f)
    }
}

impl FromStr for Circuit {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Circuit, TextError> {
        Ok(text.parse::<Listing>()?.circuit)
    }
}

impl FromStr for Listing {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Listing, TextError> {
        let mut parser = Parser::default();
        let mut last = 1;
        for (line, content) in (1..).zip(text.lines()) {
            let words: Vec<&str> = content.split('#').next().unwrap_or("").split_whitespace().collect();
            parser.line(&words).map_err(|message| TextError { line, message })?;
            last = line;
        }
        parser.finish().map_err(|message| TextError { line: last, message })
    }
}

#[derive(Default)]
struct Parser {
    inputs: Option<u32>,
    outputs: Option<u32>,
    table: Option<Vec<u64>>,
    gates: Vec<Gate>,
    results: Option<Vec<Signal>>,
}

impl Parser {
    fn line(&mut self, words: &[&str]) -> Result<(), String> {
        if !words.is_empty() && self.results.is_some() {
            return Err("nothing may follow the `out` line".to_owned());
        }
        match *words {
            [] => Ok(()),
            ["inputs", count] => set(&mut self.inputs, number(count, MAX_INPUTS)?, "inputs"),
            ["outputs", count] => set(&mut self.outputs, number(count, MAX_OUTPUTS)?, "outputs"),
            ["table", ref values @ ..] => {
                let value = |word: &&str| word.parse().map_err(|_| format!("`{word}` is not a value"));
                set(&mut self.table, values.iter().map(value).collect::<Result<_, _>>()?, "table")
            }
            ["out", ref signals @ ..] => {
                let outputs = self.outputs.ok_or("`out` before `outputs`")?;
                if signals.len() != outputs as usize {
                    return Err(format!("{} outputs, but `outputs {outputs}`", signals.len()));
                }
                let signals = signals.iter().map(|word| self.signal(word)).collect::<Result<_, _>>()?;
                self.results = Some(signals);
                Ok(())
            }
            [name, "=", ref gate @ ..] => self.gate(name, gate),
            [word, ..] => Err(format!("`{word}` starts no line of a circuit")),
        }
    }

    fn gate(&mut self, name: &str, words: &[&str]) -> Result<(), String> {
        let expected = format!("g{}", self.gates.len());
        if name != expected {
            return Err(format!("the next gate is `{expected}`, not `{name}`"));
        }
        let gate = match *words {
            ["and", a, b] => Gate::And(self.signal(a)?, self.signal(b)?),
            ["or", a, b] => Gate::Or(self.signal(a)?, self.signal(b)?),
            ["xor", a, b] => Gate::Xor(self.signal(a)?, self.signal(b)?),
            ["andn", a, b] => Gate::Andn(self.signal(a)?, self.signal(b)?),
            ["not", a] => Gate::Not(self.signal(a)?),
            _ => return Err("a gate is `and a b`, `or a b`, `xor a b`, `andn a b` or `not a`".to_owned()),
        };
        self.gates.push(gate);
        Ok(())
    }

    fn signal(&self, word: &str) -> Result<Signal, String> {
        let inputs = self.inputs.ok_or("a signal before `inputs`")?;
        let index = |digits: &str| digits.parse::<u32>().ok().filter(|index| index.to_string() == digits);
        let signal = match word.split_at_checked(1) {
            Some(("0", "")) => Some(Signal::Zero),
            Some(("1", "")) => Some(Signal::One),
            Some(("i", digits)) => index(digits).filter(|&index| index < inputs).map(Signal::Input),
            Some(("g", digits)) => index(digits).filter(|&index| (index as usize) < self.gates.len()).map(Signal::Gate),
            _ => None,
        };
        signal.ok_or_else(|| format!("`{word}` is no constant, input or earlier gate"))
    }

    fn finish(self) -> Result<Listing, String> {
        let inputs = self.inputs.ok_or("there is no `inputs` line")?;
        let outputs = self.results.ok_or("there is no `out` line")?;
        Ok(Listing { circuit: Circuit { inputs, gates: self.gates, outputs }, table: self.table })
    }
}

fn set<T>(place: &mut Option<T>, value: T, name: &str) -> Result<(), String> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("a second `{name}` line")),
    }
}

fn number(word: &str, most: u32) -> Result<u32, String> {
    match word.parse() {
        Ok(number) if number <= most => Ok(number),
        _ => Err(format!("`{word}` is not a number from 0 to {most}")),
    }
}
