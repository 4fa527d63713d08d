//! Runs a program by the interpreter and a module by its evaluator, and compares the results.

use culet_ir::{Elements, Module, SlotData, SlotKind, Type};
use culet_meaning::Concrete;
use culet_types::program::{Program, Slicing, Ty, VarId};

use crate::Rng;

/// Random words for each parameter of the entry.
pub fn random_inputs(program: &Program, seed: u64) -> Vec<Vec<u64>> {
    let mut rng = Rng::new(seed);
    let entry = program.entry();
    let types = entry.params.iter().map(|&id| &entry.var(id).ty);
    types.map(|ty| (0..ty.atoms()).map(|_| rng.word(ty.atom.bits)).collect()).collect()
}

/// The elements of the slot that holds these words. A bitsliced word is one element for each bit, most significant
/// first; a horizontal word of several bits is one element with a lane for each bit, in the same order.
pub fn pieces(ty: &Ty, words: &[u64]) -> Elements<u64> {
    let bits = ty.atom.bits;
    let bits_of = |word: u64| (0..bits).rev().map(move |k| word >> k & 1);
    match ty.atom.slicing {
        Slicing::Vertical => words.iter().map(|&word| vec![word]).collect(),
        Slicing::Bitslice => words.iter().flat_map(|&word| bits_of(word)).map(|bit| vec![bit]).collect(),
        Slicing::Horizontal => words.iter().map(|&word| bits_of(word).collect()).collect(),
        Slicing::Limbs(_) => panic!("random programs have no fields"),
    }
}

/// The words that a slot's elements hold: the inverse of [`pieces`].
pub fn words(ty: &Ty, elements: &Elements<u64>) -> Vec<u64> {
    let join = |bits: &mut dyn Iterator<Item = u64>| bits.fold(0, |word, bit| (word << 1) | bit);
    match ty.atom.slicing {
        Slicing::Vertical => elements.iter().map(|lanes| lanes[0]).collect(),
        Slicing::Bitslice => {
            let atoms = elements.chunks(ty.atom.bits as usize);
            atoms.map(|bits| join(&mut bits.iter().map(|lanes| lanes[0]))).collect()
        }
        Slicing::Horizontal => elements.iter().map(|lanes| join(&mut lanes.iter().copied())).collect(),
        Slicing::Limbs(_) => panic!("random programs have no fields"),
    }
}

/// The type that describes a slot's pieces: bitsliced atoms that are held together have the form of horizontal ones in
/// the IR.
fn held(ty: &Ty, slot: &SlotData) -> Ty {
    let mut ty = ty.clone();
    if matches!(slot.element, Type::Vector { .. }) {
        ty.atom.slicing = Slicing::Horizontal;
    }
    ty
}

/// The module's results by the evaluator: one list of words for each output slot, in the order of the slots. `groups`
/// has the words of the program's parameters for each group of instances.
pub fn evaluate_module(program: &Program, module: &Module, groups: &[Vec<Vec<u64>>]) -> Result<Vec<Vec<u64>>, String> {
    let entry = program.entry();
    let func = module.entry();
    let mut elements = Vec::new();
    for slot in func.slots.iter().filter(|slot| matches!(slot.kind, SlotKind::Input { .. })) {
        let index = position(program, &slot.name, &entry.params)?;
        let inputs = groups.get(slot.group as usize).ok_or_else(|| format!("no inputs for group {}", slot.group))?;
        elements.push(pieces(&held(&entry.var(entry.params[index]).ty, slot), &inputs[index]));
    }
    let outputs = culet_ir::compute(module, &elements).map_err(|error| error.to_string())?;
    let mut answers = Vec::new();
    let slots = func.slots.iter().filter(|slot| slot.kind == SlotKind::Output);
    for (slot, elements) in slots.zip(&outputs) {
        let index = position(program, &slot.name, &entry.returns)?;
        answers.push(words(&held(&entry.var(entry.returns[index]).ty, slot), elements));
    }
    Ok(answers)
}

fn position(program: &Program, name: &str, ids: &[VarId]) -> Result<usize, String> {
    let position = ids.iter().position(|&id| program.entry().var(id).name == name);
    position.ok_or_else(|| format!("the entry has no {name}"))
}

/// Checks that a module passes the verifier and computes the program's meaning, on `rounds` random inputs, in each of
/// its groups.
pub fn check_module(program: &Program, module: &Module, rounds: u64) -> Result<(), String> {
    if let Err(errors) = culet_ir::verify(module) {
        return Err(format!("the verifier rejects the module: {}\n{module}", errors[0]));
    }
    let entry = program.entry();
    let outputs: Vec<_> = module.entry().slots.iter().filter(|slot| slot.kind == SlotKind::Output).collect();
    let group_count = module.entry().slots.iter().map(|slot| slot.group + 1).max().unwrap_or(1);
    if outputs.len() != entry.returns.len() * group_count as usize {
        return Err(format!("{} slots for {} results of {group_count} groups", outputs.len(), entry.returns.len()));
    }
    for round in 0..rounds {
        let groups = inputs_of_groups(program, group_count, round);
        let run = |inputs: &Vec<Vec<u64>>| culet_meaning::run(&mut Concrete, program, program.entry, inputs);
        let expected: Vec<Vec<Vec<u64>>> = groups.iter().map(run).collect();
        let found = evaluate_module(program, module, &groups).map_err(|error| format!("{error}\n{module}"))?;
        for (slot, found) in outputs.iter().zip(&found) {
            let (name, group) = (&slot.name, slot.group as usize);
            let expected = &expected[group][position(program, name, &entry.returns)?];
            if expected != found {
                let inputs = &groups[group];
                return Err(format!(
                    "{name} of group {group}: expected {expected:x?}, found {found:x?}, for {inputs:x?}\n{module}"
                ));
            }
        }
    }
    Ok(())
}

/// Inputs of each group. Groups differ in all parameters that are not shared.
fn inputs_of_groups(program: &Program, groups: u32, round: u64) -> Vec<Vec<Vec<u64>>> {
    let entry = program.entry();
    let first = random_inputs(program, round << 8);
    let group = |group: u32| {
        let mut inputs = random_inputs(program, (round << 8) + u64::from(group));
        for ((&param, words), first) in entry.params.iter().zip(&mut inputs).zip(&first) {
            if entry.var(param).shared {
                words.clone_from(first);
            }
        }
        inputs
    };
    (0..groups).map(group).collect()
}
