//! The definitions of a program, and the types of all names that they declare.
//!
//! Types are resolved once, here: dimensions become numbers, names of types are replaced. The direction `'D` and the
//! word sizes `'m` stay open; each instance of a definition binds them.

use std::collections::{HashMap, HashSet};

use culet_diag::codes::{fields as codes, limits, names, types};
use culet_diag::{Diagnostic, Diagnostics, Span};
use culet_syntax::ast::{self, AttributeKind, Ident, ModifierKind};

use crate::field::{Field, Pin, modulus};
use crate::limits::{VARIABLE_ATOMS, VARIABLE_ELEMENTS};
use crate::program::{Affine, ByteOrder, FieldId, Slicing};
use crate::similar::most_similar;
use crate::statics::{self, StaticError};

/// All definitions of a program, in textual order.
pub(crate) struct Definitions<'a> {
    pub(crate) list: Vec<Definition<'a>>,
    /// The first definition of each name.
    pub(crate) by_name: HashMap<&'a str, usize>,
    aliases: HashMap<&'a str, Alias>,
    pub(crate) fields: Vec<Field>,
    /// The place where the representation of each field was pinned.
    pins: HashMap<FieldId, Span>,
    /// The quoted names of word sizes; `'m` is among them from the start.
    words: Vec<String>,
}

struct Alias {
    ty: SourceType,
    span: Span,
}

pub(crate) struct Definition<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) span: Span,
    pub(crate) attributes: &'a [ast::Attribute],
    pub(crate) kind: Kind<'a>,
    pub(crate) is_family: bool,
    /// Whether a later definition has the same name, so that it is not known which one calls mean.
    pub(crate) is_defined_again: bool,
    pub(crate) params: Vec<Declared<'a>>,
    pub(crate) returns: Vec<Declared<'a>>,
    /// The locals of each member; empty lists for perms and tables.
    pub(crate) locals: Vec<Vec<Declared<'a>>>,
}

impl Definition<'_> {
    pub(crate) fn is_node(&self) -> bool {
        matches!(self.kind, Kind::Node(_))
    }
}

/// The members of a family; one member for a definition outside a family.
pub(crate) enum Kind<'a> {
    Node(Vec<&'a ast::NodeBody>),
    Perm(Vec<&'a ast::Entries>),
    Table(Vec<&'a ast::Entries>),
}

/// One declared name.
#[derive(Debug, Clone)]
pub(crate) struct Declared<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) ty: SourceType,
    pub(crate) shared: bool,
    pub(crate) public: bool,
    pub(crate) stream: bool,
    pub(crate) bytes: ByteOrder,
}

/// A type whose dimensions are known; direction and word size may be open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SourceType {
    Nat,
    Words(WordsType),
    /// The type is wrong, and a diagnostic has been given.
    Wrong,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WordsType {
    /// `None` is `'D`.
    pub(crate) direction: Option<Slicing>,
    pub(crate) bits: WordBits,
    pub(crate) dims: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordBits {
    Known(u32),
    /// An index into the names of word sizes.
    Parameter(u16),
    /// An element of a field, which has this number of bits.
    Field(FieldId, u32),
}

impl WordsType {
    pub(crate) fn atoms(&self) -> u32 {
        self.dims.iter().product()
    }
}

impl Definition<'_> {
    pub(crate) fn members(&self) -> usize {
        match &self.kind {
            Kind::Node(members) => members.len(),
            Kind::Perm(members) | Kind::Table(members) => members.len(),
        }
    }

    /// Whether the type of a parameter or result is wrong.
    pub(crate) fn is_wrong(&self) -> bool {
        self.params.iter().chain(&self.returns).any(|d| d.ty == SourceType::Wrong)
    }

    /// Whether a member declares a name twice.
    pub(crate) fn declares_twice(&self, member: usize) -> bool {
        let mut names = HashSet::new();
        !self.params.iter().chain(&self.returns).chain(&self.locals[member]).all(|d| names.insert(d.name.name.as_str()))
    }

    /// Whether a parameter or result is a stream.
    pub(crate) fn has_streams(&self) -> bool {
        self.params.iter().chain(&self.returns).any(|d| d.stream)
    }

    pub(crate) fn has(&self, kind: AttributeKind) -> bool {
        self.attributes.iter().any(|a| a.kind == kind)
    }
}

const RESERVED: [&str; 4] = ["refresh", "rand", "print", "ref"];

impl<'a> Definitions<'a> {
    pub(crate) fn new(items: &'a [ast::Item], diagnostics: &mut Diagnostics) -> Self {
        let mut definitions = Definitions {
            list: Vec::new(),
            by_name: HashMap::new(),
            aliases: HashMap::new(),
            fields: Vec::new(),
            pins: HashMap::new(),
            words: vec!["m".to_owned()],
        };
        for item in items {
            match item {
                // The driver has spliced the includes that it found, and reported the others.
                ast::Item::Include(_) => {}
                ast::Item::TypeAlias(alias) => {
                    if alias.ty.is_stream {
                        let message = "a stream has no type of its own: write `[*]` where the parameter is declared";
                        diagnostics.push(Diagnostic::error(&codes::E0340, alias.ty.span, message));
                    }
                    let ty = definitions.resolve_type(&alias.ty, diagnostics);
                    definitions.define_type(&alias.name, ty, diagnostics);
                }
                ast::Item::Field(field) => definitions.field(field, diagnostics),
                // Constants have become nodes.
                ast::Item::Constant(_) => {}
                ast::Item::Node(node) => {
                    definitions.define(node, Kind::Node(members(&node.body).collect()), diagnostics);
                }
                ast::Item::Perm(perm) => {
                    definitions.define(perm, Kind::Perm(members(&perm.body).collect()), diagnostics);
                }
                ast::Item::Table(table) => {
                    definitions.define(table, Kind::Table(members(&table.body).collect()), diagnostics);
                }
            }
        }
        definitions
    }

    pub(crate) fn word_name(&self, index: u16) -> &str {
        self.words.get(usize::from(index)).map_or("m", String::as_str)
    }

    fn define_type(&mut self, name: &'a Ident, ty: SourceType, diagnostics: &mut Diagnostics) {
        if let Some(first) = self.aliases.get(name.name.as_str()) {
            // Files that are included beside each other may each say what they need.
            if first.ty == ty {
                return;
            }
            let message = format!("the type `{}` is defined twice, as different types", name.name);
            diagnostics
                .push(Diagnostic::error(&names::E0206, name.span, message).related(first.span, "first defined here"));
            return;
        }
        self.aliases.insert(&name.name, Alias { ty, span: name.span });
    }

    fn field(&mut self, definition: &'a ast::FieldDefinition, diagnostics: &mut Diagnostics) {
        let ty = match modulus::kind(definition.is_binary, &definition.modulus) {
            Ok(kind) => {
                let id = FieldId(self.fields.len() as u32);
                let bits = WordBits::Field(id, kind.bits() as u32);
                self.fields.push(Field { name: definition.name.name.clone(), kind, pin: None });
                SourceType::Words(WordsType { direction: None, bits, dims: vec![] })
            }
            Err(found) => {
                diagnostics.extend(found);
                SourceType::Wrong
            }
        };
        self.define_type(&definition.name, ty, diagnostics);
    }

    /// The field of this name.
    pub(crate) fn field_named(&self, name: &str) -> Option<FieldId> {
        self.fields.iter().position(|field| field.name == name).map(|i| FieldId(i as u32))
    }

    /// The type above that is probably meant by a name: one whose name is similar, or, by the usual name of a field, the only field.
    fn similar_type(&self, name: &str) -> Option<&str> {
        let is_usual = ["fe", "felem", "element", "gf", "fp", "fq", "f", "field", "scalar"];
        let field = match self.fields.as_slice() {
            [field] if is_usual.contains(&name.to_ascii_lowercase().as_str()) => Some(field.name.as_str()),
            _ => None,
        };
        most_similar(name, self.aliases.keys().copied()).or(field)
    }

    /// Pins the representation of a field. It is the same in the whole program.
    fn pin(&mut self, name: &Ident, pin: &ast::Pin, diagnostics: &mut Diagnostics) {
        let Some(id) = self.field_named(&name.name) else { return };
        let field = &mut self.fields[id.0 as usize];
        let wanted: Pin = match pin.text.parse() {
            Ok(wanted) => wanted,
            Err(message) => {
                diagnostics.push(Diagnostic::error(&codes::E0333, pin.span, message));
                return;
            }
        };
        match field.pin {
            Some(first) if first != wanted => {
                let message = format!("`{}` is represented as `{first}` in this program", field.name);
                let mut diagnostic = Diagnostic::error(&codes::E0333, pin.span, message);
                if let Some(&span) = self.pins.get(&id) {
                    diagnostic = diagnostic.related(span, "pinned here");
                }
                let note = "a field has one representation in a program; define a second field for another one";
                diagnostics.push(diagnostic.note(note));
            }
            _ => {
                field.pin = Some(wanted);
                self.pins.entry(id).or_insert(pin.span);
            }
        }
    }

    fn define<B>(&mut self, definition: &'a ast::Definition<B>, kind: Kind<'a>, diagnostics: &mut Diagnostics) {
        let name = &definition.name;
        let params = self.declare(&definition.params, Role::Parameter, diagnostics);
        let returns = self.declare(&definition.returns, Role::Result, diagnostics);
        let locals = match &kind {
            Kind::Node(bodies) => bodies.iter().map(|b| self.declare(&b.vars, Role::Local, diagnostics)).collect(),
            Kind::Perm(members) | Kind::Table(members) => vec![Vec::new(); members.len()],
        };
        if RESERVED.contains(&name.name.as_str()) {
            let message = format!("`{}` is a reserved name", name.name);
            diagnostics.push(Diagnostic::error(&names::E0205, name.span, message));
        }
        if let Some(&first) = self.by_name.get(name.name.as_str()) {
            self.list[first].is_defined_again = true;
            let message = format!("`{}` is defined twice", name.name);
            diagnostics.push(
                Diagnostic::error(&names::E0206, name.span, message)
                    .related(self.list[first].name.span, "first defined here"),
            );
        } else {
            self.by_name.insert(&name.name, self.list.len());
        }
        let is_family = matches!(definition.body, ast::Family::Indexed(_));
        let attributes = &definition.attributes;
        let span = definition.span;
        let is_defined_again = false;
        self.list.push(Definition {
            name,
            span,
            attributes,
            kind,
            is_family,
            is_defined_again,
            params,
            returns,
            locals,
        });
    }

    fn declare(
        &mut self,
        declarations: &'a [ast::Declaration],
        role: Role,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Declared<'a>> {
        let mut declared = Vec::new();
        for declaration in declarations {
            let mut ty = self.resolve_type(&declaration.ty, diagnostics);
            if role == Role::Result && ty == SourceType::Nat {
                let message = "a result or a constant cannot be a nat, which exists at compile time only";
                diagnostics.push(Diagnostic::error(&types::E0307, declaration.ty.span, message));
                ty = SourceType::Wrong;
            }
            let bytes = byte_order(&declaration.modifiers, &ty, diagnostics);
            let shared = declaration.modifiers.iter().any(|m| m.kind == ModifierKind::Const);
            let mut stream = declaration.ty.is_stream;
            if stream && (role == Role::Local || ty == SourceType::Nat) {
                let message = "only parameters and results, and no nats, are streams";
                let error = Diagnostic::error(&codes::E0340, declaration.ty.span, message);
                diagnostics.push(match role {
                    Role::Local if ty != SourceType::Nat => error.note(
                        "declare it as a result, after `returns`: other loops may go through a result, too; or compute with each element in the loop that makes it",
                    ),
                    _ => error,
                });
                (stream, ty) = (false, SourceType::Wrong);
            }
            let public = declaration.modifiers.iter().any(|m| m.kind == ModifierKind::Public);
            modifiers_without_effect(declaration, role, diagnostics);
            for name in &declaration.names {
                let is_parameter = role == Role::Parameter;
                let (shared, public) = (shared && is_parameter, public && is_parameter);
                declared.push(Declared { name, ty: ty.clone(), shared, public, stream, bytes });
            }
        }
        declared
    }

    fn resolve_type(&mut self, ty: &ast::Type, diagnostics: &mut Diagnostics) -> SourceType {
        let mut words = std::mem::take(&mut self.words);
        let resolved = self.try_type(ty, &mut |name| intern(&mut words, name));
        self.words = words;
        if let ast::BaseType::Pinned { name, pin } = &ty.base {
            self.pin(name, pin, diagnostics);
        }
        resolved.unwrap_or_else(|found| {
            diagnostics.extend(found);
            SourceType::Wrong
        })
    }

    /// The type written in an expression. A word size that no declaration names stays unknown.
    pub(crate) fn annotation(&self, ty: &ast::Type) -> Result<SourceType, Diagnostics> {
        let known = |name: &str| self.words.iter().position(|w| w == name).map_or(MOST_WORDS, |i| i as u16);
        self.try_type(ty, &mut |name| known(name))
    }

    /// The number that a size in a type is.
    fn dimension(&self, dim: &ast::Expr) -> Result<u32, Diagnostics> {
        let value = statics::evaluate(dim, &mut |variable| {
            if let Some(number) = self.number(&variable.name.name, self.list.len()) {
                return Ok(Affine::constant(number));
            }
            let message = "the sizes in a type are integers, not variables";
            let note = "write the number itself, or a constant, `const n : u32 = 4`; or name the whole type: `type state = u32[4]`";
            Err(Box::new(Diagnostic::error(&types::E0308, variable.span, message).note(note)))
        });
        let value = value.map_err(|error| match error {
            StaticError::Wrong(diagnostic) => Diagnostics::from(*diagnostic),
            StaticError::Lookup(diagnostic) => Diagnostics::from(*diagnostic),
            StaticError::NotAffine { span, .. } => statics::not_static(span).into(),
            StaticError::Unreadable => Diagnostics::new(),
        })?;
        match u32::try_from(value.constant) {
            Ok(0) | Err(_) if value.constant <= 0 => {
                let message = format!("a dimension is at least 1, not {}", value.constant);
                Err(Diagnostic::error(&types::E0307, dim.span, message).into())
            }
            Ok(n) => Ok(n),
            // The number is too large in any case, which the count of atoms reports.
            Err(_) => Ok(u32::MAX),
        }
    }

    fn try_type(&self, ty: &ast::Type, intern: &mut dyn FnMut(&str) -> u16) -> Result<SourceType, Diagnostics> {
        let wrong = |message: String| Diagnostics::from(Diagnostic::error(&types::E0307, ty.span, message));
        let mut words = match &ty.base {
            ast::BaseType::Nat if ty.dims.is_empty() => return Ok(SourceType::Nat),
            ast::BaseType::Nat => return Err(wrong("there are no arrays of nat".to_owned())),
            ast::BaseType::Pinned { name, .. } if self.field_named(&name.name).is_none() => {
                if let Some(Alias { ty: SourceType::Wrong, .. }) = self.aliases.get(name.name.as_str()) {
                    return Ok(SourceType::Wrong);
                }
                let message = format!("there is no field `{}` above, whose representation this could be", name.name);
                return Err(Diagnostic::error(&codes::E0333, name.span, message).into());
            }
            ast::BaseType::Named(name) | ast::BaseType::Pinned { name, .. } => {
                match self.aliases.get(name.name.as_str()).map(|alias| &alias.ty) {
                    Some(SourceType::Words(words)) => words.clone(),
                    Some(SourceType::Nat) if ty.dims.is_empty() => return Ok(SourceType::Nat),
                    Some(SourceType::Nat) => return Err(wrong("there are no arrays of nat".to_owned())),
                    Some(SourceType::Wrong) => return Ok(SourceType::Wrong),
                    None => {
                        let message = format!("there is no type `{}` above", name.name);
                        let error = Diagnostic::error(&names::E0209, name.span, message);
                        return Err(match meant_type(&name.name) {
                            Some(meant) => error.fix(name.span, meant, format!("write `{meant}`")).into(),
                            None => match self.similar_type(&name.name) {
                                Some(meant) => error.fix(name.span, meant, format!("write `{meant}`")).into(),
                                None if is_type_parameter(&name.name) => error.note(NO_TYPE_PARAMETERS).into(),
                                None => error.into(),
                            },
                        });
                    }
                }
            }
            ast::BaseType::Words { direction, bits, length, .. } => {
                let direction = match direction {
                    None | Some(ast::Direction::Parameter(_)) => None,
                    Some(ast::Direction::Vertical) => Some(Slicing::Vertical),
                    Some(ast::Direction::Horizontal) => Some(Slicing::Horizontal),
                    Some(ast::Direction::Bitslice) => Some(Slicing::Bitslice),
                    Some(ast::Direction::Number(n)) => {
                        return Err(wrong(format!("`<{n}>` is no direction: write <V>, <H> or <B>")));
                    }
                };
                let bits = match bits {
                    ast::Bits::Known(m @ 1..=64) => WordBits::Known(*m as u32),
                    ast::Bits::Known(m) => return Err(wrong(format!("words have 1 to 64 bits, not {m}"))),
                    ast::Bits::Parameter(name) => WordBits::Parameter(intern(name)),
                };
                let dims = match *length {
                    0 => return Err(wrong("a vector has at least one atom".to_owned())),
                    1 => vec![],
                    n => vec![u32::try_from(n).unwrap_or(u32::MAX)],
                };
                WordsType { direction, bits, dims }
            }
        };
        let mut dims = Vec::with_capacity(ty.dims.len() + words.dims.len());
        for dim in &ty.dims {
            dims.push(self.dimension(dim)?);
        }
        dims.append(&mut words.dims);
        words.dims = dims;
        let atoms = words.dims.iter().try_fold(1u64, |n, &d| n.checked_mul(u64::from(d)));
        if atoms.is_none_or(|n| n > VARIABLE_ATOMS) {
            let message = format!("this type has more than {VARIABLE_ATOMS} atoms");
            return Err(Diagnostic::error(&limits::E0601, ty.span, message).into());
        }
        if matches!(words.bits, WordBits::Field(..)) && atoms.is_some_and(|n| n > VARIABLE_ELEMENTS) {
            let message = format!("this type has more than {VARIABLE_ELEMENTS} elements of a field");
            let note = "use shorter arrays: a secret position reads a whole table, and a loop that needs the last value alone keeps it by `x := …`";
            return Err(Diagnostic::error(&limits::E0601, ty.span, message).note(note).into());
        }
        Ok(SourceType::Words(words))
    }
}

/// Maximum number of names of word sizes. Names above it share one index; a program with so many has other problems.
const MOST_WORDS: u16 = u16::MAX - 1;

fn intern(words: &mut Vec<String>, name: &str) -> u16 {
    if let Some(i) = words.iter().position(|w| w == name) {
        return i as u16;
    }
    if words.len() >= usize::from(MOST_WORDS) {
        return MOST_WORDS;
    }
    words.push(name.to_owned());
    words.len() as u16 - 1
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Parameter,
    Result,
    Local,
}

fn members<B>(family: &ast::Family<B>) -> impl Iterator<Item = &B> {
    match family {
        ast::Family::One(body) => std::slice::from_ref(body).iter(),
        ast::Family::Indexed(bodies) => bodies.iter(),
    }
}

/// The note on a name that is a type parameter in other languages.
const NO_TYPE_PARAMETERS: &str = "there are no type parameters: a node is for one field, which `field F = GF(2^255 - 19)` defines above it, or above the \
     `include` of its file; `v4` is four words of a size that the caller chooses, and `type T = u32x4` names a type";

/// Whether a name is one that type parameters have in other languages.
fn is_type_parameter(name: &str) -> bool {
    matches!(name.as_bytes(), [letter] if letter.is_ascii_uppercase())
}

/// The type that a word of another language probably means.
fn meant_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "uint8" | "int8" | "i8" | "byte" | "char" | "uchar" => "u8",
        "uint16" | "int16" | "i16" | "short" | "ushort" => "u16",
        "uint32" | "int32" | "i32" | "int" | "uint" | "unsigned" | "word" | "word32" | "U32" => "u32",
        "uint64" | "int64" | "i64" | "long" | "ulong" | "size_t" | "usize" | "word64" | "U64" => "u64",
        "uint128" | "int128" | "i128" => "u128",
        "bit" => "b1",
        _ => return None,
    })
}

fn byte_order(modifiers: &[ast::Modifier], ty: &SourceType, diagnostics: &mut Diagnostics) -> ByteOrder {
    let is_field = matches!(ty, SourceType::Words(WordsType { bits: WordBits::Field(..), .. }));
    let mut found: Option<(ByteOrder, Span)> = None;
    for modifier in modifiers {
        let order = match modifier.kind {
            ModifierKind::LittleEndian => ByteOrder::Little,
            ModifierKind::BigEndian => ByteOrder::Big,
            ModifierKind::Planes => ByteOrder::Planes,
            ModifierKind::Const | ModifierKind::LazyLift | ModifierKind::Public => continue,
        };
        if is_field && order == ByteOrder::Planes {
            let message = "elements of a field have no planes: their bytes are in the order `le` or `be`";
            diagnostics.push(Diagnostic::error(&names::E0211, modifier.span, message));
            continue;
        }
        match found {
            Some((first, span)) if first != order => {
                let message = "a variable has one order of bytes: `le`, `be` or `planes`";
                diagnostics
                    .push(Diagnostic::error(&names::E0211, modifier.span, message).related(span, "the other is here"));
            }
            _ => found = Some((order, modifier.span)),
        }
    }
    let usual = if is_field { ByteOrder::Little } else { ByteOrder::Big };
    found.map_or(usual, |(order, _)| order)
}

fn modifiers_without_effect(declaration: &ast::Declaration, role: Role, diagnostics: &mut Diagnostics) {
    for modifier in &declaration.modifiers {
        let message = match (modifier.kind, role) {
            (ModifierKind::LazyLift, _) => "`lazyLift` has no effect",
            (ModifierKind::Const, Role::Result | Role::Local) => {
                "`const` has no effect here: it says that a parameter is shared by all instances"
            }
            (ModifierKind::LittleEndian | ModifierKind::BigEndian | ModifierKind::Planes, Role::Local) => {
                "the order of bytes of a local has no effect: only parameters and results lie in memory"
            }
            (ModifierKind::Public, Role::Result | Role::Local) => {
                "`pub` has no effect here: it says that a parameter is no secret"
            }
            _ => continue,
        };
        diagnostics.push(Diagnostic::warning(&names::W0202, modifier.span, message));
    }
}
