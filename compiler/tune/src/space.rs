//! The space of choices of a compilation, varied along one axis at a time.

use std::iter;

use culet_driver::{DEFAULT_GRAIN, Interleave, Options};
use culet_ir::Target;
use culet_native::CCompiler;
use culet_passes::{Amount, Goal, Schedule, Ternary};
use culet_types::program::Slicing;

/// One way to compile: the compiler's options, the index of a C compiler in the tuner's list, and its flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub options: Options,
    pub compiler: usize,
    pub flags: Vec<String>,
}

impl Choice {
    /// The choice as it would be typed: culet's options, then the C compiler's command.
    pub fn describe(&self, compilers: &[CCompiler]) -> String {
        let compiler = compilers.get(self.compiler).map_or_else(|| "?".into(), CCompiler::name);
        format!("{} ({compiler} {})", self.options.arguments(), self.flags.join(" "))
    }
}

/// The choices that may be varied.
#[derive(Debug, Clone)]
pub struct Space {
    /// The options whose node and word are those of every choice.
    pub base: Options,
    /// Whether the program computes one instance at a time: it has choices of its own.
    pub is_on_words: bool,
    /// Targets to try; on slices one, since callers of kernels on slices provide for a target's registers.
    pub targets: Vec<Target>,
    /// Directions to try; only one if the caller chose it or the program leaves none open.
    pub slicings: Vec<Option<Slicing>>,
    pub compilers: Vec<CCompiler>,
    /// Flags of every C compilation, such as `-O3`.
    pub flags: Vec<String>,
    /// Whether bytes count, so that ways to make them fewer are tried, too.
    pub is_for_size: bool,
}

/// Unrolling and inlining: both by heuristics; no calls inlined; all calls inlined and loops kept; everything unrolled
/// and inlined; loops and calls kept.
const SHAPES: [(Amount, Amount); 5] = [
    (Amount::Auto, Amount::Auto),
    (Amount::Auto, Amount::None),
    (Amount::None, Amount::All),
    (Amount::All, Amount::All),
    (Amount::None, Amount::None),
];

/// One group of instances.
pub(crate) const ALONE: Interleave = Interleave { factor: 1, grain: DEFAULT_GRAIN };

/// Numbers of groups of instances, and numbers of operations of one group before those of the next.
const INTERLEAVINGS: [Option<Interleave>; 10] = [
    None,
    Some(ALONE),
    Some(Interleave { factor: 2, grain: DEFAULT_GRAIN }),
    Some(Interleave { factor: 3, grain: DEFAULT_GRAIN }),
    Some(Interleave { factor: 4, grain: DEFAULT_GRAIN }),
    Some(Interleave { factor: 5, grain: DEFAULT_GRAIN }),
    Some(Interleave { factor: 2, grain: 1 }),
    Some(Interleave { factor: 3, grain: 4 }),
    Some(Interleave { factor: 4, grain: 4 }),
    Some(Interleave { factor: 4, grain: 1 }),
];

/// Numbers of groups from which a fold has elements side by side.
const FOLD_GROUPS: [Option<u32>; 5] = [None, Some(1), Some(2), Some(4), Some(8)];

impl Space {
    /// The choices with which a search begins: the defaults, for each direction, target and C compiler.
    pub fn starts(&self) -> Vec<Choice> {
        let mut starts = Vec::new();
        for &slicing in &self.slicings {
            for &target in &self.targets {
                for compiler in 0..self.compilers.len() {
                    let options = Options { slicing, target, ..self.base.clone() };
                    starts.push(Choice { options, compiler, flags: self.flags.clone() });
                }
            }
        }
        starts
    }

    /// Further choices with which a search begins, for a given start. On plain words these are forms in which C
    /// compilers find vectors: in bitslice the arrays of nodes that stay functions, otherwise instances side by side.
    /// No single step towards the latter brings a gain.
    pub fn leaps(&self, start: &Choice) -> Vec<Choice> {
        let options = start.options.clone();
        let side_by_side = Options {
            interleave: Some(Interleave { factor: 4, grain: 1 }),
            unroll: Amount::None,
            inline: Amount::All,
            ..options.clone()
        };
        let leaps = match (options.target.is_vector() || self.is_on_words, options.slicing) {
            (true, _) => Vec::new(),
            (false, Some(Slicing::Bitslice)) => vec![Options { inline: Amount::None, ..options }],
            (false, _) => vec![Options { packed: true, ..side_by_side.clone() }, side_by_side],
        };
        leaps.into_iter().map(|options| Choice { options, ..start.clone() }).collect()
    }

    /// Every choice that differs from this one in one respect. Interleaving and scheduling together count as one.
    pub fn neighbours(&self, choice: &Choice) -> Vec<Choice> {
        let options = &choice.options;
        let others = if self.is_on_words { ways_on_words(options) } else { self.ways_on_slices(options) };
        let mut all: Vec<Choice> = others.into_iter().map(|options| Choice { options, ..choice.clone() }).collect();
        for compiler in 0..self.compilers.len() {
            for flags in self.flags_of(compiler, options) {
                all.push(Choice { options: options.clone(), compiler, flags });
            }
        }
        all.retain(|other| other != choice);
        all
    }

    /// The options of kernels on slices that differ from these in one respect, and some that do not.
    fn ways_on_slices(&self, options: &Options) -> Vec<Options> {
        let mut all = Vec::new();
        let mut vary = |options: Options| all.push(options);
        for (unroll, inline) in SHAPES {
            vary(Options { unroll, inline, ..options.clone() });
        }
        // The gain of interleaving may only show in the order that interleaving itself makes.
        for interleave in INTERLEAVINGS {
            for schedule in [Schedule::Auto, Schedule::None] {
                vary(Options { interleave, schedule, ..options.clone() });
            }
        }
        for (width, ternary) in registers(options.target) {
            vary(Options { width, ternary, ..options.clone() });
        }
        if self.is_for_size {
            for goal in [Goal::Speed, Goal::Size] {
                vary(Options { goal, ..options.clone() });
            }
        }
        for (packed, planes) in words(options) {
            vary(Options { packed, planes, ..options.clone() });
        }
        all
    }

    /// Every choice of the space, as a reference for the search.
    pub fn all(&self) -> Vec<Choice> {
        let mut all = self.starts();
        let mut next = 0;
        while next < all.len() {
            for neighbour in self.neighbours(&all[next]) {
                if !all.contains(&neighbour) {
                    all.push(neighbour);
                }
            }
            next += 1;
        }
        all
    }

    /// The given flags, alone and with additional flags that matter for this compiler. Clang's scheduler undoes an
    /// order that was made for few live values, and on plain words a vectoriser may do harm.
    fn flags_of(&self, compiler: usize, options: &Options) -> Vec<Vec<String>> {
        let with = |more: &[&str]| self.flags.iter().cloned().chain(more.iter().map(|&f| f.to_owned())).collect();
        let mut all = vec![self.flags.clone()];
        if self.is_for_size {
            all.push(with(&["-Os"]));
        }
        if self.compilers[compiler].is_clang() {
            all.push(with(&["-mllvm", "-enable-misched=0"]));
        }
        if !options.target.is_vector() {
            all.push(with(&["-fno-tree-vectorize"]));
        }
        all
    }
}

/// The options of functions on words that differ from these in one respect, and some that do not: which calls become copies; whether loops
/// that fill arrays go together with those that read them, which the aim of small code prevents; how wide the registers are in which blocks
/// of a stream stand side by side; from how many groups on a fold over elements has them side by side; and whether inverses are shared.
fn ways_on_words(options: &Options) -> Vec<Options> {
    let shapes = [
        (Goal::Speed, Amount::Auto),
        (Goal::Speed, Amount::None),
        (Goal::Speed, Amount::All),
        (Goal::Size, Amount::Auto),
        (Goal::Size, Amount::All),
    ];
    let mut all: Vec<Options> = shapes.map(|(goal, inline)| Options { goal, inline, ..options.clone() }).to_vec();
    let registers = options.target.block_registers();
    for width in iter::once(None).chain(registers.iter().skip(1).map(|&width| Some(width))) {
        all.push(Options { width, ..options.clone() });
    }
    all.extend(FOLD_GROUPS.map(|fold_groups| Options { fold_groups, ..options.clone() }));
    all.extend([false, true].map(|share_inverses| Options { share_inverses, ..options.clone() }));
    all
}

/// Widths of registers, with the use of ternary logic. Half the width is tried only without ternary logic, since it is
/// faster where ternary logic is not used.
fn registers(target: Target) -> Vec<(Option<u32>, Ternary)> {
    match target.has_ternary_logic() {
        true => vec![(None, Ternary::Auto), (None, Ternary::None), (Some(target.register_bits() / 2), Ternary::None)],
        false => vec![(None, Ternary::Auto)],
    }
}

/// Uses of plain words: whether as many instances as fit are packed, and whether the bits of an atom are together.
fn words(options: &Options) -> Vec<(bool, bool)> {
    match options.target.is_vector() {
        true => vec![(false, true)],
        false => vec![(false, true), (true, true), (false, false)],
    }
}
