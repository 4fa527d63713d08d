//! Functions that call one another: their names, and the arrays in which words go into them and come out.
//!
//! A function that is called takes its words in one array and gives its results in another. Its caller has two such arrays for each function
//! that it calls. In languages where that is possible, words of an element are a run of their own: the caller says where the run is, and
//! keeps its runs in one array ([`super::homes`]).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use culet_ir::{Func, FuncId, Module, Op, Origin, Slot, SlotData, SlotKind, Type, Value};

use culet_types::program::Instruction;

use super::Unwritable;
use super::build::{Built, build};
use super::homes::split;
use super::in_place::places;
use super::shared::Shared;
use super::syntax::Syntax;
use super::words::Integers;
use super::write::{definition, table_text, used_tables};
use crate::names::{Distinct, identifier};

/// Which words of parameters, or of results, are single, and which are runs, by their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Split {
    pub words: Vec<usize>,
    pub runs: Vec<Range<usize>>,
}

impl Split {
    fn of(func: &Func, integers: Integers) -> [Split; 2] {
        let (parameters, results) = (func.param_types().len(), func.result_types().len());
        match integers.has_runs {
            true => [split(&func.runs.params, parameters), split(&func.runs.results, results)],
            false => [split(&[], parameters), split(&[], results)],
        }
    }

    /// Of some values, those that are single words.
    pub fn single(&self, values: &[Value]) -> Vec<Value> {
        self.words.iter().map(|&word| values[word]).collect()
    }
}

/// The arrays of a function's parameters, or of its results: one of single words, if there are any, and one for each run.
#[derive(Debug, Clone)]
pub(crate) struct Border {
    pub split: Split,
    pub words: Option<Slot>,
    pub runs: Vec<Slot>,
}

/// A function with the arrays in which words go between it and others. They are slots of its own.
pub(crate) struct Framed {
    pub func: Func,
    /// The function's own parameters and results, if others call it.
    pub border: Option<[Border; 2]>,
    /// The array of the runs that are the function's own.
    pub memory: Option<Slot>,
    /// Arrays of elements that are constants and that calls take.
    pub literals: HashMap<Vec<u64>, Slot>,
    pub callees: BTreeMap<FuncId, Callee>,
    /// Functions that are instructions.
    pub rounds: BTreeMap<FuncId, Instruction>,
    /// Names that are functions'.
    pub taken: Vec<String>,
    /// The streams in whose places results stand, with these results. Callers give one place for both.
    pub places: HashMap<Slot, Slot>,
}

/// A function that is called.
pub(crate) struct Callee {
    pub name: String,
    /// Its parameters and its results.
    pub splits: [Split; 2],
    /// The caller's arrays of its single words.
    pub words: [Option<Slot>; 2],
    /// Whether it calls no other.
    pub is_leaf: bool,
}

impl Framed {
    /// A function that calls no other, and that no other calls.
    pub fn alone(func: &Func) -> Framed {
        let (callees, rounds) = (BTreeMap::new(), BTreeMap::new());
        Framed {
            func: func.clone(),
            border: None,
            memory: None,
            literals: HashMap::new(),
            callees,
            rounds,
            taken: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// The entry of a module, of which no text is wanted.
    pub fn of_entry(module: &Module, integers: Integers) -> Framed {
        Framed::of(module, module.entry, &vec![String::new(); module.funcs.len()], integers)
    }

    /// A function of a module in which the functions before it have these names.
    fn of(module: &Module, id: FuncId, names: &[String], integers: Integers) -> Framed {
        let mut framed = Framed { taken: names.to_vec(), ..Framed::alone(module.func(id)) };
        if id != module.entry {
            framed.border = Some(framed.own_border(module.func(id), integers));
        }
        module.func(id).walk(&mut |_, data, _| {
            let Op::Call(callee) = data.op else { return };
            let func = module.func(callee);
            if let Some(instruction) = func.instruction {
                framed.rounds.insert(callee, instruction);
            } else if !framed.callees.contains_key(&callee) {
                let callee_of = framed.callee(func, names[callee.index()].clone(), integers);
                framed.callees.insert(callee, callee_of);
            }
        });
        if framed.callees.values().any(|callee| callee.splits.iter().any(|split| !split.runs.is_empty())) {
            framed.add_literals(module.func(id), integers);
            framed.memory =
                framed.add("elements".to_owned(), SlotKind::Local, &[Type::Word(integers.word_bits as u8)], integers);
        }
        framed
    }

    /// Adds arrays of the constant runs that calls take.
    fn add_literals(&mut self, func: &Func, integers: Integers) {
        func.walk(&mut |_, data, _| {
            let Op::Call(callee) = data.op else { return };
            let Some(Callee { splits: [parameters, _], .. }) = self.callees.get(&callee) else { return };
            for run in parameters.runs.clone() {
                let words: Option<Vec<u64>> = data.args[run].iter().map(|&arg| word(func, arg)).collect();
                let Some(words) = words.filter(|words| !self.literals.contains_key(words)) else { continue };
                let (kind, element) = (SlotKind::Constants(words.clone()), Type::Word(integers.word_bits as u8));
                let slot =
                    SlotData { name: "constant".to_owned(), kind, element, length: words.len() as u32, group: 0 };
                self.literals.insert(words, self.func.add_slot(slot));
            }
        });
    }

    /// Whether the function calls no other.
    pub fn is_leaf(&self) -> bool {
        self.callees.is_empty()
    }

    fn own_border(&mut self, func: &Func, integers: Integers) -> [Border; 2] {
        let [parameters, results] = Split::of(func, integers);
        let results = self.add_border(results, SlotKind::Output, ["r", "r"], &func.result_types(), integers);
        let kind = SlotKind::Input { shared: false };
        [self.add_border(parameters, kind, ["a", "x"], &func.param_types(), integers), results]
    }

    fn callee(&mut self, func: &Func, name: String, integers: Integers) -> Callee {
        let splits = Split::of(func, integers);
        let mut add = |way: &str, split: &Split, types: Vec<Type>| {
            let types: Vec<Type> = split.words.iter().map(|&word| types[word]).collect();
            self.add(format!("{way}_{}", func.name), SlotKind::Local, &types, integers)
        };
        let from = add("from", &splits[1], func.result_types());
        let to = add("to", &splits[0], func.param_types());
        let mut is_leaf = true;
        func.walk(&mut |_, data, _| is_leaf &= !matches!(data.op, Op::Call(_)));
        Callee { name, splits, words: [from, to], is_leaf }
    }

    /// Adds arrays for some values of a function: one for its single words, and one for each run.
    fn add_border(
        &mut self,
        split: Split,
        kind: SlotKind,
        [words, run]: [&str; 2],
        types: &[Type],
        integers: Integers,
    ) -> Border {
        let single: Vec<Type> = split.words.iter().map(|&word| types[word]).collect();
        let single = self.add(words.to_owned(), kind.clone(), &single, integers);
        let mut runs = Vec::new();
        for (number, range) in split.runs.iter().enumerate() {
            runs.extend(self.add(format!("{run}{number}"), kind.clone(), &types[range.clone()], integers));
        }
        Border { split, words: single, runs }
    }

    /// Adds an array for words of these types, if there are any.
    fn add(&mut self, name: String, kind: SlotKind, types: &[Type], integers: Integers) -> Option<Slot> {
        let bits = types.iter().map(|ty| ty.bits()).fold(integers.word().bits(), u32::max);
        let (element, length) = (Type::Word(bits as u8), types.len() as u32);
        (length > 0).then(|| self.func.add_slot(SlotData { name, kind, element, length, group: 0 }))
    }
}

/// The word of a value that is a constant.
fn word(func: &Func, value: Value) -> Option<u64> {
    match func.value(value).origin {
        Origin::Result(inst, _) => match &func.inst(inst).op {
            Op::Const(words) => words.first().copied(),
            _ => None,
        },
        Origin::Param(..) => None,
    }
}

/// A module whose entry gets a public name.
pub(crate) struct Named<'m> {
    pub module: &'m Module,
    pub symbol: String,
    /// A text about what the function was made from, which programs have that the function is linked into.
    pub record: Option<&'m str>,
    /// Whether results stand in the places of the streams whose length they have, so that callers give one place for both.
    pub is_in_place: bool,
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
    let named = [Named { module, symbol: symbol.to_owned(), record: None, is_in_place: false }];
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

/// The definitions of all functions of modules, callees first. A function that several modules have is defined once, and so is a large table
/// that several functions have. Names of private functions and of tables begin with `prefix`.
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
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut functions: Vec<Function> = Vec::new();
    for (number, (named, symbol)) in modules.iter().zip(&symbols).enumerate() {
        let mut names: Vec<String> = Vec::new();
        let looped = of_loops(named.module);
        for (id, func) in (0..).map(FuncId).zip(&named.module.funcs) {
            if func.instruction.is_some() && id != named.module.entry {
                names.push(String::new());
                continue;
            }
            let mut framed = Framed::of(named.module, id, &names, integers);
            if named.is_in_place && id == named.module.entry {
                framed.places = places(func);
            }
            let built = build(&framed, integers)?;
            if id == named.module.entry {
                let is_looped = looped.contains(&id);
                functions.push(Function { framed, built, name: symbol.clone(), entry: Some(number), is_looped });
                names.push(symbol.clone());
                continue;
            }
            // Two functions are the same if their texts are under one name.
            let text = definition(&framed, &built, "", &Shared::default(), integers, syntax);
            let place = *known.entry(text).or_insert_with(|| {
                let name = private_name(func, prefix, &mut distinct, syntax);
                functions.push(Function { framed, built, name, entry: None, is_looped: false });
                functions.len() - 1
            });
            functions[place].is_looped |= func.inline == Some(false) && looped.contains(&id);
            names.push(functions[place].name.clone());
        }
    }
    Ok(written(functions, prefix, &mut distinct, integers, syntax))
}

/// A function before it is written.
struct Function {
    framed: Framed,
    built: Built,
    name: String,
    /// As in [`Definition`].
    entry: Option<usize>,
    /// Whether it is one of [`of_loops`].
    is_looped: bool,
}

/// The functions that run again and again: those with loops that call functions that stay functions, those that loops call, and all that these call.
fn of_loops(module: &Module) -> HashSet<FuncId> {
    let mut callees: HashMap<FuncId, Vec<FuncId>> = HashMap::new();
    let mut looped = HashSet::new();
    let mut left = Vec::new();
    for (id, func) in (0..).map(FuncId).zip(&module.funcs) {
        func.walk(&mut |_, data, around| {
            let Op::Call(callee) = data.op else { return };
            callees.entry(id).or_default().push(callee);
            if !around.is_empty() {
                left.push(callee);
                if module.func(callee).inline == Some(false) {
                    looped.insert(id);
                }
            }
        });
    }
    let mut called = HashSet::new();
    while let Some(id) = left.pop() {
        if called.insert(id) {
            left.extend(callees.get(&id).into_iter().flatten());
        }
    }
    looped.extend(called);
    looped
}

/// The texts of functions, each after the tables that it is the first one to have.
fn written(
    functions: Vec<Function>,
    prefix: &str,
    distinct: &mut Distinct,
    integers: Integers,
    syntax: &dyn Syntax,
) -> Vec<Definition> {
    let tables = functions.iter().flat_map(|function| used_tables(&function.framed.func, &function.built, integers));
    let shared = Shared::of(tables, prefix, distinct, syntax);
    let mut defined = HashSet::new();
    let mut definitions = Vec::new();
    for Function { mut framed, built, name, entry, is_looped } in functions {
        for table in used_tables(&framed.func, &built, integers) {
            if let Some(name) = shared.name(&table)
                && defined.insert(name.to_owned())
            {
                definitions.push(Definition { text: table_text(name, &table, syntax), entry: None });
            }
        }
        framed.taken.extend(shared.names().cloned());
        let mut text = definition(&framed, &built, &name, &shared, integers, syntax);
        if is_looped {
            text.insert_str(0, syntax.looped());
        }
        definitions.push(Definition { text, entry });
    }
    definitions
}

/// A new name for a function that begins with the prefix.
fn private_name(func: &Func, prefix: &str, distinct: &mut Distinct, syntax: &dyn Syntax) -> String {
    let mut name = syntax.cased(&format!("{prefix}_{}", identifier(&func.name)), false);
    if syntax.is_reserved(&name) {
        name.push('_');
    }
    distinct.take(&name)
}
