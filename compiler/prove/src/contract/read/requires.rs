//! Requirements that callers meet: a number is odd, or a word is its inverse.

use culet_decide::field::power_of_two;
use culet_diag::Diagnostic;
use culet_diag::codes::world;
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use toml::Spanned;

use super::super::expression::{self, EquationText, Expression};
use super::super::{Argument, Requirement, RequirementKind};
use super::Reader;

impl Reader {
    /// Reads all that is required, and reports what cannot be.
    pub(super) fn requirements(&mut self, texts: &[Spanned<String>], arguments: &[Argument]) -> Vec<Requirement> {
        let mut requirements: Vec<Requirement> = Vec::new();
        for at in texts {
            let parsed = expression::equation(at.get_ref(), &self.lengths).ok();
            let found = parsed.and_then(|parsed| odd(&parsed, arguments).or_else(|| inverse(&parsed, arguments)));
            let Some((of, kind)) = found else {
                let message = format!(
                    "`{}` is not what can be required: that a number that is read is odd, `m = 1 mod 2`, or that the product \
                     of one in full words and a word is 1 or -1, `m * w = -1 mod 2^64`",
                    at.get_ref()
                );
                let note =
                    "`requires` has equations alone; `below` and `value_below` bound an argument, also by another one";
                self.refuse(Diagnostic::error(&world::E0872, self.place(at), message).note(note));
                continue;
            };
            let text = at.get_ref().split_whitespace().collect::<Vec<&str>>().join(" ");
            let required = Requirement { text, of, kind };
            if self.can_be_required(at, &required, &requirements, arguments) {
                requirements.push(required);
            }
        }
        requirements
    }

    /// Whether some values are as is required and within their bounds, so that the contract is about something: 1 and the
    /// unit are, if no other requirement is about them. The reason is reported if not.
    fn can_be_required(
        &mut self,
        at: &Spanned<String>,
        required: &Requirement,
        others: &[Requirement],
        arguments: &[Argument],
    ) -> bool {
        let text = &required.text;
        let values = required.some_values();
        let is_about =
            |other: &Requirement| other.some_values().iter().any(|(place, _)| values.iter().any(|(p, _)| p == place));
        if others.iter().any(is_about) {
            self.error(&world::E0872, at, format!("`{text}` is about an argument of which something else is required"));
            return false;
        }
        let others = others.iter().flat_map(Requirement::some_values);
        let places: Vec<usize> = values.iter().chain(&others.collect::<Vec<_>>()).map(|(place, _)| *place).collect();
        let shares =
            |argument: &&Argument| argument.may_alias.iter().filter(|place| places.contains(place)).count() > 1;
        if let Some(argument) = arguments.iter().find(shares) {
            let message = format!(
                "`{text}` is about an argument that `{}` may make one with another of which something is required",
                argument.name
            );
            self.error(&world::E0872, at, message);
            return false;
        }
        for (place, value) in values {
            let argument = &arguments[place];
            let whole = argument.value_below.as_ref();
            let bounds =
                argument.limbs.first().map(|limb| &limb.below).into_iter().chain(whole.map(|bound| &bound.most));
            if whole.is_some_and(|bound| bound.formula.is_some()) || bounds.into_iter().any(|bound| *bound <= value) {
                let name = &argument.name;
                let message = format!("`{text}` may hold for no numbers: the bound of `{name}` leaves {value} out");
                self.error(&world::E0872, at, message);
                return false;
            }
        }
        true
    }
}

impl Requirement {
    /// Values that are as is required, each of one argument.
    fn some_values(&self) -> Vec<(usize, BigInt)> {
        let of = (self.of, BigInt::one());
        match self.kind {
            RequirementKind::Odd => vec![of],
            RequirementKind::Inverse { by, unit: 1, .. } => vec![of, (by, BigInt::one())],
            RequirementKind::Inverse { by, bits, .. } => vec![of, (by, power_of_two(bits) - 1)],
        }
    }
}

/// Reads `m = 1 mod 2`.
fn odd(parsed: &EquationText, arguments: &[Argument]) -> Option<(usize, RequirementKind)> {
    let Expression::Name(name) = &parsed.left else { return None };
    let of = place(name, arguments)?;
    let number = &arguments[of];
    let is_one = number_of(&parsed.right)? == BigInt::one() && number_of(parsed.modulus.as_ref()?)? == BigInt::from(2);
    let lowest_decides = number.limbs[0].position == 0 && number.limbs.iter().skip(1).all(|limb| limb.position > 0);
    (is_one && is_plain(number) && lowest_decides).then_some((of, RequirementKind::Odd))
}

/// Reads `m * w = -1 mod 2^64`.
fn inverse(parsed: &EquationText, arguments: &[Argument]) -> Option<(usize, RequirementKind)> {
    let Expression::Product(of, by) = &parsed.left else { return None };
    let (Expression::Name(of), Expression::Name(by)) = (&**of, &**by) else { return None };
    let (of, by) = (place(of, arguments)?, place(by, arguments)?);
    let (number, word) = (&arguments[of], &arguments[by]);
    let unit = number_of(&parsed.right)?.to_i32().filter(|unit| unit.unsigned_abs() == 1)?;
    let modulus = number_of(parsed.modulus.as_ref()?)?;
    let bits = word.bits;
    let is_low = number.limbs.iter().skip(1).all(|limb| limb.position >= bits) && number.limbs[0].position == 0;
    let are_apart = of != by && is_plain(number) && is_plain(word) && word.limbs.len() == 1;
    let fits = are_apart && is_low && number.bits == bits && modulus == power_of_two(bits);
    fits.then_some((of, RequirementKind::Inverse { by, bits, unit }))
}

fn place(name: &str, arguments: &[Argument]) -> Option<usize> {
    arguments.iter().position(|argument| argument.name == *name)
}

fn number_of(formula: &Expression) -> Option<BigInt> {
    expression::value(formula, |_| None).ok()
}

fn is_plain(argument: &Argument) -> bool {
    argument.direction.is_read() && argument.lanes == 1 && !argument.is_truth && argument.table.is_none()
}
