//! Checks that a contract names a function, says something about each result, and has one number of lanes.

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_image::printable;
use num_bigint::BigInt;
use toml::Spanned;

use super::super::draw::Draw;
use super::super::{Argument, Contract, Equation};
use super::{ArgumentText, ContractText, Equations, Reader};
use crate::effort::contracts::SAMPLES_OF_RESULTS;

/// The remedy for an equation that says nothing.
const EQUATION: &str = "an equation says of a result how the arguments give it: `out = a * b mod p`";

impl Reader {
    /// Checks that the symbol has only visible characters: it is printed, and must not look like other lines.
    pub(super) fn names_are_visible(&mut self, parsed: &ContractText) {
        if parsed.symbol.get_ref().is_empty() || printable(parsed.symbol.get_ref()) != *parsed.symbol.get_ref() {
            self.error(&world::E0870, &parsed.symbol, "a symbol has characters, and all of them are visible");
        }
    }

    /// Checks that each equation is about a result, and that each result has an equation or a bound.
    pub(super) fn says_something(&mut self, parsed: &ContractText, arguments: &[Argument], equations: &[Equation]) {
        let after = |argument: &Argument| argument.direction.is_written().then(|| argument.name_afterwards());
        let results: Vec<Option<String>> = arguments.iter().map(after).collect();
        let named = |equation: &Equation| -> Vec<String> {
            let names = equation.left.names().into_iter().chain(equation.right.names());
            names.map(str::to_owned).collect()
        };
        let named: Vec<Vec<String>> = equations.iter().map(named).collect();
        if matches!(parsed.equation.get_ref(), Equations::Several(all) if all.is_empty()) {
            self.error(&world::E0870, &parsed.equation, "there is no equation");
        }
        for (equation, names) in equations.iter().zip(&named) {
            if !names.iter().any(|name| results.iter().flatten().any(|result| result == name)) {
                let message =
                    format!("`{}` is about no result: it holds whatever is computed, or never", equation.text);
                self.refuse(Diagnostic::error(&world::E0871, self.place(&parsed.equation), message).note(EQUATION));
            }
        }
        for (text, result) in parsed.argument.iter().map(Spanned::get_ref).zip(&results) {
            let Some(result) = result else { continue };
            let has_bound = text.below.is_some()
                || text.below_after.is_some()
                || text.value_below.is_some()
                || text.value_below_after.is_some();
            // Wrong equations were reported before.
            if !has_bound && !self.diagnostics.has_errors() && !named.iter().flatten().any(|name| name == result) {
                let message = format!("neither an equation nor a bound says anything of `{result}`");
                self.error(&world::E0871, &text.name, message);
            }
        }
    }

    /// Checks that no equation holds for arguments within their bounds whatever is written to results.
    pub(super) fn depends_on_results(&mut self, parsed: &ContractText, contract: &Contract) {
        for equation in contract.equations.iter().filter(|equation| holds_for_all(contract, equation)) {
            let message = format!("`{}` holds whatever is computed", equation.text);
            self.refuse(Diagnostic::error(&world::E0871, self.place(&parsed.equation), message).note(EQUATION));
        }
    }

    pub(super) fn have_the_same_lanes(&mut self, texts: &[Spanned<ArgumentText>], arguments: &[Argument]) {
        let mut several = texts.iter().zip(arguments).filter(|(_, argument)| argument.lanes > 1);
        let Some((_, first)) = several.next() else { return };
        if let Some((text, other)) = several.find(|(_, argument)| argument.lanes != first.lanes) {
            let message = format!(
                "`{}` has {} lanes and `{}` {}: equations hold lane by lane, so that each has as many, or one",
                first.name, first.lanes, other.name, other.lanes
            );
            self.error(&world::E0873, &text.get_ref().name, message);
        }
    }
}

fn holds_for_all(contract: &Contract, equation: &Equation) -> bool {
    let mut draw = Draw::new(contract, 0);
    (0..SAMPLES_OF_RESULTS).all(|sample| {
        draw.begin();
        let mut numbers = Vec::new();
        for argument in &contract.arguments {
            if argument.direction.is_read() {
                let Some(limbs) = draw.number(argument, sample) else { return false };
                numbers.push((argument.name.clone(), argument.meaning(argument.number(&limbs))));
            }
            if argument.direction.is_written() {
                // A word that is true or false is as often the one as the other.
                let is_false = argument.is_truth && draw.bits().is_multiple_of(2);
                let any = |_| BigInt::from(if is_false { 0 } else { draw.bits() >> (64 - argument.bits) });
                let limbs: Vec<BigInt> = (0..argument.limbs.len()).map(any).collect();
                numbers.push((argument.name_afterwards(), argument.meaning(argument.number(&limbs))));
            }
        }
        let of_name = |name: &str| numbers.iter().find(|(known, _)| known == name).map(|(_, number)| number.clone());
        let [left, right] = equation.sides(of_name);
        left == right
    })
}
