//! A kernel ready to be timed: compiled, loaded, with memory for its registers.

use culet_diag::Diagnostics;
use culet_driver::{Compiled, Options, Source, compile};
use culet_meaning::layout::byte_length;
use culet_meaning::packing::image_length;
use culet_native::{CCompiler, Extent, Kernel};
use culet_types::program::VarId;

use crate::clock::ticks;

/// What a kernel was made by.
#[derive(Debug, Clone)]
pub struct Choice {
    pub options: Options,
    pub compiler: CCompiler,
    pub flags: Vec<&'static str>,
}

/// One cache line, so that buffers are aligned for every register.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Memory of some bytes, aligned to 64.
struct Buffer {
    lines: Vec<Line>,
    bytes: usize,
}

impl Buffer {
    fn new(bytes: usize) -> Buffer {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut line = || {
            let mut line = Line([0; 64]);
            for byte in &mut line.0 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *byte = (state >> 56) as u8;
            }
            line
        };
        Buffer { lines: (0..bytes.div_ceil(64)).map(|_| line()).collect(), bytes }
    }

    fn as_slice(&self) -> &[u8] {
        &self.lines.as_flattened_bytes()[..self.bytes]
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        let bytes = self.bytes;
        &mut self.lines.as_flattened_bytes_mut()[..bytes]
    }
}

trait Flatten {
    fn as_flattened_bytes(&self) -> &[u8];
    fn as_flattened_bytes_mut(&mut self) -> &mut [u8];
}

impl Flatten for Vec<Line> {
    fn as_flattened_bytes(&self) -> &[u8] {
        // SAFETY: a `Line` is 64 bytes without padding.
        unsafe { std::slice::from_raw_parts(self.as_ptr().cast(), self.len() * 64) }
    }

    fn as_flattened_bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: a `Line` is 64 bytes without padding, and any bytes make one.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr().cast(), self.len() * 64) }
    }
}

/// Which function is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Registers to registers.
    Sliced,
    /// Bytes to bytes, packing included, for one call's number of instances.
    Bytes,
}

pub struct Timed {
    kernel: Kernel,
    inputs: Vec<Buffer>,
    outputs: Vec<Buffer>,
    /// Bytes of results a call.
    pub bytes: usize,
    /// Calls a sample.
    calls: usize,
    /// Ticks a byte.
    pub samples: Vec<f64>,
}

impl Timed {
    /// Compiles and loads; the first call's result is thrown away.
    pub fn new(source: &Source, choice: &Choice, what: What) -> Result<Timed, String> {
        let (compiled, diagnostics) = compile(source, &source.stem, &choice.options, &Diagnostics::new());
        let compiled = compiled.ok_or_else(|| messages(&diagnostics))?;
        let shim = shim(&compiled, what);
        let (header, c) = (format!("{}.h", source.stem), format!("{}.c", source.stem));
        let object = choice
            .compiler
            .shared_object(
                &[(&header, &compiled.c.header), (&c, &compiled.c.source), ("shim.c", &shim)],
                choice.options.target,
                &choice.flags,
            )
            .map_err(|e| e.to_string())?;
        let sizes = |ids: &[VarId]| -> Vec<usize> { ids.iter().map(|&id| size(&compiled, id, what)).collect() };
        let node = compiled.lowered.program.entry();
        let (input_sizes, output_sizes) = (sizes(&node.params), sizes(&node.returns));
        let fixed = |sizes: &[usize]| sizes.iter().map(|&fixed| Extent { fixed, per_count: 0 }).collect();
        // SAFETY: the shim has the fixed signature and the sizes are those of the layout; the caller chose a target that
        // this CPU runs.
        let kernel = unsafe { Kernel::load(object, "shim", fixed(&output_sizes), fixed(&input_sizes)) }
            .map_err(|e| e.to_string())?;
        let instances = compiled.lowered.layout.instances() as usize;
        let bytes = node.returns.iter().map(|&id| byte_length(&node.var(id).ty) as usize * instances).sum();
        let buffers = |sizes: Vec<usize>| sizes.into_iter().map(Buffer::new).collect();
        let mut timed = Timed {
            kernel,
            inputs: buffers(input_sizes),
            outputs: buffers(output_sizes),
            bytes,
            calls: 1,
            samples: Vec::new(),
        };
        timed.run();
        Ok(timed)
    }

    /// Chooses the number of calls so that a sample takes about 100 µs: short enough to fit between two interruptions, long
    /// enough for the clock.
    pub fn calibrate(&mut self) {
        let once = (0..3).map(|_| self.run()).min().unwrap_or(1).max(1);
        self.calls = (250_000 / once).clamp(1, 100_000) as usize;
    }

    /// Ticks of one run of `calls` calls.
    fn run(&mut self) -> u64 {
        let mut outputs: Vec<&mut [u8]> = self.outputs.iter_mut().map(Buffer::as_mut_slice).collect();
        let inputs: Vec<&[u8]> = self.inputs.iter().map(Buffer::as_slice).collect();
        let start = ticks();
        self.kernel.call(&mut outputs, &inputs, self.calls);
        ticks() - start
    }

    /// Gives the operands other memory. The old memory is freed only afterwards, so that it is not handed out again.
    pub fn move_operands(&mut self) {
        let move_all = |buffers: &mut Vec<Buffer>| {
            let moved = buffers.iter().map(|buffer| Buffer::new(buffer.bytes)).collect();
            std::mem::replace(buffers, moved)
        };
        let old = (move_all(&mut self.inputs), move_all(&mut self.outputs));
        self.run();
        drop(old);
    }

    pub fn sample(&mut self) {
        let elapsed = self.run();
        self.samples.push(elapsed as f64 / (self.calls * self.bytes) as f64);
    }
}

fn size(compiled: &Compiled, id: VarId, what: What) -> usize {
    let var = compiled.lowered.program.entry().var(id);
    let layout = &compiled.lowered.layout;
    match what {
        What::Sliced => image_length(layout, &var.ty, var.shared),
        What::Bytes if var.shared => byte_length(&var.ty) as usize,
        What::Bytes => byte_length(&var.ty) as usize * layout.instances() as usize,
    }
}

fn messages(diagnostics: &Diagnostics) -> String {
    diagnostics.iter().filter(|d| d.is_error()).map(|d| d.message.clone()).collect::<Vec<_>>().join("; ")
}

/// C that calls the function `count` times.
fn shim(compiled: &Compiled, what: What) -> String {
    let interface = &compiled.c.interface;
    let (mut results, mut parameters) = (0, 0);
    let mut arguments = Vec::new();
    for argument in &interface.arguments {
        let (pointer, index) = if argument.is_result {
            ("(void *)outputs", &mut results)
        } else {
            ("(const void *)inputs", &mut parameters)
        };
        arguments.push(format!("{pointer}[{index}]"));
        *index += 1;
    }
    let function = match what {
        What::Sliced => &interface.sliced,
        What::Bytes => &interface.blocks,
    };
    let prefix = interface.sliced.trim_end_matches("_sliced").to_ascii_uppercase();
    format!(
        "#include <stddef.h>\n#include <stdint.h>\n#define {prefix}_SLICED_API\n#include \"{stem}.h\"\n\
         void shim(uint8_t *const *outputs, const uint8_t *const *inputs, size_t count);\n\
         void shim(uint8_t *const *outputs, const uint8_t *const *inputs, size_t count) {{\n\
         \x20   for (size_t i = 0; i < count; i++) {function}({arguments});\n}}\n",
        stem = compiled.stem,
        arguments = arguments.join(", "),
    )
}
