use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] =
    &[&E0201, &E0202, &E0203, &E0204, &E0205, &E0206, &E0207, &E0208, &E0209, &E0210, &E0211, &E0212, &W0201, &W0202];

pub static E0201: Code = Code {
    id: "E0201",
    title: "no variable has this name",
    remedy: "declare it as a parameter, or after `vars`: `vars t : u32 let … tel`",
    explanation: "\
A variable is a parameter, a result, a local declared after `vars`, or the counter of a loop around the \
place.

Wrong:

```text
node f(a:u32) returns (b:u32) let b = aa tel
```

Right:

```text
node f(a:u32) returns (b:u32) let b = a tel
```",
};

pub static E0202: Code = Code {
    id: "E0202",
    title: "no node, perm or table has this name",
    remedy: "define it above its use, or include the file that does",
    explanation: "\
What is called must be defined in the program or in a file that it includes.

Wrong:

```text
node f(a:u32) returns (b:u32) let b = h(a) tel
```

Right:

```text
node h(a:u32) returns (b:u32) let b = ~a tel
node f(a:u32) returns (b:u32) let b = h(a) tel
```",
};

pub static E0203: Code = Code {
    id: "E0203",
    title: "a definition is used before it",
    remedy: "move the definition above its use",
    explanation: "\
Definitions precede their uses, so that no definition can depend on itself. Move the definition up.

Wrong:

```text
node f(a:u32) returns (b:u32) let b = h(a) tel
node h(a:u32) returns (b:u32) let b = ~a tel
```

Right:

```text
node h(a:u32) returns (b:u32) let b = ~a tel
node f(a:u32) returns (b:u32) let b = h(a) tel
```",
};

pub static E0204: Code = Code {
    id: "E0204",
    title: "a node calls itself",
    remedy: "write a loop, `forall i in [0, 9] { … }`: programs have no recursion",
    explanation: "\
There is no recursion: every program runs a number of operations that is known beforehand. Write a loop.

Wrong:

```text
node f(a:u32) returns (b:u32) let b = f(a) tel
```

Right:

```text
node step(a:u32) returns (b:u32) let b = ~a tel
node f(a:u32) returns (b:u32)
vars t:u32[5]
let t[0] = a; forall i in [0,3] { t[i+1] = step(t[i]) } b = t[4] tel
```",
};

pub static E0205: Code = Code {
    id: "E0205",
    title: "a reserved name is defined",
    remedy: "choose another name",
    explanation: "\
`refresh`, `rand`, `print` and `ref` belong to the language.

Wrong:

```text
node refresh(a:u32) returns (b:u32) let b = a tel
```

Right:

```text
node renew(a:u32) returns (b:u32) let b = a tel
```",
};

pub static E0206: Code = Code {
    id: "E0206",
    title: "a name is defined twice",
    remedy: "give one of the two another name",
    explanation: "\
Nodes, perms and tables share one space of names, types have another. Including a file twice defines \
everything in it twice.

Wrong:

```text
node f(a:u32) returns (b:u32) let b = a tel
node f(a:u32) returns (b:u32) let b = ~a tel
```

Right:

```text
node f(a:u32) returns (b:u32) let b = a tel
node g(a:u32) returns (b:u32) let b = ~a tel
```",
};

pub static E0207: Code = Code {
    id: "E0207",
    title: "a variable is declared twice",
    remedy: "give one of the two another name",
    explanation: "\
Parameters, results and locals of a node share one space of names.

Wrong:

```text
node f(a:u32) returns (a:u32) let a = a tel
```

Right:

```text
node f(a:u32) returns (b:u32) let b = a tel
```",
};

pub static E0208: Code = Code {
    id: "E0208",
    title: "the index of a family is missing, superfluous or out of range",
    remedy: "write the index of a member in `<` and `>`: `f<0>(x)`",
    explanation: "\
`node[]`, `table[]` and `perm[]` define families: members `f<0>`, `f<1>`, … are called with a static \
index, and only they are.

Wrong:

```text
table[] s(i:b1) returns (o:b1) [ {1,0}; {0,1} ]
node f(a:b1) returns (b:b1) let b = s<2>(a) tel
```

Right:

```text
table[] s(i:b1) returns (o:b1) [ {1,0}; {0,1} ]
node f(a:b1) returns (b:b1) let b = s<1>(a) tel
```",
};

pub static E0209: Code = Code {
    id: "E0209",
    title: "no type has this name",
    remedy: "write a word such as `u32`, or define the name above by `type N = u32x4`",
    explanation: "\
Types are `nat`, words such as `u32`, `b8`, `v4`, `u16x4`, and names that `type N = T` has defined above.

Wrong:

```text
node f(a:state) returns (b:state) let b = a tel
```

Right:

```text
type state = u32x4
node f(a:state) returns (b:state) let b = a tel
```",
};

pub static E0210: Code = Code {
    id: "E0210",
    title: "there is nothing to compile",
    remedy: "define a node, or name one of the program's by `--node`",
    explanation: "\
A program needs a definition; the last one is the entry, unless another is asked for by its name. A \
family is no entry, as its index is not known.

Wrong:

```text
table s(i:b1) returns (o:b1) {1,0}
    # compiled with --node cipher
```

Right:

```text
table s(i:b1) returns (o:b1) {1,0}
node cipher(a:b1) returns (b:b1) let b = s(a) tel
```",
};

pub static E0211: Code = Code {
    id: "E0211",
    title: "an attribute cannot stand here",
    remedy: "leave the attribute out, or write it before what it is for",
    explanation: "\
Attributes act or are errors. `_inline`, `_no_inline`, `_interleave(n)` and `_no_opt` belong to nodes \
and tables, `_instruction(name)` to nodes, whose parameters and result are then that instruction's registers, `_msb_first` and \
`_lsb_first` to tables, `_unroll`, `_no_unroll` and `_pipelined` to loops; \
`const` belongs to parameters. Two attributes that contradict each other are an error too.

Wrong:

```text
_lsb_first node f(a:u32) returns (b:u32) let b = a tel
```

Right:

```text
_inline node f(a:u32) returns (b:u32) let b = a tel
```",
};

pub static E0212: Code = Code {
    id: "E0212",
    title: "a builtin cannot be used here",
    remedy: "make the random bits a parameter of the node",
    explanation: "\
Programs are functions of their inputs: `rand()` has no meaning without masking, so randomness is a \
parameter. `print` and `ref` are reserved. `refresh(x)` takes one value and is that value.

Wrong:

```text
node f(a:b1) returns (b:b1) let b = a ^ rand() tel
```

Right:

```text
node f(a, r:b1) returns (b:b1) let b = a ^ r tel
```",
};

pub static W0201: Code = Code {
    id: "W0201",
    title: "a counter hides a variable",
    remedy: "give the counter another name",
    explanation: "\
Inside the loop the name means the counter. Give one of the two another name.

Wrong:

```text
node f(i:u32[2]) returns (o:u32[2]) let forall i in [0,1] { o[i] = ~o[i] } tel
```

Right:

```text
node f(x:u32[2]) returns (o:u32[2]) let forall i in [0,1] { o[i] = ~x[i] } tel
```",
};

pub static W0202: Code = Code {
    id: "W0202",
    title: "an attribute has no effect",
    remedy: "leave it out",
    explanation: "\
`_pipelined` and `lazyLift` are accepted because published programs contain them. The published compiler \
ignores them; so does this one, and says so. `const` on a result or a local says nothing either: a value \
is shared by all instances if it is a parameter.

Wrong:

```text
node f(a: lazyLift u32) returns (b:u32) let b = a tel
```

Right:

```text
node f(a: const u32) returns (b:u32) let b = a tel
```",
};
