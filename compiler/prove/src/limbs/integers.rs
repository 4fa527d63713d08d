//! Operations on elements modulo a prime, as equations between the integers that words spell.

use culet_decide::field::{Algebra, Effort, Goal, GoalKind, Interval, Polynomial, power_of_two, prove};
use culet_ir::FieldOp;
use culet_ir::field::Sign;
use culet_term::{Node, Term};
use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::operation::{Claim, Meaning, Number, Slice};
use super::walk::Walk;

impl Walk<'_> {
    /// Proves that the words of a number are in their ranges, that the number is in its own, and that the claim about
    /// it holds modulo the prime.
    pub(super) fn prove_integers(
        &mut self,
        prime: &BigUint,
        (slice, claim): (&Slice<'_>, Claim),
        number: &Number,
        ranges: &[Interval],
    ) -> Result<(), String> {
        let own: Vec<Term> = number.words.iter().map(|&(word, _)| word).collect();
        let given = slice.elements.iter().flatten().chain(&slice.result).flat_map(|number| &number.words);
        let roots: Vec<Term> = own.iter().chain(given.map(|(word, _)| word)).chain(&slice.words).copied().collect();
        let mut goals = Vec::new();
        for (index, (&word, range)) in own.iter().zip(ranges).enumerate() {
            goals.push(Goal {
                name: format!("word {index} is from {:#x} to {:#x}", range.low, range.high),
                roots: vec![word],
                polynomial: Box::new(move |algebra| algebra.evaluate(&[word]).swap_remove(0)),
                kind: GoalKind::Within(range.clone()),
            });
        }
        if let Some(most) = &number.most {
            goals.push(Goal {
                name: format!("the number is at most {most:#x}"),
                roots: own.clone(),
                polynomial: Box::new(|algebra| number.value(algebra)),
                kind: GoalKind::Within(Interval::new(0, most.clone())),
            });
        }
        goals.push(Goal {
            name: slice.claim(),
            roots: roots.clone(),
            polynomial: Box::new(|algebra| slice.difference(algebra, claim, number)),
            kind: GoalKind::Zero { modulus: prime.clone().into() },
        });
        let setup = |algebra: &mut Algebra| self.set_up(algebra, slice, &roots);
        let cases = prove(&self.terms, &setup, &goals, Effort::OPERATION)
            .map_err(|open| format!("it is not proved that {}: {}", open.goal, open.rest))?;
        self.compared.cases += cases;
        Ok(())
    }

    /// Declares the ranges of the operands' words, and of the numbers that they spell.
    fn set_up(&self, algebra: &mut Algebra, slice: &Slice<'_>, roots: &[Term]) {
        for term in self.terms.cone(roots) {
            let range = self.ranges.get(&term).filter(|_| matches!(self.terms.node(term), Node::Input(_)));
            if let Some(range) = range {
                algebra.limb(term, &format!("t{}", term.index()), range.clone());
            }
        }
        let numbers: Vec<&Number> = slice.elements.iter().flatten().chain(&slice.result).collect();
        for (index, number) in numbers.iter().enumerate() {
            let (Some(most), Some(&(lowest, 0))) = (&number.most, number.words.first()) else { continue };
            // Operands with equal words are one number.
            if self.ranges.contains_key(&lowest) && !numbers[..index].contains(number) {
                let whole = number.value(algebra);
                algebra.relate(&format!("x{index}"), &whole, Interval::new(0, most.clone()));
            }
        }
    }
}

impl Number {
    fn value(&self, algebra: &mut Algebra) -> Polynomial {
        let terms: Vec<Term> = self.words.iter().map(|&(word, _)| word).collect();
        let mut sum = Polynomial::zero();
        for (value, &(_, position)) in algebra.evaluate(&terms).iter().zip(&self.words) {
            sum.add_scaled(value, &power_of_two(position));
        }
        sum
    }
}

impl Slice<'_> {
    /// Returns a polynomial that is zero modulo the prime if a number is what is claimed.
    fn difference(&self, algebra: &mut Algebra, claim: Claim, out: &Number) -> Polynomial {
        match (claim, &self.meaning) {
            (Claim::Operand(place), _) => {
                let own = out.value(algebra);
                let operand = self.elements[place].as_ref().map(|operand| operand.value(algebra));
                operand.map_or_else(|| Polynomial::constant(1), |operand| own.minus(&operand))
            }
            (Claim::Result, Meaning::Operation(FieldOp::Unpack)) => self.unpacked(algebra, out),
            (Claim::Result, _) => self.equation(algebra, out),
        }
    }

    /// Returns a polynomial that is zero modulo the prime if a number is the canonical form of the operand.
    fn unpacked(&self, algebra: &mut Algebra, out: &Number) -> Polynomial {
        let out = out.value(algebra);
        match (&self.result, &self.elements[0]) {
            (Some(result), _) => out.minus(&result.value(algebra)),
            (None, Some(element)) => out.scaled(&self.factor).minus(&element.value(algebra)),
            (None, None) => Polynomial::constant(1),
        }
    }

    /// Returns a polynomial that is zero modulo the prime if a number is the result.
    fn equation(&self, algebra: &mut Algebra, out: &Number) -> Polynomial {
        let out = out.value(algebra);
        if let Some(result) = &self.result {
            return out.minus(&result.value(algebra));
        }
        let elements: Vec<Polynomial> = self.elements.iter().flatten().map(|number| number.value(algebra)).collect();
        let op = match self.meaning {
            Meaning::Operation(op) => op,
            Meaning::Same => return out.minus(&elements[0]),
        };
        match op {
            FieldOp::Const(value) => out.plus_constant(-(BigInt::from(value.clone()) * &self.factor)),
            FieldOp::Add => out.minus(&elements[0]).minus(&elements[1]),
            FieldOp::Sub => out.minus(&elements[0]).plus(&elements[1]),
            FieldOp::Neg => out.plus(&elements[0]),
            FieldOp::MulC(factor) => out.minus(&elements[0].scaled(&BigInt::from(*factor))),
            FieldOp::Sqr => out.scaled(&self.factor).minus(&algebra.product(&elements[0], &elements[0])),
            FieldOp::Mul => out.scaled(&self.factor).minus(&algebra.product(&elements[0], &elements[1])),
            FieldOp::Sop(signs) => {
                let mut rest = out.scaled(&self.factor);
                for (sign, pair) in signs.iter().zip(elements.chunks(2)) {
                    let weight = if *sign == Sign::Plus { -BigInt::one() } else { BigInt::one() };
                    rest.add_scaled(&algebra.product(&pair[0], &pair[1]), &weight);
                }
                rest
            }
            FieldOp::Select => {
                let condition = algebra.evaluate(&self.words).swap_remove(0);
                out.minus(&algebra.selection(&condition, &elements[0], &elements[1]))
            }
            FieldOp::Pack => out.minus(&self.spelled(algebra).scaled(&self.factor)),
            // The words of a lookup are chosen one by one; see `is_choice`.
            FieldOp::Lookup | FieldOp::Unpack | FieldOp::Inv => Polynomial::constant(1),
        }
    }

    /// Returns the integer that packed words spell.
    fn spelled(&self, algebra: &mut Algebra) -> Polynomial {
        let mut sum = Polynomial::zero();
        for (index, value) in (0..).zip(algebra.evaluate(&self.words)) {
            sum.add_scaled(&value, &power_of_two(index * self.width));
        }
        sum
    }
}
