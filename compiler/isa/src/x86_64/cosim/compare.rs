//! Trials of instructions on a processor, and their comparison with a model.

use super::forms::{Addressing, Form, instruction, vector_indices};
use super::random::Random;
use super::{Machine, Options, Outcome, Processor};
use crate::x86_64::machine::SEGMENT_BASE;
use crate::x86_64::second;
use crate::x86_64::{DecodeError, Flag, FlagName, Flags, Instruction, Memory, Next, State, Stop, decode};
use crate::{Concrete512, Wide};
use iced_x86::{CpuidFeature, Encoder, FlowControl, Mnemonic, OpKind, Register};
use std::collections::BTreeMap;
use std::fmt;

/// A block of memory at one address.
pub struct Window {
    pub base: u64,
    pub bytes: Vec<u8>,
}

/// The reason why [`Window`] refuses an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    Outside,
    Misaligned,
}

impl Window {
    fn place(&self, address: &Wide, bytes: u32, alignment: u32) -> Result<usize, Refused> {
        let place = address.low().wrapping_sub(self.base);
        if place > self.bytes.len() as u64 - u64::from(bytes) {
            return Err(Refused::Outside);
        }
        if !address.low().is_multiple_of(u64::from(alignment)) {
            return Err(Refused::Misaligned);
        }
        Ok(place as usize)
    }
}

impl Memory<Concrete512> for Window {
    type Fault = Refused;

    fn load(&mut self, _: &mut Concrete512, address: &Wide, bytes: u32, alignment: u32) -> Result<Wide, Refused> {
        let place = self.place(address, bytes, alignment)?;
        Ok(Wide::from_bytes(&self.bytes[place..place + bytes as usize]))
    }

    fn store(
        &mut self,
        _: &mut Concrete512,
        address: &Wide,
        bytes: u32,
        alignment: u32,
        word: &Wide,
    ) -> Result<(), Refused> {
        let place = self.place(address, bytes, alignment)?;
        self.bytes[place..place + bytes as usize].copy_from_slice(&word.to_bytes(bytes as usize));
        Ok(())
    }
}

/// The model to compare with the processor: [`step`](crate::x86_64::step), or in tests a wrong one.
pub type Model<'a> =
    &'a dyn Fn(&mut Concrete512, &mut State<Wide>, &mut Window, &Instruction) -> Result<Next<Wide>, Stop<Refused>>;

/// The result of the comparison. Forms are named by opcode and operands.
#[derive(Debug, Default)]
pub struct Report {
    /// Number of forms that were compared at least once.
    pub compared: usize,
    pub trials: usize,
    /// Number of trials in which both sides refused a misaligned address.
    pub misaligned: usize,
    /// Number of trials in which only the model refused a misaligned address: masked accesses that access nothing, and SHA's
    /// instructions.
    pub stricter: usize,
    /// Forms that this processor lacks.
    pub lacking: Vec<String>,
    /// Forms without a meaning here, with the reason.
    pub unsupported: BTreeMap<String, &'static str>,
    /// Forms whose operands are not generated here (segment registers, MMX, absolute addresses), or that cannot be
    /// encoded.
    pub not_made: Vec<String>,
    /// Forms for which the second decoder disagrees, at least for some registers, with both readings.
    pub disagreements: BTreeMap<String, String>,
    /// Differences from the processor, at most one for each form.
    pub mismatches: Vec<String>,
}

/// The numbers, and the differences.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { compared, trials, misaligned, stricter, .. } = self;
        writeln!(
            f,
            "{compared} forms compared in {trials} trials; addresses misaligned for both sides in {misaligned}"
        )?;
        writeln!(f, "{stricter} trials where only the model demands alignment, of masked accesses and SHA")?;
        writeln!(f, "{} forms differ", self.mismatches.len())?;
        self.mismatches.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        writeln!(
            f,
            "not compared: {} forms that this processor lacks, {} that have no meaning here, {} that are not made",
            self.lacking.len(),
            self.unsupported.len(),
            self.not_made.len()
        )?;
        writeln!(f, "{} forms are something else for a second decoder", self.disagreements.len())
    }
}

/// Compares a model with a processor on each form, and the two decoders with one another. `watch` is called after each
/// form with its number of trials.
pub fn cosimulate(
    processor: &mut impl Processor,
    forms: &[Form],
    options: Options,
    model: Model,
    watch: &mut dyn FnMut(usize),
) -> Result<Report, String> {
    let mut report = Report::default();
    let mut random = Random(options.seed);
    for chunk in forms.chunks(16) {
        let mut trials = Vec::new();
        let mut owners = Vec::new();
        for form in chunk {
            let made: Vec<_> = (0..options.trials).filter_map(|_| trial(form, &mut random, processor)).collect();
            if made.is_empty() {
                report.not_made.push(form.to_string());
            }
            for made in made {
                // An instruction without a meaning here may write anywhere, and is not run.
                if let Some(reason) = without_meaning(processor, &made, model) {
                    report.unsupported.insert(form.to_string(), reason);
                    continue;
                }
                trials.push(made);
                owners.push(form);
            }
        }
        let outcomes = processor.run(&trials)?;
        for form in chunk {
            let own = owners.iter().zip(trials.iter().zip(&outcomes)).filter(|(owner, _)| std::ptr::eq(**owner, form));
            let own: Vec<_> = own.map(|(_, (trial, outcome))| (trial, outcome)).collect();
            judge(processor, form, &own, model, &mut report);
            watch(own.len());
        }
    }
    Ok(report)
}

/// The reason why the model has no meaning for a trial, if that is so.
fn without_meaning(
    processor: &impl Processor,
    (code, before): &(Vec<u8>, Machine),
    model: Model,
) -> Option<&'static str> {
    let instruction = decode(code, processor.code()).ok()?;
    let mut values = Concrete512 { hides_values: false, undefined_is_ones: false };
    match simulate(processor, &mut values, &instruction, before, model) {
        Err(Stop::Unsupported { reason, .. }) => Some(reason),
        Err(Stop::SegmentBase { .. }) => Some(SEGMENT_BASE),
        _ => None,
    }
}

fn judge(
    processor: &impl Processor,
    form: &Form,
    trials: &[(&(Vec<u8>, Machine), &Outcome)],
    model: Model,
    report: &mut Report,
) {
    let mut compared = false;
    let disagreements = &mut report.disagreements;
    for ((code, before), outcome) in trials {
        let difference = match decode(code, processor.code()) {
            Ok(instruction) => {
                if let Err(disagreement) = second::agree(&instruction, code) {
                    disagreements.insert(form.to_string(), disagreement.to_string());
                }
                check(processor, &instruction, before, outcome, model)
            }
            Err(DecodeError::Ambiguous { .. }) => Verdict::Unsupported("processors differ on it"),
            Err(error) => Verdict::Differs(error.to_string()),
        };
        report.trials += 1;
        match difference {
            Verdict::Same => compared = true,
            Verdict::Stricter => report.stricter += 1,
            Verdict::BothMisaligned => {
                compared = true;
                report.misaligned += 1;
            }
            Verdict::Lacking => {
                report.lacking.push(form.to_string());
                return;
            }
            Verdict::Unsupported(reason) => {
                report.unsupported.insert(form.to_string(), reason);
            }
            Verdict::Differs(what) => {
                report.mismatches.push(format!("{form}: {what}"));
                break;
            }
        }
    }
    report.compared += usize::from(compared);
}

enum Verdict {
    Same,
    /// The model refuses a trial that the processor executes.
    Stricter,
    BothMisaligned,
    Lacking,
    Unsupported(&'static str),
    Differs(String),
}

fn check(
    processor: &impl Processor,
    instruction: &Instruction,
    before: &Machine,
    outcome: &Outcome,
    model: Model,
) -> Verdict {
    // The model runs with either value of undefined words, with constants known and then without, as for terms.
    let ways = [(false, false), (false, true), (true, false), (true, true)];
    let mut found = Vec::new();
    for (hides_values, undefined_is_ones) in ways {
        let mut values = Concrete512 { hides_values, undefined_is_ones };
        match simulate(processor, &mut values, instruction, before, model) {
            Ok(after) => found.push(after),
            // Without constants, the model may not support a form.
            Err(Stop::Unsupported { .. }) if hides_values => {}
            Err(Stop::Unsupported { reason, .. }) => return Verdict::Unsupported(reason),
            Err(Stop::SegmentBase { .. }) => return Verdict::Unsupported(SEGMENT_BASE),
            Err(Stop::Trap) => {
                return match outcome {
                    Outcome::Done(_) => Verdict::Differs(format!("`{instruction}` raises no exception")),
                    _ => Verdict::Same,
                };
            }
            Err(Stop::Fault(Refused::Misaligned)) => {
                return match outcome {
                    Outcome::Exception => Verdict::BothMisaligned,
                    Outcome::Unknown => Verdict::Lacking,
                    // A mask of zeros accesses nothing. It is no error if the model demands more alignment than the
                    // processor.
                    Outcome::Done(_) if instruction.decoded().has_op_mask() => Verdict::Stricter,
                    // The manual demands alignment of SHA's instructions, and not every processor does.
                    Outcome::Done(_) if instruction.decoded().cpuid_features().contains(&CpuidFeature::SHA) => {
                        Verdict::Stricter
                    }
                    Outcome::Done(_) => Verdict::Differs(format!("`{instruction}` demands no alignment")),
                };
            }
            Err(stop) => return Verdict::Differs(format!("`{instruction}`: {stop:?}")),
        }
    }
    let after = match outcome {
        Outcome::Done(after) => after,
        Outcome::Unknown => return Verdict::Lacking,
        Outcome::Exception => return Verdict::Differs(format!("`{instruction}` raises an exception")),
    };
    for pair in found.chunks(2) {
        if let Some(what) = difference(&pair[0], &pair[1], after) {
            return Verdict::Differs(format!("`{instruction}`: {what}; before: {}", inputs(instruction, before)));
        }
    }
    Verdict::Same
}

/// A machine after a step, and the set of flags that are defined.
struct After {
    machine: Machine,
    defined: u64,
}

const FLAGS: [(FlagName, u32); 6] = [
    (FlagName::Carry, 0),
    (FlagName::Parity, 2),
    (FlagName::Adjust, 4),
    (FlagName::Zero, 6),
    (FlagName::Sign, 7),
    (FlagName::Overflow, 11),
];

fn simulate(
    processor: &impl Processor,
    values: &mut Concrete512,
    instruction: &Instruction,
    before: &Machine,
    model: Model,
) -> Result<After, Stop<Refused>> {
    let flag = |place: u32| Flag::Bit(Wide::from_limbs(&[before.flags >> place & 1]));
    let mut state = State {
        general: before.general.map(|word| Wide::from_limbs(&[word])),
        vectors: before.vectors.map(|limbs| Wide::from_limbs(&limbs)),
        masks: before.masks.map(|word| Wide::from_limbs(&[word])),
        flags: Flags {
            carry: flag(0),
            parity: flag(2),
            adjust: flag(4),
            zero: flag(6),
            sign: flag(7),
            overflow: flag(11),
        },
    };
    let mut window = Window { base: processor.memory().0, bytes: before.memory.clone() };
    let next = model(values, &mut state, &mut window, instruction)?;
    let goes = |address: &Wide| address.low() == processor.landing();
    let landed = match &next {
        Next::Fallthrough => false,
        Next::Jump(address) | Next::Return { address } => goes(address),
        Next::Call { target, .. } => goes(target),
        Next::Branch { condition, taken } => condition.low() == 1 && *taken == processor.landing(),
    };
    let (mut flags, mut defined) = (0, 0);
    for (name, place) in FLAGS {
        if let Some(bit) = state.flags.get(name).value(values) {
            flags |= bit.low() << place;
            defined |= 1 << place;
        }
    }
    let machine = Machine {
        general: state.general.map(Wide::low),
        flags,
        masks: state.masks.map(Wide::low),
        vectors: state.vectors.map(Wide::register),
        memory: window.bytes,
        landed,
    };
    Ok(After { machine, defined })
}

/// The difference between the processor and a model that was run with both values of undefined words.
fn difference(zeros: &After, ones: &After, after: &Machine) -> Option<String> {
    let (a, b) = (&zeros.machine, &ones.machine);
    let differ = |a: u64, b: u64, real: u64| (a ^ real) & !(a ^ b) != 0;
    let place = (0..16).find(|r| differ(a.general[*r], b.general[*r], after.general[*r]));
    if let Some(r) = place {
        return Some(format!("general register {r} is {:#x}, not {:#x}", after.general[r], a.general[r]));
    }
    for (name, place) in FLAGS {
        let bit = 1 << place;
        if zeros.defined & ones.defined & bit != 0 && differ(a.flags & bit, b.flags & bit, after.flags & bit) {
            return Some(format!("the {name:?} flag is {}", after.flags >> place & 1));
        }
    }
    if let Some(k) = (0..8).find(|k| differ(a.masks[*k], b.masks[*k], after.masks[*k])) {
        return Some(format!("k{k} is {:#x}, not {:#x}", after.masks[k], a.masks[k]));
    }
    for v in 0..32 {
        if (0..8).any(|limb| differ(a.vectors[v][limb], b.vectors[v][limb], after.vectors[v][limb])) {
            let (real, wrong) = (Wide::from_limbs(&after.vectors[v]), Wide::from_limbs(&a.vectors[v]));
            return Some(format!("vector register {v} is {real:?}, not {wrong:?}"));
        }
    }
    if let Some(place) = (0..a.memory.len()).find(|p| a.memory[*p] == b.memory[*p] && a.memory[*p] != after.memory[*p])
    {
        return Some(format!("the byte {place} of memory is {:#x}, not {:#x}", after.memory[place], a.memory[place]));
    }
    (a.landed != after.landed).then(|| format!("control {} the branch", if after.landed { "takes" } else { "passes" }))
}

/// The registers that an instruction names, for the reader of a mismatch.
fn inputs(instruction: &Instruction, before: &Machine) -> String {
    let decoded = instruction.decoded();
    let mut names = vec![format!("flags {:#x}", before.flags)];
    for operand in (0..decoded.op_count()).filter(|k| decoded.op_kind(*k) == OpKind::Register) {
        let register = decoded.op_register(operand);
        names.push(match register {
            r if r.is_gpr() => format!("{r:?} of {:#x}", before.general[r.full_register().number()]),
            r if r.is_k() => format!("{r:?} {:#x}", before.masks[r.number()]),
            r => format!("{r:?} of {:?}", Wide::from_limbs(&before.vectors[r.number()])),
        });
    }
    names.join(", ")
}

/// Offset of memory operands in the processor's memory.
const OPERAND: u64 = 128;
/// Offset of the stack pointer in the processor's memory.
const STACK: u64 = 384;

/// An instruction of the form, with registers and memory for it.
pub(super) fn trial(form: &Form, random: &mut Random, processor: &impl Processor) -> Option<(Vec<u8>, Machine)> {
    let (base, bytes) = processor.memory();
    let mut machine = Machine {
        general: std::array::from_fn(|_| random.word()),
        flags: 2 | random.below(1 << 12) & 0x8d5,
        masks: std::array::from_fn(|_| random.word()),
        vectors: std::array::from_fn(|_| std::array::from_fn(|_| random.word())),
        memory: (0..bytes / 8).flat_map(|_| random.word().to_le_bytes()).collect(),
        landed: false,
    };
    let misalignment = if random.below(4) == 0 { random.below(64) } else { 0 };
    let operand = base + OPERAND + misalignment;
    let addressing = match vector_indices(form) {
        Some((registers, bits)) => addressing_by_vector(random, &mut machine, operand, (registers, bits)),
        None => addressing(random, &mut machine, operand),
    };
    machine.general[4] = base + STACK;
    if form.code.mnemonic() == Mnemonic::Leave {
        machine.general[5] = base + STACK;
    }
    if form.code.op_code().op_kinds().contains(&iced_x86::OpCodeOperandKind::es_rDI) {
        // At most eight words of 64 bits stay below the stack. The source may overlap the destination.
        machine.general[1] = random.below(9);
        machine.general[6] = (operand - 96).wrapping_add(random.below(160));
        machine.general[7] = operand;
    }
    let landing = processor.landing();
    // Some registers cannot be encoded together: high bytes with registers that need a prefix. Therefore there are
    // several attempts.
    let code = (0..50).find_map(|_| {
        let made = instruction(form, random, &addressing, landing)?;
        if uses_index_twice(&made) {
            return None;
        }
        let mut encoder = Encoder::new(64);
        encoder.encode(&made, processor.code()).ok()?;
        if made.flow_control() != FlowControl::Next && made.op_kind(0) == OpKind::Register {
            machine.general[made.op0_register().number()] = landing;
        }
        Some(encoder.take_buffer())
    })?;
    let indirect = matches!(
        decode(&code, processor.code()).map_or(FlowControl::Next, |made| made.decoded().flow_control()),
        FlowControl::IndirectBranch | FlowControl::IndirectCall
    );
    if indirect && form.memory {
        let place = (operand - base) as usize;
        machine.memory[place..place + 8].copy_from_slice(&landing.to_le_bytes());
    }
    if form.code.mnemonic() == Mnemonic::Ret {
        machine.memory[STACK as usize..STACK as usize + 8].copy_from_slice(&landing.to_le_bytes());
    }
    Some((code, machine))
}

/// Sets registers so that together they address `operand`.
fn addressing(random: &mut Random, machine: &mut Machine, operand: u64) -> Addressing {
    if random.below(8) == 0 {
        let displacement = operand as i64;
        return Addressing { base: Register::RIP, index: Register::None, scale: 1, displacement };
    }
    let (scale, displacement) = (random.pick(&[1, 2, 4, 8]), random.below(256) as i64 - 128);
    let index = if random.below(2) == 0 { Register::RSI } else { Register::None };
    let offset = if index == Register::RSI { machine.general[6].wrapping_mul(u64::from(scale)) } else { 0 };
    machine.general[3] = operand.wrapping_sub(offset).wrapping_sub(displacement as u64);
    let scale = if index == Register::RSI { scale } else { 1 };
    Addressing { base: Register::RBX, index, scale, displacement }
}

/// Sets a general register and small indices in a vector so that together they address places around `operand`.
fn addressing_by_vector(
    random: &mut Random,
    machine: &mut Machine,
    operand: u64,
    (registers, bits): (&[Register], u32),
) -> Addressing {
    let (index, displacement) = (random.pick(registers), random.below(256) as i64 - 128);
    for limb in &mut machine.vectors[index.number()] {
        let lanes =
            (0..64 / bits).map(|lane| (random.below(24).wrapping_sub(12) & (u64::MAX >> (64 - bits))) << (lane * bits));
        *limb = lanes.fold(0, |limb, lane| limb | lane);
    }
    machine.general[3] = operand.wrapping_sub(displacement as u64);
    Addressing { base: Register::RBX, index, scale: random.pick(&[1, 2, 4, 8]), displacement }
}

/// Whether a gather uses one register for two purposes, which raises an exception.
fn uses_index_twice(made: &iced_x86::Instruction) -> bool {
    let index = made.memory_index();
    if !index.is_vector_register() || made.op0_kind() == OpKind::Memory {
        return false;
    }
    let named = [made.op0_register(), index, made.op2_register()];
    let number = |place: usize| Some(named[place]).filter(|register| register.is_vector_register()).map(|r| r.number());
    number(0) == number(1) || number(2).is_some() && (number(2) == number(0) || number(2) == number(1))
}
