//! Comparison of pairs of terms, from pairs to verdicts.

use culet_term::{Assignment, Input, Node, Term, Terms};
use rustc_hash::FxHashMap;

use super::blast::{Blast, BlastError, Leaf, Mode};
use super::graph::Literal;
use super::pairs::{Decided, decide as decide_pairs};
use super::{Budget, Comparison, Proof, Reason, Statistics, Step, Verdict, lanes};

/// Parts of pairs that are decided in one graph.
struct Group<'q> {
    parts: Vec<Part>,
    mode: Mode,
    /// Registers and the single-bit inputs that they hold instances of.
    instances: &'q [(Term, Term)],
}

/// Two terms that must be equal for a pair to be equal.
#[derive(Clone, Copy)]
struct Part {
    output: usize,
    left: Term,
    right: Term,
}

/// A group's graph.
struct Built {
    blast: Blast,
    /// Literals that must be equal, and the index of the part that each pair belongs to.
    pairs: Vec<(Literal, Literal)>,
    owners: Vec<usize>,
}

/// Outcome of comparing a group.
enum Finding {
    Equal(Proof),
    /// The index of a part, and the values of inputs.
    Different(usize, Assignment),
    Undecided(usize, Reason),
}

/// Whether the terms of each pair are equal on all inputs. Terms are made only to cut the pairs into parts.
pub fn compare(terms: &mut Terms, pairs: &[(Term, Term)], budget: &Budget) -> Comparison {
    let mut parts = Vec::new();
    for (output, &(left, right)) in pairs.iter().enumerate() {
        if terms.bits(left) != terms.bits(right) {
            return undecided(output, Reason::Widths);
        }
        split(terms, Part { output, left, right }, &mut parts);
    }
    let sides: Vec<(Term, Term)> = parts.iter().map(|part| (part.left, part.right)).collect();
    let bitwise = lanes::are_bitwise(terms, &sides);
    let select = |wanted| parts.iter().zip(&bitwise).filter(move |(_, is)| **is == wanted).map(|(part, _)| *part);
    let in_lanes = Group { parts: select(true).collect(), mode: Mode::Lanes, instances: &[] };
    let in_bits = Group { parts: select(false).collect(), mode: Mode::Bits, instances: &[] };
    decide(terms, &[in_lanes, in_bits], budget)
}

/// Whether each bit of the left term of each pair is an instance of the right term, which has one bit: equal to it when
/// the bits at the same position of the registers in `inputs` are the values of the single-bit inputs beside them.
///
/// The left terms must be computed from those registers (and inputs not mentioned) by bitwise operations and the
/// constants all-zeros and all-ones; then position i of the result depends on position i of the registers only, and in
/// the same way for every i, so that one proof about single bits holds for every instance. Registers must not share
/// bits; if they do, equality is still sound, but differences are not found.
pub fn compare_instances(
    terms: &Terms,
    pairs: &[(Term, Term)],
    inputs: &[(Term, Term)],
    budget: &Budget,
) -> Comparison {
    let narrow = |&(_, bit): &(Term, Term)| terms.bits(bit) != 1;
    if let Some(output) = pairs.iter().position(narrow) {
        return undecided(output, Reason::Widths);
    }
    if inputs.iter().any(narrow) {
        return undecided(0, Reason::Widths);
    }
    let parts = pairs.iter().enumerate().map(|(output, &(left, right))| Part { output, left, right }).collect();
    decide(terms, &[Group { parts, mode: Mode::Lanes, instances: inputs }], budget)
}

/// Cuts concatenations where either side is cut; parts with one normal form are done.
fn split(terms: &mut Terms, part: Part, parts: &mut Vec<Part>) {
    let mut ends: Vec<u32> = Vec::new();
    for side in [part.left, part.right] {
        let mut end = 0;
        for piece in terms.parts(side) {
            end += terms.bits(piece);
            ends.push(end);
        }
    }
    ends.sort_unstable();
    ends.dedup();
    let mut low = 0;
    for end in ends {
        let left = terms.extract(part.left, low, end - low);
        let right = terms.extract(part.right, low, end - low);
        low = end;
        if left != right {
            parts.push(Part { left, right, ..part });
        }
    }
}

fn undecided(output: usize, reason: Reason) -> Comparison {
    Comparison { verdict: Verdict::Undecided { output, reason }, statistics: Statistics::default() }
}

fn decide(terms: &Terms, groups: &[Group], budget: &Budget) -> Comparison {
    let mut statistics = Statistics::default();
    let mut proofs = Vec::new();
    let mut open = None;
    for group in groups.iter().filter(|group| !group.parts.is_empty()) {
        match decide_group(terms, group, budget, &mut statistics) {
            Finding::Equal(proof) => proofs.push(proof),
            Finding::Different(part, counterexample) => {
                let Part { output, left, right } = group.parts[part];
                if differs(terms, left, right, &counterexample) {
                    return Comparison { verdict: Verdict::Different { output, counterexample }, statistics };
                }
                open.get_or_insert((output, Reason::Unconfirmed));
            }
            Finding::Undecided(part, reason) => {
                open.get_or_insert((group.parts[part].output, reason));
            }
        }
    }
    let verdict = match open {
        None => Verdict::Equal(proofs),
        Some((output, reason)) => Verdict::Undecided { output, reason },
    };
    Comparison { verdict, statistics }
}

/// Whether evaluation confirms a counterexample. A single bit is compared with the lowest of its instances.
fn differs(terms: &Terms, left: Term, right: Term, counterexample: &Assignment) -> bool {
    let values = terms.evaluate(&[left, right], counterexample);
    if terms.bits(left) == terms.bits(right) { values[0] != values[1] } else { values[0][0] & 1 != values[1][0] }
}

fn decide_group(terms: &Terms, group: &Group, budget: &Budget, statistics: &mut Statistics) -> Finding {
    let Built { blast, pairs, owners } = match build(terms, group, budget) {
        Ok(built) => built,
        Err(error) => return Finding::Undecided(0, error.into()),
    };
    statistics.gates += blast.gates.count();
    statistics.outputs += pairs.len();
    statistics.structural_outputs += pairs.iter().filter(|(a, b)| a == b).count();
    match decide_pairs(&blast.gates, &pairs, budget, statistics) {
        Decided::Equal(steps) => Finding::Equal(group.proof(steps)),
        Decided::Different { pair, inputs } => {
            Finding::Different(owners[pair], assignment(terms, &blast.leaves, &inputs))
        }
        Decided::Undecided { pair } => Finding::Undecided(owners[pair], Reason::TooManyConflicts),
    }
}

impl Group<'_> {
    fn proof(&self, steps: Vec<Step>) -> Proof {
        let mut outputs: Vec<usize> = self.parts.iter().map(|part| part.output).collect();
        outputs.dedup();
        Proof { outputs, lanes: self.mode == Mode::Lanes, steps }
    }
}

/// Makes gates for all parts of a group, left sides first.
fn build(terms: &Terms, group: &Group, budget: &Budget) -> Result<Built, BlastError> {
    let mut blast = Blast::new(group.mode, budget.gates);
    for &(register, bit) in group.instances {
        let literal = blast.leaf(terms, bit);
        blast.alias(register, literal);
    }
    let left: Vec<Term> = group.parts.iter().map(|part| part.left).collect();
    let right: Vec<Term> = group.parts.iter().map(|part| part.right).collect();
    blast.build(terms, &left)?;
    let left: Vec<Vec<Literal>> = left.iter().map(|&term| blast.get(terms, term).to_vec()).collect();
    if !group.instances.is_empty() {
        blast.continue_with_bits(terms);
    }
    blast.build(terms, &right)?;
    let (mut pairs, mut owners) = (Vec::new(), Vec::new());
    for (part, (left, &right)) in left.iter().zip(&right).enumerate() {
        for (&left, &right) in left.iter().zip(blast.get(terms, right)) {
            pairs.push((left, right));
            owners.push(part);
        }
    }
    Ok(Built { blast, pairs, owners })
}

/// Returns values of inputs from the values of a graph's inputs; inputs that are not mentioned are zero.
pub fn assignment(terms: &Terms, leaves: &[Leaf], values: &FxHashMap<u32, bool>) -> Assignment {
    let mut words: FxHashMap<Input, Vec<u64>> = FxHashMap::default();
    for leaf in leaves {
        let (input, low) = match *terms.node(leaf.term) {
            Node::Input(input) => (input, 0),
            Node::Extract(inner, low) => match *terms.node(inner) {
                Node::Input(input) => (input, u32::from(low)),
                _ => continue,
            },
            _ => continue,
        };
        let word = words.entry(input).or_insert_with(|| vec![0; 16]);
        if values.get(&leaf.literal.gate()) != Some(&true) {
            continue;
        }
        let bits = match leaf.bit {
            Some(bit) => low + bit..low + bit + 1,
            None => low..low + terms.bits(leaf.term),
        };
        for bit in bits {
            word[bit as usize / 64] |= 1 << (bit % 64);
        }
    }
    let mut assignment = Assignment::new();
    for (input, word) in words {
        assignment.set(input, &word);
    }
    assignment
}

impl From<BlastError> for Reason {
    fn from(error: BlastError) -> Reason {
        match error {
            BlastError::TooManyGates => Reason::TooManyGates,
            BlastError::WideProduct(bits) => Reason::WideProduct(bits),
            BlastError::MixesBits(term) => Reason::MixesBits(term),
        }
    }
}
