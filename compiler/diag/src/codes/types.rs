use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[
    &E0301, &E0302, &E0303, &E0304, &E0305, &E0306, &E0307, &E0308, &E0309, &E0310, &E0311, &E0312, &E0313, &E0314,
    &E0315, &E0316, &E0317, &E0318, &E0319, &E0320, &E0321, &E0322,
];

pub static E0301: Code = Code {
    id: "E0301",
    title: "the numbers of atoms differ",
    remedy: "make both sides equally long; `x[0..3]` is a part of `x`, and `(a, b)` joins two values",
    explanation: "\
Both sides of an equation, and both operands of an operator, are lists of atoms in row-major order; the \
lists must have the same length. `u32x4`, `u32[4]` and `u32[2][2]` are all lists of four. A single atom \
is repeated where an operator needs more.

Wrong:

```text
node f(a:u32x4) returns (b:u32x3) let b = a tel
```

Right:

```text
node f(a:u32x4) returns (b:u32x3) let b = a[0..2] tel
```",
};

pub static E0302: Code = Code {
    id: "E0302",
    title: "word sizes differ",
    remedy: "use words of one size; `be<u16>(0 : u8, x)` widens a word of 8 bits, and `le<u8>(x)` cuts words into bytes",
    explanation: "\
Atoms are compared one by one; a word of 16 bits is not half a word of 32 bits.

Wrong:

```text
node f(a:u16) returns (b:u32) let b = a tel
```

Right:

```text
node f(a:u16x2) returns (b:u32) let b = Pack(a[0], a[1]) : u32 tel
```",
};

pub static E0303: Code = Code {
    id: "E0303",
    title: "directions differ",
    remedy: "use one direction: leave `<V>`, `<H>` and `<B>` out, and choose by `--slice`",
    explanation: "\
A vertical, a horizontal and a bitsliced word lie in registers differently; no operation mixes them, and \
none converts one into the other.

Wrong:

```text
node f(a:u<V>16) returns (b:u<H>16) let b = a tel
```

Right:

```text
node f(a:u<V>16) returns (b:u<V>16) let b = a tel
```",
};

pub static E0304: Code = Code {
    id: "E0304",
    title: "the direction of a type is not known",
    remedy: "compile with `--slice v`, `--slice h` or `--slice b`, or write the direction: `u<V>32`",
    explanation: "\
A type without `<V>`, `<H>` or `<B>` has the direction that the command line gives: `--slice v`, \
`--slice h` or `--slice b`. Words of one bit need none, and beside streams and fields words are vertical.

Wrong:

```text
node f(a:u32) returns (b:u32) let b = a tel     # compiled without --slice
```

Right:

```text
node f(a:u<V>32) returns (b:u<V>32) let b = a tel
```",
};

pub static E0305: Code = Code {
    id: "E0305",
    title: "a word size is not known",
    remedy: "compile with `--word 32`, or write a size: `u32`",
    explanation: "\
`v4` means four words of a size that each call decides. For the entry, `--word 32` decides; for a call, \
an argument must, and a literal alone does not: write `3 : u16`.

Wrong:

```text
node f(a:v4) returns (b:v4) let b = ~a tel      # compiled without --word
```

Right:

```text
node f(a:u32x4) returns (b:u32x4) let b = ~a tel
```",
};

pub static E0306: Code = Code {
    id: "E0306",
    title: "one call needs two sizes for one word",
    remedy: "give both arguments words of one size",
    explanation: "\
All `v` types of a node mean the same word size, in each call anew. (The published compiler takes the \
last size and mixes them silently.)

Wrong:

```text
node g(a, b:v4) returns (c:v4) let c = a ^ b tel
node f(x:u16x4, y:u32x4) returns (z:u16x4) let z = g(x, y) tel
```

Right:

```text
node g(a, b:v4) returns (c:v4) let c = a ^ b tel
node f(x:u16x4, y:u16x4) returns (z:u16x4) let z = g(x, y) tel
```",
};

pub static E0307: Code = Code {
    id: "E0307",
    title: "this type means nothing",
    remedy: "write a type such as `u32`, `u32x4`, `u8[16]` or `b1`",
    explanation: "\
Words have 1 to 64 bits, lengths and dimensions are at least 1, `nat` has neither direction nor \
dimensions and is no result, and `<3>` is no direction.

Wrong:

```text
node f(a:u128) returns (b:u128) let b = a tel
```

Right:

```text
node f(a:u64x2) returns (b:u64x2) let b = a tel
```",
};

pub static E0308: Code = Code {
    id: "E0308",
    title: "this is not known at compile time",
    remedy: "write an integer, a counter or a `nat`, or `+ - * / %` of these; a secret amount is a choice for each of its bits: `((n >> 4) & 1) == 1 ? x << 16 : x`",
    explanation: "\
Loop bounds, shift amounts, dimensions and family indices are static: integers, constants that are one word and are \
written as a number, counters, `nat` variables, `+ - * / %` and parentheses. So are indices, unless they are computed \
from words. Sizes in types are integers and such constants only.

Wrong:

```text
node f(a, n:u32) returns (b:u32) let b = a <<< n tel
```

Right:

```text
node f(a:u32, n:nat) returns (b:u32) let b = a <<< n tel
```",
};

pub static E0309: Code = Code {
    id: "E0309",
    title: "a static expression has no value",
    remedy: "choose numbers for which it has a value",
    explanation: "\
Static integers have 64 bits and a sign. `/` truncates, `x % y` lies between 0 and |y|-1, and neither \
divides by zero.

Wrong:

```text
node f(a:u32) returns (b:u32) let b = a <<< (8 / 0) tel
```

Right:

```text
node f(a:u32) returns (b:u32) let b = a <<< (8 / 2) tel
```",
};

pub static E0310: Code = Code {
    id: "E0310",
    title: "an index is out of range",
    remedy: "choose an index from 0 to one less than the number of elements",
    explanation: "\
Indices count from 0. Every value that the counters of the loops take is checked. `%` gives a result \
that is never negative.

Wrong:

```text
node f(a:u32[8]) returns (b:u32[8]) let forall i in [0,7] { b[i] = a[i-1] } tel
```

Right:

```text
node f(a:u32[8]) returns (b:u32[8]) let forall i in [0,7] { b[i] = a[(i-1) % 8] } tel
```",
};

pub static E0311: Code = Code {
    id: "E0311",
    title: "a single atom cannot be indexed",
    remedy: "declare an array, `u32[4]`, or bits, `b32`, to have elements",
    explanation: "\
Each pair of brackets removes the leftmost dimension; when none is left there is one atom, and the bits \
of an atom have no indices. A vector of 32 one-bit words is `b32`.

Wrong:

```text
node f(a:u32) returns (b:u32) let b = a[0] tel
```

Right:

```text
node f(a:u32x1[1]) returns (b:u32) let b = a[0] tel
```",
};

pub static E0312: Code = Code {
    id: "E0312",
    title: "a literal does not fit",
    remedy: "choose a smaller number, or a wider word",
    explanation: "\
A literal must be below 2 to the number of bits it becomes: the word size of one atom, or the number of \
atoms if they have one bit.

Wrong:

```text
node f(a:u8) returns (b:u8) let b = a ^ 256 tel
```

Right:

```text
node f(a:u8) returns (b:u8) let b = a ^ 255 tel
```",
};

pub static E0313: Code = Code {
    id: "E0313",
    title: "a literal has no definite type here",
    remedy: "write the type of the literal: `3 : u16`",
    explanation: "\
One literal is one atom, except among one-bit atoms, where it takes all there are, most significant \
first; in a tuple the literals divide the missing bits equally. `3 : u16` says what is meant, and such \
an atom is repeated where an operator needs it; `0 : u16[4]` is four zeros. Beside elements of a field an operand needs no type for that: \
`2 * a + 1`.

Wrong:

```text
node f(a:u16x4) returns (b:u16x4) let b = a ^ 3 tel
```

Right:

```text
node f(a:u16x4) returns (b:u16x4) let b = a ^ (3,3,3,3) tel
```",
};

pub static E0314: Code = Code {
    id: "E0314",
    title: "no arithmetic on words of this size",
    remedy: "use words of 8, 16, 32 or 64 bits for arithmetic",
    explanation: "\
`+ - * / %` work on words of 8, 16, 32 or 64 bits. `b8` is eight words of one bit; `u8` is one word of \
eight, in every slicing.

Wrong:

```text
node f(a, b:b8) returns (c:b8) let c = a + b tel
```

Right:

```text
node f(a, b:u8) returns (c:u8) let c = a + b tel
```",
};

pub static E0315: Code = Code {
    id: "E0315",
    title: "this division is not constant-time",
    remedy: "shift or mask instead: `x >> 3` is x / 8 and `x & 7` is x % 8",
    explanation: "\
Division instructions take a time that depends on their operands. Words can be divided by literal powers \
of two only, which is a shift or a mask.

Wrong:

```text
node f(a, b:u32) returns (c:u32) let c = a / b tel
```

Right:

```text
node f(a:u32) returns (c:u32) let c = a / 8 tel
```",
};

pub static E0316: Code = Code {
    id: "E0316",
    title: "the amount of a shift is out of range",
    remedy: "shift a word of m bits by 0 to m-1, a sequence of n atoms by 0 to n",
    explanation: "\
A word of m bits is shifted or rotated by 0 to m-1; a sequence of n atoms by 0 to n. More is undefined \
in C and almost always a mistake; use `%` in the amount if it is meant.

Wrong:

```text
node f(a:u32) returns (b:u32) let b = a << 32 tel
```

Right:

```text
node f(a:u32) returns (b:u32) let b = a << 31 tel
```",
};

pub static E0317: Code = Code {
    id: "E0317",
    title: "a sequence has no sign",
    remedy: "negate the elements one by one in a loop",
    explanation: "\
Shifting more than one atom shifts the sequence of atoms. `>>!` copies a sign bit, which only an atom \
has.

Wrong:

```text
node f(a:u32x4) returns (b:u32x4) let b = a >>! 1 tel
```

Right:

```text
node f(a:u32x4) returns (b:u32x4) let forall i in [0,3] { b[i] = a[i] >>! 1 } tel
```",
};

pub static E0318: Code = Code {
    id: "E0318",
    title: "this pattern is no shuffle",
    remedy: "name each position from 0 to one less than the number of elements",
    explanation: "\
A pattern for words of m bits has m positions from 0 (the most significant bit) to m-1, or a divisor L \
of m many, from 0 to L-1: then it moves groups of m/L bits. It means the same in every direction.

Wrong:

```text
node f(a:u16) returns (b:u16) let b = Shuffle(a, [1,2,0]) tel
```

Right:

```text
node f(a:u16) returns (b:u16) let b = Shuffle(a, [1,2,3,0]) tel
```",
};

pub static E0319: Code = Code {
    id: "E0319",
    title: "Bitmask or Pack does not fit",
    remedy: "give both words one size, and a bit that they have",
    explanation: "\
`Bitmask(e, i)` copies bit i, counted from the least significant, to all bits of each atom. `Pack(a, b) \
: t` puts the bits of a above those of b, atom by atom; their sizes add up to the size in t, at most 64.

Wrong:

```text
node f(a, b:u32) returns (c:u32) let c = Pack(a, b) : u32 tel
```

Right:

```text
node f(a, b:u16) returns (c:u32) let c = Pack(a, b) : u32 tel
```",
};

pub static E0320: Code = Code {
    id: "E0320",
    title: "a nat and a word are mixed",
    remedy: "a counter is a position, not a word: let a word count beside it, `c = 0; forall i in [0, 9] { …; c := c + 1 }`",
    explanation: "\
`nat` values exist at compile time only; they are indices, bounds, amounts and arguments for `nat` \
parameters. There is no way from a `nat` to a word.

Wrong:

```text
node f(a:u32, n:nat) returns (b:u32) let b = a + n tel
```

Right:

```text
node f(a:u32, n:nat) returns (b:u32) let b = a <<< n tel
```",
};

pub static E0321: Code = Code {
    id: "E0321",
    title: "the arguments do not match the parameters",
    remedy: "give one argument for each parameter, in order",
    explanation: "\
The atoms of all arguments together are the atoms of all parameters. If they are not, there must be one \
argument for each parameter, and each is either exactly its parameter, which is then used for every \
element, or n times its parameter, with the same n for all such arguments; then the node is applied n \
times.

Wrong:

```text
node g(a, b:u32) returns (c:u32) let c = a & b tel
node f(x:u32x3) returns (y:u32) let y = g(x) tel
```

Right:

```text
node g(a, b:u32) returns (c:u32) let c = a & b tel
node f(x:u32x3) returns (y:u32) let y = g(x[0,1]) tel
```",
};

pub static E0322: Code = Code {
    id: "E0322",
    title: "a condition is one atom of one bit",
    remedy: "write a condition of one bit, `c : b1`; a mask chooses word by word: `(a & m) | (b & ~m)`",
    explanation: "\
`c ? a : b` computes both and selects without branching; c has one bit and the direction of a and b.

Wrong:

```text
node f(c:u32, a, b:u32) returns (d:u32) let d = c ? a : b tel
```

Right:

```text
node f(c:b1, a, b:u32) returns (d:u32) let d = c ? a : b tel
```",
};
