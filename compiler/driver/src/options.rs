//! The choices of a compilation.

use culet_ir::{Module, Target};
use culet_lower::Bits;
use culet_passes::{Amount, Chosen, Context, Goal, Open, Schedule, Ternary};
use culet_types::program::Slicing;

/// The choices of one compilation. Each of them may change speed, size and layout, but not the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The entry node; `None` is the last definition.
    pub node: Option<String>,
    /// The direction for which `'D` stands.
    pub slicing: Option<Slicing>,
    /// The word size in bits for which `'m` stands in the entry.
    pub word: Option<u32>,
    pub target: Target,
    /// Whether a vertical kernel on plain words handles as many instances as fit into a word. Otherwise it does so where the model
    /// finds that faster, and interleaving, unrolling and inlining are open.
    pub packed: bool,
    /// The number of instances that a program computes at once, if it otherwise computes one at a time.
    pub batch: Option<u32>,
    /// Whether inverses of elements that do not depend on one another are computed from one inverse.
    pub share_inverses: bool,
    /// Number of groups of blocks from which a fold over elements of a field goes on with elements side by side; `None` is the target's.
    pub fold_groups: Option<u32>,
    /// Whether results of any length may stand in the places of the texts whose length they have.
    pub in_place: bool,
    /// Width in bits of the registers that are used, if the target also has narrower ones; `None` is the widest. Where one instance is
    /// computed at a time, it is the width of the widest ones in which blocks of a stream stand side by side.
    pub width: Option<u32>,
    /// Whether the bits of a bitsliced atom are handled together on plain words where the program allows it, so that
    /// the C compiler makes vectors of them.
    pub planes: bool,
    /// The aim of choices that are left open.
    pub goal: Goal,
    pub unroll: Amount,
    pub inline: Amount,
    /// `None` takes the source's `_interleave`, or what the model finds best if there is none.
    pub interleave: Option<Interleave>,
    pub schedule: Schedule,
    pub ternary: Ternary,
}

/// The number of groups of instances that a call handles, and the number of operations of one group before those of the
/// next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interleave {
    pub factor: u32,
    pub grain: u32,
}

/// The grain of `--interleave K`: large enough for a C compiler's window, small enough to overlap latencies.
pub const DEFAULT_GRAIN: u32 = 10;

impl Options {
    pub fn new(target: Target) -> Options {
        Options {
            node: None,
            slicing: None,
            word: None,
            target,
            packed: false,
            batch: None,
            share_inverses: false,
            fold_groups: None,
            in_place: false,
            width: None,
            planes: true,
            goal: Goal::Speed,
            unroll: Amount::Auto,
            inline: Amount::Auto,
            interleave: None,
            schedule: Schedule::Auto,
            ternary: Ternary::Auto,
        }
    }

    /// These options with bitslice in place of an open direction, for results that do not depend on the direction.
    /// Everything can be expressed in bitslice.
    pub fn in_any_direction(&self) -> Options {
        Options { slicing: self.slicing.or(Some(Slicing::Bitslice)), ..self.clone() }
    }

    /// The form in which `lower` holds bits.
    pub(crate) fn bits(&self) -> Bits {
        if self.planes && !self.target.is_vector() { Bits::Together } else { Bits::Apart }
    }

    /// The passes' view of the choices. `from_source` is the number of groups that the source asks for.
    fn context(&self, from_source: Option<u32>) -> Context {
        let interleave =
            self.interleave.unwrap_or(Interleave { factor: from_source.unwrap_or(1), grain: DEFAULT_GRAIN });
        Context {
            target: self.target,
            packed: self.packed,
            goal: self.goal,
            unroll: self.unroll,
            inline: self.inline,
            keeps_marked: self.inline == Amount::Auto,
            interleave: interleave.factor,
            grain: interleave.grain,
            schedule: self.schedule,
            ternary: self.ternary,
            lanes: None,
            side_by_side: 1,
            fold_groups: self.target.fold_vectors().1,
            block_registers: self.target.block_registers(),
        }
    }

    /// The passes' view of the choices for a module as it was lowered, where the model makes those that are left open.
    pub(crate) fn choose(&self, module: &Module, from_source: Option<u32>) -> Chosen {
        let open = Open {
            interleave: self.interleave.is_none() && from_source.is_none(),
            unroll: self.unroll == Amount::Auto,
            inline: self.inline == Amount::Auto,
        };
        culet_passes::choose(module, &self.context(from_source), open)
    }

    /// The name of a kernel's files, with which the names of its functions begin, where no other is given. It says the node, else
    /// the program's file, the slicing, the batch and the target, so that kernels of one program differ. It is a name for C, so that
    /// files differ where functions do. Files of several nodes are named after the program's file.
    pub fn default_name(&self, program: &str) -> String {
        let node = self.node.as_ref().filter(|node| !node.contains(','));
        let mut name = node.map_or_else(|| program.to_owned(), |node| node.to_ascii_lowercase());
        name = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if self.slicing.is_some() || self.word.is_some() {
            let word = self.word.map_or_else(String::new, |word| word.to_string());
            name += &format!("_{}{word}", self.slicing.map_or("", slicing_name));
        }
        if let Some(batch) = self.batch {
            name += &format!("_x{batch}");
        }
        // Words of 64 bits are what most machines have. A header must not take the place of one of C's.
        if self.target != Target::C64 || is_c_header(&name) {
            name += &format!("_{}", self.target.name());
        }
        name
    }

    /// The command that makes a kernel of a program, whose file is given so.
    pub(crate) fn command(&self, given: &str, program: &str, name: &str) -> String {
        let mut command = format!("culet compile {given} {}", self.arguments());
        if name != self.default_name(program) {
            command += &format!(" --name {name}");
        }
        command
    }

    /// The command-line arguments that make these choices, for the provenance line of generated files.
    pub fn arguments(&self) -> String {
        let mut text = format!("--target {}", self.target.name());
        let mut add = |part: String| {
            text.push(' ');
            text.push_str(&part);
        };
        if let Some(node) = &self.node {
            add(format!("--node {node}"));
        }
        if let Some(slicing) = self.slicing {
            add(format!("--slice {}", slicing_name(slicing)));
        }
        if let Some(word) = self.word {
            add(format!("--word {word}"));
        }
        if self.packed {
            add("--packed".into());
        }
        if let Some(batch) = self.batch {
            add(format!("--batch {batch}"));
        }
        if self.share_inverses {
            add("--share-inverses".into());
        }
        if let Some(groups) = self.fold_groups {
            add(format!("--fold-groups {groups}"));
        }
        if self.in_place {
            add("--in-place".into());
        }
        if let Some(width) = self.width {
            add(format!("--width {width}"));
        }
        if !self.planes {
            add("--planes none".into());
        }
        match self.interleave {
            Some(Interleave { factor: 1, .. }) => add("--interleave 1".into()),
            Some(Interleave { factor, grain }) => add(format!("--interleave {factor},{grain}")),
            None => {}
        }
        if self.goal == Goal::Size {
            add("--optimise size".into());
        }
        if self.unroll != Amount::Auto {
            add(format!("--unroll {}", amount_name(self.unroll)));
        }
        if self.inline != Amount::Auto {
            add(format!("--inline {}", amount_name(self.inline)));
        }
        if self.schedule == Schedule::None {
            add("--schedule none".into());
        }
        if self.ternary == Ternary::None {
            add("--ternary none".into());
        }
        text
    }
}

/// `v`, `h` or `b`.
pub fn slicing_name(slicing: Slicing) -> &'static str {
    match slicing {
        Slicing::Vertical => "v",
        Slicing::Horizontal => "h",
        Slicing::Bitslice => "b",
        Slicing::Limbs(_) => "limbs",
    }
}

/// Parses `v`, `h` or `b`.
pub fn parse_slicing(text: &str) -> Option<Slicing> {
    [Slicing::Vertical, Slicing::Horizontal, Slicing::Bitslice].into_iter().find(|&s| slicing_name(s) == text)
}

/// `none`, `auto` or `all`.
pub fn amount_name(amount: Amount) -> &'static str {
    match amount {
        Amount::None => "none",
        Amount::Auto => "auto",
        Amount::All => "all",
    }
}

/// Names of headers of C libraries and compilers, sorted.
const C_HEADERS: [&str; 71] = [
    "alloca",
    "altivec",
    "arm_acle",
    "arm_neon",
    "arm_sve",
    "assert",
    "avxintrin",
    "byteswap",
    "complex",
    "cpuid",
    "crypt",
    "ctype",
    "elf",
    "emmintrin",
    "endian",
    "err",
    "errno",
    "error",
    "fcntl",
    "features",
    "fenv",
    "float",
    "getopt",
    "glob",
    "immintrin",
    "inttypes",
    "iso646",
    "limits",
    "link",
    "locale",
    "malloc",
    "math",
    "memory",
    "nmmintrin",
    "pmmintrin",
    "poll",
    "pthread",
    "regex",
    "sched",
    "search",
    "setjmp",
    "signal",
    "smmintrin",
    "spawn",
    "stdalign",
    "stdarg",
    "stdatomic",
    "stdbit",
    "stdbool",
    "stdckdint",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "stdnoreturn",
    "string",
    "strings",
    "tgmath",
    "threads",
    "time",
    "tmmintrin",
    "uchar",
    "unistd",
    "utime",
    "values",
    "wait",
    "wchar",
    "wctype",
    "wmmintrin",
    "x86intrin",
    "xmmintrin",
];

/// Whether a file of this name with the ending `.h` would take the place of a header of C.
pub fn is_c_header(name: &str) -> bool {
    C_HEADERS.binary_search(&name.to_ascii_lowercase().as_str()).is_ok()
}
