//! Values of names: public lengths, and constants made of them and of one another.

use std::collections::BTreeMap;

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use num_bigint::BigInt;
use toml::Spanned;

use super::super::expression::{self, Expression};
use super::{ArgumentText, LENGTH, MAX_BITS, Number, Numbers, Reader};

/// Maximum number of choices of public lengths for which a function is proved.
const MAX_CHOICES: usize = 64;

impl Reader {
    /// Returns every choice of values of the public lengths: one empty choice if there are none.
    pub(super) fn lengths(&mut self, arguments: &[Spanned<ArgumentText>]) -> Vec<Vec<(String, u64)>> {
        let mut choices = vec![Vec::new()];
        for argument in arguments.iter().map(Spanned::get_ref) {
            let is_length = argument.direction.get_ref() == LENGTH;
            let values = match (&argument.values, is_length) {
                (Some(values), true) => values,
                (None, true) => {
                    self.error(&world::E0870, &argument.direction, "a length has `values`: all that it may be");
                    continue;
                }
                (Some(values), false) => {
                    self.error(&world::E0870, values, "`values` are those of a `length`; other arguments have bounds");
                    continue;
                }
                (None, false) => continue,
            };
            let name = argument.name.get_ref();
            let count = choices.len().saturating_mul(values.get_ref().len());
            if !(1..=MAX_CHOICES).contains(&count) {
                self.error(
                    &world::E0873,
                    values,
                    format!("expected 1 to {MAX_CHOICES} choices of lengths, found {count}"),
                );
                continue;
            }
            let with = |choice: &Vec<(String, u64)>, value| [choice.clone(), vec![(name.clone(), value)]].concat();
            choices = choices
                .iter()
                .flat_map(|choice| values.get_ref().iter().map(move |&value| with(choice, value)))
                .collect();
        }
        choices
    }

    /// Evaluates the constants. They may be made of one another, in any order but not in a circle.
    pub(super) fn constants(&mut self, texts: &BTreeMap<String, Spanned<Numbers>>) {
        let (lengths, mut open): (Vec<_>, Vec<_>) =
            texts.iter().partition(|(name, _)| self.lengths.contains_key(*name));
        for (name, number) in lengths {
            self.error(&world::E0871, number, format!("`{name}` is a length"));
        }
        let lists = open.extract_if(.., |(_, numbers)| matches!(numbers.get_ref(), Numbers::Each(_)));
        let lists: Vec<_> = lists.collect();
        // Each round takes all constants that are made of known ones.
        loop {
            let before = open.len();
            open.retain(|(name, number)| {
                let Numbers::All(formula) = number.get_ref() else { return false };
                let is_ready = self.names_in(formula).iter().all(|used| self.constants.contains_key(used));
                if is_ready && let Some(value) = self.number(number, formula) {
                    self.constants.insert((*name).clone(), value);
                }
                !is_ready
            });
            if open.len() == before {
                break;
            }
        }
        for (name, number) in open {
            let message = format!("the constant `{name}` is made of names that are no constants");
            self.error(&world::E0871, number, message);
        }
        for (name, list) in lists {
            let Numbers::Each(numbers) = list.get_ref() else { continue };
            let values = numbers.iter().filter_map(|number| self.number(list, number)).collect();
            self.lists.insert(name.clone(), values);
        }
    }

    pub(super) fn names_in(&self, number: &Number) -> Vec<String> {
        let Number::Formula(text) = number else { return Vec::new() };
        let parsed = expression::expression(text, &self.lengths);
        parsed.map(|formula| formula.names().into_iter().map(str::to_owned).collect()).unwrap_or_default()
    }

    pub(super) fn number<T>(&mut self, at: &Spanned<T>, number: &Number) -> Option<BigInt> {
        match number {
            Number::Integer(value) => Some(BigInt::from(*value)),
            Number::Formula(text) => match expression::expression(text, &self.lengths) {
                Ok(formula) => self.value(at, &formula),
                Err(reason) => {
                    self.error(&world::E0872, at, format!("`{text}`: {reason}"));
                    None
                }
            },
        }
    }

    pub(super) fn value<T>(&mut self, at: &Spanned<T>, formula: &Expression) -> Option<BigInt> {
        let bits = formula.bits(&|name| self.constants.get(name).map_or(0, BigInt::bits));
        if bits > MAX_BITS {
            self.error(&world::E0872, at, format!("a number of about {bits} bits is too large"));
            return None;
        }
        match expression::value(formula, |name| self.constants.get(name).cloned()) {
            Ok(value) => Some(value),
            Err(name) => {
                let error = Diagnostic::error(
                    &world::E0871,
                    self.place(at),
                    format!("`{name}` is no constant of this contract"),
                );
                self.refuse(error.note(
                    "a constant stands in the table `[constants]`: `p = \"2^255 - 19\"`; a public length is an argument with \
                     `direction = \"length\"` and `values`",
                ));
                None
            }
        }
    }
}
