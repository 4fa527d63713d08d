//! Choices by the model, where the caller leaves them open.
//!
//! A kernel of one group of instances waits for its chains of operations, or for ports. Where it waits for chains,
//! another group fills the gaps, until registers are short. Loops that were unrolled are kept after all where their
//! copies do not come from the fastest cache of instructions. On plain words, four groups whose operations take turns
//! are what C compilers make vectors of, if loops are kept. Narrow words may also stand side by side in a word of 64
//! bits: then an operation of logic computes several instances, but shifts, rotations and sums need masks. Each change
//! must gain by the model, because the model does not foresee everything that a C compiler makes of longer code.
//!
//! Bitsliced kernels keep one group and unrolled loops as they are: they have more values than registers, and wait for
//! no chain.

use culet_ir::{Func, Inst, Module, Op, RegionId, SlotKind, Target, Type, W1};

use crate::walk::live_insts;
use crate::{Amount, Context, Goal, INTERLEAVE, Marked, PIPELINE, Pass, predicted_cycles};

/// Share of the time that a change must save at least.
pub const LEAST_GAIN: f64 = 0.04;
/// Maximum number of groups that are tried.
const GROUPS: u32 = 4;
/// Maximum number of instructions that interleaving may make.
const LONGEST: usize = 8_000;

/// Number of words that become a vector of 128 bits, and the time of such code beside that of code in vectors from the
/// start, as measured: words move into vectors and out of them.
const WORDS_A_VECTOR: u32 = 4;
const WIDEST_WORD: u32 = 32;
const MOVED: f64 = 1.2;
/// Operations of a stretch of all groups beyond which C compilers find no vectors, as measured: they do in the 761 of ACE, but not in the
/// 2,237 of Serpent.
const LONGEST_STRETCH: usize = 1_200;
/// Number of packed words that become a vector of 256 bits, or that fill one another's gaps outside of vectors.
const PACKED_A_VECTOR: u32 = 4;
const PACKED_ALONE: u32 = 2;

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
    /// Cycles of a call by the model, divided by the number of groups, and by that of instances in a packed word.
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
    /// Number of instances in a packed word.
    pub lanes: u32,
    /// The marks that the source has on loops, and on functions.
    pub loops: Marked,
    pub functions: Marked,
}

/// Chooses for a module as it was lowered. `context` has the choices that are not open, and the defaults of the others.
pub fn choose(module: &Module, context: &Context, open: Open) -> Chosen {
    let is_bitsliced = types(module).all(|ty| is_bits(ty, context.target));
    let mut chosen = Chosen {
        context: context.clone(),
        open,
        tried: Vec::new(),
        is_bitsliced,
        lanes: 1,
        loops: Marked::loops(module),
        functions: Marked::functions(module),
    };
    let lanes = words_of_one_width(module, context.target);
    if context.packed {
        chosen.lanes = lanes.unwrap_or(1);
    }
    if context.goal == Goal::Size {
        chosen.smallest();
        return chosen;
    }
    if is_bitsliced || !(open.interleave || open.unroll) {
        return chosen;
    }
    let single = prepared(module, context);
    let most = if open.interleave { GROUPS.min(most_groups(&single)) } else { 1 };
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
    if open.interleave && open.unroll && open.inline {
        chosen.lanes = lanes.unwrap_or(1);
        chosen.try_plain_words(module, context, best);
    }
    chosen
}

impl Chosen {
    /// Makes the open choices for size: one group of instances, loops that are kept, and functions as `inline` keeps them.
    fn smallest(&mut self) {
        if self.open.interleave {
            self.context.interleave = 1;
        }
        if self.open.unroll {
            self.context.unroll = Amount::None;
        }
    }

    /// Cycles for each group, which are noted.
    fn measure(&mut self, prepared: &Module, context: &Context) -> f64 {
        let cycles = self.cycles(prepared, context);
        self.tried.push(Tried { context: context.clone(), cycles, in_vectors: false });
        cycles
    }

    fn cycles(&self, prepared: &Module, context: &Context) -> f64 {
        let mut module = prepared.clone();
        run(&mut module, context, PIPELINE.iter().skip_while(|&pass| *pass != INTERLEAVE));
        predicted_cycles(&module, context) / f64::from(context.interleave * self.instances(context))
    }

    /// Measures another way, and takes it if it is faster; returns whether it is.
    fn improve(&mut self, prepared: &Module, context: &Context, best: &mut f64) -> bool {
        let cycles = self.measure(prepared, context);
        self.take(context, cycles, best)
    }

    /// Takes a way if it is faster; returns whether it is.
    fn take(&mut self, context: &Context, cycles: f64, best: &mut f64) -> bool {
        let is_faster = cycles < (1.0 - LEAST_GAIN) * *best;
        if is_faster {
            *best = cycles;
            self.context = context.clone();
        }
        is_faster
    }

    /// Takes what is open to plain words only, if it is faster. Loops are kept.
    fn try_plain_words(&mut self, module: &Module, context: &Context, mut best: f64) {
        let context = Context { unroll: Amount::None, inline: Amount::All, ..context.clone() };
        if !context.packed && has_words_for_vectors(module, context.target) {
            self.try_vectors(module, &context, WORDS_A_VECTOR, &mut best);
        }
        if self.lanes > 1 {
            self.try_packed(module, &Context { packed: true, ..context }, &mut best);
        }
    }

    /// Takes groups in vectors if they are faster, by the geometric mean of their times in vectors and in words: C
    /// compilers find the vectors of some kernels only. In vectors, one group in registers stands for them.
    fn try_vectors(&mut self, module: &Module, context: &Context, words: u32, best: &mut f64) {
        let target = if context.packed { Target::Avx2 } else { Target::Sse };
        let in_registers = Context { target, ..context.clone() };
        let in_words = Context { interleave: words, grain: 1, ..context.clone() };
        let (single, several) = (prepared(module, &in_registers), prepared(module, &in_words));
        if most_groups(&single) >= words && shows_vectors(&single, words) {
            let in_vectors = MOVED * self.cycles(&single, &in_registers) / f64::from(words);
            let cycles = (in_vectors * self.cycles(&several, &in_words)).sqrt();
            self.tried.push(Tried { context: in_words.clone(), cycles, in_vectors: true });
            self.take(&in_words, cycles, best);
        }
    }

    /// Takes packed words if they are faster. C compilers do not make vectors of them where all instances share a
    /// parameter, such as round keys, as measured.
    fn try_packed(&mut self, module: &Module, context: &Context, best: &mut f64) {
        let is_shared = |kind: &SlotKind| matches!(kind, SlotKind::Input { shared: true });
        if module.entry().slots.iter().any(|slot| is_shared(&slot.kind)) {
            let context = Context { interleave: PACKED_ALONE, ..context.clone() };
            let single = prepared(module, &context);
            if most_groups(&single) >= PACKED_ALONE {
                self.improve(&single, &context, best);
            }
        } else {
            self.try_vectors(module, context, PACKED_A_VECTOR, best);
        }
    }

    /// Number of instances of a group in a word, where the model knows it.
    pub fn instances(&self, context: &Context) -> u32 {
        if context.packed { self.lanes } else { 1 }
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

/// Whether the stretches of so many groups of a module with kept loops are short enough for C compilers to find vectors in them.
fn shows_vectors(single: &Module, groups: u32) -> bool {
    let mut regions = single.funcs.iter().flat_map(|func| &func.regions);
    regions.all(|region| region.insts.len() * groups as usize <= LONGEST_STRETCH)
}

/// Number of words that fit into a plain word side by side, if all have one width and masks are all that keeps them apart.
fn words_of_one_width(module: &Module, target: Target) -> Option<u32> {
    let mut all = types(module);
    let Some(Type::Word(bits @ (8 | 16 | 32))) = all.next() else { return None };
    let multiplies =
        |func: &Func| live_insts(func).iter().any(|&(_, inst)| matches!(func.inst(inst).op, Op::Mul | Op::MulHi));
    let fits = target == Target::C64 && all.all(|ty| ty == Type::Word(bits)) && !module.funcs.iter().any(multiplies);
    fits.then(|| target.register_bits() / u32::from(bits))
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

/// The number of groups whose code does not grow too long.
fn most_groups(single: &Module) -> u32 {
    let instructions: usize = single.funcs.iter().map(|func| func.insts.len()).sum();
    (LONGEST / instructions.max(1)) as u32
}

fn has_loops(func: &Func) -> bool {
    func.regions.len() > 1
}
