//! Choices by the model, where the caller leaves them open.
//!
//! A kernel of one group of instances waits for its chains of operations, or for ports. Where it waits for chains,
//! another group fills the gaps, until registers are short. Loops that were unrolled are kept after all where their
//! copies do not come from the fastest cache of instructions. On plain words, four groups whose operations take turns
//! are what C compilers make vectors of, if loops are kept. Each change must gain by the model, because the model does
//! not foresee everything that a C compiler makes of longer code.
//!
//! Bitsliced kernels keep one group and unrolled loops as they are: they have more values than registers, and wait for
//! no chain.

use culet_ir::{Func, Inst, Module, RegionId, Target, Type, W1};

use crate::walk::live_insts;
use crate::{Amount, Context, INTERLEAVE, PIPELINE, Pass, predicted_cycles};

/// Share of the time that a change must leave at most.
const GAIN: f64 = 0.96;
/// Maximum number of groups that are tried.
const GROUPS: u32 = 4;
/// Maximum number of instructions that interleaving may make.
const LONGEST: usize = 8_000;

/// Number of words that become a vector of 128 bits, and the time of such code beside that of code in vectors from the
/// start, as measured: words move into vectors and out of them.
const WORDS_A_VECTOR: u32 = 4;
const WIDEST_WORD: u32 = 32;
const MOVED: f64 = 1.2;

/// The choices that are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open {
    pub interleave: bool,
    pub unroll: bool,
    pub inline: bool,
}

/// The cost of one way to compile.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    pub context: Context,
    /// Cycles of a call by the model, divided by the number of groups.
    pub cycles: f64,
    /// Whether a C compiler is expected to make vectors of plain words.
    pub in_vectors: bool,
}

/// The choices made, and all ways that were tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    pub context: Context,
    pub open: Open,
    /// Ways that were tried, the default first; none if nothing is open, or everything is single bits.
    pub tried: Vec<Tried>,
    /// Whether everything that the program computes is single bits.
    pub is_bitsliced: bool,
}

/// Chooses for a module as it was lowered. `context` has the choices that are not open, and the defaults of the others.
pub fn choose(module: &Module, context: &Context, open: Open) -> Chosen {
    let is_bitsliced = types(module).all(|ty| is_bits(ty, context.target));
    let mut chosen = Chosen { context: context.clone(), open, tried: Vec::new(), is_bitsliced };
    if is_bitsliced || !(open.interleave || open.unroll) {
        return chosen;
    }
    let single = prepared(module, context);
    let most = if open.interleave { GROUPS.min((LONGEST / instructions(&single).max(1)) as u32) } else { 1 };
    let mut best = chosen.measure(&single, context);
    for interleave in 2..=most {
        let next = Context { interleave, ..context.clone() };
        if !chosen.improve(&single, &next, &mut best) {
            break;
        }
    }
    if open.unroll && context.unroll == Amount::Auto && module.funcs.iter().any(has_loops) {
        let kept = Context { unroll: Amount::None, ..chosen.context.clone() };
        chosen.improve(&prepared(module, &kept), &kept, &mut best);
    }
    if open.interleave && open.unroll && open.inline && has_words_for_vectors(module, context.target) {
        chosen.try_vectors(module, context, best);
    }
    chosen
}

impl Chosen {
    /// Cycles for each group, which are noted.
    fn measure(&mut self, prepared: &Module, context: &Context) -> f64 {
        let mut module = prepared.clone();
        run(&mut module, context, PIPELINE.iter().skip_while(|&pass| *pass != INTERLEAVE));
        let cycles = predicted_cycles(&module, context.target) / f64::from(context.interleave);
        self.tried.push(Tried { context: context.clone(), cycles, in_vectors: false });
        cycles
    }

    /// Takes another way if it is faster; returns whether it is.
    fn improve(&mut self, prepared: &Module, context: &Context, best: &mut f64) -> bool {
        let cycles = self.measure(prepared, context);
        let is_faster = cycles < GAIN * *best;
        if is_faster {
            *best = cycles;
            self.context = context.clone();
        }
        is_faster
    }

    /// Takes words in vectors if they are faster. One group in registers of 128 bits stands for them.
    fn try_vectors(&mut self, module: &Module, context: &Context, best: f64) {
        let context = Context { unroll: Amount::None, inline: Amount::All, ..context.clone() };
        let in_registers = Context { target: Target::Sse, ..context.clone() };
        let mut single = prepared(module, &in_registers);
        run(&mut single, &in_registers, PIPELINE.iter().skip_while(|&pass| *pass != INTERLEAVE));
        let cycles = MOVED * predicted_cycles(&single, Target::Sse) / f64::from(WORDS_A_VECTOR);
        let context = Context { interleave: WORDS_A_VECTOR, grain: 1, ..context };
        self.tried.push(Tried { context: context.clone(), cycles, in_vectors: true });
        if cycles < GAIN * best {
            self.context = context;
        }
    }

    /// The way that was chosen, if the model chose.
    pub fn best(&self) -> Option<&Tried> {
        self.tried.iter().find(|tried| tried.context == self.context)
    }
}

/// Whether a module computes words of which C compilers put four into a register.
fn has_words_for_vectors(module: &Module, target: Target) -> bool {
    let fits = |ty: Type| matches!(ty, Type::Word(bits) if u32::from(bits) <= WIDEST_WORD);
    target == Target::C64 && types(module).all(fits)
}

/// Whether values are single bits. On plain words, vectors of bits are as many words.
fn is_bits(ty: Type, target: Target) -> bool {
    ty == W1 || ty.bits() == 1 && !target.is_vector()
}

/// The types of all results.
fn types(module: &Module) -> impl Iterator<Item = Type> + '_ {
    let of = |func: &Func| -> Vec<Type> {
        let results = |(_, inst): (RegionId, Inst)| func.inst(inst).results.iter().map(|&value| func.ty(value));
        live_insts(func).into_iter().flat_map(results).collect()
    };
    module.funcs.iter().flat_map(of)
}

/// The module before interleaving.
fn prepared(module: &Module, context: &Context) -> Module {
    let mut module = module.clone();
    run(&mut module, context, PIPELINE.iter().take_while(|&pass| *pass != INTERLEAVE));
    module
}

fn run<'p>(module: &mut Module, context: &Context, passes: impl Iterator<Item = &'p Pass>) {
    for pass in passes {
        (pass.run)(module, context);
        module.compact();
    }
}

fn instructions(module: &Module) -> usize {
    module.funcs.iter().map(|func| func.insts.len()).sum()
}

fn has_loops(func: &Func) -> bool {
    func.regions.len() > 1
}
