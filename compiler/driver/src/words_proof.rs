//! Proofs that the words of a program compute what it means, and that machine code computes what the words do.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use culet_emit::SingleOutput;
use culet_image::Image;
use culet_ir::{FieldKind, FieldOp, Module, Op, RegionId, Value};
use culet_meaning::layout::text;
use culet_prove::elements::Identities;
use culet_prove::limbs::{Compared, Difference};
use culet_prove::theorem::{Limits, Proved, Rejection};
use culet_prove::{elements, limbs, single};

use crate::prove::{FunctionProof, replayed};
use crate::single::{Single, Words};

/// Proves that the function on words computes the meaning of the function on elements of a field, for all inputs of any
/// length. `None` for programs without elements.
///
/// # Errors
///
/// The first operation for which this is not proved.
pub fn prove_limbs(words: &Words) -> Option<Result<Compared, Difference>> {
    let limbed = words.limbed.as_ref()?;
    Some(limbs::compare(&limbed.elements, &words.module, &limbed.limb_map))
}

/// Proves that the function on elements computes the program's meaning, for all inputs whose streams have these lengths
/// in bytes. `None` for programs without elements.
///
/// # Errors
///
/// A statement that does not hold.
pub fn prove_elements(words: &Words, lengths: &[usize]) -> Option<Result<(), String>> {
    let limbed = words.limbed.as_ref()?;
    Some(elements::compare(&words.program, &limbed.elements, lengths))
}

/// Proves that the function on elements, or on words if the program has no elements, computes the program's meaning, for
/// all inputs of any length.
///
/// # Errors
///
/// A statement that does not hold, or a part of the program that the proof does not support.
pub fn prove_all_elements(words: &Words) -> Result<Identities, String> {
    let function = words.limbed.as_ref().map_or(&words.module, |limbed| &limbed.elements);
    elements::compare_all(&words.program, function)
}

/// A program whose words are proved to compute its meaning, which is the specification of the machine code.
pub(crate) struct Meant<'s> {
    single: &'s Single,
    /// The proof on the words, with the ranges of limbs.
    compared: Compared,
}

impl<'s> Meant<'s> {
    /// Proves the first two theorems: on words and elements, and on elements and the program. Without elements, they are one, on
    /// words and the program.
    ///
    /// # Errors
    ///
    /// The first theorem that does not hold or is not proved.
    pub fn of(single: &'s Single) -> Result<Meant<'s>, Rejection> {
        let words = &single.words;
        let has_stream = single.c.arguments.iter().any(|argument| argument.is_stream);
        let Some(limbed) = &words.limbed else {
            let meant = match has_stream {
                true => elements::compare_all(&words.program, &words.module).map(drop),
                false => elements::compare(&words.program, &words.module, &[]),
            };
            meant.map_err(|difference| open("words = program", difference))?;
            return Ok(Meant { single, compared: Compared::default() });
        };
        if let [first, second, ..] = &limbed.elements.fields[..] {
            return Err(Rejection::Unsupported(format!(
                "a program with several fields has no proof yet, and this one defines `{}` and `{}`, even if it computes in one: leave out \
                 what the node does not need, also in files that it includes",
                first.name, second.name
            )));
        }
        if has_choices_in_loops(&limbed.elements) {
            let what = "loops with choices between elements of a binary field have no proof yet";
            return Err(Rejection::Unsupported(what.to_owned()));
        }
        if compares_elements(&limbed.elements) {
            let what = "comparisons of elements of a field have no proof yet; `--node` proves nodes without them";
            return Err(Rejection::Unsupported(what.to_owned()));
        }
        let compared = limbs::compare(&limbed.elements, &words.module, &limbed.limb_map)
            .map_err(|difference| open("words = elements", difference.to_string()))?;
        let meant = match has_stream {
            true => elements::compare_all(&words.program, &limbed.elements).map(drop),
            false => elements::compare(&words.program, &limbed.elements, &[]),
        };
        meant.map_err(|difference| open("elements = program", difference))?;
        Ok(Meant { single, compared })
    }

    /// Whether each result, and each parameter, has any length.
    pub fn are_streams(&self) -> [Vec<bool>; 2] {
        let node = self.single.words.program.entry();
        [&node.returns, &node.params].map(|vars| vars.iter().map(|&id| node.var(id).stream).collect())
    }

    /// The name of the function in C.
    pub fn symbol(&self) -> &str {
        &self.single.c.function
    }

    /// Proves that a function of an image, which a compiler made of the program's C or Rust, computes the program's
    /// meaning for all parameters.
    ///
    /// # Errors
    ///
    /// If the function is wrong, or not proved.
    pub fn prove(&self, image: &Image, function: &str, limits: &Limits) -> Result<Proved, Rejection> {
        let Words { program, module, .. } = &self.single.words;
        let SingleOutput { instances, arguments, .. } = &self.single.c;
        let is_in_place = arguments.iter().any(|argument| argument.is_in_place);
        let ranges = &self.compared.ranges;
        let mut proved = single::prove(image, function, module, ranges, (*instances, is_in_place), limits)?;
        let node = program.entry();
        // The pointers are those to results and those to parameters, each in their order.
        let (mut results, mut parameters) = (node.returns.iter(), node.params.iter());
        for argument in proved.arguments.iter_mut().filter(|argument| !argument.is_word) {
            let var = if argument.is_written { results.next() } else { parameters.next() };
            let var = var.map(|&id| node.var(id));
            if let Some(var) = var.filter(|var| var.ty.atom.field().is_none() && !var.stream) {
                argument.layout = text::bytes(&var.ty, var.bytes);
            }
        }
        Ok(proved)
    }
}

/// Whether a loop chooses between elements of a binary field. The search for its proof is long, and finds none.
fn has_choices_in_loops(elements: &Module) -> bool {
    let func = elements.entry();
    let is_binary = |value: Value| {
        let field = func.ty(value).field().and_then(|field| elements.fields.get(field.index()));
        field.is_some_and(|field| matches!(field.kind, FieldKind::Binary(_)))
    };
    let loops = (0..).zip(&func.regions).filter(|&(number, _)| RegionId(number) != func.body);
    let mut insts = loops.flat_map(|(_, region)| &region.insts).map(|&inst| func.inst(inst));
    insts.any(|data| data.op == Op::Field(FieldOp::Select) && data.results.iter().any(|&value| is_binary(value)))
}

/// Whether an element is compared with 0: all words of its canonical form are united by `or`. The search for the proof is
/// long, and finds none.
fn compares_elements(elements: &Module) -> bool {
    let func = elements.entry();
    // The words of elements that a value unites: by the number of the element, how many words it has, and which.
    let mut unions: HashMap<Value, BTreeMap<usize, (usize, BTreeSet<usize>)>> = HashMap::new();
    let insts = func.regions.iter().flat_map(|region| &region.insts).enumerate();
    for (number, data) in insts.map(|(number, &inst)| (number, func.inst(inst))) {
        match &data.op {
            Op::Field(FieldOp::Unpack) => {
                for (word, &value) in data.results.iter().enumerate() {
                    unions.insert(value, BTreeMap::from([(number, (data.results.len(), BTreeSet::from([word])))]));
                }
            }
            Op::Or => {
                let mut union: BTreeMap<usize, (usize, BTreeSet<usize>)> = BTreeMap::new();
                for (&element, (count, words)) in data.args.iter().filter_map(|value| unions.get(value)).flatten() {
                    union.entry(element).or_insert((*count, BTreeSet::new())).1.extend(words);
                }
                if union.values().any(|(count, words)| words.len() == *count) {
                    return true;
                }
                unions.insert(data.results[0], union);
            }
            _ => {}
        }
    }
    false
}

/// Proves the one function in an image that some C compiler made of the program's C.
pub(crate) fn each_proof(
    single: &Single,
    image: &Image,
    limits: &Limits,
    watch: &mut dyn FnMut(&str) -> bool,
    over: &mut dyn FnMut(FunctionProof),
) {
    let symbol = single.c.function.clone();
    if watch(&symbol) {
        let outcome = Meant::of(single).and_then(|meant| meant.prove(image, &symbol, limits));
        let replay = outcome.as_ref().err().and_then(|rejection| replayed(image, &symbol, rejection));
        over(FunctionProof { symbol, lengths: Vec::new(), outcome, replay });
    }
}

fn open(claim: &str, rest: String) -> Rejection {
    Rejection::Open { claim: claim.to_owned(), rest }
}
