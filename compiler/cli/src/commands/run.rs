//! `culet run`: a node on values, or a cipher on files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use culet_diag::codes::world;
use culet_diag::{Code, Diagnostic};
use culet_driver::{
    BlockCipher, Direction, KeyedBlock, KeyedStream, Maker, Mode, Options, Primitive, Source, Stream, arrange,
    parse_hex, to_hex,
};
use culet_native::CCompiler;

use super::{progress_bar, read};
use crate::args::{EngineArgs, RunArgs, RunMode};
use crate::output::{Failure, Output};

/// Messages are processed in pieces of this size: many calls' worth of blocks, and a whole number of blocks for every
/// cipher with blocks of up to 64 bytes.
const PIECE_BYTES: usize = 3 << 18;

pub fn run(args: &RunArgs, output: Output) -> Result<(), Failure> {
    let (program, description) = locate(&args.file);
    let (source, diagnostics) = read(&program, &args.include, output)?;
    if diagnostics.has_errors() {
        output.diagnostics(&diagnostics, &source.map);
        return Err(Failure::Input);
    }
    let mut options = Options::new(args.engine.target.unwrap_or_else(culet_native::best_target));
    args.instance.apply(&mut options);
    args.choices.apply(&mut options);
    let maker = maker(&args.engine, output)?;
    let job = Job { args, output, source: &source, options, maker };
    match args.mode {
        None => job.values(),
        Some(mode) => {
            let description = description.ok_or_else(|| {
                job.fail(
                    &world::E0831,
                    format!(
                        "`{}` has no description of the same name beside it: give the description (.toml) itself",
                        program.display()
                    ),
                )
            })?;
            let primitive = read_description(&description, output)?;
            job.file(&primitive, mode)
        }
    }
}

/// The program, and its description if there is one: each can stand for the pair.
fn locate(file: &Path) -> (PathBuf, Option<PathBuf>) {
    if file.extension().is_some_and(|e| e == "toml") {
        let program = fs::read_to_string(file)
            .ok()
            .and_then(|text| Primitive::parse(&text).ok())
            .map_or_else(|| file.with_extension("ua"), |p| file.with_file_name(p.source));
        (program, Some(file.to_path_buf()))
    } else {
        let description = file.with_extension("toml");
        (file.to_path_buf(), description.is_file().then_some(description))
    }
}

pub fn read_description(path: &Path, output: Output) -> Result<Primitive, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", path.display());
        output.fail(Diagnostic::error_without_place(&world::E0801, message))
    })?;
    Primitive::parse(&text).map_err(|error| {
        let message = format!("`{}` is not a description of a primitive", path.display());
        output
            .fail(Diagnostic::error_without_place(&culet_diag::codes::answers::E0901, message).note(error.to_string()))
    })
}

fn maker(args: &EngineArgs, output: Output) -> Result<Maker, Failure> {
    if args.interpret {
        return Ok(Maker::Interpreter);
    }
    match CCompiler::find(args.cc.as_deref()) {
        Ok(compiler) => Ok(Maker::fast(compiler)),
        Err(error) => Err(output.fail(culet_driver::EngineError::from(error).diagnostic())),
    }
}

struct Job<'a> {
    args: &'a RunArgs,
    output: Output,
    source: &'a Source,
    options: Options,
    maker: Maker,
}

impl Job<'_> {
    fn fail(&self, code: &'static Code, message: String) -> Failure {
        self.output.fail(Diagnostic::error_without_place(code, message))
    }

    fn report(&self, diagnostics: &culet_diag::Diagnostics) -> Failure {
        self.output.report(diagnostics, &self.source.map)
    }

    fn hex(&self, what: &str, text: &str) -> Result<Vec<u8>, Failure> {
        parse_hex(text).map_err(|error| self.fail(&world::E0812, format!("{what}: {error}")))
    }

    /// `--input NAME=HEX …`: one instance, its results to stdout.
    fn values(&self) -> Result<(), Failure> {
        let mut given = BTreeMap::new();
        for input in &self.args.inputs {
            let (name, value) = input
                .split_once('=')
                .ok_or_else(|| self.fail(&world::E0830, format!("`--input {input}` is not of the form NAME=HEX")))?;
            if given.insert(name.to_owned(), self.hex(name, value)?).is_some() {
                return Err(self.fail(&world::E0830, format!("two values for `{name}`")));
            }
        }
        let engine = self.maker.engine(self.source, &self.options).map_err(|d| self.report(&d))?;
        let inputs = arrange(engine.inputs(), &given).map_err(|error| self.fail(&world::E0811, error.to_string()))?;
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let results = engine.run(&inputs, 1);
        let text: String = engine
            .outputs()
            .iter()
            .zip(&results)
            .map(|(parameter, bytes)| format!("{} = {}\n", parameter.name, to_hex(bytes)))
            .collect();
        self.write(text.as_bytes())
    }

    /// `--mode …`: a file through a cipher.
    fn file(&self, primitive: &Primitive, mode: RunMode) -> Result<(), Failure> {
        if mode != RunMode::Stream && self.args.counter.is_some() {
            return Err(self.fail(&world::E0830, "`--counter` is for `--mode stream`; `ctr` has `--iv`".into()));
        }
        if self.args.instance.node.is_some() {
            let message = "`--node` does not go with `--mode`: the description says which nodes encrypt and decrypt";
            return Err(self.fail(&world::E0830, message.into()));
        }
        if mode == RunMode::Ecb && self.args.iv.is_some() {
            return Err(self.fail(&world::E0830, "ECB has no initial value: leave `--iv` out".into()));
        }
        if mode != RunMode::Ecb && self.args.iv.is_none() {
            return Err(self.fail(&world::E0811, "`--iv` is missing: the first counter block, or the nonce".into()));
        }
        let key = self.hex("--key", self.args.key.as_deref().unwrap_or(""))?;
        let iv = self.hex("--iv", self.args.iv.as_deref().unwrap_or(""))?;
        let mut data = self.input()?;
        let bar = progress_bar(data.len() as u64, self.output);
        if mode == RunMode::Stream {
            let first = self.args.counter.unwrap_or_else(|| primitive.first_counter());
            let mut cipher = KeyedStream::new(self.source, primitive, &key, &iv, first, &self.options, &self.maker)
                .map_err(|d| self.report(&d))?;
            let piece = PIECE_BYTES / cipher.block_bytes() * cipher.block_bytes();
            for piece in data.chunks_mut(piece) {
                cipher.process(piece).map_err(|message| self.fail(&world::E0811, message))?;
                bar.inc(piece.len() as u64);
            }
        } else {
            let (mode, direction) = match mode {
                RunMode::Ecb if self.args.decrypt => (Mode::Ecb, Direction::Decrypt),
                RunMode::Ecb => (Mode::Ecb, Direction::Encrypt),
                _ => (Mode::Ctr, Direction::Encrypt),
            };
            let mut cipher = KeyedBlock::new(self.source, primitive, direction, &key, &self.options, &self.maker)
                .map_err(|d| self.report(&d))?;
            let piece = PIECE_BYTES / cipher.block_bytes() * cipher.block_bytes();
            let mut stream = Stream::new(mode, &iv, cipher.block_bytes())
                .map_err(|error| self.fail(&world::E0811, error.to_string()))?;
            for piece in data.chunks_mut(piece) {
                stream.process(&mut cipher, piece).map_err(|e| self.fail(&world::E0811, e.to_string()))?;
                bar.inc(piece.len() as u64);
            }
        }
        bar.finish_and_clear();
        self.write(&data)
    }

    fn write(&self, data: &[u8]) -> Result<(), Failure> {
        match self.args.output.as_deref() {
            None => self.output.data(data),
            Some(path) if path == Path::new("-") => self.output.data(data),
            Some(path) => self.output.write_files(&[(path.to_path_buf(), data)]),
        }
    }

    fn input(&self) -> Result<Vec<u8>, Failure> {
        let path = self.args.data.as_deref().unwrap_or(Path::new("-"));
        let result = if path == Path::new("-") {
            let mut data = Vec::new();
            io::stdin().lock().read_to_end(&mut data).map(|_| data)
        } else {
            fs::read(path)
        };
        result.map_err(|error| self.fail(&world::E0801, format!("cannot read `{}`: {error}", path.display())))
    }
}
