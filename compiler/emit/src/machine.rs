//! What C the kernel's registers and words are written in.

use culet_ir::{Target, Type};
use culet_meaning::layout::Layout;

use crate::planes;

/// The registers of a kernel: their width and how words lie in them.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub target: Target,
    pub register_bits: u32,
    /// 1 where there are no words, only bits and H atoms.
    pub lane_bits: u32,
    /// Vectors are bitsliced atoms held together, each lane a register, not the elements of H.
    pub planes: bool,
}

/// How words of more than one bit are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// There are none.
    None,
    /// Each in a C integer of its own.
    Scalar,
    /// Several in one C integer.
    Packed,
    /// In the lanes of a vector register.
    Vector,
}

impl Machine {
    pub fn new(target: Target, layout: &Layout) -> Machine {
        // One bit an instance: so an atom of H has one bit, and is no vector.
        let planes = layout.register_bits < 128 && layout.instances_per_group == layout.register_bits;
        Machine { target, register_bits: layout.register_bits, lane_bits: layout.lane_bits, planes }
    }

    pub fn is_vector(&self) -> bool {
        self.register_bits >= 128
    }

    pub fn words(&self) -> Words {
        match () {
            () if self.lane_bits == 1 => Words::None,
            () if self.is_vector() => Words::Vector,
            () if self.lane_bits == self.register_bits => Words::Scalar,
            () => Words::Packed,
        }
    }

    /// The C type of a register.
    pub fn register(&self) -> &'static str {
        match self.register_bits {
            128 => "__m128i",
            256 => "__m256i",
            512 => "__m512i",
            bits => integer(bits),
        }
    }

    /// The C type of a value.
    pub fn ctype(&self, ty: Type) -> String {
        match ty {
            Type::Vector { .. } if self.planes => planes::ctype(ty.lanes()),
            Type::Word(bits) if bits > 1 && self.words() == Words::Scalar => {
                integer(self.native_bits(ty.bits())).to_owned()
            }
            _ => self.register().to_owned(),
        }
    }

    /// Registers of an element of the entry's slots.
    pub fn registers_of(&self, ty: Type) -> u32 {
        if self.planes { ty.lanes() } else { 1 }
    }

    /// Bits of the C integer or lane that holds a word.
    pub fn native_bits(&self, bits: u32) -> u32 {
        if self.words() == Words::Scalar { bits.next_power_of_two().max(8) } else { self.lane_bits }
    }

    /// The intrinsic of this name for the register's width.
    pub fn intrinsic(&self, name: &str) -> String {
        let prefix = match self.register_bits {
            128 => "_mm",
            256 => "_mm256",
            _ => "_mm512",
        };
        format!("{prefix}_{name}")
    }

    /// `set1` for lanes of this width; the 64-bit one has two names.
    pub fn set1(&self, lane_bits: u32) -> String {
        match lane_bits {
            64 if self.register_bits < 512 => self.intrinsic("set1_epi64x"),
            _ => self.intrinsic(&format!("set1_epi{lane_bits}")),
        }
    }

    pub fn has_ternary_logic(&self) -> bool {
        self.target.has_ternary_logic() && self.is_vector()
    }

    /// Bits of a part of a register that shuffles work in.
    pub fn part_bits(&self) -> u32 {
        self.register_bits.min(128)
    }

    pub fn zero(&self) -> String {
        match self.register_bits {
            bits if bits >= 128 => format!("{}()", self.intrinsic(&format!("setzero_si{bits}"))),
            bits => literal(bits, 0),
        }
    }

    pub fn ones(&self) -> String {
        match self.register_bits {
            bits if bits >= 128 => format!("{}(-1)", self.set1(32)),
            bits => literal(bits, u64::MAX >> (64 - bits)),
        }
    }

    /// A register whose lanes of `lane_bits` bits all hold `value`.
    pub fn splat(&self, lane_bits: u32, value: u64) -> String {
        if self.is_vector() {
            let ones = u64::MAX >> (64 - lane_bits);
            return match value {
                0 => self.zero(),
                _ if value == ones => self.ones(),
                _ => format!("{}({})", self.set1(lane_bits), lane_argument(lane_bits, &literal(lane_bits, value))),
            };
        }
        let mut word = value;
        let mut width = lane_bits;
        while width < self.register_bits {
            word |= word << width;
            width *= 2;
        }
        literal(self.register_bits, word)
    }

    /// A register whose 128-bit parts all hold these two halves, the less significant first.
    pub fn splat_part(&self, low: u64, high: u64) -> String {
        if low == high {
            return self.splat(64, low);
        }
        let half = |x| lane_argument(64, &literal(64, x));
        self.broadcast_part(&format!("_mm_set_epi64x({}, {})", half(high), half(low)))
    }

    /// A register whose parts are all this `__m128i`.
    pub fn broadcast_part(&self, part: &str) -> String {
        match self.register_bits {
            128 => part.to_owned(),
            256 => format!("_mm256_broadcastsi128_si256({part})"),
            _ => format!("_mm512_broadcast_i32x4({part})"),
        }
    }
}

/// The C integer type of this width.
pub(crate) fn integer(bits: u32) -> &'static str {
    match bits {
        8 => "uint8_t",
        16 => "uint16_t",
        32 => "uint32_t",
        _ => "uint64_t",
    }
}

/// An unsigned literal that fits `bits` bits.
pub(crate) fn literal(bits: u32, value: u64) -> String {
    let digits = if value < 10 { value.to_string() } else { format!("{value:#x}") };
    match bits {
        64 => format!("UINT64_C({digits})"),
        32 => format!("UINT32_C({digits})"),
        _ => digits,
    }
}

/// `text` as the signed argument that `set1` of these lanes takes.
pub(crate) fn lane_argument(lane_bits: u32, text: &str) -> String {
    let signed = match lane_bits {
        8 => "char",
        16 => "short",
        32 => "int",
        _ => "long long",
    };
    format!("({signed}){text}")
}
