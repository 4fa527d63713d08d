//! Whole programs: a module on elements becomes one function on words, with one plan for all of it.

use std::fmt;

use culet_ir::{Field, FieldKind, Module};

use crate::check::{Violation, check_wrapping};
use crate::expand::{SlotBounds, expand};
use crate::inverse::expand_inverses;
use crate::machine::Failure;
use crate::plan::{Order, Plan, Whole, generous, search};
use crate::representation::{Impossible, Representation, Unsaturated};

/// A module in words, and how it came about.
pub struct Limbed {
    /// One function, without calls and elements.
    pub module: Module,
    /// Of the module whose inverses are powers.
    pub plan: Plan,
    pub representation: Unsaturated,
    /// The module on elements that the plan is about.
    pub elements: Module,
}

/// Why a program has no form in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoLimbs {
    /// Elements of these fields are in one program; one field is possible.
    Fields(Vec<String>),
    /// A field of polynomials.
    Binary(String),
    /// No representation holds its elements.
    Impossible(String, Impossible),
    /// Its elements are in Montgomery's form.
    Montgomery(String),
    /// Even with carries everywhere.
    Bound(Failure),
    /// The checker does not accept what was planned: a defect here, not in the program.
    Check(Violation),
}

impl fmt::Display for NoLimbs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoLimbs::Fields(names) => {
                write!(
                    f,
                    "elements of one field have limbs in a program, not of {} ({})",
                    names.len(),
                    names.join(", ")
                )
            }
            NoLimbs::Binary(name) => write!(f, "elements of the binary field `{name}` have no form in words yet"),
            NoLimbs::Impossible(name, reason) => write!(f, "no limbs hold elements of `{name}`: {reason}"),
            NoLimbs::Montgomery(name) => {
                write!(f, "elements of `{name}` are in Montgomery's form, which whole programs do not have yet")
            }
            NoLimbs::Bound(failure) => failure.fmt(f),
            NoLimbs::Check(violation) => violation.fmt(f),
        }
    }
}

/// A module with elements of one field, in words of `bits` bits (32 or 64).
///
/// # Errors
///
/// Why that is not possible.
pub fn limbs(module: &Module, bits: u32) -> Result<Limbed, NoLimbs> {
    let [field] = &module.fields[..] else {
        return Err(NoLimbs::Fields(module.fields.iter().map(|field| field.name.clone()).collect()));
    };
    let representation = representation(field, bits)?;
    let mut elements = module.clone();
    expand_inverses(&mut elements);
    let inputs = SlotBounds::new();
    let plan = {
        let problem = Whole::new(&elements, &representation, &inputs);
        let start = generous(&[&elements], &representation, Order::Interleaved);
        search(&problem, &elements, start).map_err(NoLimbs::Bound)?
    };
    let expanded = expand(&elements, elements.entry, &representation, &plan, &inputs, true).map_err(NoLimbs::Bound)?;
    let module = expanded.module.unwrap_or_else(|| elements.clone());
    check_wrapping(module.entry(), &inputs, &SlotBounds::new(), &expanded.wrapping).map_err(NoLimbs::Check)?;
    Ok(Limbed { module, plan, representation, elements })
}

fn representation(field: &Field, bits: u32) -> Result<Unsaturated, NoLimbs> {
    let FieldKind::Prime(_) = &field.kind else { return Err(NoLimbs::Binary(field.name.clone())) };
    match Representation::new(field, bits) {
        Ok(Representation::Unsaturated(limbs)) => Ok(limbs),
        Ok(Representation::Montgomery(_)) => Err(NoLimbs::Montgomery(field.name.clone())),
        Err(reason) => Err(NoLimbs::Impossible(field.name.clone(), reason)),
    }
}
