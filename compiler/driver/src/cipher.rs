//! Ciphers made from a primitive's nodes, on which the modes of operation run.

use std::sync::Arc;

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics, counted};
use culet_ir::Target;
use culet_native::CCompiler;
use culet_types::program::ByteOrder;

use crate::choices;
use crate::engine::Engine;
use crate::kernel::Kernel;
use crate::load::Source;
use crate::modes::{BlockCipher, Direction, ModeError};
use crate::options::Options;
use crate::parameters::Parameter;
use crate::primitive::{Primitive, StreamCipher};
use crate::program::elaborate;

/// How engines are made: with the interpreter, or with a C compiler and its flags.
#[derive(Debug, Clone)]
pub enum Maker {
    Interpreter,
    Compiler { compiler: CCompiler, flags: Vec<String> },
}

impl Maker {
    /// A C compiler with flags for fast code.
    pub fn fast(compiler: CCompiler) -> Maker {
        Maker::Compiler { compiler, flags: vec!["-O3".into()] }
    }

    /// The widest target whose kernels run, on this CPU or under the compiler's runner.
    pub fn best_target(&self) -> Target {
        match self {
            Maker::Interpreter => culet_native::best_target(),
            Maker::Compiler { compiler, .. } => compiler.best_target(),
        }
    }

    /// An engine for the node that `options` names. Warnings are dropped, since `check` reports them.
    pub fn engine(&self, source: &Source, options: &Options) -> Result<Engine, Diagnostics> {
        match self {
            Maker::Interpreter => {
                let (program, diagnostics) = elaborate(source, &options.in_any_direction());
                let program = program.ok_or(diagnostics)?;
                choices::check_slicing(&program, options)?;
                Engine::interpreter(program)
            }
            Maker::Compiler { compiler, flags } => {
                let (kernel, diagnostics) = Kernel::of(source, &source.stem, options, &Diagnostics::new());
                let kernel = kernel.ok_or(diagnostics)?;
                let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
                Engine::native(&kernel, compiler, &flags).map_err(|e| e.diagnostic().into())
            }
        }
    }
}

/// How the key of a block cipher becomes its round keys.
pub enum KeySchedule {
    /// By a node with the name that the description gives. It is interpreted, since one key is expanded at a time.
    Node(String, Engine),
    /// The cipher takes the key as it is.
    Same,
}

impl KeySchedule {
    /// The key schedule of a primitive; none if it is no block cipher.
    pub fn of(source: &Source, primitive: &Primitive) -> Result<Option<KeySchedule>, Diagnostics> {
        let Some(block) = &primitive.block else { return Ok(None) };
        let Some(node) = &block.key_schedule else { return Ok(Some(KeySchedule::Same)) };
        let options = Options { node: Some(node.clone()), ..Options::new(Target::C64) };
        let engine = Maker::Interpreter.engine(source, &options)?;
        Ok(Some(KeySchedule::Node(node.clone(), engine)))
    }

    /// The number of bytes of a key of a cipher that takes these round keys.
    pub fn key_bytes(&self, round_keys: &Parameter) -> usize {
        match self {
            KeySchedule::Node(_, engine) => engine.inputs().first().map_or(0, |key| key.bytes),
            KeySchedule::Same => round_keys.bytes,
        }
    }

    /// The round keys of a key, for a cipher that takes them by this parameter of `node`.
    pub fn expand(&self, key: &[u8], round_keys: &Parameter, node: &str) -> Result<Vec<u8>, Diagnostics> {
        let wanted = self.key_bytes(round_keys);
        let KeySchedule::Node(own, engine) = self else {
            return if key.len() == wanted {
                Ok(key.to_vec())
            } else {
                Err(wrong_length("the key", wanted, key.len()))
            };
        };
        let ([_], [result]) = (engine.inputs(), engine.outputs()) else {
            let message = format!("`{own}` must have one parameter, the key, and one result, the round keys");
            return Err(misfit(message));
        };
        if result.bytes != round_keys.bytes {
            let message = format!(
                "`{own}` gives {}, but `{}` of `{node}` has {}",
                counted(result.bytes, "byte"),
                round_keys.name,
                round_keys.bytes
            );
            return Err(misfit(message));
        }
        if key.len() != wanted {
            return Err(wrong_length("the key", wanted, key.len()));
        }
        Ok(engine.run(&[key], 1).swap_remove(0))
    }
}

fn misfit(message: String) -> Diagnostics {
    Diagnostic::error_without_place(&world::E0831, message).into()
}

/// The error for a primitive that has no such mode, with the modes that it has, if it is a cipher.
fn of_another_kind(message: String, is_cipher: bool, modes: &str) -> Diagnostics {
    let diagnostic = Diagnostic::error_without_place(&world::E0831, message);
    if is_cipher { diagnostic.note(modes).into() } else { diagnostic.into() }
}

fn wrong_length(what: &str, expected: usize, found: usize) -> Diagnostics {
    Diagnostic::error_without_place(
        &world::E0811,
        format!("{what} must have {}, not {found}", counted(expected, "byte")),
    )
    .into()
}

/// A block cipher under one key, in one direction.
pub struct KeyedBlock {
    engine: Arc<Engine>,
    /// Position of the block among the parameters.
    block: usize,
    round_keys: Vec<u8>,
    block_bytes: usize,
}

impl KeyedBlock {
    /// Makes the cipher. `options` gives slicing and target; the primitive and the direction decide the node.
    pub fn new(
        source: &Source,
        primitive: &Primitive,
        direction: Direction,
        key: &[u8],
        options: &Options,
        maker: &Maker,
    ) -> Result<KeyedBlock, Diagnostics> {
        let (Some(block), Some(schedule)) = (&primitive.block, KeySchedule::of(source, primitive)?) else {
            let message = format!("{} is not a block cipher", primitive.name);
            return Err(of_another_kind(message, primitive.stream.is_some(), "a stream cipher has `--mode stream`"));
        };
        let node = match direction {
            Direction::Encrypt => &block.encrypt,
            Direction::Decrypt => block.decrypt.as_ref().ok_or_else(|| {
                let message = format!("the description of {} names no node that decrypts", primitive.name);
                let error = Diagnostic::error_without_place(&world::E0831, message);
                error.note("`decrypt` in its table `[block]` names one; `--mode ctr` needs none")
            })?,
        };
        let engine = maker.engine(source, &Options { node: Some(node.clone()), ..options.clone() })?;
        Self::with_engine(Arc::new(engine), node, &schedule, key)
    }

    /// Makes the cipher with an existing engine: that of `node`, which encrypts or decrypts.
    pub fn with_engine(
        engine: Arc<Engine>,
        node: &str,
        schedule: &KeySchedule,
        key: &[u8],
    ) -> Result<KeyedBlock, Diagnostics> {
        let (block, keys) = block_and_keys(&engine, node)?;
        let round_keys = schedule.expand(key, keys, node)?;
        let block_bytes = engine.inputs()[block].bytes;
        match engine.outputs() {
            [result] if result.bytes == block_bytes && block_bytes > 0 => {}
            _ => {
                return Err(misfit(format!(
                    "`{node}` must have one result, a block of {}",
                    counted(block_bytes, "byte")
                )));
            }
        }
        Ok(KeyedBlock { engine, block, round_keys, block_bytes })
    }
}

/// The position of the block among a node's parameters, and its round keys.
pub(crate) fn block_and_keys<'e>(engine: &'e Engine, node: &str) -> Result<(usize, &'e Parameter), Diagnostics> {
    match engine.inputs() {
        [block, keys] if !block.shared && keys.shared => Ok((0, keys)),
        [keys, block] if !block.shared && keys.shared => Ok((1, keys)),
        _ => Err(misfit(format!("`{node}` must have two parameters: the block, and `const` round keys"))),
    }
}

impl BlockCipher for KeyedBlock {
    fn block_bytes(&self) -> usize {
        self.block_bytes
    }

    fn process(&mut self, blocks: &mut [u8]) -> Result<(), String> {
        let mut inputs: [&[u8]; 2] = [&self.round_keys; 2];
        inputs[self.block] = blocks;
        let result = self.engine.compute(&inputs, blocks.len() / self.block_bytes).map_err(|e| e.to_string())?;
        blocks.copy_from_slice(&result[0]);
        Ok(())
    }
}

/// A stream cipher under one key and nonce. Its output is the data xor the node's blocks for counters `first`,
/// `first + 1`, …
pub struct KeyedStream {
    engine: Arc<Engine>,
    /// For each parameter: its fixed value, or `None` for the counter.
    values: Vec<Option<Vec<u8>>>,
    counter: Parameter,
    counter_order: ByteOrder,
    first: u64,
    next: u64,
}

impl KeyedStream {
    /// Makes the cipher. `first` is the counter of the message's first block.
    pub fn new(
        source: &Source,
        primitive: &Primitive,
        key: &[u8],
        nonce: &[u8],
        first: u64,
        options: &Options,
        maker: &Maker,
    ) -> Result<KeyedStream, Diagnostics> {
        let Some(stream) = &primitive.stream else {
            let message = format!("{} is not a stream cipher", primitive.name);
            return Err(of_another_kind(
                message,
                primitive.block.is_some(),
                "a block cipher has `--mode ecb` and `--mode ctr`",
            ));
        };
        let options = Options { node: Some(stream.node.clone()), ..options.clone() };
        let engine = Arc::new(maker.engine(source, &options)?);
        Self::with_engine(engine, source, stream, key, nonce, first, &options)
    }

    /// Makes the cipher with an existing engine, that of the stream's node.
    pub fn with_engine(
        engine: Arc<Engine>,
        source: &Source,
        stream: &StreamCipher,
        key: &[u8],
        nonce: &[u8],
        first: u64,
        options: &Options,
    ) -> Result<KeyedStream, Diagnostics> {
        let options = Options { node: Some(stream.node.clone()), ..options.clone() };
        let mut counter = None;
        let mut values = Vec::new();
        for parameter in engine.inputs() {
            let (what, given) = match &parameter.name {
                name if *name == stream.counter => {
                    counter = Some(parameter.clone());
                    values.push(None);
                    continue;
                }
                name if *name == stream.key => ("the key", key),
                name if *name == stream.nonce => ("the nonce", nonce),
                name => {
                    return Err(misfit(format!("the description says nothing about `{name}` of `{}`", stream.node)));
                }
            };
            if given.len() != parameter.bytes {
                return Err(wrong_length(what, parameter.bytes, given.len()));
            }
            values.push(Some(given.to_vec()));
        }
        let Some(counter) = counter.filter(|c| !c.shared && (1..=8).contains(&c.bytes)) else {
            return Err(misfit(format!("`{}` must have a counter of 1 to 8 bytes that is not const", stream.node)));
        };
        if first > largest(&counter) {
            let message = format!(
                "the counter `{}` has {}: the first block's is from 0 to {}, not {first}",
                counter.name,
                counted(counter.bytes, "byte"),
                largest(&counter)
            );
            return Err(Diagnostic::error_without_place(&world::E0830, message).into());
        }
        if engine.outputs().len() != 1 || engine.outputs()[0].bytes == 0 {
            return Err(misfit(format!("`{}` must have one result, a block of the stream", stream.node)));
        }
        let counter_order = counter_order(source, stream, &options)?;
        Ok(KeyedStream { engine, values, counter, counter_order, first, next: first })
    }

    /// Goes back to the first block, to process the same message again.
    pub fn restart(&mut self) {
        self.next = self.first;
    }

    /// Bytes of key stream that one instance makes.
    pub fn block_bytes(&self) -> usize {
        self.engine.outputs()[0].bytes
    }

    /// Processes the next piece of the message in place. Every piece but the last is a whole number of blocks.
    pub fn process(&mut self, data: &mut [u8]) -> Result<(), ModeError> {
        let blocks = data.len().div_ceil(self.block_bytes());
        let counters = self.counters(blocks)?;
        // An instance has its own nonce and key unless they are `const`.
        let inputs: Vec<Vec<u8>> = self
            .values
            .iter()
            .zip(self.engine.inputs())
            .map(|(value, parameter)| match value {
                None => counters.clone(),
                Some(bytes) if parameter.shared => bytes.clone(),
                Some(bytes) => bytes.repeat(blocks),
            })
            .collect();
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let keystream = self.engine.compute(&inputs, blocks).map_err(|e| ModeError::Cipher(e.to_string()))?;
        data.iter_mut().zip(&keystream[0]).for_each(|(byte, key)| *byte ^= key);
        Ok(())
    }

    /// The bytes of the next `blocks` counters.
    fn counters(&mut self, blocks: usize) -> Result<Vec<u8>, ModeError> {
        let bytes = self.counter.bytes;
        let limit = largest(&self.counter);
        let mut counters = Vec::with_capacity(blocks * bytes);
        for i in 0..blocks as u64 {
            let counter = self.next.checked_add(i).filter(|&c| c <= limit);
            let counter = counter.ok_or(ModeError::CounterRepeats)?;
            match self.counter_order {
                ByteOrder::Little => counters.extend_from_slice(&counter.to_le_bytes()[..bytes]),
                ByteOrder::Big | ByteOrder::Planes => counters.extend_from_slice(&counter.to_be_bytes()[8 - bytes..]),
            }
        }
        self.next = self.next.saturating_add(blocks as u64);
        Ok(counters)
    }
}

/// The largest value of a counter of 1 to 8 bytes.
fn largest(counter: &Parameter) -> u64 {
    u64::MAX >> (64 - 8 * counter.bytes)
}

/// The byte order in which the counter is declared.
fn counter_order(source: &Source, stream: &StreamCipher, options: &Options) -> Result<ByteOrder, Diagnostics> {
    let (program, diagnostics) = elaborate(source, &options.in_any_direction());
    let program = program.ok_or(diagnostics)?;
    let node = program.entry();
    let counter = node.params.iter().map(|&id| node.var(id)).find(|var| var.name == stream.counter);
    Ok(counter.map_or(ByteOrder::Big, |var| var.bytes))
}
