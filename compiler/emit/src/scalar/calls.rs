//! Functions that call one another: their names, and the arrays in which words go into them and come out.
//!
//! A function that is called takes all its words in one array and gives all its results in another. Its caller has two
//! such arrays for each function that it calls.

use std::collections::{BTreeMap, HashMap};

use culet_ir::{Func, FuncId, Module, Op, Slot, SlotData, SlotKind, Type};

use culet_types::program::Instruction;

use super::Unwritable;
use super::build::build;
use super::syntax::Syntax;
use super::words::Integers;
use super::write::definition;
use crate::names::{Distinct, identifier};

/// The arrays of a function's parameters and of its results, where it has any.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Border {
    pub parameters: Option<Slot>,
    pub results: Option<Slot>,
}

/// A function with the arrays in which words go between it and others. They are slots of its own.
pub(crate) struct Framed {
    pub func: Func,
    /// The function's own border, if others call it.
    pub border: Option<Border>,
    pub callees: BTreeMap<FuncId, Callee>,
    /// Functions that are instructions.
    pub rounds: BTreeMap<FuncId, Instruction>,
    /// Names that are functions'.
    pub taken: Vec<String>,
}

/// A function that is called.
pub(crate) struct Callee {
    pub name: String,
    /// The caller's arrays.
    pub border: Border,
}

impl Framed {
    /// A function that calls no other, and that no other calls.
    pub fn alone(func: &Func) -> Framed {
        let (callees, rounds) = (BTreeMap::new(), BTreeMap::new());
        Framed { func: func.clone(), border: None, callees, rounds, taken: Vec::new() }
    }

    /// A function of a module in which the functions before it have these names.
    fn of(module: &Module, id: FuncId, names: &[String], integers: Integers) -> Framed {
        let mut framed = Framed { taken: names.to_vec(), ..Framed::alone(module.func(id)) };
        if id != module.entry {
            let kinds = [SlotKind::Output, SlotKind::Input { shared: false }];
            framed.border = Some(framed.add_border(module.func(id), kinds, ["r", "a"].map(str::to_owned), integers));
        }
        module.func(id).walk(&mut |_, data, _| {
            let Op::Call(callee) = data.op else { return };
            let func = module.func(callee);
            if let Some(instruction) = func.instruction {
                framed.rounds.insert(callee, instruction);
            } else if !framed.callees.contains_key(&callee) {
                let arrays = ["from", "to"].map(|way| format!("{way}_{}", func.name));
                let border = framed.add_border(func, [SlotKind::Local, SlotKind::Local], arrays, integers);
                framed.callees.insert(callee, Callee { name: names[callee.index()].clone(), border });
            }
        });
        framed
    }

    /// Adds arrays for the results and for the parameters of a function.
    fn add_border(
        &mut self,
        of: &Func,
        [results, parameters]: [SlotKind; 2],
        [first, second]: [String; 2],
        integers: Integers,
    ) -> Border {
        let mut add = |name: String, kind: SlotKind, types: Vec<Type>| {
            let bits = types.iter().map(|ty| ty.bits()).fold(integers.word().bits(), u32::max);
            let (element, length) = (Type::Word(bits as u8), types.len() as u32);
            (length > 0).then(|| self.func.add_slot(SlotData { name, kind, element, length, group: 0 }))
        };
        let results = add(first, results, of.result_types());
        Border { results, parameters: add(second, parameters, of.param_types()) }
    }
}

/// A module whose entry gets a public name.
pub(crate) struct Named<'m> {
    pub module: &'m Module,
    pub symbol: String,
    /// A text about what the function was made from, which programs have that the function is linked into.
    pub record: Option<&'m str>,
}

/// The definitions of all functions of a module, callees first. The entry is public and has the name `symbol`.
///
/// # Errors
///
/// A value or an operation that is not one of words of one instance.
pub(crate) fn definitions(
    module: &Module,
    symbol: &str,
    integers: Integers,
    syntax: &dyn Syntax,
) -> Result<String, Unwritable> {
    let named = [Named { module, symbol: symbol.to_owned(), record: None }];
    let texts = definitions_together(&named, symbol, integers, syntax)?;
    Ok(joined(&texts))
}

/// A function's definition.
pub(crate) struct Definition {
    pub text: String,
    /// The number of the module whose entry it is.
    pub entry: Option<usize>,
}

/// The text of definitions.
pub(crate) fn joined(definitions: &[Definition]) -> String {
    definitions.iter().map(|definition| definition.text.as_str()).collect::<Vec<&str>>().join("\n")
}

/// The definitions of all functions of modules, callees first. A function that several modules have is defined once. Names of private
/// functions begin with `prefix`.
///
/// # Errors
///
/// As [`definitions`].
pub(crate) fn definitions_together(
    modules: &[Named<'_>],
    prefix: &str,
    integers: Integers,
    syntax: &dyn Syntax,
) -> Result<Vec<Definition>, Unwritable> {
    let mut distinct = Distinct::default();
    let symbols: Vec<String> = modules.iter().map(|named| distinct.take(&named.symbol)).collect();
    let mut known: HashMap<String, String> = HashMap::new();
    let mut definitions = Vec::new();
    for (number, (named, symbol)) in modules.iter().zip(&symbols).enumerate() {
        let mut names: Vec<String> = Vec::new();
        for (id, func) in (0..).map(FuncId).zip(&named.module.funcs) {
            if func.instruction.is_some() && id != named.module.entry {
                names.push(String::new());
                continue;
            }
            let framed = Framed::of(named.module, id, &names, integers);
            let built = build(&framed, integers)?;
            let text = |name: &str| definition(&framed, &built, name, integers, syntax);
            if id == named.module.entry {
                definitions.push(Definition { text: text(symbol), entry: Some(number) });
                names.push(symbol.clone());
                continue;
            }
            // Two functions are the same if their texts are under one name.
            let name = known.entry(text("")).or_insert_with(|| {
                let name = private_name(func, prefix, &mut distinct, syntax);
                definitions.push(Definition { text: text(&name), entry: None });
                name
            });
            names.push(name.clone());
        }
    }
    Ok(definitions)
}

/// A new name for a function that begins with the prefix.
fn private_name(func: &Func, prefix: &str, distinct: &mut Distinct, syntax: &dyn Syntax) -> String {
    let mut name = syntax.cased(&format!("{prefix}_{}", identifier(&func.name)), false);
    if syntax.is_reserved(&name) {
        name.push('_');
    }
    distinct.take(&name)
}
