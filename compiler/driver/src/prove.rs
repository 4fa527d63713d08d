//! Proofs of compiled kernels: the input of the prover, and the functions of a kernel.

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_emit::Interface;
use culet_image::Image;
use culet_meaning::layout::reachable;
use culet_prove::hints::{self, Circuits};
use culet_prove::registers;
use culet_prove::run::{self, Blocks};
use culet_prove::source::Specification;
use culet_prove::theorem::{Limits, Proved, Purpose, Rejection, Theorem};
use culet_types::program::{Body, Program, Table};

use crate::sliced::{Lowered, Sliced};

/// The result of proving one function.
pub struct FunctionProof {
    pub symbol: String,
    /// The public lengths for which the proof holds, with their values.
    pub lengths: Vec<(String, u64)>,
    pub outcome: Result<Proved, Rejection>,
    /// The result of running a counterexample, if there is one.
    pub replay: Option<String>,
}

/// The functions of a kernel on slices that have theorems, by their names.
pub(crate) fn functions(interface: &Interface) -> Vec<String> {
    let Interface { sliced, run, blocks, arguments, .. } = interface;
    let packing = arguments.iter().map(|argument| &argument.packing);
    let packing_with = arguments.iter().filter_map(|argument| Some(&argument.packing_with.as_ref()?.0));
    [sliced].into_iter().chain(packing).chain(packing_with).chain([run, blocks]).cloned().collect()
}

/// Proves the functions of a kernel on slices in an image that some C compiler made of its C.
///
/// # Errors
///
/// When a circuit for a table is wrong.
pub(crate) fn each_proof(
    sliced: &Sliced,
    image: &Image,
    limits: &Limits,
    watch: &mut dyn FnMut(&str) -> bool,
    over: &mut dyn FnMut(FunctionProof),
) -> Result<(), Diagnostics> {
    let task = Task::of(sliced)?;
    let specification = task.specification();
    let on_bytes: Vec<_> = task.functions_on_bytes().into_iter().filter(|(symbol, _)| watch(symbol)).collect();
    // The theorems on which callers can rely, and the first function that has none.
    let (mut theorems, mut unproved) = (Vec::new(), None);
    for (symbol, purpose) in task.functions().into_iter().chain(task.functions_with_scratch()) {
        let wanted = watch(&symbol);
        if !wanted && on_bytes.is_empty() {
            continue;
        }
        let outcome = registers::prove(image, &symbol, &specification, purpose, limits);
        match (&outcome, image.function(&symbol)) {
            (Ok(proved), Some(function)) => {
                let (address, proved) = (function.address, proved.clone());
                theorems.push(Theorem { address, symbol: symbol.clone(), purpose, proved });
            }
            _ => unproved = unproved.or(Some(symbol.clone())),
        }
        if wanted {
            let replay = outcome.as_ref().err().and_then(|rejection| replayed(image, &symbol, rejection));
            over(FunctionProof { symbol, lengths: Vec::new(), outcome, replay });
        }
    }
    for (symbol, blocks) in on_bytes {
        watch(symbol);
        let outcome = match &unproved {
            Some(callee) if !limits.erasure => Err(Rejection::Callee(callee.clone())),
            _ => run::prove(image, symbol, &specification, blocks, &theorems, limits),
        };
        let outcome = outcome.map_err(|rejection| match &rejection {
            Rejection::Block { .. } => refuted(image, symbol, &specification, blocks).unwrap_or(rejection),
            _ => rejection,
        });
        let replay = matches!(outcome, Err(Rejection::Different { .. })).then(|| FOUND_HERE.to_owned());
        over(FunctionProof { symbol: symbol.to_owned(), lengths: Vec::new(), outcome, replay });
    }
    Ok(())
}

const FOUND_HERE: &str = "found by calls on this CPU";

/// Finds a call that a function on bytes gets wrong.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn refuted(image: &Image, symbol: &str, specification: &Specification, blocks: Blocks) -> Option<Rejection> {
    crate::on_bytes::refuted(image, symbol, specification, blocks)
}

/// Finds no call: code for x86-64 on Linux does not run here.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn refuted(_: &Image, _: &str, _: &Specification, _: Blocks) -> Option<Rejection> {
    None
}

/// The result of running a function on the counterexample of its rejection; `None` if there is no counterexample.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub fn replayed(image: &Image, symbol: &str, rejection: &Rejection) -> Option<String> {
    crate::replay::replay(image, symbol, rejection).map(|replay| replay.to_string())
}

/// The result of running a function on the counterexample of its rejection; `None` if there is no counterexample.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub fn replayed(_: &Image, _: &str, rejection: &Rejection) -> Option<String> {
    let not_run = || "not confirmed: this machine does not run code for x86-64 on Linux".to_owned();
    matches!(rejection, Rejection::Different { .. } | Rejection::False { .. }).then(not_run)
}

/// A kernel, and what is to be proved of its functions.
pub(crate) struct Task<'k> {
    sliced: &'k Sliced,
    circuits: Circuits,
}

impl<'k> Task<'k> {
    pub fn of(sliced: &'k Sliced) -> Result<Task<'k>, Diagnostics> {
        let circuits = circuits(&sliced.lowered.program)?;
        Ok(Task { sliced, circuits })
    }

    pub fn specification(&self) -> Specification<'_> {
        let Lowered { program, layout, .. } = &self.sliced.lowered;
        Specification { program, layout, circuits: &self.circuits }
    }

    /// The functions on registers that have theorems, with their names.
    pub fn functions(&self) -> Vec<(String, Purpose<'_>)> {
        let interface = &self.sliced.c.interface;
        let mut functions = vec![(interface.sliced.clone(), Purpose::Sliced)];
        for (argument, (var, is_result)) in interface.arguments.iter().zip(self.specification().variables()) {
            functions
                .push((argument.packing.clone(), if is_result { Purpose::Unpack(var) } else { Purpose::Pack(var) }));
        }
        functions
    }

    /// The functions from bytes to bytes.
    pub fn functions_on_bytes(&self) -> [(&str, Blocks); 2] {
        let interface = &self.sliced.c.interface;
        [(&interface.run, Blocks::Any), (&interface.blocks, Blocks::Fixed)]
    }

    /// The theorems on the functions that functions on bytes call.
    ///
    /// # Errors
    ///
    /// The first function that is not proved, and the reason.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    pub fn theorems(&self, image: &Image, limits: &Limits) -> Result<Vec<Theorem<'_>>, String> {
        let mut theorems = Vec::new();
        for (symbol, purpose) in self.functions().into_iter().chain(self.functions_with_scratch()) {
            let Some(function) = image.function(&symbol) else { continue };
            let proved = registers::prove(image, &symbol, &self.specification(), purpose, limits)
                .map_err(|rejection| format!("{symbol}: {rejection}"))?;
            theorems.push(Theorem { address: function.address, symbol, purpose, proved });
        }
        Ok(theorems)
    }

    /// The functions that get scratch memory from functions on bytes.
    fn functions_with_scratch(&self) -> Vec<(String, Purpose<'_>)> {
        let specification = self.specification();
        let arguments = self.sliced.c.interface.arguments.iter().zip(specification.variables());
        let with_scratch = arguments.filter_map(|(argument, (var, is_result))| {
            let (symbol, registers) = argument.packing_with.clone()?;
            let bytes = u64::from(registers) * u64::from(specification.layout.register_bits / 8);
            Some((symbol, if is_result { Purpose::UnpackWith(var, bytes) } else { Purpose::PackWith(var, bytes) }))
        });
        with_scratch.collect()
    }
}

/// Circuits for the tables of a program, as the compiler uses them. The prover checks them.
fn circuits(program: &Program) -> Result<Circuits, Diagnostics> {
    let mut circuits = Circuits::default();
    for id in reachable(program) {
        let Body::Table(table) = &program.node(id).body else { continue };
        if circuits.find(table).is_some() {
            continue;
        }
        let Some(circuit) = circuit(table) else { continue };
        circuits.add(table, circuit).map_err(|wrong| {
            let message = format!("the circuit for the table `{}` is wrong: {wrong:?}", program.node(id).name);
            Diagnostics::from(Diagnostic::error_without_place(&world::E0861, message))
        })?;
    }
    Ok(circuits)
}

/// The circuit that lowering uses for a table.
fn circuit(table: &Table) -> Option<hints::Circuit> {
    let spec = culet_sbox::TableSpec { inputs: table.inputs, outputs: table.outputs, values: table.values.clone() };
    let circuit = culet_sbox::circuit(&spec).ok()?;
    let signal = |signal| match signal {
        culet_sbox::Signal::Zero => hints::Signal::Zero,
        culet_sbox::Signal::One => hints::Signal::One,
        culet_sbox::Signal::Input(input) => hints::Signal::Input(input),
        culet_sbox::Signal::Gate(gate) => hints::Signal::Gate(gate),
    };
    let gate = |gate: &culet_sbox::Gate| match *gate {
        culet_sbox::Gate::And(a, b) => hints::Gate::And(signal(a), signal(b)),
        culet_sbox::Gate::Or(a, b) => hints::Gate::Or(signal(a), signal(b)),
        culet_sbox::Gate::Xor(a, b) => hints::Gate::Xor(signal(a), signal(b)),
        culet_sbox::Gate::Andn(a, b) => hints::Gate::Andn(signal(a), signal(b)),
        culet_sbox::Gate::Not(a) => hints::Gate::Not(signal(a)),
    };
    Some(hints::Circuit {
        gates: circuit.gates.iter().map(gate).collect(),
        outputs: circuit.outputs.iter().map(|&output| signal(output)).collect(),
    })
}
