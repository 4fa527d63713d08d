//! The types and literals of the kernel's registers and words.

use std::rc::Rc;

use culet_ir::{Target, Type};
use culet_meaning::layout::Layout;

use crate::expr::Expr;
use crate::helpers::Helpers;
use crate::isa::{self, Isa, LaneOp};
use crate::language::Language;
use crate::planes;

/// The registers of a kernel: their width and how words lie in them.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub language: Language,
    pub register_bits: u32,
    /// Bits of a lane; 1 if there are no words, only bits and H atoms.
    pub lane_bits: u32,
    /// Whether vectors are bitsliced atoms held together, each lane a register, and not the elements of H.
    pub planes: bool,
    /// Operations of the vector registers, if the registers are vectors.
    isa: Option<Rc<dyn Isa>>,
    ternary_logic: bool,
}

/// How words of more than one bit are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// No words of more than one bit.
    None,
    /// Each word in an integer of its own.
    Scalar,
    /// Several words in one integer.
    Packed,
    /// Words in the lanes of a vector register.
    Vector,
}

impl Machine {
    pub fn new(target: Target, layout: &Layout, language: Language) -> Machine {
        // Each instance has one bit of a register, so an atom of H has one bit and is no vector.
        let planes = layout.register_bits < 128 && layout.instances_per_group == layout.register_bits;
        let register_bits = layout.register_bits;
        let isa = (register_bits >= 128).then(|| isa::of(target, register_bits, language));
        let ternary_logic = target.has_ternary_logic() && isa.is_some();
        Machine { language, register_bits, lane_bits: layout.lane_bits, planes, isa, ternary_logic }
    }

    pub fn is_vector(&self) -> bool {
        self.isa.is_some()
    }

    /// Operations of the vector registers.
    ///
    /// # Panics
    ///
    /// If the registers are plain words.
    pub fn isa(&self) -> &dyn Isa {
        self.isa.as_deref().expect("a vector target")
    }

    /// An operation on lanes of `n` bits of vector registers, if it is a single step.
    pub fn lanes(&self, helpers: &mut Helpers, op: LaneOp, n: u32, args: &[&Expr]) -> Option<Expr> {
        let form = self.isa().form(op, n)?;
        form.need(helpers, self.language, self.register(), args.len());
        Some(form.apply(args))
    }

    pub fn words(&self) -> Words {
        match () {
            () if self.lane_bits == 1 => Words::None,
            () if self.is_vector() => Words::Vector,
            () if self.lane_bits == self.register_bits => Words::Scalar,
            () => Words::Packed,
        }
    }

    /// An operation on all bits of values, `&`, `|` or `^`.
    pub fn binary(&self, a: &Expr, operator: &str, b: &Expr) -> Expr {
        match &self.isa {
            Some(isa) if self.language.is_rust() => Expr::call(&isa.logic(operator), &[a, b]),
            _ => Expr::binary(a, operator, b),
        }
    }

    /// The bits of the first value where the second one has zeros.
    pub fn andn(&self, a: &Expr, b: &Expr) -> Expr {
        match &self.isa {
            Some(isa) if self.language.is_rust() => isa.andn(a, b),
            _ => Expr::compound(format!("{} & {}", a.operand(), self.language.not(b).text)),
        }
    }

    /// The bits of a value, inverted. Above a narrow word, they may be anything.
    pub fn not(&self, a: &Expr) -> Expr {
        match &self.isa {
            Some(_) if self.language.is_rust() => self.binary(a, "^", &Expr::primary(self.ones())),
            _ => self.language.not(a),
        }
    }

    /// The type of a register.
    pub fn register(&self) -> &'static str {
        self.isa.as_ref().map_or_else(|| self.language.integer(self.register_bits), |isa| isa.register())
    }

    /// The type of a value.
    pub fn ctype(&self, ty: Type) -> String {
        match ty {
            Type::Vector { .. } if self.planes => planes::ctype(self, ty.lanes()),
            Type::Word(bits) if bits > 1 && self.words() == Words::Scalar => {
                self.language.integer(self.native_bits(ty.bits())).to_owned()
            }
            _ => self.register().to_owned(),
        }
    }

    /// Number of registers of an element of the entry's slots.
    pub fn registers_of(&self, ty: Type) -> u32 {
        if self.planes { ty.lanes() } else { 1 }
    }

    /// Bits of the integer or lane that holds a word.
    pub fn native_bits(&self, bits: u32) -> u32 {
        if self.words() == Words::Scalar { bits.next_power_of_two().max(8) } else { self.lane_bits }
    }

    pub fn has_ternary_logic(&self) -> bool {
        self.ternary_logic
    }

    /// Bits of a part of a register that shuffles work in.
    pub fn part_bits(&self) -> u32 {
        self.register_bits.min(128)
    }

    /// A value of this type that is all zeros.
    pub fn zero_of(&self, ty: Type) -> String {
        match ty {
            Type::Vector { .. } if self.planes => format!("[0; {}]", ty.lanes()),
            _ if self.is_vector() => self.zero(),
            _ => "0".to_owned(),
        }
    }

    pub fn zero(&self) -> String {
        self.splat(self.register_bits.min(64), 0)
    }

    pub fn ones(&self) -> String {
        let bits = self.register_bits.min(64);
        self.splat(bits, u64::MAX >> (64 - bits))
    }

    /// A register whose lanes of `lane_bits` bits all hold `value`.
    pub fn splat(&self, lane_bits: u32, value: u64) -> String {
        if let Some(isa) = &self.isa {
            return isa.splat(lane_bits, value);
        }
        self.language.literal(self.register_bits, repeated(lane_bits, value, self.register_bits))
    }

    /// A register whose 128-bit parts all hold these two halves, the less significant first.
    pub fn splat_part(&self, low: u64, high: u64) -> String {
        let literal = |half| self.language.literal(64, half);
        if low == high { self.splat(64, low) } else { self.isa().halves(&literal(low), &literal(high)) }
    }
}

/// `value` in every lane of a word of `bits` bits.
pub(crate) fn repeated(lane_bits: u32, value: u64, bits: u32) -> u64 {
    let (mut word, mut width) = (value, lane_bits);
    while width < bits {
        word |= word << width;
        width *= 2;
    }
    word
}
