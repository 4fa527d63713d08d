//! Random trees survive printing and parsing.

use culet_diag::{FileId, Span};
use culet_syntax::ast::*;
use culet_syntax::{Printer, erase_spans, parse, print};
use num_bigint::BigUint;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

/// Number of cases: 400, unless `PROPTEST_CASES` says otherwise.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(400)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn a_printed_tree_is_read_as_the_same_tree(tree in file()) {
        let text = print(&tree);
        let (mut again, diagnostics) = parse(FileId(0), &text);
        prop_assert!(!diagnostics.has_errors(), "{text}\n{diagnostics:?}");
        erase_spans(&mut again);
        // The printer may have had to add parentheses. Nothing else changes, and a second round changes nothing.
        prop_assert_eq!(without_parentheses(tree.clone()), without_parentheses(again.clone()), "{}", text);
        let (mut third, _) = parse(FileId(0), &print(&again));
        erase_spans(&mut third);
        prop_assert_eq!(&third, &again, "{}", text);
        let (mut grouped, _) = parse(FileId(0), &Printer::with_all_parentheses().file(&tree));
        erase_spans(&mut grouped);
        prop_assert_eq!(without_parentheses(grouped), without_parentheses(again), "{}", text);
    }
}

// Generators, from the leaves up.

/// Names of variables and functions, except `le` and `be`: `le<i>(x)` is a conversion of bytes to values of the type `i`, and `le < i` begins one.
fn ident() -> impl Strategy<Value = Ident> + Clone {
    let odd = select(vec!["u8", "b", "v", "u", "nat", "planes", "type", "state'", "_t", "for", "x'y'", "bool", "b0"]);
    let plain = "[a-zA-Z_][a-z0-9_']{0,3}"
        .prop_filter("reserved", |name| !["in", "let", "tel", "le", "be", "Pack"].contains(&name.as_str()));
    prop_oneof![plain, odd.prop_map(str::to_string)].prop_map(|name| Ident { name, span: NOWHERE })
}

fn value() -> impl Strategy<Value = BigUint> + Clone {
    prop_oneof![
        (0u32..20).prop_map(BigUint::from),
        any::<u64>().prop_map(BigUint::from),
        vec(any::<u8>(), 1..40).prop_map(|bytes| BigUint::from_bytes_le(&bytes)),
    ]
}

fn integer() -> impl Strategy<Value = Integer> + Clone {
    value().prop_map(|value| Integer { value, span: NOWHERE })
}

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: NOWHERE }
}

fn arithmetic() -> impl Strategy<Value = BinaryOperator> + Clone {
    use BinaryOperator::*;
    select(vec![Add, Subtract, Multiply, Divide, Remainder])
}

fn binary() -> impl Strategy<Value = BinaryOperator> + Clone {
    use BinaryOperator::*;
    select(vec![And, Or, Xor, And, Or, Xor, Add, Subtract, Multiply, Divide, Remainder])
}

fn shift() -> impl Strategy<Value = ShiftOperator> + Clone {
    use ShiftOperator::*;
    select(vec![Left, Right, RightArithmetic, RotateLeft, RotateRight])
}

/// Static expressions of numbers, names and arithmetic.
fn static_expr() -> BoxedStrategy<Expr> {
    let name = ident().prop_map(|name| Variable { name, selectors: Vec::new(), span: NOWHERE });
    let leaf = prop_oneof![
        value().prop_map(|value| expr(ExprKind::Literal { value, ty: None })),
        name.prop_map(|variable| expr(ExprKind::Variable(variable))),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        prop_oneof![
            (arithmetic(), inner.clone(), inner.clone()).prop_map(|(operator, left, right)| expr(ExprKind::Binary {
                operator,
                left: Box::new(left),
                right: Box::new(right),
            })),
            inner.prop_map(|inner| expr(ExprKind::Parenthesised(Box::new(inner)))),
        ]
    })
    .boxed()
}

fn ty() -> impl Strategy<Value = Type> + Clone {
    let direction = prop_oneof![
        select(vec![Direction::Vertical, Direction::Horizontal, Direction::Bitslice]),
        "[A-Z_][a-z0-9']{0,2}".prop_map(Direction::Parameter),
        any::<u64>().prop_map(Direction::Number),
    ];
    let bits = prop_oneof![
        (select(vec![1, 1, 8, 32, u64::MAX]), option::of(any::<u64>()))
            .prop_map(|(bits, length)| (Bits::Known(bits), length)),
        any::<u64>().prop_map(|length| (Bits::Parameter("m".to_string()), Some(length))),
        "[a-z_][a-w0-9']{0,3}".prop_map(|name| (Bits::Parameter(name), None)),
    ];
    let words = (option::of(direction), bits).prop_map(|(direction, (bits, length))| BaseType::Words {
        direction,
        bits,
        length: length.unwrap_or(1),
        is_vector: length.is_some(),
    });
    let named = "[A-Z][a-z0-9']{0,3}|le|state'".prop_map(|name| BaseType::Named(Ident { name, span: NOWHERE }));
    let pins = select(vec!["51", "25.5", "130/3", "mont 52"]);
    let pinned = pins.prop_map(|pin| BaseType::Pinned {
        name: Ident { name: "fe".into(), span: NOWHERE },
        pin: Pin { text: pin.into(), span: NOWHERE },
    });
    let base = prop_oneof![1 => Just(BaseType::Nat), 2 => words, 1 => named, 1 => pinned];
    (base, vec(static_expr(), 0..3), proptest::bool::weighted(0.1)).prop_map(|(base, dims, is_stream)| Type {
        base,
        dims,
        is_stream,
        span: NOWHERE,
    })
}

fn variable() -> impl Strategy<Value = Variable> + Clone {
    let range = (static_expr(), static_expr()).prop_map(|(first, last)| SelectorKind::Range(first, last));
    let part = prop_oneof![3 => static_expr().prop_map(SelectorKind::Index), 1 => range];
    let kind = prop_oneof![3 => part.clone(), 1 => vec(part, 2..4).prop_map(SelectorKind::Slice)];
    let selector = kind.prop_map(|kind| Selector { kind, span: NOWHERE });
    (ident(), vec(selector, 0..3)).prop_map(|(name, selectors)| Variable { name, selectors, span: NOWHERE })
}

fn word_expr() -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        2 => (value(), option::weighted(0.3, ty())).prop_map(|(value, ty)| expr(ExprKind::Literal { value, ty })),
        3 => variable().prop_map(|variable| expr(ExprKind::Variable(variable))),
        1 => (variable(), vec(integer(), 1..4)).prop_map(|(variable, pattern)| expr(ExprKind::Shuffle {
            operand: Box::new(expr(ExprKind::Variable(variable))),
            pattern,
        })),
    ];
    leaf.prop_recursive(6, 40, 3, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            4 => (binary(), boxed(), boxed()).prop_map(|(operator, left, right)| ExprKind::Binary { operator, left, right }),
            1 => (select(vec![Comparison::Equal, Comparison::Less]), boxed(), boxed())
                .prop_map(|(comparison, left, right)| ExprKind::Comparison { comparison, left, right }),
            2 => (shift(), boxed(), static_expr()).prop_map(|(operator, operand, amount)| ExprKind::Shift {
                operator,
                operand,
                amount: Box::new(amount),
            }),
            1 => boxed().prop_map(ExprKind::Not),
            1 => boxed().prop_map(ExprKind::Negate),
            1 => (select(vec![Endian::Little, Endian::Big]), ty(), boxed())
                .prop_filter("`>>` is a shift", |(_, ty, _)| !matches!(ty.base, BaseType::Pinned { .. }) || !ty.dims.is_empty())
                .prop_map(|(order, ty, operand)| ExprKind::Decode { order, ty, operand }),
            1 => boxed().prop_map(ExprKind::Parenthesised),
            1 => vec(inner.clone(), 2..4).prop_map(ExprKind::Tuple),
            1 => (ident(), option::of(static_expr().prop_map(Box::new)), vec(inner.clone(), 0..3))
                .prop_map(|(name, index, arguments)| ExprKind::Call { name, index, arguments }),
            1 => (boxed(), static_expr()).prop_map(|(operand, bit)| ExprKind::Bitmask { operand, bit: Box::new(bit) }),
            1 => (boxed(), boxed(), option::of(ty())).prop_map(|(high, low, ty)| ExprKind::Pack { high, low, ty }),
            2 => (boxed(), boxed(), boxed())
                .prop_map(|(condition, then, otherwise)| ExprKind::Conditional { condition, then, otherwise }),
        ]
        .prop_map(expr)
    })
    .boxed()
}

fn statement() -> BoxedStrategy<Statement> {
    let equation = (vec(variable(), 1..3), option::of(binary()), any::<bool>(), word_expr()).prop_map(
        |(targets, operator, is_update, value)| {
            Statement::Equation(Equation { targets, operator, is_update, value, span: NOWHERE })
        },
    );
    let attributes = attributes(vec![AttributeKind::Unroll, AttributeKind::NoUnroll, AttributeKind::Pipelined]);
    let streams = vec![AttributeKind::Unroll, AttributeKind::Lanes(8)];
    let stream_attributes = self::attributes(streams);
    let blocks = option::of((static_expr(), static_expr()).prop_map(|(size, pad)| Blocks { size, pad }));
    equation
        .prop_recursive(3, 8, 3, move |inner| {
            let forall =
                (attributes.clone(), any::<bool>(), ident(), (static_expr(), static_expr()), vec(inner.clone(), 0..3))
                    .prop_map(|(attributes, is_fold, counter, (first, last), statements)| {
                        let forall = Forall { attributes, is_fold, counter, first, last, statements, span: NOWHERE };
                        Statement::Forall(Box::new(forall))
                    });
            let part = ident().prop_map(|name| {
                let variable = Variable { name, selectors: Vec::new(), span: NOWHERE };
                expr(ExprKind::Variable(variable))
            });
            let joined = vec(part, 1..3).prop_map(|mut parts| match parts.len() {
                1 => parts.remove(0),
                _ => expr(ExprKind::Tuple(parts)),
            });
            let stream = (stream_attributes.clone(), any::<bool>(), ident(), joined, blocks.clone(), vec(inner, 0..3))
                .prop_map(|(attributes, is_fold, element, stream, blocks, statements)| {
                    Statement::Stream(Box::new(StreamLoop {
                        attributes,
                        is_fold,
                        element,
                        stream,
                        blocks,
                        statements,
                        span: NOWHERE,
                    }))
                });
            prop_oneof![2 => forall, 1 => stream]
        })
        .boxed()
}

fn attributes(kinds: Vec<AttributeKind>) -> BoxedStrategy<Vec<Attribute>> {
    vec(select(kinds).prop_map(|kind| Attribute { kind, span: NOWHERE }), 0..3).boxed()
}

fn declaration() -> impl Strategy<Value = Declaration> + Clone {
    use ModifierKind::*;
    let modifier = select(vec![Const, LazyLift, LittleEndian, BigEndian, Planes, Public]);
    let modifiers = vec(modifier.prop_map(|kind| Modifier { kind, span: NOWHERE }), 0..3);
    (vec(ident(), 1..3), modifiers, ty()).prop_map(|(names, modifiers, ty)| Declaration {
        names,
        modifiers,
        ty,
        span: NOWHERE,
    })
}

fn definition<B: std::fmt::Debug + Clone + 'static>(
    kinds: Vec<AttributeKind>,
    body: impl Strategy<Value = B> + Clone + 'static,
) -> impl Strategy<Value = Definition<B>> {
    let family = prop_oneof![body.clone().prop_map(Family::One), vec(body, 1..3).prop_map(Family::Indexed)];
    (attributes(kinds), ident(), vec(declaration(), 0..3), vec(declaration(), 0..3), family).prop_map(
        |(attributes, name, params, returns, body)| Definition {
            attributes,
            name,
            params,
            returns,
            body,
            span: NOWHERE,
        },
    )
}

fn file() -> impl Strategy<Value = File> {
    use AttributeKind::*;
    let kinds = vec![Inline, NoInline, Interleave(0), Interleave(u32::MAX), NoOpt];
    let table_kinds = [kinds.clone(), vec![MsbFirst, LsbFirst]].concat();
    let entries = vec(integer(), 1..5).prop_map(|values| Entries { values, span: NOWHERE }).boxed();
    let node = (vec(declaration(), 0..3), vec(statement(), 0..4)).prop_map(|(vars, statements)| NodeBody {
        vars,
        statements,
        span: NOWHERE,
    });
    let include = "[a-z/ .]{0,8}".prop_map(|path| Item::Include(Include { path, path_span: NOWHERE, span: NOWHERE }));
    let alias = ("[A-Z][a-z']{0,3}|le|type", ty())
        .prop_map(|(name, ty)| Item::TypeAlias(TypeAlias { name: Ident { name, span: NOWHERE }, ty, span: NOWHERE }));
    let name = || "[A-Z][a-z']{0,3}".prop_map(|name| Ident { name, span: NOWHERE });
    let field = (name(), any::<bool>(), static_expr()).prop_map(|(name, is_binary, modulus)| {
        Item::Field(FieldDefinition { name, is_binary, modulus, span: NOWHERE })
    });
    let constant = (name(), ty(), word_expr())
        .prop_map(|(name, ty, value)| Item::Constant(ConstantDefinition { name, ty, value, span: NOWHERE }));
    let item = prop_oneof![
        1 => field,
        1 => constant,
        1 => include,
        1 => alias,
        4 => definition(kinds.clone(), node.boxed()).prop_map(Item::Node),
        1 => definition(kinds, entries.clone()).prop_map(Item::Perm),
        1 => definition(table_kinds, entries).prop_map(Item::Table),
    ];
    vec(item, 0..4).prop_map(|items| File { items })
}

// Removal of all parentheses.

fn without_parentheses(mut file: File) -> File {
    for item in &mut file.items {
        match item {
            Item::Include(_) => {}
            Item::TypeAlias(alias) => strip_type(&mut alias.ty),
            Item::Field(field) => strip(&mut field.modulus),
            Item::Constant(constant) => {
                strip_type(&mut constant.ty);
                strip(&mut constant.value);
            }
            Item::Node(definition) => {
                strip_declarations(&mut definition.params);
                strip_declarations(&mut definition.returns);
                let bodies = match &mut definition.body {
                    Family::One(body) => std::slice::from_mut(body),
                    Family::Indexed(bodies) => bodies.as_mut_slice(),
                };
                for body in bodies {
                    strip_declarations(&mut body.vars);
                    strip_statements(&mut body.statements);
                }
            }
            Item::Perm(definition) | Item::Table(definition) => {
                strip_declarations(&mut definition.params);
                strip_declarations(&mut definition.returns);
            }
        }
    }
    file
}

fn strip_declarations(declarations: &mut [Declaration]) {
    declarations.iter_mut().for_each(|declaration| strip_type(&mut declaration.ty));
}

fn strip_type(ty: &mut Type) {
    ty.dims.iter_mut().for_each(strip);
}

fn strip_statements(statements: &mut [Statement]) {
    for statement in statements {
        match statement {
            Statement::Equation(equation) => {
                equation.targets.iter_mut().for_each(strip_variable);
                strip(&mut equation.value);
            }
            Statement::Stream(stream) => {
                if let Some(Blocks { size, pad }) = &mut stream.blocks {
                    [size, pad].into_iter().for_each(strip);
                }
                strip_statements(&mut stream.statements);
            }
            Statement::Forall(forall) => {
                strip(&mut forall.first);
                strip(&mut forall.last);
                strip_statements(&mut forall.statements);
            }
        }
    }
}

fn strip_variable(variable: &mut Variable) {
    variable.selectors.iter_mut().for_each(|selector| strip_selector(&mut selector.kind));
}

fn strip_selector(kind: &mut SelectorKind) {
    match kind {
        SelectorKind::Index(index) => strip(index),
        SelectorKind::Range(first, last) => [first, last].into_iter().for_each(strip),
        SelectorKind::Slice(parts) => parts.iter_mut().for_each(strip_selector),
    }
}

fn strip(expr: &mut Expr) {
    while let ExprKind::Parenthesised(inner) = &mut expr.kind {
        let inner = std::mem::replace(&mut inner.kind, ExprKind::Error);
        expr.kind = inner;
    }
    match &mut expr.kind {
        ExprKind::Literal { ty, .. } => ty.iter_mut().for_each(strip_type),
        ExprKind::Variable(variable) => strip_variable(variable),
        ExprKind::Tuple(elements) => elements.iter_mut().for_each(strip),
        ExprKind::Parenthesised(_) | ExprKind::Error => {}
        ExprKind::Not(operand) | ExprKind::Negate(operand) => strip(operand),
        ExprKind::Decode { ty, operand, .. } => {
            strip_type(ty);
            strip(operand);
        }
        ExprKind::Selected { operand, selectors } => {
            strip(operand);
            selectors.iter_mut().for_each(|selector| strip_selector(&mut selector.kind));
        }
        ExprKind::Comparison { left, right, .. } | ExprKind::Binary { left, right, .. } => {
            [left, right].into_iter().for_each(|e| strip(e))
        }
        ExprKind::Shift { operand, amount, .. } => [operand, amount].into_iter().for_each(|e| strip(e)),
        ExprKind::Call { index, arguments, .. } => {
            index.iter_mut().for_each(|index| strip(index));
            arguments.iter_mut().for_each(strip);
        }
        ExprKind::Shuffle { operand, .. } => strip(operand),
        ExprKind::Bitmask { operand, bit } => [operand, bit].into_iter().for_each(|e| strip(e)),
        ExprKind::Pack { high, low, ty } => {
            [high, low].into_iter().for_each(|e| strip(e));
            ty.iter_mut().for_each(strip_type);
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            [condition, then, otherwise].into_iter().for_each(|e| strip(e));
        }
    }
}
