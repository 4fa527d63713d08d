use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[&E0501, &E0502, &E0503, &E0504, &E0505, &E0506, &W0501];

pub static E0501: Code = Code {
    id: "E0501",
    title: "a table has the wrong number of values",
    remedy: "give 2^n values for n bits of input",
    explanation: "\
A table of k input atoms has 2 to the k values, at most 2 to the 16.

Wrong:

```text
table s(i:b2) returns (o:b2) {3,0,1}
```

Right:

```text
table s(i:b2) returns (o:b2) {3,0,1,2}
```",
};

pub static E0502: Code = Code {
    id: "E0502",
    title: "a value of a table does not fit",
    remedy: "choose values that the bits of the result hold",
    explanation: "\
A value spells the output atoms as bits, the first atom most significant; it must be below 2 to the \
number of output atoms, of which there are at most 64.

Wrong:

```text
table s(i:b2) returns (o:b2) {4,0,1,2}
```

Right:

```text
table s(i:b2) returns (o:b2) {3,0,1,2}
```",
};

pub static E0503: Code = Code {
    id: "E0503",
    title: "a perm names a position that does not exist",
    remedy: "choose positions from 1 to the number of the input's atoms",
    explanation: "\
Positions count the atoms of the inputs from 1.

Wrong:

```text
perm p(i:b3) returns (o:b3) {0,1,2}
```

Right:

```text
perm p(i:b3) returns (o:b3) {1,2,3}
```",
};

pub static E0504: Code = Code {
    id: "E0504",
    title: "a perm has the wrong number of positions",
    remedy: "give one position for each atom of the result",
    explanation: "\
There is one position for each output atom, and the atom found there has the output's type.

Wrong:

```text
perm p(i:b3) returns (o:b3) {1,2}
```

Right:

```text
perm p(i:b3) returns (o:b3) {1,2,3}
```",
};

pub static E0505: Code = Code {
    id: "E0505",
    title: "a table works on atoms, not on the bits of one",
    remedy: "give all inputs and results of the table one type, such as `b8` or `v8`",
    explanation: "\
The index of a table is made of one bit from each input atom, at every bit position at once. A byte is \
therefore eight atoms: `b8` for one byte, `v8` or `u16x8` for as many bytes as the word has bits, bit \
plane by bit plane. All atoms of a table have one type. A table of one word, `i : u2`, with a value for each of \
the word's values is indexed by the word instead.

Wrong:

```text
table s(i:u8x2) returns (o:u16x2) {3,0,1,2}
```

Right:

```text
table s(i:u8x2) returns (o:u8x2) {3,0,1,2}
```",
};

pub static E0506: Code = Code {
    id: "E0506",
    title: "the compatibility file is not understood",
    remedy: "write one table a line: the name of the file, a space, and the name of the table",
    explanation: "\
It lists published tables whose programs are right only if the first atom is the least significant bit: \
entries `[[table]]` with `file` (the stem), `name`, `values`, and `index` for a member of a family.

Wrong:

```text
[[table]]
file = \"serpent\"
```

Right:

```text
[[table]]
file = \"serpent\"
name = \"sbox\"
index = 0
values = [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12]
```",
};

pub static W0501: Code = Code {
    id: "W0501",
    title: "a published table is read least significant bit first",
    remedy: "write `_lsb_first` or `_msb_first` before the table",
    explanation: "\
The file, the name and the values of this table are those of a published program that is right only if \
the first atom is the least significant bit. `_lsb_first` says so in the program itself.

Wrong:

```text
table sub(i:v4) returns (o:v4) { … }              # in a file that the compatibility list names
```

Right:

```text
_lsb_first table sub(i:v4) returns (o:v4) { … }
```",
};
