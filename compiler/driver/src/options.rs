//! What can be chosen about a compilation.

use std::str::FromStr;

use culet_ir::Target;
use culet_types::program::Slicing;

/// The choices of one compilation. Everything may change speed and layout, nothing may change what is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The entry node; the last definition if not given.
    pub node: Option<String>,
    /// What `'D` stands for.
    pub slicing: Option<Slicing>,
    /// What `'m` stands for in the entry.
    pub word: Option<u32>,
    pub target: Target,
    /// Register width of vertical kernels on plain words: one instance a word, or as many as fit.
    pub packed_words: bool,
    pub interleave: InterleaveChoice,
    pub inline: InlineChoice,
    pub unroll: UnrollChoice,
    pub schedule: ScheduleChoice,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            node: None,
            slicing: None,
            word: None,
            target: Target::C64,
            packed_words: false,
            interleave: InterleaveChoice { factor: None, grain: 10 },
            inline: InlineChoice::Auto,
            unroll: UnrollChoice::Auto,
            schedule: ScheduleChoice::Auto,
        }
    }
}

/// `K[,GRAIN]`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterleaveChoice {
    /// Groups of instances a call handles. `None` leaves it to the source's `_interleave`, else 1.
    pub factor: Option<u32>,
    /// Operations of one group before the next group's.
    pub grain: u32,
}

impl FromStr for InterleaveChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (factor, grain) = text.split_once(',').unwrap_or((text, "10"));
        let number = |what: &str, text: &str, max: u32| match text.trim().parse::<u32>() {
            Ok(n) if (1..=max).contains(&n) => Ok(n),
            _ => Err(format!("the {what} must be a number from 1 to {max}, not `{text}`")),
        };
        Ok(InterleaveChoice {
            factor: Some(number("interleaving factor", factor, 16)?),
            grain: number("grain", grain, 1_000_000)?,
        })
    }
}

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok($name::$variant),)+
                    _ => Err(format!("expected one of {}, found `{text}`", [$($text),+].join(", "))),
                }
            }
        }
    };
}

choice!(
    /// Which calls are replaced by the callee's operations.
    InlineChoice { None = "none", Auto = "auto", All = "all" }
);
choice!(
    /// Which loops are replaced by their iterations.
    UnrollChoice {
        /// Only those that must be.
        None = "none",
        Auto = "auto",
        All = "all",
    }
);
choice!(
    /// Whether operations are reordered.
    ScheduleChoice { None = "none", Auto = "auto" }
);

/// `v`, `h` or `b`.
pub fn parse_slicing(text: &str) -> Result<Slicing, String> {
    match text {
        "v" | "V" => Ok(Slicing::Vertical),
        "h" | "H" => Ok(Slicing::Horizontal),
        "b" | "B" => Ok(Slicing::Bitslice),
        _ => Err(format!("expected v (vertical), h (horizontal) or b (bitslice), found `{text}`")),
    }
}
