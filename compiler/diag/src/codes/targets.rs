use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[&E0701];

pub static E0701: Code = Code {
    id: "E0701",
    title: "horizontal words have no arithmetic",
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
