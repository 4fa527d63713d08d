//! `culet run`: runs a node on values, or a cipher on files.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use culet_diag::codes::world;
use culet_diag::{Code, Diagnostic};
use culet_driver::{
    BlockCipher, Direction, KeyedBlock, KeyedStream, Maker, Mode, ModeError, Options, Primitive, Source, Stream,
    arrange, parse_hex, to_hex, unreadable,
};
use culet_native::{CCompiler, Runner};

use super::{descriptions, progress_bar, read, working};
use crate::args::{EngineArgs, RunArgs, RunMode};
use crate::files::{Sink, finish_all};
use crate::output::{Failure, Output};

/// Approximate size in bytes of the pieces in which messages are processed: many calls' worth of blocks.
const PIECE_BYTES: usize = 3 << 18;

/// Approximate size of the pieces for the interpreter, which takes as long for one as a kernel for [`PIECE_BYTES`].
const INTERPRETED_BYTES: usize = 3 << 12;

pub fn run(args: &RunArgs, output: Output) -> Result<(), Failure> {
    let (program, description) = descriptions::locate(&args.file, output)?;
    keep_inputs(args, [Some(&program), description.as_ref(), args.data.as_ref()], output)?;
    let (source, diagnostics) = read(&program, &args.include, output)?;
    if diagnostics.has_errors() {
        output.diagnostics(&diagnostics, &source.map);
        return Err(Failure::Input);
    }
    let mut maker = maker(&args.engine, output)?;
    let mut options = Options::new(args.engine.target.unwrap_or_else(|| maker.best_target()));
    args.instance.apply(&mut options);
    args.choices.apply(&mut options);
    if let Some(description) = description.as_ref().filter(|path| **path == args.file)
        && options.slicing.is_none()
        && let Some(&(slicing, word)) = descriptions::read(description, output)?.slicings().first()
    {
        options.slicing = Some(slicing);
        options.word = options.word.or(word);
    }
    // A target that was asked for is never replaced by the interpreter silently.
    if args.engine.target.is_none() {
        options = culet_driver::with_code(&source, options);
        if !culet_driver::has_code(&source, &options) {
            maker = Maker::Interpreter;
        }
    }
    let job = Job { args, output, source: &source, options, maker };
    match args.mode {
        None => job.values(),
        Some(mode) => {
            let description = description.ok_or_else(|| output.fail(descriptions::missing(&program)))?;
            let primitive = descriptions::read(&description, output)?;
            job.file(&primitive, mode)
        }
    }
}

/// Refuses an output that would replace what is read.
fn keep_inputs(args: &RunArgs, read: [Option<&PathBuf>; 3], output: Output) -> Result<(), Failure> {
    let Some(to) = args.output.as_ref().and_then(|path| fs::canonicalize(path).ok()) else { return Ok(()) };
    let of_values = args.inputs.iter().filter_map(|input| Some(PathBuf::from(input.split_once("=@")?.1)));
    let read = read.into_iter().flatten().cloned().chain(of_values);
    let is_it = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|found| found.is_file()) && fs::canonicalize(path).is_ok_and(|path| path == to)
    };
    match read.into_iter().find(is_it) {
        Some(path) => {
            let message = format!("`-o` names `{}`, which is read here, and would be replaced", path.display());
            Err(output
                .fail(Diagnostic::error_without_place(&world::E0830, message).note("give the output another name")))
        }
        None => Ok(()),
    }
}

fn maker(args: &EngineArgs, output: Output) -> Result<Maker, Failure> {
    if args.interpret {
        return Ok(Maker::Interpreter);
    }
    match CCompiler::find(args.cc.as_deref()) {
        Ok(compiler) => Ok(Maker::fast(compiler.with_runner(args.runner.as_deref().map(Runner::new)))),
        Err(error) => {
            let diagnostic = culet_driver::EngineError::from(error).diagnostic();
            Err(output.fail(diagnostic.note("`--interpret` uses the interpreter, which needs none")))
        }
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
        parse_hex(text).map_err(|error| {
            let diagnostic = Diagnostic::error_without_place(&world::E0812, format!("{what}: {error}"));
            let are_several = text.contains(',') && text.contains('=');
            let note = "each parameter has an option of its own: `--input a=01 --input b=02`";
            self.output.fail(if are_several { diagnostic.note(note) } else { diagnostic })
        })
    }

    /// Runs `make`, which makes an engine, and shows progress while a C compiler works.
    fn compiling<T>(&self, make: impl FnOnce() -> T) -> T {
        match &self.maker {
            Maker::Interpreter => make(),
            Maker::Compiler { compiler, .. } => {
                working(&format!("compiling {} with {}", self.source.stem, compiler.name()), self.output, make)
            }
        }
    }

    /// `--input NAME=HEX …`, `--input NAME=@FILE …`: computes one instance and writes its results to stdout.
    fn values(&self) -> Result<(), Failure> {
        let mut given = BTreeMap::new();
        for input in &self.args.inputs {
            let (name, value) = input.split_once('=').ok_or_else(|| {
                let message = format!("`--input {input}` is not of the form NAME=HEX");
                let note =
                    "`--input x=0102` gives the bytes of the parameter `x`, and `--input x=@FILE` those of a file";
                self.output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note))
            })?;
            let bytes = match value.strip_prefix('@') {
                Some(path) => self.bytes_of_file(Path::new(path))?,
                None => self.hex(name, value)?,
            };
            if given.insert(name.to_owned(), bytes).is_some() {
                return Err(self.fail(&world::E0830, format!("two values for `{name}`")));
            }
        }
        let engine = self.compiling(|| self.maker.engine(self.source, &self.options)).map_err(|d| self.report(&d))?;
        if let Some(others) = culet_driver::other_nodes(self.source, &self.options) {
            self.output.progress(&others);
        }
        let inputs = arrange(engine.inputs(), &given).map_err(|error| {
            let note = "`--input NAME=HEX` gives the bytes of a parameter, and `--input NAME=@FILE` those of a file";
            self.output.fail(Diagnostic::error_without_place(&world::E0811, error.to_string()).note(note))
        })?;
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let results = engine.compute(&inputs, 1).map_err(|error| self.fail(&world::E0825, error.to_string()))?;
        let text: String = engine
            .outputs()
            .iter()
            .zip(&results)
            .map(|(parameter, bytes)| format!("{} = {}\n", parameter.name, to_hex(bytes)))
            .collect();
        self.write(text.as_bytes())
    }

    /// `NAME=@FILE`: the bytes of a file; `-` is stdin.
    fn bytes_of_file(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let read = if path == Path::new("-") {
            io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
        } else {
            fs::read(path)
        };
        read.map_err(|error| self.output.fail(unreadable(path, &error)))
    }

    /// `--mode …`: runs a file through a cipher.
    fn file(&self, primitive: &Primitive, mode: RunMode) -> Result<(), Failure> {
        if mode != RunMode::Stream && self.args.counter.is_some() {
            return Err(self.fail(&world::E0830, "`--counter` is for `--mode stream`; `ctr` has `--iv`".into()));
        }
        if self.args.instance.entry.node.is_some() {
            let message = "`--node` does not go with `--mode`: the description says which nodes encrypt and decrypt";
            return Err(self.fail(&world::E0830, message.into()));
        }
        if mode == RunMode::Ecb && self.args.iv.is_some() {
            return Err(self.fail(&world::E0830, "ECB has no initial value: leave `--iv` out".into()));
        }
        if mode != RunMode::Ecb && self.args.iv.is_none() {
            let missing = Diagnostic::error_without_place(&world::E0811, "`--iv` is missing");
            let note = "`--iv HEX` gives the first counter block for `--mode ctr`, and the nonce for `--mode stream`";
            return Err(self.output.fail(missing.note(note)));
        }
        let key = self.hex("--key", self.args.key.as_deref().unwrap_or(""))?;
        let iv = self.hex("--iv", self.args.iv.as_deref().unwrap_or(""))?;
        let input = self.input()?;
        let (block_bytes, mut process) = self.cipher(primitive, mode, &key, &iv)?;
        let about = if self.args.engine.interpret { INTERPRETED_BYTES } else { PIECE_BYTES };
        let piece = (about / block_bytes).max(1) * block_bytes;
        let mut sink = Sink::to(self.args.output.as_deref()).map_err(|e| self.output.unwritten(&e))?;
        let bar = progress_bar(input.length, self.output);
        let mut reader = input.reader;
        let mut data = Vec::with_capacity(piece);
        loop {
            data.clear();
            let read = reader.by_ref().take(piece as u64).read_to_end(&mut data);
            read.map_err(|error| self.unread(&error))?;
            if input.is_endless && sink.is_file() && data.len() == piece {
                let message = format!("`{}` is a device that may never end", self.data_path().display());
                return Err(self.output.fail(
                    Diagnostic::error_without_place(&world::E0801, message)
                        .note("write to stdout (`-o -`) and take as much as you need, for instance with `head -c`"),
                ));
            }
            if !data.is_empty() {
                process(&mut data).map_err(|error| self.output.fail(of_mode(&error)))?;
            }
            match sink.write(&data) {
                Ok(()) => {}
                // The reader of the pipe has seen enough.
                Err(unwritten) if sink.is_stdout() && unwritten.error.kind() == io::ErrorKind::BrokenPipe => break,
                Err(unwritten) => return Err(self.output.unwritten(&unwritten)),
            }
            bar.inc(data.len() as u64);
            if data.len() < piece {
                break;
            }
        }
        bar.finish_and_clear();
        finish_all(vec![sink]).map_err(|unwritten| self.output.unwritten(&unwritten))
    }

    /// The number of bytes of a block, and the function that replaces the next blocks of the message by their images.
    fn cipher(&self, primitive: &Primitive, mode: RunMode, key: &[u8], iv: &[u8]) -> Result<(usize, Process), Failure> {
        let Job { args, source, options, maker, .. } = self;
        if mode == RunMode::Stream {
            let first = args.counter.unwrap_or_else(|| primitive.first_counter());
            let mut cipher =
                KeyedStream::new(source, primitive, key, iv, first, options, maker).map_err(|d| self.report(&d))?;
            return Ok((cipher.block_bytes(), Box::new(move |data| cipher.process(data))));
        }
        let (mode, direction) = match mode {
            RunMode::Ecb if args.decrypt => (Mode::Ecb, Direction::Decrypt),
            RunMode::Ecb => (Mode::Ecb, Direction::Encrypt),
            _ => (Mode::Ctr, Direction::Encrypt),
        };
        let new = || KeyedBlock::new(source, primitive, direction, key, options, maker);
        let mut cipher = self.compiling(new).map_err(|d| self.report(&d))?;
        let block_bytes = cipher.block_bytes();
        let mut stream =
            Stream::new(mode, iv, block_bytes).map_err(|error| self.fail(&world::E0811, error.to_string()))?;
        let process = move |data: &mut [u8]| stream.process(&mut cipher, data);
        Ok((block_bytes, Box::new(process)))
    }

    fn write(&self, data: &[u8]) -> Result<(), Failure> {
        match self.args.output.as_deref() {
            None => self.output.data(data),
            Some(path) if path == Path::new("-") => self.output.data(data),
            Some(path) => self.output.write_files(&[(path.to_path_buf(), data)]),
        }
    }

    fn data_path(&self) -> &Path {
        self.args.data.as_deref().unwrap_or(Path::new("-"))
    }

    fn input(&self) -> Result<Input, Failure> {
        let path = self.data_path();
        if path == Path::new("-") {
            return Ok(Input { reader: Box::new(io::stdin().lock()), length: None, is_endless: false });
        }
        let open = || {
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
            }
            let length = metadata.is_file().then_some(metadata.len());
            let is_endless = is_device(&metadata) && !file.is_terminal();
            Ok(Input { reader: Box::new(file), length, is_endless })
        };
        open().map_err(|error| self.unread(&error))
    }

    fn unread(&self, error: &io::Error) -> Failure {
        self.output.fail(unreadable(self.data_path(), error))
    }
}

/// Replaces the next piece of a message by its image. Every piece but the last is a whole number of blocks.
type Process = Box<dyn FnMut(&mut [u8]) -> Result<(), ModeError>>;

fn of_mode(error: &ModeError) -> Diagnostic {
    let code = if matches!(error, ModeError::Cipher(_)) { &world::E0825 } else { &world::E0811 };
    let diagnostic = Diagnostic::error_without_place(code, error.to_string());
    match error {
        ModeError::PartialBlock { .. } => diagnostic
            .note("ECB takes whole blocks: pad the data as the one who reads it expects, or take `--mode ctr`"),
        _ => diagnostic,
    }
}

/// The message, read as it is needed.
struct Input {
    reader: Box<dyn Read>,
    length: Option<u64>,
    /// A device such as `/dev/zero`.
    is_endless: bool,
}

#[cfg(unix)]
fn is_device(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_char_device()
}

#[cfg(not(unix))]
fn is_device(_: &fs::Metadata) -> bool {
    false
}
