use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[
    &E0401, &E0402, &E0403, &E0404, &E0405, &E0406, &E0407, &E0408, &E0409, &E0410, &E0411, &E0412, &W0401, &W0402,
    &W0403,
];

pub static E0401: Code = Code {
    id: "E0401",
    title: "an atom is assigned twice",
    remedy: "assign each element once; an update is written `x := e`",
    explanation: "\
`=` is an equation: it says what an atom is, once. `:=` is an update, in the order of the text. In a \
loop, an atom that every iteration assigns and only the same iteration reads is a temporary of the \
iteration; that is allowed.

Wrong:

```text
node f(a, b:u32) returns (x:u32) let x = a; x = a ^ b tel
```

Right:

```text
node f(a, b:u32) returns (x:u32) let x = a; x := x ^ b tel
```",
};

pub static E0402: Code = Code {
    id: "E0402",
    title: "an atom is read that nothing assigns",
    remedy: "assign it by an equation",
    explanation: "\
Every atom that is read needs a value: from an equation anywhere in the node, or from an update before \
the read.

Wrong:

```text
node f(a:u32) returns (x:u32) vars t:u32[2] let t[0] = a; x = t[1] tel
```

Right:

```text
node f(a:u32) returns (x:u32) vars t:u32[2] let t[0] = a; t[1] = ~a; x = t[1] tel
```",
};

pub static E0403: Code = Code {
    id: "E0403",
    title: "a result is not assigned",
    remedy: "assign every element of each result by an equation",
    explanation: "\
A node is a function: every atom of every result needs a value.

Wrong:

```text
node f(a:u32) returns (x:u32[2]) let x[0] = a tel
```

Right:

```text
node f(a:u32) returns (x:u32[2]) let x[0] = a; x[1] = ~a tel
```",
};

pub static E0404: Code = Code {
    id: "E0404",
    title: "equations depend on each other in a circle",
    remedy: "compute one of them from something else; an update is written `x := e`",
    explanation: "\
Equations are put in the order in which their values flow. Around a circle there is none.

Wrong:

```text
node f(a:u32) returns (x, y:u32) let x = y ^ a; y = x ^ a tel
```

Right:

```text
node f(a:u32) returns (x, y:u32) let x = ~a; y = x ^ a tel
```",
};

pub static E0405: Code = Code {
    id: "E0405",
    title: "an equation assigns an input",
    remedy: "assign a local or a result instead; a parameter is updated by `x := e`",
    explanation: "\
A parameter has its value from the caller. `:=` updates the node's own copy.

Wrong:

```text
node f(a:u32) returns (x:u32) let a = ~a; x = a tel
```

Right:

```text
node f(a:u32) returns (x:u32) let a := ~a; x = a tel
```",
};

pub static E0406: Code = Code {
    id: "E0406",
    title: "a const parameter is updated",
    remedy: "copy it to a local, and update that",
    explanation: "\
A `const` parameter is one value that all instances share; it stays as it is.

Wrong:

```text
node f(a: const u32) returns (x:u32) let a := ~a; x = a tel
```

Right:

```text
node f(a: const u32) returns (x:u32) vars t:u32 let t = ~a; x = t tel
```",
};

pub static E0407: Code = Code {
    id: "E0407",
    title: "an equation reads what it defines",
    remedy: "write `x := e` for an update",
    explanation: "\
`x op= e` stands for `x = x op e`, which no value of x need satisfy. The update `x op:= e` uses the \
value x had before.

Wrong:

```text
node f(a:u32) returns (x:u32) let x = a; x ^= a tel
```

Right:

```text
node f(a:u32) returns (x:u32) let x = a; x ^:= a tel
```",
};

pub static E0408: Code = Code {
    id: "E0408",
    title: "an equation follows an update of the same atom",
    remedy: "write `:=` for all assignments of this variable, or give the new value another name",
    explanation: "\
`=` gives an atom its first value, so it stands before the updates of that atom.

Wrong:

```text
node f(a:u32) returns (x:u32) let x := a; x = ~a tel
```

Right:

```text
node f(a:u32) returns (x:u32) let x = ~a; x := a tel
```",
};

pub static E0409: Code = Code {
    id: "E0409",
    title: "a loop cannot stay a loop",
    remedy: "write `_unroll` before the loop",
    explanation: "\
`_no_unroll` asks for a loop in the code. That needs iterations that can run in the order written.

Wrong:

```text
node f(a:u32[4]) returns (x:u32[4]) let _no_unroll forall i in [0,2] { x[i] = x[i+1] ^ a[i] } x[3] = a[3] tel
```

Right:

```text
node f(a:u32[4]) returns (x:u32[4]) let forall i in [0,2] { x[i] = x[i+1] ^ a[i] } x[3] = a[3] tel
```",
};

pub static E0410: Code = Code {
    id: "E0410",
    title: "a temporary is read outside its iteration",
    remedy: "give each iteration an element of its own: `t[i] = …`",
    explanation: "\
An atom that every iteration of a loop assigns with `=` has a value in each iteration of its own; \
outside there is no such value. Use an array, or `:=`.

Wrong:

```text
node f(a:u32[4]) returns (x:u32) vars t:u32 let forall i in [0,3] { t = ~a[i] } x = t tel
```

Right:

```text
node f(a:u32[4]) returns (x:u32) vars t:u32[4] let forall i in [0,3] { t[i] = ~a[i] } x = t[3] tel
```",
};

pub static E0411: Code = Code {
    id: "E0411",
    title: "a counter is assigned",
    remedy: "give the variable another name",
    explanation: "\
The loop alone sets its counter.

Wrong:

```text
node f(a:u32[4]) returns (x:u32[4]) let forall i in [0,3] { i = 2; x[i] = a[i] } tel
```

Right:

```text
node f(a:u32[4]) returns (x:u32[4]) let forall i in [0,3] { x[i] = a[2] } tel
```",
};

pub static E0412: Code = Code {
    id: "E0412",
    title: "a nat has no value, or two",
    remedy: "give the `nat` one value by an equation",
    explanation: "\
A `nat` is assigned once by an equation in the same block as its use or in one around it, and may be \
updated with `:=`.

Wrong:

```text
node f(a:u32) returns (x:u32) vars n:nat let n = 3; n = 4; x = a <<< n tel
```

Right:

```text
node f(a:u32) returns (x:u32) vars n:nat let n = 3; n := n + 1; x = a <<< n tel
```",
};

pub static W0401: Code = Code {
    id: "W0401",
    title: "a variable is never read",
    remedy: "use it, or leave it out",
    explanation: "\
Nothing depends on this variable, so it and what computes it can go. Often another variable was meant \
somewhere. A name that begins with `_` says that this is meant: a pattern takes all parts of a value, and callers \
may pass more than a node needs.

Wrong:

```text
node f(a:u32) returns (x:u32) vars t:u32 let t = ~a; x = a tel
```

Right:

```text
node f(a:u32) returns (x:u32) let x = a tel
```",
};

pub static W0402: Code = Code {
    id: "W0402",
    title: "an equation in a loop is taken as an update",
    remedy: "write `:=`",
    explanation: "\
An atom that was assigned before the loop is assigned again by its iterations. Published programs write \
rolling state so; it is read in the order of the text, as `:=` would be. Outside of loops, and twice in \
one iteration, this is an error (E0401).

Wrong:

```text
node f(a:u32[4]) returns (x:u32) vars s:u32 let s = 0; forall i in [0,3] { s = s ^ a[i] } x = s tel
```

Right:

```text
node f(a:u32[4]) returns (x:u32) vars s:u32 let s = 0; forall i in [0,3] { s := s ^ a[i] } x = s tel
```",
};

pub static W0403: Code = Code {
    id: "W0403",
    title: "a loop is unrolled, though `_no_unroll` asks for a loop",
    remedy: "leave `_no_unroll` out",
    explanation: "\
A loop in the code has constants as its bounds, and a counter that occurs in indices only, and linearly. Another loop is \
unrolled: it means the same, and its code is longer.

Wrong:

```text
node f(a:u32) returns (x:u32[8]) let _no_unroll forall i in [0,7] { x[i] = a <<< i } tel
```

Right:

```text
node f(a:u32) returns (x:u32[8]) let forall i in [0,7] { x[i] = a <<< i } tel
```",
};
