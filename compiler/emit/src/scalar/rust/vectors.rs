//! Names of operations on lanes in Rust: functions of the target's own. A file has the functions that it calls.

use super::super::graph::{Kind, Shape};
use super::super::syntax::{ATOM, Spread, Text};
use super::registers::{Function, Needed, Registers, count};
use super::rounds::ROUND;
use super::shapes;

impl Registers {
    fn functions(&self) -> impl Iterator<Item = &'static Function> {
        self.functions.iter().flat_map(|functions| functions.iter())
    }

    /// Whether a function of this name may be defined.
    pub fn defines(&self, name: &str) -> bool {
        self.functions().any(|function| function.0 == name) || shapes::defines(name)
    }

    /// Whether lanes can be instances.
    pub fn has_instances(&self) -> bool {
        self.defines("load_lanes")
    }

    /// `#[target_feature(enable = "avx2")]`
    pub fn attribute(&self) -> String {
        attribute(self.features)
    }

    /// The functions that a text calls, and the functions that those call, of the architecture's module.
    /// Functions that `others` define are left out.
    fn definitions(&self, text: &str, others: &[&Registers]) -> String {
        let written = |(name, heading, body): &Function| {
            let text = format!(
                "#[inline]\n{}\nfn {name}{heading} {{\n    {}\n}}\n",
                self.attribute(),
                body.replace('\n', "\n    ")
            );
            let text = self.steps.fill(&text.replace(ROUND, &self.round(name)), 64);
            text.replace("REGISTER", self.ty).replace("COUNT", count(self.steps.bits()))
        };
        let own = self.functions().map(|function| (function.0.to_owned(), written(function)));
        let all: Vec<(String, String)> = own.chain(shapes::functions(self, text)).collect();
        let mut is_called: Vec<bool> = all.iter().map(|(name, _)| calls(text, name)).collect();
        while let Some(next) = (0..all.len()).find(|&index| {
            let by_others = || all.iter().zip(&is_called).any(|((_, text), is)| *is && calls(text, &all[index].0));
            !is_called[index] && by_others()
        }) {
            is_called[next] = true;
        }
        let is_new = |name: &str| !others.iter().any(|registers| registers.defines(name) && calls(text, name));
        let called = all.into_iter().zip(is_called).filter(|((name, _), is_called)| *is_called && is_new(name));
        called.map(|((_, text), _)| format!("\n{text}")).collect()
    }
}

impl Needed {
    /// CPU features that the registers need beyond words.
    pub fn features(self) -> Vec<&'static str> {
        let mut features: Vec<&str> = Vec::new();
        for &feature in self.all().flat_map(|registers| registers.features) {
            if !features.contains(&feature) {
                features.push(feature);
            }
        }
        features
    }

    pub fn architecture(self) -> Option<&'static str> {
        self.all().next().map(|registers| registers.architecture)
    }

    pub fn attribute(self) -> Option<String> {
        let features = self.features();
        (!features.is_empty()).then(|| attribute(&features))
    }

    /// Definitions of the functions that a text calls.
    pub fn definitions(self, text: &str) -> Option<String> {
        let all: Vec<&Registers> = self.all().collect();
        let functions: String =
            all.iter().enumerate().map(|(number, registers)| registers.definitions(text, &all[..number])).collect();
        self.architecture().map(|architecture| format!("use core::arch::{architecture}::*;\n{functions}"))
    }
}

pub(crate) fn attribute(features: &[&str]) -> String {
    format!("#[target_feature(enable = \"{}\")]", features.join(","))
}

/// Whether a function of this name is called in a text, not only defined.
fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_whole = !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        is_whole && !before.ends_with("fn ") && (after.starts_with('(') || after.starts_with("::<"))
    })
}

/// A value on its way to another block.
pub(crate) fn across(registers: &Registers, value: Text) -> Text {
    if registers.defines("opaque") { Text::new(format!("opaque({})", value.text), ATOM) } else { value }
}

/// A register with this word in all lanes.
pub(crate) fn literal(value: &str, suffix: &str) -> Text {
    Text::new(format!("{}({value})", named("all", suffix)), ATOM)
}

/// The name of an operation on registers of a shape.
fn named(name: &str, suffix: &str) -> String {
    if suffix.is_empty() { name.to_owned() } else { format!("{name}_{suffix}") }
}

/// An operation on lanes of this shape, of the functions whose names end in `suffix`.
pub(crate) fn operation(kind: &Kind, args: &[Text], shape: Shape, suffix: &str) -> Text {
    let plain = |name: &'static str| (name, None);
    if let Some(text) = shapes::operation(kind, args, shape) {
        return text;
    }
    let (name, number) = match kind {
        Kind::Add => plain("add"),
        Kind::Sub => plain("sub"),
        Kind::Mul => plain("mul"),
        Kind::And => plain("and"),
        Kind::Or => plain("or"),
        Kind::Xor => plain("xor"),
        Kind::Not => plain("not"),
        Kind::Shl(amount) => ("shl", Some(u64::from(*amount))),
        Kind::Shr(amount) => ("shr", Some(u64::from(*amount))),
        Kind::Sar(amount) => ("sar", Some(u64::from(*amount))),
        Kind::Select => plain("select"),
        Kind::Mac(false) => plain("mac52lo"),
        Kind::Mac(true) => plain("mac52hi"),
        Kind::Mul32 => plain("mul32"),
        Kind::Permute => plain("permute"),
        Kind::Blend(set) => ("blend", Some(*set)),
        Kind::Lane(lane) => ("lane", Some(u64::from(*lane))),
        Kind::Convert => plain("all"),
        Kind::Join => return set(args.iter().map(|arg| arg.text.clone()), suffix),
        Kind::Words(words) => return set(words.iter().map(|word| format!("{word:#x}")), suffix),
        // Pairs are no lanes, comparisons are not for lanes, and the last ones are the shapes' own.
        Kind::IsBelow | Kind::ClMul | Kind::Part(_) | Kind::Swap => return args[0].clone(),
        Kind::Round(_) | Kind::Piece(..) | Kind::Together(_) | Kind::Copied | Kind::AddLanes(_) | Kind::Shuffle(_) => {
            return args[0].clone();
        }
        Kind::Rotl(_) | Kind::Zip { .. } | Kind::Blocks(_) | Kind::Block(_) => return args[0].clone(),
        Kind::Literal(_) | Kind::Variable(_) | Kind::Load(_) | Kind::Halves(..) => return args[0].clone(),
    };
    let number = number.map_or_else(String::new, |number| format!("::<{number}>"));
    let operands: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
    Text::new(format!("{}{number}({})", named(name, suffix), operands.join(", ")), ATOM)
}

fn set(words: impl Iterator<Item = String>, suffix: &str) -> Text {
    Text::new(format!("{}([{}])", named("set", suffix), words.collect::<Vec<String>>().join(", ")), ATOM)
}

/// Loads `bytes` bytes of each instance, or a register.
pub(crate) fn load(at: &Spread<'_>, bytes: u32) -> String {
    match at {
        Spread::Bytes { name, index, step } => format!("load_lanes({name}, {index}, {step}, {bytes})"),
        Spread::Register { name, index } => format!("load_words({name}, {index})"),
        Spread::Word(place) => format!("all({place} as u64)"),
    }
}

/// Stores the lowest byte for each instance, or a register.
pub(crate) fn store(at: &Spread<'_>, value: &Text) -> String {
    match at {
        Spread::Bytes { name, index, step } => format!("store_lanes({name}, {index}, {step}, {});", value.text),
        Spread::Register { name, index } => format!("store_words({name}, {index}, {});", value.text),
        Spread::Word(place) => format!("{place} = {};", value.text),
    }
}

#[cfg(test)]
mod tests {
    use culet_ir::Target;
    use culet_types::program::Instruction;

    use super::super::registers::{pairs, registers};
    use super::super::rounds::rounds;
    use super::Shape;

    #[test]
    fn every_step_of_every_function_has_a_name() {
        for target in Target::ALL {
            let has: Vec<Instruction> = Instruction::ALL.into_iter().filter(|it| target.has(*it)).collect();
            for registers in [registers(target), pairs(target), rounds(target, &has)].into_iter().flatten() {
                let shapes = Shape::ALL.map(|(_, name)| name).join(" ");
                let of_shapes = super::shapes::functions(registers, &shapes).into_iter().map(|(name, _)| name);
                let names = registers.functions().map(|function| function.0.to_owned()).chain(of_shapes);
                let calls: String = names.map(|name| format!("{name}() ")).collect();
                let text = registers.definitions(&(calls + &shapes), &[]);
                assert!(!text.contains('@') && text.contains("fn "), "{}: {text}", target.name());
            }
        }
    }
}
