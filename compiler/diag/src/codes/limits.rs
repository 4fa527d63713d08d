use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[&E0601, &E0602, &E0603, &E0604, &E0605];

pub static E0601: Code = Code {
    id: "E0601",
    title: "too many atoms",
    remedy: "use shorter arrays",
    explanation: "\
One variable has at most 2^20 atoms, or 2^16 elements of a field, and all variables of a node together at most 2^22 atoms.

Wrong:

```text
node f(a:u8[1000000][1000000]) returns (b:u8) let b = a[0][0] tel
```

Right:

```text
node f(a:u8[1000][1000]) returns (b:u8) let b = a[0][0] tel
```",
};

pub static E0602: Code = Code {
    id: "E0602",
    title: "too many iterations",
    remedy: "use fewer iterations",
    explanation: "\
Every access of every iteration is checked. A loop has at most 2^22 iterations, and a program reads and \
writes at most 2^25 atoms, counted once for each iteration and each instance of a node.

Wrong:

```text
node f(a:u8) returns (b:u8) let forall i in [0,1000000000000] { b := a } tel
```

Right:

```text
node f(a:u8) returns (b:u8) let forall i in [0,100] { b := a } tel
```",
};

pub static E0603: Code = Code {
    id: "E0603",
    title: "the program is too large",
    remedy: "write loops instead of copies, and call nodes from fewer places",
    explanation: "\
After specialisation and the unrolling that amounts, family indices and `nat` arguments need, a program \
has at most 2^20 expressions and 2^24 constants and positions.

Wrong:

```text
forall i in [0,1000000] { x[i] = a <<< (i % 32) }     # unrolled, as the amount varies
```

Right:

```text
forall i in [0,1000] { x[i] = a <<< (i % 32) }
```",
};

pub static E0604: Code = Code {
    id: "E0604",
    title: "expressions are nested too deep",
    remedy: "give parts of the expression names by equations of their own",
    explanation: "\
Parentheses, operands, loops and calls may be nested 200 deep. Give the inner part a name.

Wrong:

```text
x = ((((…((((a))))…))))
```

Right:

```text
t = ((((a)))); x = ((((t))))
```",
};

pub static E0605: Code = Code {
    id: "E0605",
    title: "too many steps for the interpreter",
    remedy: "compile the program instead of interpreting it: leave `--interpret` out",
    explanation: "\
The interpreter takes at most 2^32 steps for one call of the entry; a step is the work on one atom. How many \
there will be is known beforehand. A node that calls another twice doubles its steps, so a chain of sixty such \
nodes would never end. Compiled kernels have no limit and are some thousand times faster: leave \
`--interpret` out. Key schedules are always interpreted.

Wrong:

```text
node f1 (a : u8) returns (x : u8) let x = f0(f0(a)) tel      # and so on to f60
```

Right:

```text
node f1 (a : u8) returns (x : u8) let x = f0(a) tel
```",
};
