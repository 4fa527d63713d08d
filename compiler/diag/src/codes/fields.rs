use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] =
    &[&E0330, &E0331, &E0332, &E0333, &E0334, &E0335, &E0336, &E0337, &E0338, &E0340, &E0341, &E0342, &E0343];

pub static E0330: Code = Code {
    id: "E0330",
    title: "the modulus makes no field",
    remedy: "choose a prime, or an irreducible polynomial",
    explanation: "\
Integers modulo n are a field only if n is prime, polynomials over GF(2) modulo f only if f is \
irreducible: otherwise there are elements without an inverse.

Primes are recognised by trial division and the test of Baillie, Pomerance, Selfridge and Wagstaff with \
further strong tests; it is exact below 2^64, and no composite that passes is known. Irreducibility is \
decided exactly, by Rabin's test.

Wrong:

```text
field fe = GF(2^255 - 21)
node f(a:fe) returns (b:fe) let b = a * a tel
```

Right:

```text
field fe = GF(2^255 - 19)
node f(a:fe) returns (b:fe) let b = a * a tel
```",
};

pub static E0331: Code = Code {
    id: "E0331",
    title: "the modulus is too small, too large or even",
    remedy: "choose an odd prime of at most 4096 bits, or a polynomial of degree 2 to 4096",
    explanation: "\
A prime is odd and has at most 4096 bits; a polynomial has a degree from 2 to 4096. Bits, which are the \
field of two elements, are the words `u1`.

Wrong:

```text
field bit = GF(2)
node f(a, b:bit) returns (c:bit) let c = a + b tel
```

Right:

```text
node f(a, b:u1) returns (c:u1) let c = a ^ b tel
```",
};

pub static E0332: Code = Code {
    id: "E0332",
    title: "this is no modulus",
    remedy: "write a prime by numbers and `+ - * / ^`: `GF(2^255 - 19)`",
    explanation: "\
In a modulus `^` is a power. A prime is computed from numbers by `+ - * / ^`, a polynomial from `x` and 1 \
by `+ * ^`.

Wrong:

```text
field g = GF2(128, 7, 2, 1, 0)
node f(a:g) returns (b:g) let b = a * a tel
```

Right:

```text
field g = GF2(x^128 + x^7 + x^2 + x + 1)
node f(a:g) returns (b:g) let b = a * a tel
```",
};

pub static E0333: Code = Code {
    id: "E0333",
    title: "a representation that cannot be",
    remedy: "leave the radix out: the compiler chooses one that holds",
    explanation: "\
`fe<51>`, `fe<25.5>` and `fe<mont 52>` say in which limbs the elements of the field `fe` lie: bits a limb, \
also as a fraction, or Montgomery form. This changes speed, never a result. A field has one representation \
in a program: it may be pinned once or several times, but not differently; without a pin the compiler \
chooses.

Wrong:

```text
field fe = GF(2^255 - 19)
node f(a:fe<51>, b:fe<25.5>) returns (c:fe) let c = a * b tel
```

Right:

```text
field fe = GF(2^255 - 19)
node f(a:fe<51>, b:fe) returns (c:fe) let c = a * b tel
```",
};

pub static E0334: Code = Code {
    id: "E0334",
    title: "elements of fields do not have this operation",
    remedy: "use `+ - * /` and `? :` on elements; `bytes(x)` gives words",
    explanation: "\
Elements of a field are added, subtracted, negated, multiplied and divided, where x / 0 is 0. They have no \
bits: `& | ^ ~`, shifts of a single element, `%`, `Shuffle`, `Bitmask` and `Pack` are for words. `bytes(x)` \
and `bits(x)` are the canonical form as words.

Wrong:

```text
field fe = GF(2^255 - 19)
node f(a:fe) returns (b:fe) let b = a << 1 tel
```

Right:

```text
field fe = GF(2^255 - 19)
node f(a:fe) returns (b:fe) let b = a + a tel
```",
};

pub static E0335: Code = Code {
    id: "E0335",
    title: "elements of different fields, or elements and words",
    remedy: "make an element of words by the field's name, `fe(x)`, and bytes of an element by `bytes(x)`",
    explanation: "\
A word is not an element of a field, and elements of one field are not elements of another, even if both \
have the same modulus. Bytes become elements, and elements bytes, by conversions that are written.

Wrong:

```text
field fe = GF(2^255 - 19)
node f(a:fe, b:u8) returns (c:fe) let c = a + b tel
```

Right:

```text
field fe = GF(2^255 - 19)
node f(a:fe) returns (c:fe) let c = a + 7 tel
```",
};

pub static E0336: Code = Code {
    id: "E0336",
    title: "a conversion that does not come out even",
    remedy: "give as many bits as the values have that are made of them",
    explanation: "\
`le<T>(x)` and `be<T>(x)` cut the bits of x into values of the type T, so there must be bits for a whole \
number of them; `le(x)`, `be(x)` and `bytes(x)` make bytes, `bits(x)` single bits. An element of a field is \
its canonical form in the fewest whole bytes. `F(x)` is one element of the field F, from at most 65536 bits, \
reduced.

Wrong:

```text
node f(a:u<V>8[5]) returns (b:u<V>32) let b = le<u32>(a) tel
```

Right:

```text
node f(a:u<V>8[8]) returns (b:u<V>32[2]) let b = le<u32>(a) tel
```",
};

pub static E0337: Code = Code {
    id: "E0337",
    title: "a secret position that cannot be looked up",
    remedy: "use a word whose bits reach every element, alone in the last pair of brackets",
    explanation: "\
`t[i]` with a word `i` reads all elements of `t` and keeps the one at that position, in constant time. The \
position is one word that can reach every element; beyond the last element the value is zero. It is the \
last pair of brackets, and the ones before it hold single indices. Elements at secret positions cannot be \
assigned.

Wrong:

```text
node f(t:u<V>8[8][2], i:u<V>8) returns (x:u<V>8) let x = t[i][0] tel
```

Right:

```text
node f(t:u<V>8[8][2], i:u<V>8) returns (x:u<V>8)
vars row:u<V>8[2]
let row = t[i]; x = row[0] tel
```",
};

pub static E0338: Code = Code {
    id: "E0338",
    title: "a fold that carries nothing",
    remedy: "update a variable in the fold: `h := h + x`",
    explanation: "\
`fold` runs its iterations one after the other, and what an iteration updates with `:=` is what the next one \
begins with. Without such a variable the iterations have nothing to do with one another: that is a `forall`.

Wrong:

```text
node f(a:u<V>8[4]) returns (b:u<V>8[4]) let fold i in [0,3] { b[i] = a[i] + 1 } tel
```

Right:

```text
node f(a:u<V>8[4]) returns (b:u<V>8) let b = 0; fold i in [0,3] { b := b + a[i] } tel
```",
};

pub static E0340: Code = Code {
    id: "E0340",
    title: "a stream where it cannot be",
    remedy: "declare the parameter `u8[*]`, and go through it by `fold`",
    explanation: "\
A stream `T[*]` is a parameter or result of a length that is known when the program runs. `forall x in s` and \
`fold x in s` go through one, `blocks(s, n, pad)` cuts one of bytes into blocks of n bytes; in such a loop, an \
equation for a result that is a stream gives its element. Such loops stand outside of other loops. A call of a \
node with streams is an equation of its own, `c = f(k, m)`, if a result is a stream.

Wrong:

```text
node f(m:u<V>8[*]) returns (x:u<V>8) let x = m[0] tel
```

Right:

```text
node f(m:u<V>8[*]) returns (x:u<V>8) let x = 0; fold b in m { x := x ^ b } tel
```",
};

pub static E0341: Code = Code {
    id: "E0341",
    title: "an empty stream leaves something without a value",
    remedy: "give it a value before the fold",
    explanation: "\
A stream may have no elements, and then a loop over it has no iterations. What it updates must have a value \
before.

Wrong:

```text
node f(m:u<V>8[*]) returns (x:u<V>8) let fold b in m { x := b } tel
```

Right:

```text
node f(m:u<V>8[*]) returns (x:u<V>8) let x = 0; fold b in m { x := b } tel
```",
};

pub static E0342: Code = Code {
    id: "E0342",
    title: "a fold that cannot be divided among lanes",
    remedy: "leave `_lanes` out",
    explanation: "\
`_lanes(k) fold` lets k accumulators each fold every k-th element. That gives the same result only if an \
iteration is h := h * A + B for one carried value h, where A and B do not depend on h and A is the same in every \
iteration. This is checked term by term.

Wrong:

```text
field fe = GF(2^130 - 5)
node f(m:u8[*], r:fe) returns (h:fe)
let h = 0; _lanes(4) fold b in blocks(m, 16, 1) { h := (h + fe(b)) * h } tel
```

Right:

```text
field fe = GF(2^130 - 5)
node f(m:u8[*], r:fe) returns (h:fe)
let h = 0; _lanes(4) fold b in blocks(m, 16, 1) { h := (h + fe(b)) * r } tel
```",
};

pub static E0343: Code = Code {
    id: "E0343",
    title: "a secret where a public value is wanted",
    remedy: "give a public value, or leave `pub` out",
    explanation: "\
A parameter that is `pub` takes public values: constants, lengths of streams, other parameters that are `pub`, and \
what is computed of these. `declassify(x)` is x, made public: the program says that everybody may know it. \
`culet check --declassified` lists these places.

Wrong:

```text
node count(n:pub u8) returns (m:u8) let m = n + 1 tel
node f(key, given:u8) returns (m:u8) let m = count(key ^ given) tel
```

Right:

```text
node count(n:pub u8) returns (m:u8) let m = n + 1 tel
node f(key, given:u8) returns (m:u8) let m = count(declassify(key ^ given)) tel
```",
};
