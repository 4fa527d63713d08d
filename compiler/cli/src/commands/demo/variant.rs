//! One way to compile the cipher: it is made, checked against the known answers, used on the message, and measured.

use std::sync::Arc;
use std::time::{Duration, Instant};

use culet_diag::Diagnostics;
use culet_driver::{
    BlockCipher, Engine, Kernel, KeySchedule, KeyedBlock, KeyedStream, Maker, Mode, Options, Primitive, Source, Stream,
    check_answer, slicing_name,
};
use culet_ir::Target;
use culet_native::CCompiler;
use culet_types::program::Slicing;

/// The input of every variant: the cipher, and a message with the ciphertext that the interpreter gives for its start.
pub struct Subject<'a> {
    pub primitive: &'a Primitive,
    pub source: &'a Source,
    pub slicings: Vec<(Slicing, Option<u32>)>,
    pub message: Vec<u8>,
    schedule: Option<KeySchedule>,
    key: Vec<u8>,
    iv: Vec<u8>,
    /// The start of the ciphertext, computed by the interpreter.
    expected: Vec<u8>,
}

/// Number of bytes of every ciphertext that are compared with the interpreter's.
const CHECKED_BYTES: usize = 2048;

impl<'a> Subject<'a> {
    pub fn new(primitive: &'a Primitive, source: &'a Source, message: Vec<u8>) -> Result<Self, Diagnostics> {
        let slicings = primitive.slicings();
        let mut subject = Subject {
            primitive,
            source,
            slicings,
            message,
            schedule: KeySchedule::of(source, primitive)?,
            key: Vec::new(),
            iv: Vec::new(),
            expected: Vec::new(),
        };
        let (key_bytes, iv_bytes) = subject.key_and_iv_bytes()?;
        subject.key = (0..key_bytes as u8).map(|i| i.wrapping_mul(17)).collect();
        subject.iv = (0..iv_bytes as u8).map(|i| i ^ 0xa5).collect();
        let options = subject.options((subject.slicings[0], Target::C64));
        let engine = Maker::Interpreter.engine(source, &options)?;
        let mut cipher = Cipher::new(&subject, &options, Arc::new(engine))?;
        let mut start = subject.message[..subject.message.len().min(CHECKED_BYTES)].to_vec();
        cipher.process(&subject.iv, &mut start);
        subject.expected = start;
        Ok(subject)
    }

    /// Lengths in bytes of the key and of the initial value or nonce.
    fn key_and_iv_bytes(&self) -> Result<(usize, usize), Diagnostics> {
        let Some(main) = self.primitive.main_node() else { return Ok((0, 0)) };
        let options = Options { node: Some(main.to_owned()), ..self.options((self.slicings[0], Target::C64)) };
        let engine = Maker::Interpreter.engine(self.source, &options)?;
        Ok(match (&self.primitive.stream, &self.schedule) {
            (Some(stream), _) => {
                let bytes = |name: &str| engine.inputs().iter().find(|p| p.name == name).map_or(0, |p| p.bytes);
                (bytes(&stream.key), bytes(&stream.nonce))
            }
            (None, Some(schedule)) => {
                let keys = engine.inputs().iter().find(|parameter| parameter.shared);
                (keys.map_or(0, |keys| schedule.key_bytes(keys)), engine.outputs()[0].bytes)
            }
            (None, None) => (0, 0),
        })
    }

    fn options(&self, ((slicing, word), target): ((Slicing, Option<u32>), Target)) -> Options {
        let node = self.primitive.main_node().map(str::to_owned);
        Options { node, slicing: Some(slicing), word, ..Options::new(target) }
    }
}

enum Cipher {
    Block(KeyedBlock),
    Stream(KeyedStream),
}

impl Cipher {
    /// Makes the cipher with the engine of the primitive's main node.
    fn new(subject: &Subject, options: &Options, engine: Arc<Engine>) -> Result<Cipher, Diagnostics> {
        let Subject { primitive, source, key, iv, schedule, .. } = subject;
        match (&primitive.stream, &primitive.block, schedule) {
            (Some(stream), ..) => {
                KeyedStream::with_engine(engine, source, stream, key, iv, 0, options).map(Cipher::Stream)
            }
            (None, Some(block), Some(schedule)) => {
                KeyedBlock::with_engine(engine, &block.encrypt, schedule, key).map(Cipher::Block)
            }
            _ => Err(Diagnostics::new()),
        }
    }

    /// Encrypts or decrypts in CTR, or with the key stream. Lengths fit by construction.
    fn process(&mut self, iv: &[u8], data: &mut [u8]) -> bool {
        match self {
            Cipher::Block(cipher) => {
                let pieces = 1 << 16;
                let Ok(mut stream) = Stream::new(Mode::Ctr, iv, cipher.block_bytes()) else { return false };
                data.chunks_mut(pieces).all(|piece| stream.process(cipher, piece).is_ok())
            }
            Cipher::Stream(cipher) => {
                cipher.restart();
                cipher.process(data).is_ok()
            }
        }
    }
}

pub struct Variant {
    pub options: Options,
    pub slicing: String,
    pub engine: String,
    /// Instances a call of the kernel; 1 for the interpreter.
    pub instances: u32,
    pub culet: Duration,
    pub cc: Duration,
    pub answers: usize,
    pub answers_right: usize,
    pub round_trip: bool,
    cipher: Cipher,
    engine_used: Arc<Engine>,
    samples: Vec<Duration>,
}

impl Variant {
    pub fn new(
        subject: &Subject,
        maker: &Maker,
        compiler: Option<&CCompiler>,
        choice: ((Slicing, Option<u32>), Target),
    ) -> Result<Variant, Diagnostics> {
        let options = subject.options(choice);
        let ((slicing, word), target) = choice;
        let (instances, culet) =
            if compiler.is_some() { compile_time(subject, &options)? } else { (1, Duration::ZERO) };
        let start = Instant::now();
        let engine = Arc::new(maker.engine(subject.source, &options)?);
        let cc = start.elapsed().saturating_sub(culet);
        let mut variant = Variant {
            slicing: format!("{}{}", slicing_name(slicing), word.map_or_else(String::new, |w| w.to_string())),
            engine: if compiler.is_some() { target.name().to_owned() } else { "interpreter".into() },
            instances,
            culet,
            cc,
            answers: subject.primitive.known_answer.len(),
            answers_right: 0,
            round_trip: false,
            cipher: Cipher::new(subject, &options, Arc::clone(&engine))?,
            engine_used: Arc::clone(&engine),
            samples: Vec::new(),
            options,
        };
        variant.answers_right = right_answers(subject, &engine, &variant.options)?;
        variant.round_trip = variant.goes_round(subject);
        Ok(variant)
    }

    /// Encrypts the message, compares the ciphertext with the interpreter's, decrypts it, and compares the result with
    /// the message.
    fn goes_round(&mut self, subject: &Subject) -> bool {
        let mut data = subject.message.clone();
        let encrypted = self.cipher.process(&subject.iv, &mut data);
        let right = encrypted && data.starts_with(&subject.expected) && data != subject.message;
        let decrypted = self.cipher.process(&subject.iv, &mut data);
        right && decrypted && data == subject.message
    }

    pub fn measure(&mut self, subject: &Subject) {
        let mut data = subject.message.clone();
        let start = Instant::now();
        self.cipher.process(&subject.iv, &mut data);
        self.samples.push(start.elapsed());
        std::hint::black_box(data);
    }

    pub fn median(&self) -> Duration {
        let mut sorted = self.samples.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }

    /// Megabytes of the message a second, in the median sample.
    pub fn megabytes_per_second(&self, subject: &Subject) -> f64 {
        subject.message.len() as f64 / 1e6 / self.median().as_secs_f64().max(1e-9)
    }

    /// The file that holds the kernel which was used; `None` for the interpreter.
    pub fn machine_code(&self) -> Option<Vec<u8>> {
        self.engine_used.machine_code()
    }

    pub fn is_right(&self) -> bool {
        self.round_trip && self.answers_right == self.answers
    }

    pub fn summary(&self) -> String {
        format!(
            "{:<4} {:<12} culet {:>4} ms, C {:>5.1} s, {} of {} known answers, file {}",
            self.slicing,
            self.engine,
            self.culet.as_millis(),
            self.cc.as_secs_f64(),
            self.answers_right,
            self.answers,
            if self.round_trip { "came back" } else { "WRONG" },
        )
    }
}

/// The number of instances a call, and the time that culet takes from source to C.
fn compile_time(subject: &Subject, options: &Options) -> Result<(u32, Duration), Diagnostics> {
    let start = Instant::now();
    let (kernel, diagnostics) = Kernel::of(subject.source, "demo", options, &Diagnostics::new());
    let kernel = kernel.ok_or(diagnostics)?;
    Ok((kernel.instances(), start.elapsed()))
}

/// Counts the known answers that come out right. The main node's are computed by its engine, the other nodes' by the
/// interpreter.
fn right_answers(subject: &Subject, main: &Engine, options: &Options) -> Result<usize, Diagnostics> {
    let mut right = 0;
    let mut other: Option<(&str, Engine)> = None;
    for answer in &subject.primitive.known_answer {
        let is_main = subject.primitive.main_node() == Some(&answer.node);
        if !is_main && other.as_ref().is_none_or(|(node, _)| *node != answer.node) {
            let options = Options { node: Some(answer.node.clone()), ..options.clone() };
            other = Some((&answer.node, Maker::Interpreter.engine(subject.source, &options)?));
        }
        let engine = match &other {
            Some((_, engine)) if !is_main => engine,
            _ => main,
        };
        right += usize::from(check_answer(engine, subject.schedule.as_ref(), answer, 3).is_ok());
    }
    Ok(right)
}
