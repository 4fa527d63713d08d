use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[
    &E0101, &E0102, &E0103, &E0104, &E0105, &E0106, &E0107, &E0108, &E0109, &E0110, &E0111, &E0112, &E0113, &E0114,
    &E0115, &E0116, &E0117, &E0118, &E0119, &E0120, &E0121, &E0190, &E0191, &E0199, &W0101, &W0102, &W0103, &W0104,
    &W0105,
];

pub static E0101: Code = Code {
    id: "E0101",
    title: "a character that is not part of the language",
    remedy: "leave the character out; programs are plain ASCII, except in comments",
    explanation: "Programs are written in ASCII: names, numbers, brackets and the operators \
`& | ^ ~ ! + - * / % << >> >>! <<< >>> ? : =`. Any character may stand in a comment, which starts with `#` or `//` and \
ends with the line.

Text copied from a PDF often brings `⊕` for `^`, `’` for `'` or a long dash for `-`.",
};

pub static E0102: Code = Code {
    id: "E0102",
    title: "a number is not written correctly",
    remedy: "write decimal digits without leading zeros, or `0x` and hexadecimal ones: `0xff`",
    explanation: "A number is `0`, a decimal number that does not start with `0`, or `0x` and hexadecimal digits.

Wrong: `007` (three numbers in a row), `0b1010`, `1_000`, `12u`.
Right: `7`, `0xa`, `1000`, `12:u8`.",
};

pub static E0103: Code = Code {
    id: "E0103",
    title: "a number is too large",
    remedy: "write a smaller number, or the parts of it as several words",
    explanation: "Literals have at most 4096 digits, which is far more than any word; the sizes and lengths in a type \
(`u32x4`) and the argument of `_interleave` fit in 64 and 32 bits. Larger ones are always a mistake.",
};

pub static E0104: Code = Code {
    id: "E0104",
    title: "a string is not closed, or stands where none can",
    remedy: "close the string on its line with `\"`; only `include` takes one",
    explanation: "Strings occur only after `include`, on one line, without escapes.

Right: `include \"sbox.ua\"`.",
};

pub static E0105: Code = Code {
    id: "E0105",
    title: "something else was expected here",
    remedy: "write what is named in the message at this place",
    explanation: "The program does not follow the grammar at this place; the message says what could stand there. After \
such an error reading goes on at the next statement or definition, so the later messages are independent of this one.",
};

pub static E0106: Code = Code {
    id: "E0106",
    title: "an expression was expected here",
    remedy: "write a variable, a number, a call or a value in parentheses here",
    explanation:
        "An expression is a number, a variable, a call, a tuple `(a, b)`, or expressions joined by operators. \
There is no unary minus: write `0 - x` with the type of `x`. There are no strings.

Wrong: `x = a ^ ;`
Right: `x = a ^ b;`",
};

pub static E0107: Code = Code {
    id: "E0107",
    title: "a `;` is missing between two equations",
    remedy: "write `;` between the two equations",
    explanation:
        "Equations are separated by `;`. Only after the last one of a body, and after the `}` of a loop, it may \
be left out.

Wrong: `x = a y = b`
Right: `x = a; y = b`",
};

pub static E0108: Code = Code {
    id: "E0108",
    title: "a body is not closed by `tel`",
    remedy: "write `tel` at the end of the body",
    explanation: "The equations of a node stand between `let` and `tel`. A new definition started, or the file ended, \
before the `tel`.

Right:
```
node f(a:u32) returns (b:u32)
let
    b = ~a
tel
```",
};

pub static E0109: Code = Code {
    id: "E0109",
    title: "a keyword is missing or misspelled",
    remedy: "write the keyword that is named in the message",
    explanation: "A definition is written

```
node name(inputs) returns (outputs)
vars locals
let
    equations
tel
```

where `vars` and its list may be left out. `perm` and `table` have a list in braces instead of a body:

```
table sbox(in : u4) returns (out : u4) { 12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2 }
```

A loop is written `forall i in [0, 15] { equations }`, and `fold` where an iteration needs what the one before left. Every \
keyword is in lower case.",
};

pub static E0110: Code = Code {
    id: "E0110",
    title: "a bracket is not closed",
    remedy: "close the bracket where the message says",
    explanation: "Every `(`, `[` and `{` needs its partner. The message shows both the place where the closing one was \
expected and the bracket that it would close.",
};

pub static E0111: Code = Code {
    id: "E0111",
    title: "the body of a definition has the wrong form",
    remedy: "write `let … tel` for a node, and `{ …, … }` for a table or a perm",
    explanation:
        "The values of a `table` and the positions of a `perm` stand in braces. A family (`table[]`, `perm[]`, \
`node[]`) has several bodies between `[` and `]`, separated by `;`.

Right:
```
table s(in:v2) returns (out:v2) { 2, 0, 3, 1 }

table[] t(in:v2) returns (out:v2) [
    { 2, 0, 3, 1 };
    { 0, 1, 2, 3 }
]
```",
};

pub static E0112: Code = Code {
    id: "E0112",
    title: "this is not how an equation or an update is written",
    remedy: "write `x = e` for an equation, and `x := e` for an update",
    explanation: "`x = e` is an equation: `x` is `e`, once and for all. `x := e` is an update: from here on `x` is `e`. \
`x op= e` and `x op:= e` are short for `x = x op e` and `x := x op e`, where op is one of `& | ^ + - * / %`. On the left \
stand variables, several of them in parentheses.

Wrong: `x == e`, `x <- e`, `x =: e`, `x <<= 3`, `f(x) = e`
Right: `x = e`, `x := x << 3`, `(a, b[0..3]) = e`",
};

pub static E0113: Code = Code {
    id: "E0113",
    title: "this is not a type",
    remedy: "write a type such as `u32`, `u32x4`, `u8[16]` or `b1`",
    explanation: "| type | meaning |
|---|---|
| `u32` | one word of 32 bits |
| `u32x4` | four words of 32 bits |
| `b8` | eight single bits; `b1` is one bit |
| `v4` | four words whose size the caller decides |
| `u'm` | one word whose size the caller decides |
| `u<V>32`, `b<B>8`, `v<H>4` | the same with a direction: vertical, bitsliced, horizontal |
| `nat` | a number known at compile time |
| `T[4]` | an array of four `T` |
| `N` | whatever `type N = T` says |

There is no `bool`: one bit is `b1`.",
};

pub static E0114: Code = Code {
    id: "E0114",
    title: "an attribute is unknown, or stands where it cannot act",
    remedy: "leave the attribute out, or write it before what it is for",
    explanation: "Before a definition: `_inline`, `_no_inline`, `_interleave(n)`, `_no_opt`, before a node also \
`_instruction(name)`, and before a table `_msb_first` or `_lsb_first`. Before a loop: `_unroll`, `_no_unroll`, `_pipelined`. An attribute either acts or is an \
error, so that none is silently ignored.

The name of an instruction is that of x86-64, or of AArch64 where x86-64 has none: other processors' forms are made from it. In place of \
`aese` and `aesmc`, a node is `aesenc`; in place of `vcipher`, too.",
};

pub static E0115: Code = Code {
    id: "E0115",
    title: "a static expression was expected here",
    remedy: "write an integer, a counter or a `nat` here, or `+ - * / %` of these",
    explanation:
        "Loop bounds, ends of ranges, array sizes, shift amounts and family indices are computed at compile time: \
numbers, counters, `nat` variables, `+ - * / %` and parentheses. They have no bitwise operators, shifts or calls.

Wrong: `forall i in [0, n & 3] { … }`, `x <<< f(i)`
Right: `forall i in [0, n % 4] { … }`",
};

pub static E0116: Code = Code {
    id: "E0116",
    title: "only a variable can be indexed or shuffled",
    remedy: "give the value a name by an equation, and index that variable",
    explanation: "Brackets, and the braces of a shuffle, follow the name of a variable. Give the value a name first.

Wrong: `x = f(a)[0];`, `x = (a, b)[1];`
Right: `t = f(a); x = t[0];`",
};

pub static E0117: Code = Code {
    id: "E0117",
    title: "a member of a family is called with `<` and `>`",
    remedy: "write `f<0>(x)` for the member with the index 0",
    explanation:
        "`node[] f`, `table[] f` and `perm[] f` define `f<0>`, `f<1>`, …. A member is called as `f<i>(x)`, with a \
static expression as index; otherwise `a < b` compares.

Wrong: `sbox[i](x)`
Right: `sbox<i>(x)`",
};

pub static E0118: Code = Code {
    id: "E0118",
    title: "a reserved word is used as a name",
    remedy: "choose another name",
    explanation: "`node returns vars let tel perm table forall in Shuffle Bitmask Pack const lazyLift include` and the \
attributes `_inline _no_inline _unroll _no_unroll _interleave _no_opt _pipelined` are reserved. Type words are not, except as names of types: a \
variable may be called `u8`, `le` or `type`.",
};

pub static E0119: Code = Code {
    id: "E0119",
    title: "a definition was expected here",
    remedy: "begin a definition with `node`, `table`, `perm`, `type`, `field`, `const` or `include`",
    explanation: "A file is a sequence of definitions (`node`, `perm`, `table`, each possibly with attributes before it), \
`include \"file.ua\"` and `type N = T`. Equations stand inside a node, between `let` and `tel`. `__END__` ends the file \
early.",
};

pub static E0120: Code = Code {
    id: "E0120",
    title: "a separator too many, or the wrong one",
    remedy: "leave the separator out: `;` stands between equations, `,` between the elements of a list",
    explanation: "Commas separate declarations, arguments, values and indices, and none follows the last. Semicolons \
separate equations and the members of a family.

Wrong: `vars a:u8; b:u8`, `{1, 2, 3,}`
Right: `vars a:u8, b:u8`, `{1, 2, 3}`",
};

pub static E0121: Code = Code {
    id: "E0121",
    title: "operators whose order would be misread",
    remedy: "write parentheses",
    explanation: "`==` and `<` bind less tightly than `&`, `|` and `^`, unlike in C: `a == 0 | b == 0` would compare `a` with `0 | b`, and \
the bit that this gives with 0. Such chains are refused.

    y = (a == 0) | (b == 0);
    z = (a < b) & (b < c);

To compare two bits that comparisons give, write `(a == b) == (c == d)`.

Of an element of a field, `-x ^ 2` and `x ^ 2 ^ 3` are refused as well: write `-(x ^ 2)` or `(-x) ^ 2`, `x ^ (2 ^ 3)` or `(x ^ 2) ^ 3`.",
};

pub static E0190: Code = Code {
    id: "E0190",
    title: "brackets, operators or loops are nested too deeply",
    remedy: "give parts of the expression names by equations of their own",
    explanation: "Nesting is limited to 256 levels, so that no program can exhaust the stack. Give inner expressions \
names, or put inner loops into a node.",
};

pub static E0191: Code = Code {
    id: "E0191",
    title: "an expression has too many operators in a row",
    remedy: "give parts of the expression names by equations of their own",
    explanation: "One expression may chain at most 500 operators, so that no program can exhaust the stack. Split it into \
several equations.",
};

pub static E0199: Code = Code {
    id: "E0199",
    title: "too many errors in one file",
    remedy: "mend the errors above first",
    explanation: "After 100 syntax errors reading stops: the rest is most likely the result of the first few, or the file \
is not a program.",
};

pub static W0101: Code = Code {
    id: "W0101",
    title: "`&`, `^` and `|` bind equally, not as in C",
    remedy: "write parentheses around what belongs together",
    explanation: "The three bitwise operators have one precedence and are read from left to right: `a ^ b & c` means \
`(a ^ b) & c`, and `a & b | c & d` means `((a & b) | c) & d`. In C, `&` binds tighter than `^`, and `^` tighter than \
`|`. The published compiler has always read programs in this way, so they keep their meaning; the parentheses make it visible.

Warned about: `a ^ b & c`
Clear: `(a ^ b) & c`, or `a ^ (b & c)` if that was meant",
};

pub static W0102: Code = Code {
    id: "W0102",
    title: "bitwise operators bind tighter than arithmetic and shifts, not as in C",
    remedy: "write parentheses around what belongs together",
    explanation:
        "From loosest to tightest: `? :`, then shifts and rotates, then `+ -`, then `* / %`, then `& ^ |`, then \
`~ !`. So `a ^ b << 2` means `(a ^ b) << 2`, and `a ^ b + c` means `(a ^ b) + c`. The amount of a shift is a static \
expression and takes every following `+ - * / %`: `a << 2 + b` means `a << (2 + b)`, but `a << 2 ^ b` means \
`(a << 2) ^ b`.

Warned about: `a ^ b <<< 7`
Clear: `(a ^ b) <<< 7`, or `a ^ (b <<< 7)` if that was meant",
};

pub static W0103: Code = Code {
    id: "W0103",
    title: "a length joined to a named word size is part of its name",
    remedy: "write the length in brackets: `u'm[4]`",
    explanation: "`u'mx4` is one word whose size is called `mx4`, because a name takes every letter and digit. Four words \
of the size that the caller decides are written `v4`.",
};

pub static W0104: Code = Code {
    id: "W0104",
    title: "a comment that another language would obey",
    remedy: "write `const`, `include` or `type`, which do what the comment does not",
    explanation: "A comment starts with `#` or `//`. A line such as `#define N 4`, copied from C, is therefore a comment, and \
does nothing: no name `N` is defined. A constant is written `const n : u32 = 4`, another file is read by `include \"sbox.ua\"`. \
Such a constant can be a size, too.",
};

pub static W0105: Code = Code {
    id: "W0105",
    title: "a comment that looks like the rest of an expression",
    remedy: "write `/` for a division, or `;` before the comment if the equation ends there",
    explanation: "`//` and `#` begin a comment, which ends with the line. In `y = x // 2 + k`, the equation is `y = x`, since the \
last equation of a node needs no `;`, and the rest does nothing. The remainder and the quotient of a division by a number are \
`x % 2` and `x / 2`.

The warning is given where the comment consists of operands and operators, and no `;` stands before it.",
};
