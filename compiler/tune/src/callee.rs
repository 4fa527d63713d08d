//! The call that is measured: for messages of which lengths and how often, in which memory, and by which C.

use culet_diag::Diagnostics;
use culet_driver::{Maker, Options, Parameter, Source};
use culet_emit::Interface;

use crate::harness::{Lengths, What};

/// A kernel as its callers see it.
#[derive(Debug, Clone)]
pub(crate) enum Callee {
    Slices(Interface),
    /// A function on words, which computes one instance a call.
    Words {
        function: String,
        arguments: Arguments,
    },
}

/// The memory of an argument: the bytes of one block, of all blocks, and of the registers that hold them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operand {
    pub is_result: bool,
    pub block: u64,
    pub bytes: u64,
    pub registers: u64,
}

impl Callee {
    /// The calls of one sample, as pairs of a length and of how often that is called: a number of blocks for slices, else bytes of the message.
    pub fn calls(&self, what: What) -> Vec<(u64, u64)> {
        let lengths = match (self, what) {
            (Callee::Slices(interface), What::Registers) => return vec![(u64::from(interface.instances), 1)],
            (Callee::Words { .. }, What::Registers) => Lengths { short: 0, long: 0 },
            (_, What::Bytes(lengths)) => lengths,
        };
        let length = |bytes: u64| match self {
            Callee::Slices(interface) => bytes.div_ceil(bytes_a_block(interface).max(1)).max(1),
            Callee::Words { arguments, .. } => arguments.whole(bytes),
        };
        match (length(lengths.short), length(lengths.long)) {
            (short, long) if short == long => vec![(long, 1)],
            (short, long) => vec![(short, (lengths.long / lengths.short.max(1)).max(1)), (long, 1)],
        }
    }

    /// The greatest length of a call.
    pub fn longest(&self, what: What) -> u64 {
        self.calls(what).into_iter().map(|(length, _)| length).max().unwrap_or(1)
    }

    /// The bytes by which the time of one sample's calls is divided: those of results for slices, and those of messages otherwise. One for a
    /// function without streams, whose figure is the time of a call.
    pub fn bytes_a_sample(&self, what: What) -> u64 {
        let length: u64 = self.calls(what).into_iter().map(|(length, times)| length * times).sum();
        match self {
            Callee::Slices(interface) => length * bytes_a_block(interface),
            Callee::Words { arguments, .. } if arguments.element().is_some() => length,
            Callee::Words { .. } => 1,
        }
    }

    /// The arguments in memory that is long enough for all calls, results first.
    pub fn operands(&self, what: What) -> Vec<Operand> {
        let longest = self.longest(what);
        match self {
            Callee::Slices(interface) => {
                let operand = |argument: &culet_emit::Argument| Operand {
                    is_result: argument.is_result,
                    block: argument.bytes.max(1),
                    bytes: argument.bytes * if argument.shared { 1 } else { longest },
                    // No register is longer than 64 bytes.
                    registers: 64 * u64::from(argument.registers),
                };
                interface.arguments.iter().map(operand).collect()
            }
            Callee::Words { arguments, .. } => {
                let operand = |is_result, bytes: u64| Operand { is_result, block: bytes.max(1), bytes, registers: 0 };
                let results = (0..arguments.results.len()).map(|place| arguments.result_bytes(place, longest));
                let parameters = (0..arguments.parameters.len()).map(|place| arguments.bytes(place, longest));
                let results = results.map(|bytes| operand(true, bytes));
                results.chain(parameters.map(|bytes| operand(false, bytes))).collect()
            }
        }
    }

    /// The C statement that makes a call of this length.
    pub fn call(&self, length: u64) -> String {
        let mut given = self.given();
        let function = match self {
            Callee::Slices(interface) => {
                given.push(length.to_string());
                &interface.run
            }
            Callee::Words { function, arguments } => {
                let results = arguments.results.len();
                for place in (0..arguments.parameters.len()).rev().filter(|&place| arguments.parameters[place].stream) {
                    given.insert(results + place + 1, arguments.bytes(place, length).to_string());
                }
                function
            }
        };
        format!("{function}({});", given.join(", "))
    }

    /// The C statement that is timed.
    pub fn timed(&self, what: What) -> String {
        if let (Callee::Slices(interface), What::Registers) = (self, what) {
            return format!("{}({});", interface.sliced, self.given().join(", "));
        }
        let calls = self.calls(what).into_iter();
        let repeated =
            |(length, times)| format!("for (size_t k = 0; k < {times}; k++)\n            {}", self.call(length));
        calls.map(repeated).collect::<Vec<String>>().join("\n        ")
    }

    /// The pointers of a call, in the order of its arguments.
    fn given(&self) -> Vec<String> {
        let are_results: Vec<bool> = self.operands(What::default()).iter().map(|operand| operand.is_result).collect();
        let (mut results, mut parameters) = (0, 0);
        let pointer = |is_result: bool| {
            let (array, index) = if is_result { ("outputs", &mut results) } else { ("inputs", &mut parameters) };
            *index += 1;
            format!("(void *){array}[{}]", *index - 1)
        };
        are_results.into_iter().map(pointer).collect()
    }
}

/// Bytes of results of one block.
fn bytes_a_block(interface: &Interface) -> u64 {
    interface.arguments.iter().filter(|argument| argument.is_result).map(|argument| argument.bytes).sum()
}

/// Parameters and results of a node. The message of a function is made of the streams that results are as long as, or is the last
/// stream if there are no such results. Other streams, such as data that a tag covers, are short.
#[derive(Debug, Clone)]
pub struct Arguments {
    parameters: Vec<Parameter>,
    results: Vec<Parameter>,
}

/// The bytes of streams beside the message, if these are whole elements.
const BESIDE: u64 = 16;

impl Arguments {
    /// # Errors
    ///
    /// If the program is wrong.
    pub fn of(source: &Source, options: &Options) -> Result<Arguments, Diagnostics> {
        let engine = Maker::Interpreter.engine(source, options)?;
        Ok(Arguments::new((engine.inputs().to_vec(), engine.outputs().to_vec())))
    }

    pub(crate) fn new((parameters, results): (Vec<Parameter>, Vec<Parameter>)) -> Arguments {
        Arguments { parameters, results }
    }

    fn is_message(&self, place: usize) -> bool {
        let mut sources = self.results.iter().filter_map(|result| result.source).peekable();
        match sources.peek() {
            Some(_) => sources.any(|source| source == place),
            None => self.parameters.iter().rposition(|parameter| parameter.stream) == Some(place),
        }
    }

    fn streams(&self, are_messages: bool) -> impl Iterator<Item = usize> {
        let places = 0..self.parameters.len();
        places.filter(move |&place| self.parameters[place].stream && self.is_message(place) == are_messages)
    }

    /// The names of the streams that are the message.
    pub fn message(&self) -> Vec<&str> {
        self.streams(true).map(|place| self.parameters[place].name.as_str()).collect()
    }

    /// The names of other streams, with their lengths in bytes.
    pub fn beside(&self) -> Vec<(&str, u64)> {
        self.streams(false).map(|place| (self.parameters[place].name.as_str(), self.bytes(place, 0))).collect()
    }

    /// The bytes of which the length of a message is a multiple; none without a stream.
    pub fn element(&self) -> Option<u64> {
        let elements: Vec<u64> = self.streams(true).map(|place| self.parameters[place].bytes.max(1) as u64).collect();
        let largest = elements.iter().copied().max()?;
        let is_multiple = |bytes: &u64| elements.iter().all(|element| bytes.is_multiple_of(*element));
        (1..=elements.iter().product()).map(|times| times * largest).find(is_multiple)
    }

    /// The length of the longest message of whole elements that has at most so many bytes, or one element.
    pub fn whole(&self, bytes: u64) -> u64 {
        self.element().map_or(0, |element| (bytes / element).max(1) * element)
    }

    /// The bytes of a parameter beside a message of this length.
    pub(crate) fn bytes(&self, place: usize, message: u64) -> u64 {
        let Parameter { bytes, stream, .. } = self.parameters[place];
        match (stream, self.is_message(place)) {
            (false, _) => bytes as u64,
            (true, true) => message,
            (true, false) => BESIDE.next_multiple_of(bytes.max(1) as u64),
        }
    }

    /// The bytes of a result of a message of this length.
    fn result_bytes(&self, place: usize, message: u64) -> u64 {
        let Parameter { bytes, source, .. } = self.results[place];
        let elements =
            source.map_or(1, |source| self.bytes(source, message) / self.parameters[source].bytes.max(1) as u64);
        elements * bytes as u64
    }
}
