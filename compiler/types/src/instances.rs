//! Instances: the nodes of a program after directions, word sizes, family indices and `nat` arguments are known.
//!
//! A call needs only the signature of its callee. Instances can therefore be elaborated one after the other from a
//! list, whatever the depth of the calls. Definitions precede their uses; sorted by definition, callees precede
//! callers.

use std::collections::{HashMap, HashSet};

use culet_diag::codes::{equations, names, types, world};
use culet_diag::{Diagnostic, Diagnostics, Span};

use crate::Request;
use crate::definitions::{Declared, Definition, Definitions, SourceType, WordBits, WordsType};
use crate::limits::{Budget, INSTANCE};
use crate::program::{Atom, Body, ExprKind, Node, NodeId, Program, Shape, Slicing, Step, Ty, Var};
use crate::public;
use crate::shape;
use crate::similar::most_similar;

/// What distinguishes the instances of one definition.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Binding {
    /// The direction for which `'D` stands, where it is needed and known.
    pub(crate) direction: Option<Slicing>,
    /// The sizes of named words, sorted by name.
    pub(crate) words: Vec<(u16, u32)>,
    /// The arguments for `nat` parameters, in order.
    pub(crate) nats: Vec<i64>,
    /// The index in the family.
    pub(crate) member: usize,
}

impl Binding {
    pub(crate) fn word(&self, name: u16) -> Option<u32> {
        self.words.binary_search_by_key(&name, |&(n, _)| n).ok().map(|i| self.words[i].1)
    }

    pub(crate) fn bind_word(&mut self, name: u16, bits: u32) {
        if let Err(i) = self.words.binary_search_by_key(&name, |&(n, _)| n) {
            self.words.insert(i, (name, bits));
        }
    }

    /// The atom of a type, or the property that is not bound yet.
    pub(crate) fn atom(&self, ty: &WordsType) -> Result<Atom, Unbound> {
        let bits = match ty.bits {
            WordBits::Field(field, bits) => return Ok(Atom { slicing: Slicing::Limbs(field), bits }),
            WordBits::Known(bits) => bits,
            WordBits::Parameter(name) => self.word(name).ok_or(Unbound::Word(name))?,
        };
        let slicing = match ty.direction.or(self.direction) {
            Some(slicing) => slicing,
            // Without a direction, one bit is bitsliced: that is the same as vertical with one-bit lanes.
            None if bits == 1 => Slicing::Bitslice,
            None => return Err(Unbound::Direction),
        };
        Ok(Atom { slicing, bits })
    }

    pub(crate) fn ty(&self, ty: &WordsType) -> Result<Ty, Unbound> {
        Ok(Ty { atom: self.atom(ty)?, dims: ty.dims.clone() })
    }
}

/// The open property of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unbound {
    Direction,
    Word(u16),
}

/// One node to be elaborated.
struct Instance {
    definition: usize,
    binding: Binding,
    returns: Vec<Ty>,
    node: Option<Node>,
}

/// The state that all nodes share during elaboration.
pub(crate) struct Elaborator<'d, 'a> {
    pub(crate) definitions: &'d Definitions<'a>,
    pub(crate) request: &'d Request<'d>,
    pub(crate) budget: Budget,
    diagnostics: Vec<Diagnostic>,
    /// Code and place of each diagnostic: one that many instances or iterations give is reported once.
    reported: HashSet<(&'static str, Span)>,
    /// By their place, notes on selections that may have been meant otherwise; errors there say them.
    other_readings: HashMap<Span, String>,
    instances: Vec<Instance>,
    known: HashMap<(usize, Binding), usize>,
}

impl<'d, 'a> Elaborator<'d, 'a> {
    pub(crate) fn new(definitions: &'d Definitions<'a>, request: &'d Request<'d>) -> Self {
        Elaborator {
            definitions,
            request,
            budget: Budget::new(),
            diagnostics: Vec::new(),
            reported: HashSet::new(),
            other_readings: HashMap::new(),
            instances: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// Elaborates the program from its entry, and then the other definitions that can be checked.
    pub(crate) fn run(mut self) -> (Option<Program>, Diagnostics) {
        let entry = self.entry();
        let mut done = 0;
        self.elaborate_instances(&mut done);
        let reachable = self.instances.len();
        self.check_unreachable();
        self.elaborate_instances(&mut done);
        let nodes: Vec<_> = self.instances.iter().map(|instance| instance.node.as_ref()).collect();
        let not_affine = crate::affine::check(&nodes);
        let mut callees_first: Vec<usize> = (0..nodes.len()).collect();
        callees_first.sort_by_key(|&index| self.instances[index].definition);
        let not_public = public::check(&nodes, &callees_first);
        not_affine.into_iter().chain(not_public).for_each(|diagnostic| self.report(diagnostic));
        let failed = self.diagnostics.iter().any(Diagnostic::is_error);
        let diagnostics = self.diagnostics.drain(..).fold(Diagnostics::new(), |mut all, diagnostic| {
            all.push(diagnostic);
            all
        });
        self.instances.truncate(reachable);
        let program = entry.filter(|_| !failed).and_then(|entry| assemble(self.instances, entry, self.definitions));
        (program, diagnostics)
    }

    /// Remembers that what stands at a place may have been meant otherwise.
    pub(crate) fn may_mean(&mut self, span: Span, note: String) {
        self.other_readings.insert(span, note);
    }

    /// The note on a selection in which, or around which, the numbers of atoms are wrong.
    fn other_reading(&self, diagnostic: &Diagnostic) -> Option<&String> {
        let is_about_numbers =
            [&types::E0301, &types::E0310, &types::E0321, &equations::E0401].contains(&diagnostic.code);
        let place = diagnostic.span.filter(|_| is_about_numbers)?;
        let meets = |span: &Span| span.file == place.file && span.start < place.end && place.start < span.end;
        let met = self.other_readings.iter().filter(|(span, _)| meets(span));
        met.min_by_key(|(span, _)| span.start).map(|(_, note)| note)
    }

    pub(crate) fn report(&mut self, mut diagnostic: Diagnostic) {
        if let Some(note) = self.other_reading(&diagnostic) {
            diagnostic = diagnostic.note(note.clone());
        }
        let key = diagnostic.span.map(|span| (diagnostic.code.id, span));
        if key.is_none_or(|key| self.reported.insert(key)) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// The state of the diagnostics, to which [`Self::forget_since`] goes back.
    pub(crate) fn mark(&self) -> usize {
        self.diagnostics.len()
    }

    pub(crate) fn forget_since(&mut self, mark: usize) {
        for diagnostic in self.diagnostics.drain(mark..) {
            if let Some(span) = diagnostic.span {
                self.reported.remove(&(diagnostic.code.id, span));
            }
        }
    }

    pub(crate) fn has_errors_since(&self, mark: usize) -> bool {
        self.diagnostics[mark..].iter().any(Diagnostic::is_error)
    }

    fn elaborate_instances(&mut self, done: &mut usize) {
        while *done < self.instances.len() && !self.budget.is_spent() {
            let Instance { definition, binding, .. } = &self.instances[*done];
            let (definition, binding) = (*definition, binding.clone());
            self.instances[*done].node = crate::node::elaborate(self, definition, &binding);
            *done += 1;
        }
    }

    fn entry(&mut self) -> Option<usize> {
        let position = match self.request.entry {
            None => self.definitions.list.len().checked_sub(1),
            Some(name) => self.definitions.by_name.get(name).copied(),
        };
        let Some(position) = position else {
            let (code, message) = match self.request.entry {
                None => (&names::E0210, "the program defines no node".to_owned()),
                Some(name) => (&world::E0830, format!("the program defines no node `{name}`")),
            };
            let diagnostic = Diagnostic::error_without_place(code, message);
            // A constant is a node without parameters, and nobody's entry.
            let nodes = self.definitions.list.iter().filter(|definition| !definition.params.is_empty());
            let names: Vec<&str> = nodes.map(|definition| definition.name.name.as_str()).collect();
            let similar = self.request.entry.and_then(|name| most_similar(name, names.iter().copied()));
            self.report(match (similar, names.is_empty()) {
                (Some(similar), _) => diagnostic.note(format!("did you mean `{similar}`? it has {}", names.join(", "))),
                (None, false) => diagnostic.note(format!("it has {}", names.join(", "))),
                (None, true) => diagnostic,
            });
            return None;
        };
        let definition = &self.definitions.list[position];
        if definition.is_family {
            let message =
                format!("the entry `{}` is a family: which member is meant is not known", definition.name.name);
            self.report(
                Diagnostic::error(&names::E0210, definition.name.span, message)
                    .note("add a node that calls one member, or name another entry with --node"),
            );
            return None;
        }
        if definition.is_wrong() {
            return None;
        }
        if let Some(nat) = definition.params.iter().find(|d| d.ty == SourceType::Nat) {
            let message = format!("the entry's parameter `{}` is a nat, which no caller gives", nat.name.name);
            self.report(
                Diagnostic::error(&names::E0210, nat.name.span, message)
                    .note("add a node that calls this one with an integer"),
            );
            return None;
        }
        let binding = self.request_binding(definition);
        if self.request.word.is_some() && binding.words.is_empty() {
            let message = format!("`{}` leaves no word size open that `--word` could set", definition.name.name);
            self.diagnostics
                .push(Diagnostic::error(&world::E0830, definition.name.span, message).note("leave `--word` out"));
        }
        self.instance(position, binding, definition.name.span)
    }

    /// The direction and the word sizes of `definition` that the request asks for.
    fn request_binding(&self, definition: &Definition<'_>) -> Binding {
        // Beside elements of fields and in streams, words are vertical unless the request asks for something else.
        let is_vertical = !self.definitions.fields.is_empty() || definition.has_streams();
        let usual = is_vertical.then_some(Slicing::Vertical);
        let mut binding = Binding { direction: self.request.slicing.or(usual), ..Binding::default() };
        if let Some(word) = self.request.word {
            for declared in definition.params.iter().chain(&definition.returns) {
                if let SourceType::Words(WordsType { bits: WordBits::Parameter(name), .. }) = declared.ty {
                    binding.bind_word(name, word);
                }
            }
        }
        binding
    }

    /// Elaborates the definitions that the entry does not reach and that do not depend on a caller. Only their errors
    /// are kept.
    fn check_unreachable(&mut self) {
        let reached: HashSet<usize> = self.instances.iter().map(|i| i.definition).collect();
        for (position, definition) in self.definitions.list.iter().enumerate().rev() {
            let depends_on_caller = definition.is_wrong()
                || definition.params.iter().any(|d| d.ty == SourceType::Nat)
                || reached.contains(&position);
            if depends_on_caller {
                continue;
            }
            let binding = self.request_binding(definition);
            let mut types = definition.params.iter().chain(&definition.returns);
            let is_bound = types.all(|d| matches!(&d.ty, SourceType::Words(ty) if binding.atom(ty).is_ok()));
            if is_bound {
                for member in 0..definition.members() {
                    let binding = Binding { member, ..binding.clone() };
                    self.instance(position, binding, definition.name.span);
                }
            }
        }
    }

    /// The instance of a definition, made if it is new; `None` if its signature is not fully bound.
    pub(crate) fn instance(&mut self, definition: usize, binding: Binding, span: Span) -> Option<usize> {
        if let Some(&known) = self.known.get(&(definition, binding.clone())) {
            return Some(known);
        }
        let signature = &self.definitions.list[definition];
        let mut returns = Vec::with_capacity(signature.returns.len());
        for declared in signature.params.iter().chain(&signature.returns) {
            let SourceType::Words(ty) = &declared.ty else { continue };
            if let Err(unbound) = binding.ty(ty) {
                let diagnostic = self.unbound(unbound, declared, signature.name.name.as_str(), span);
                self.report(diagnostic);
                return None;
            }
        }
        for declared in &signature.returns {
            if let SourceType::Words(ty) = &declared.ty {
                returns.extend(binding.ty(ty).ok());
            }
        }
        if let Err(diagnostic) = self.budget.spend(INSTANCE, span) {
            self.report(*diagnostic);
            return None;
        }
        let index = self.instances.len();
        self.instances.push(Instance { definition, binding: binding.clone(), returns, node: None });
        self.known.insert((definition, binding), index);
        Some(index)
    }

    pub(crate) fn returns(&self, instance: usize) -> &[Ty] {
        &self.instances[instance].returns
    }

    /// The diagnostic for a type with an open property.
    pub(crate) fn unbound(&self, unbound: Unbound, declared: &Declared<'_>, node: &str, span: Span) -> Diagnostic {
        let name = &declared.name.name;
        match unbound {
            Unbound::Direction => {
                let message = format!("the direction of `{name}` is not known");
                Diagnostic::error(&types::E0304, declared.name.span, message)
                    .note("compile with `--slice v`, `--slice h` or `--slice b`, or write <V>, <H> or <B> in the type")
            }
            Unbound::Word(word) => {
                let word = self.definitions.word_name(word);
                let message = format!("the word size '{word} of `{node}` is not known");
                Diagnostic::error(&types::E0305, span, message)
                    .related(declared.name.span, format!("`{name}` needs it"))
                    .note("for the entry, compile with `--word M`; for a call, an argument must have a definite size")
            }
        }
    }
}

/// The shape of some declared words, one after the other.
pub(crate) fn shape_of(types: &[Ty]) -> Shape {
    let mut all = Shape::default();
    for ty in types {
        shape::append(&mut all, &Shape::of(ty.atom, ty.atoms()));
    }
    all
}

/// The variable of a declaration.
pub(crate) fn variable(declared: &Declared<'_>, ty: Ty) -> Var {
    let name = declared.name.name.clone();
    let Declared { shared, public, stream, bytes, .. } = *declared;
    Var { name, ty, shared, public, stream, bytes, span: declared.name.span }
}

/// Sorts the nodes that the entry reaches so that callees come first, and gives every node its symbol.
fn assemble(instances: Vec<Instance>, entry: usize, definitions: &Definitions<'_>) -> Option<Program> {
    let mut order = reachable(&instances, entry);
    order.sort_by_key(|&i| (instances[i].definition, i));
    let mut place = vec![NodeId(0); instances.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = NodeId(new as u32);
    }
    let mut symbols = HashSet::new();
    // The entry's symbol is taken first, so that it is the name in the source.
    let entry_symbol = symbol(&instances[entry], definitions, &mut symbols);
    let mut instances: Vec<_> = instances.into_iter().map(Some).collect();
    let mut nodes = Vec::with_capacity(order.len());
    for old in order {
        let mut instance = instances[old].take()?;
        let symbol = if old == entry { entry_symbol.clone() } else { symbol(&instance, definitions, &mut symbols) };
        let mut node = instance.node.take()?;
        node.symbol = symbol;
        if let Body::Steps(steps) = &mut node.body {
            redirect_calls(steps, &place);
        }
        nodes.push(node);
    }
    Some(Program { nodes, entry: place[entry], fields: definitions.fields.clone() })
}

/// The entry and all instances that it reaches by calls.
fn reachable(instances: &[Instance], entry: usize) -> Vec<usize> {
    let mut reached = vec![false; instances.len()];
    let mut found = vec![entry];
    reached[entry] = true;
    let mut done = 0;
    while let Some(&at) = found.get(done) {
        done += 1;
        if let Some(Node { body: Body::Steps(steps), .. }) = &instances[at].node {
            for_each_call(steps, &mut |callee| {
                if !std::mem::replace(&mut reached[callee], true) {
                    found.push(callee);
                }
            });
        }
    }
    found
}

fn for_each_call(steps: &[Step], f: &mut dyn FnMut(usize)) {
    fn in_expr(expr: &ExprKind, f: &mut dyn FnMut(usize)) {
        if let ExprKind::Call { node, .. } = expr {
            f(node.0 as usize);
        }
        expr.for_each_operand(&mut |operand| in_expr(&operand.kind, f));
    }
    for step in steps {
        match step {
            Step::Assign(assign) => in_expr(&assign.value.kind, f),
            Step::Loop(inner) => for_each_call(&inner.steps, f),
        }
    }
}

fn redirect_calls(steps: &mut [Step], place: &[NodeId]) {
    for step in steps {
        match step {
            Step::Assign(assign) => redirect_in(&mut assign.value.kind, place),
            Step::Loop(inner) => redirect_calls(&mut inner.steps, place),
        }
    }
}

fn redirect_in(expr: &mut ExprKind, place: &[NodeId]) {
    if let ExprKind::Call { node, .. } = expr {
        *node = place[node.0 as usize];
    }
    expr.for_each_operand_mut(&mut |operand| redirect_in(&mut operand.kind, place));
}

/// A new C identifier: the name, then the properties that distinguish this instance from others of its definition.
fn symbol(instance: &Instance, definitions: &Definitions<'_>, taken: &mut HashSet<String>) -> String {
    let definition = &definitions.list[instance.definition];
    let binding = &instance.binding;
    let mut symbol = definition.name.name.replace('\'', "_");
    if definition.is_family {
        symbol += &format!("_{}", binding.member);
    }
    let declared = || definition.params.iter().chain(&definition.returns);
    let mut words: Vec<u16> = Vec::new();
    for d in declared() {
        match d.ty {
            SourceType::Words(WordsType { bits: WordBits::Parameter(name), .. }) if !words.contains(&name) => {
                words.push(name);
            }
            _ => {}
        }
    }
    for name in words {
        symbol += &format!("_{}", binding.word(name).unwrap_or(0));
    }
    for nat in &binding.nats {
        symbol += &format!("_{}", nat.to_string().replace('-', "minus"));
    }
    let is_free = |s: &str| !is_c_word(s) && !taken.contains(s);
    let symbol = std::iter::once(symbol.clone())
        .chain((2u64..).map(|k| format!("{symbol}_{k}")))
        .find(|s| is_free(s))
        .unwrap_or(symbol);
    taken.insert(symbol.clone());
    symbol
}

/// Whether a word is reserved in C or C++, or is `main`.
pub fn is_c_word(word: &str) -> bool {
    C_WORDS.contains(&word)
}

/// Words that are reserved in C or C++, and `main`.
const C_WORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "atomic",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "main",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];
