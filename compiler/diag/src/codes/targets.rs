use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[
    &E0701, &E0703, &E0704, &E0705, &E0706, &E0707, &E0708, &E0750, &E0751, &E0752, &E0753, &E0754, &E0755, &E0756,
    &E0757, &E0758, &E0759,
];

pub static E0701: Code = Code {
    id: "E0701",
    title: "horizontal words have no arithmetic",
    remedy: "compile with `--slice v` or `--slice b`",
    explanation: "\
The bits of a horizontal word lie in different elements of a register, so that permutations are \
shuffles; a carry cannot run through them. Compile with `--slice v` or `--slice b`.

Wrong:

```text
node f(a, b:u<H>16) returns (c:u<H>16) let c = a + b tel
```

Right:

```text
node f(a, b:u<V>16) returns (c:u<V>16) let c = a + b tel
```",
};

pub static E0703: Code = Code {
    id: "E0703",
    title: "words of different spacing in one program",
    remedy: "use words of one size, or compile with `--slice b`",
    explanation: "\
The instances that one register holds must be at the same places in every register. In direction V \
an instance takes one lane, as wide as the widest word of the program; in direction B one bit; in \
direction H as many bits as the word has. A program whose variables need different spacings cannot \
fill its registers with one number of instances.

Wrong:

```text
node f(x:u<H>16, y:u<H>8) returns (z:u<H>16, t:u<H>8) let z = ~x; t = ~y tel
```

Right:

```text
node f(x:u<V>16, y:u<V>8) returns (z:u<V>16, t:u<V>8) let z = ~x; t = ~y tel
```",
};

pub static E0704: Code = Code {
    id: "E0704",
    title: "horizontal words have 1, 2, 4, 8, 16, 32 or 64 bits",
    remedy: "use words of 2, 4, 8, 16, 32 or 64 bits, or compile with `--slice v` or `--slice b`",
    explanation: "\
In direction H the bits of a word are spread evenly over a register, or over parts of 128 bits of \
it. That needs a width that divides the register, and 64 bits need a register of 64 bits at least. \
Direction B works on words of any width: `--slice b`.

Wrong:

```text
node f(x:u<H>24) returns (y:u<H>24) let y = x <<< 5 tel
```

Right:

```text
node f(x:u<B>24) returns (y:u<B>24) let y = x <<< 5 tel
```",
};

pub static E0705: Code = Code {
    id: "E0705",
    title: "horizontal words cannot be joined",
    remedy: "compile with `--slice v` or `--slice b`",
    explanation: "\
`Pack` makes one word of two. In direction H the width of a word is its spacing in the registers, \
and all words of a program have the same (E0703); a wider word would have no place beside the \
others. Compile with `--slice v` or `--slice b`.

Wrong:

```text
node f(a, b:u<H>8) returns (c:u<H>16) let c = Pack(a, b) : u<H>16 tel
```

Right:

```text
node f(a, b:u<V>8) returns (c:u<V>16) let c = Pack(a, b) : u<V>16 tel
```",
};

pub static E0706: Code = Code {
    id: "E0706",
    title: "the program is too large in this direction",
    remedy: "compile in another direction, or write `_no_inline` before a large node",
    explanation: "\
A program has at most 2^22 values and operations, loops counted once. In direction B a word is as \
many values as it has bits, `+` takes five operations a bit, and `*` three times the square of the \
bits: about 12,000 for words of 64 bits.

Wrong:

```text
node f(a, b:u<B>64[1000]) returns (c:u<B>64[1000]) let c = a * b tel
```

Right, as the loop's body counts once:

```text
node f(a, b:u<B>64[1000]) returns (c:u<B>64[1000])
let forall i in [0,999] { c[i] = a[i] * b[i] } tel
```",
};

pub static E0707: Code = Code {
    id: "E0707",
    title: "this cannot be compiled yet",
    remedy: "run it with `culet run --interpret`",
    explanation: "\
An element of a field has no place among slices of many instances, so that there is no code for it there. A program with \
elements computes one instance at a time.

`culet check` and `culet run --interpret` take the program.",
};

pub static E0708: Code = Code {
    id: "E0708",
    title: "one instance at a time has no slicing",
    remedy: "leave `--slice` out, or say `--slice v`",
    explanation: "\
A program with elements of fields, with streams or with words cut into words of other sizes computes one instance at a time, \
each word in a register of its own. So does one with lookups at secret positions of another size than the entries under V and H, \
and one with words under V that have not 1, 8, 16, 32 or 64 bits. Directions B and H would spread the bits of words.

```text
field fe = GF(2^255 - 19)
node f(a:u8[32]) returns (b:u8[32]) let b = bytes(fe(a) * fe(a)) tel
```

`culet compile --slice v f.ua` works, and so does leaving `--slice` out.",
};

pub static E0750: Code = Code {
    id: "E0750",
    title: "the target has no such registers",
    remedy: "choose another target, such as `c64`",
    explanation: "\
The kernel was laid out for registers, or lanes in them, that the C target does not have. `c32` and `c64` have words of \
8, 16, 32 and 64 bits; `sse` has registers of 128 bits, `avx2` of 256, `avx512` and `avx512ifma` of 512, each with lanes of 8, 16, 32 and 64 \
bits. Choose another target.",
};

pub static E0751: Code = Code {
    id: "E0751",
    title: "a word does not fit its lane",
    remedy: "compile with `--slice v`, or write the program on bits",
    explanation: "\
A word of an intermediate result is wider than the lanes of the kernel's registers, so instances would run into each \
other. Lanes are as wide as the widest vertical word of the program; a bitsliced kernel has no lanes at all. Slice the \
program in direction V, or declare the wide word in it.",
};

pub static E0752: Code = Code {
    id: "E0752",
    title: "the target cannot do an operation",
    remedy: "choose another target, such as `c64`",
    explanation: "\
The target has no instructions for an operation of the program in the form in which it holds the words: products of \
several words in one plain register, or arithmetic on the lanes of one instance; or stable Rust has no vectors of the target. \
Choose another target, direction or language.",
};

pub static E0753: Code = Code {
    id: "E0753",
    title: "a vertical condition chooses between horizontal atoms",
    remedy: "compile with `--slice v` or `--slice b`",
    explanation: "\
In `c ? a : b` the bits of `c` and of the atoms must belong to the same instances. A vertical condition has one lane an \
instance, a horizontal atom spreads an instance over the register. Make the condition part of the horizontal data: \
`b ^ (c & (a ^ b))` with a horizontal `c`.",
};

pub static E0754: Code = Code {
    id: "E0754",
    title: "a file name that C cannot include",
    remedy: "give the program's file a name of letters, digits and `_`",
    explanation: "\
The C file includes its header by name, and C has no way to write a quote, a backslash, a slash or a line end in such a \
name. Rename the source file.",
};

pub static E0755: Code = Code {
    id: "E0755",
    title: "elements of a field without limbs",
    remedy: "run it with `culet run --interpret`",
    explanation: "\
Kernels work on words, so elements of a field become limbs. That needs a modulus or a \
pinned representation whose limbs fit into words with room for carries.

```text
field fe = GF(2^255 - 19)
node f(a:fe<63>) returns (b:fe<63>) let b = a * a tel
```

`culet run --interpret` takes every program; `culet field` writes the arithmetic of a single field, also in Montgomery's form.",
};

pub static E0756: Code = Code {
    id: "E0756",
    title: "a target without code for a batch",
    remedy: "compile without `--batch`",
    explanation: "\
Programs with elements of fields, streams or words cut anew compute one instance at a time: in plain words with `--target c64`, or \
`--target c32` for machines of 32 bits, and with vectors for blocks of a stream and for folds in lanes over a prime field. \
`--target avx512ifma --batch 8` computes eight instances of a program without streams at once.",
};

pub static E0757: Code = Code {
    id: "E0757",
    title: "one instance at a time, where slices are needed",
    remedy: "use `culet compile`, `culet run`, `culet bench` or `culet prove` on it",
    explanation: "\
Measuring registers alone (`--measure registers`), `--explain-choices` without `--optimise size` and modes of operation work on kernels that compute many \
instances in slices. A program with elements of fields, streams or words cut anew computes one instance at a time: `culet compile`, `culet run`, `culet bench`, \
`culet tune` and `culet prove` take it.",
};

pub static E0758: Code = Code {
    id: "E0758",
    title: "a node that is not its instruction",
    remedy: "correct the node's equations, or leave `_instruction` out",
    explanation: "\
`_instruction(name)` says that a node means what an instruction of some processors does. That is proved before it is used, \
for all operands, and the node was found to mean something else. The first parameter is the instruction's first operand, \
and the first atom of each is the lowest lane.

The message names the first operands for which they differ, and the lowest bit of the results: the operands are numbers of 128 bits, the lowest \
first operand comes first, then the lowest second one. If only zeros are named, the node is wrong for zeros already.

Wrong:

```text
_instruction(aesimc) node mix(a:u32x4) returns (b:u32x4) let b = a tel
```",
};

pub static E0759: Code = Code {
    id: "E0759",
    title: "a result that cannot stand in its text's place",
    remedy: "leave `--in-place` out, or read the text before its place is written",
    explanation: "\
With `--in-place`, a result of any length may be exactly where the text is whose length it has, so that a message is encrypted where it \
is. Each element of the text must be read before the result's element is written there, and the two must have one size. A program that \
reads a text again after a loop that makes the result does not allow that:

```text
node seal(key:u8, text:u8[*]) returns (out:u8[*], check:u8)
let
  check = 0;
  forall byte in text { out = byte ^ key }
  fold byte in text { check := check ^ byte }
tel
```

With the two loops in the other order, the result may stand in the text's place.",
};
