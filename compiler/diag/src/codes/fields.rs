use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[&E0330, &E0331, &E0332, &E0333, &E0334, &E0335];

pub static E0330: Code = Code {
    id: "E0330",
    title: "the modulus makes no field",
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
