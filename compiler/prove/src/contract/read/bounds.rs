//! Bounds of limbs, and of whole numbers by numbers or by other arguments.

use culet_decide::field::power_of_two;
use culet_diag::codes::world;
use num_bigint::BigInt;
use num_traits::{One, Signed};
use toml::Spanned;

use super::super::expression::{self, Expression};
use super::super::{Argument, Bound, Limb};
use super::{ArgumentText, MAX_BITS, MAX_DEGREE, MAX_POSITION, Number, Numbers, Reader};

impl Reader {
    pub(super) fn below(&mut self, text: Option<&Spanned<Numbers>>, limbs: usize, bits: u32) -> Vec<BigInt> {
        let most = power_of_two(bits);
        let Some(spanned) = text else { return vec![most; limbs] };
        let below: Vec<Option<BigInt>> = match spanned.get_ref() {
            Numbers::All(number) => vec![self.number(spanned, number); limbs],
            Numbers::Each(numbers) => numbers.iter().map(|number| self.number(spanned, number)).collect(),
        };
        if below.len() != limbs {
            self.error(&world::E0873, spanned, format!("{} bounds for {limbs} limbs", below.len()));
            return vec![most; limbs];
        }
        let mut bounds = Vec::new();
        for bound in below {
            let bound = bound.unwrap_or_else(|| most.clone());
            if !bound.is_positive() || bound > most {
                let message = format!("no limb of {bits} bits has {bound} as its bound: it is from 1 to 2^{bits}");
                self.error(&world::E0873, spanned, message);
            }
            bounds.push(bound);
        }
        bounds
    }

    /// Reads the bounds of the arguments' numbers, which may depend on other arguments.
    pub(super) fn whole_bounds(&mut self, texts: &[Spanned<ArgumentText>], arguments: &mut [Argument]) {
        let names: Vec<String> = arguments.iter().map(|argument| argument.name.clone()).collect();
        let depends = |reader: &Reader, bound: &Spanned<Number>| {
            reader
                .names_in(bound.get_ref())
                .iter()
                .any(|name| names.contains(name) && !reader.constants.contains_key(name))
        };
        let is_dependent = |text: &&Spanned<ArgumentText>| {
            text.get_ref().value_below.as_ref().is_some_and(|bound| depends(self, bound))
        };
        let dependent: Vec<String> =
            texts.iter().filter(is_dependent).map(|text| text.get_ref().name.get_ref().clone()).collect();
        // Bounds that depend on arguments need the bounds of these.
        for of_arguments in [false, true] {
            for (index, text) in texts.iter().map(Spanned::get_ref).enumerate() {
                let mut read = |bound: &Option<Spanned<Number>>| {
                    let bound = bound.as_ref().filter(|bound| depends(self, bound) == of_arguments)?;
                    match of_arguments {
                        true => self.bound_by_arguments(bound, index, arguments, &dependent),
                        false => self.bound_by_number(bound, &arguments[index].limbs),
                    }
                };
                let (before, after) = (read(&text.value_below), read(&text.value_below_after));
                let argument = &mut arguments[index];
                argument.value_below = before.or(argument.value_below.take());
                argument.value_below_after = after.or(argument.value_below_after.take());
            }
        }
        for (text, argument) in texts.iter().zip(arguments) {
            if text.get_ref().value_below_after.is_none() {
                argument.value_below_after = argument.value_below.clone();
            }
        }
    }

    fn bound_by_number(&mut self, bound: &Spanned<Number>, limbs: &[Limb]) -> Option<Bound> {
        let most = self.number(bound, bound.get_ref())?;
        let largest: BigInt = limbs
            .iter()
            .map(|limb| ((&limb.below).max(&limb.below_after) - BigInt::one()) << limb.position as usize)
            .sum();
        if !most.is_positive() {
            self.error(&world::E0873, bound, format!("no number is below {most}"));
        } else if most > largest + 1 {
            self.error(&world::E0873, bound, "the bounds of the limbs do not let the number become so large");
        }
        Some(Bound { text: format!("{most:#x}"), most, formula: None })
    }

    /// Reads a bound that depends on arguments before the call, and grows with them. `dependent` are the arguments with such bounds.
    fn bound_by_arguments(
        &mut self,
        bound: &Spanned<Number>,
        index: usize,
        arguments: &[Argument],
        dependent: &[String],
    ) -> Option<Bound> {
        let Number::Formula(text) = bound.get_ref() else { return None };
        // Formulas that cannot be read have no names.
        let formula = self.with_constants(expression::expression(text, &self.lengths).ok()?);
        let mut problem = if !grows(&formula) {
            Some("it has a difference, a negative number or an entry".to_owned())
        } else if formula.degree(false) > MAX_DEGREE || formula.bits(&|_| MAX_POSITION) > MAX_BITS {
            Some("its numbers become too large".to_owned())
        } else {
            None
        };
        for name in formula.names() {
            let named = arguments.iter().find(|argument| argument.name == name);
            let lanes = arguments[index].lanes;
            let is_plain = |argument: &&Argument| {
                argument.direction.is_read()
                    && !argument.is_truth
                    && argument.table.is_none()
                    && [1, lanes].contains(&argument.lanes)
            };
            let reason = match named.filter(is_plain) {
                None => format!("`{name}` is no argument that is read as a number"),
                Some(argument) if dependent.contains(&argument.name) || argument.name == arguments[index].name => {
                    format!("the bound of `{name}` depends on an argument itself")
                }
                Some(argument) if largest(argument) < BigInt::one() => format!("`{name}` is always 0"),
                Some(_) => continue,
            };
            problem = problem.or(Some(reason));
        }
        let largest = |name: &str| arguments.iter().find(|argument| argument.name == name).map(largest);
        let value = |of_name: &dyn Fn(&str) -> Option<BigInt>| expression::value(&formula, of_name).ok();
        match problem {
            Some(reason) => {
                self.error(&world::E0873, bound, format!("`{text}` is no bound: {reason}"));
                None
            }
            // Then the number 0 is below the bound where all of these arguments are 1.
            None if value(&|_| Some(BigInt::one()))?.is_positive() => Some(Bound {
                most: value(&largest)?,
                formula: Some(formula),
                text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            }),
            None => {
                self.error(&world::E0873, bound, format!("no number is below `{text}`"));
                None
            }
        }
    }
}

/// Returns the largest number that an argument may hold before the call.
fn largest(argument: &Argument) -> BigInt {
    let of_limbs = argument.limbs.iter().map(|limb| (&limb.below - BigInt::one()) << limb.position as usize).sum();
    argument.value_below.as_ref().map_or(of_limbs, |bound| &bound.most - BigInt::one())
}

/// Whether a formula is made of sums, products and powers only, so that it is the larger, the larger its names are.
fn grows(formula: &Expression) -> bool {
    match formula {
        Expression::Number(number) => !number.is_negative(),
        Expression::Name(_) => true,
        Expression::Sum(a, b) | Expression::Product(a, b) => grows(a) && grows(b),
        Expression::Power(base, _) => grows(base),
        Expression::Difference(..) | Expression::Entry(..) => false,
    }
}
