use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[
    &E0801, &E0802, &E0803, &E0804, &E0806, &E0810, &E0811, &E0812, &E0813, &E0820, &E0821, &E0822, &E0823, &E0824,
    &E0825, &E0826, &E0830, &E0831, &E0832, &E0840, &E0841, &E0842, &E0850, &E0851, &E0852, &E0860, &E0861, &E0862,
    &E0863, &E0864, &E0865, &E0866, &E0867, &E0868, &E0870, &E0871, &E0872, &E0873, &E0880, &E0881,
];

pub static E0801: Code = Code {
    id: "E0801",
    title: "a file cannot be read",
    remedy: "check the path, and that the file may be read",
    explanation: "The file named on the command line does not exist, may not be read, is a directory, or is larger than \
64 MiB. The message gives the system's reason.",
};

pub static E0802: Code = Code {
    id: "E0802",
    title: "a source file is not UTF-8",
    remedy: "convert the file, for instance with `iconv -f latin1 -t utf-8`",
    explanation: "Programs are UTF-8 text. Everything but comments is plain ASCII. Convert the file, for instance with \
`iconv -f latin1 -t utf-8`.",
};

pub static E0803: Code = Code {
    id: "E0803",
    title: "an included file cannot be found or read",
    remedy: "name its directory with `-I DIR`",
    explanation: "`include \"f.ua\"` looks for `f.ua` from the current directory, in the directory of the main file, in each \
`-I` directory, and in the directory of the including file, in this order. The notes list what was tried.",
};

pub static E0804: Code = Code {
    id: "E0804",
    title: "a file includes itself",
    remedy: "leave the `include` out",
    explanation: "Including splices a file's definitions; a file that is part of itself would never end. Includes may be \
nested 64 deep.",
};

pub static E0806: Code = Code {
    id: "E0806",
    title: "a description where a program is wanted",
    remedy: "give the program (.ua) that the description names as its `source`",
    explanation: "`culet test` takes descriptions (.toml), `culet run` and `culet bench` take both. The other commands take the program \
itself and one of its nodes, by `--node`.",
};

pub static E0810: Code = Code {
    id: "E0810",
    title: "a file or directory cannot be written",
    remedy: "name a directory that may be written with `-o`, on a disk with room",
    explanation: "The output directory does not exist and cannot be made, may not be written, or the disk is full. Each file \
is written whole or not at all, and none before the data of all are on the disk; where one of several cannot get its name \
then, the notes say which have.",
};

pub static E0811: Code = Code {
    id: "E0811",
    title: "input data has the wrong length",
    remedy: "give as many bytes as the message names",
    explanation: "A key, nonce, initial value or block does not have the length that the primitive needs, or the data of \
`--mode ecb` is not a whole number of blocks. ECB has no padding; use `--mode ctr` for data of any length.",
};

pub static E0812: Code = Code {
    id: "E0812",
    title: "not a hexadecimal string",
    remedy: "write two hexadecimal digits a byte: `00ff7a`",
    explanation: "Keys, nonces and values are given as an even number of hexadecimal digits; spaces are not allowed.",
};

pub static E0813: Code = Code {
    id: "E0813",
    title: "a file that another command or another program made would be replaced",
    remedy: "choose another name or directory, or add `--force` to replace it",
    explanation: "Generated files say in their first lines which command made them. A file is only replaced by the command \
that made it; a search by `--tune` may choose in another way than the last one did. `culet compile --name NAME` gives the \
files, and all names in them, another name. `--force` replaces whatever is there.

Behind the command, `# program 6f1e2d3c4b5a6978` tells the program from others of the same name: it is a digest of the program's \
path as seen from the directory of the generated file. It does not depend on the program's text, so that a program that was edited \
replaces its own files, and it is the same wherever the whole tree lies.",
};

pub static E0820: Code = Code {
    id: "E0820",
    title: "no C compiler",
    remedy: "install gcc or clang, or name a compiler with `--cc`",
    explanation: "Running compiled kernels needs a C compiler. `--cc` names one; without it the variable `CC`, then \
`clang-19`, `clang`, `gcc-12`, `gcc` and `cc` are tried. `--interpret` needs none.",
};

pub static E0821: Code = Code {
    id: "E0821",
    title: "the C compiler failed",
    remedy: "read what the compiler says, and name another one with `--cc`",
    explanation: "The generated C was refused, or the compiler crashed. The notes show the command and what it printed. \
Generated C must always compile: if the compiler is recent enough (C11, and the target's instructions), this is a defect \
of culet.",
};

pub static E0822: Code = Code {
    id: "E0822",
    title: "a compiled kernel cannot be loaded",
    remedy: "name another C compiler with `--cc`",
    explanation: "The shared object that was just built could not be opened, for instance because the temporary directory is \
mounted without permission to execute. Set `TMPDIR` to another directory.",
};

pub static E0823: Code = Code {
    id: "E0823",
    title: "this CPU lacks the target's instructions",
    remedy: "choose a target that this CPU runs, or one and a `--runner`",
    explanation: "The kernel can be compiled but not run here. `c64` and `c32` run everywhere; `sse` needs SSSE3 and SSE4.1, \
`avx2` AVX2, `avx512` AVX-512 F, BW, VL and DQ, `avx512ifma` IFMA, too, `neon` an AArch64 and `vsx` a little-endian POWER. For another machine's \
targets, name a C compiler for it with `--cc` and a command that executes its programs with `--runner`.",
};

pub static E0824: Code = Code {
    id: "E0824",
    title: "unknown target",
    remedy: "choose one of the targets that are listed",
    explanation: "Targets are `c32`, `c64`, `sse`, `avx2`, `avx512`, `avx512ifma`, `neon` and `vsx`.",
};

pub static E0825: Code = Code {
    id: "E0825",
    title: "the runner failed",
    remedy: "run the runner's command by itself to see what it lacks",
    explanation: "With `--runner COMMAND`, each call of a compiled kernel is a process: `COMMAND PROGRAM`, which reads the inputs from \
stdin and writes the results to stdout. The command cannot be started, it or the program ended early, did not end within \
two minutes, or printed something else than results. An emulator needs the instructions of the target: \
`qemu-aarch64` for `neon`, `qemu-ppc64le -cpu power9` for `vsx`. The program is linked statically; a command that takes \
it to another machine, such as a script around `ssh`, must bring the file there, too.",
};

pub static E0826: Code = Code {
    id: "E0826",
    title: "the C compiler is for another machine",
    remedy: "name a C compiler for the target's machine with `--cc`",
    explanation: "A C compiler says with `-dumpmachine` what it compiles for. It must be the target's architecture: x86-64 for `sse`, \
`avx2`, `avx512` and `avx512ifma`, AArch64 for `neon`, little-endian POWER for `vsx`; `c32` and `c64` fit any. If that is not this \
machine's, `--runner` must say what executes its programs. For clang, `--cc 'clang --target=aarch64-linux-gnu'` chooses it.",
};

pub static E0830: Code = Code {
    id: "E0830",
    title: "an option does not fit the program",
    remedy: "leave the option out",
    explanation: "The option names a node, parameter or slicing that the program does not have, or two options contradict \
each other.",
};

pub static E0831: Code = Code {
    id: "E0831",
    title: "the primitive cannot be used in this mode",
    remedy: "describe the nodes of the cipher in a .toml file; `primitives/README.md` shows how",
    explanation: "A mode of operation needs to know which node encrypts and which parameters are the block and the key. That \
is what the description file `<name>.toml` next to a program says; see `primitives/README.md` for its format. Without \
one, use `culet run FILE.ua --node N --input NAME=HEX …`.",
};

pub static E0832: Code = Code {
    id: "E0832",
    title: "no such code",
    remedy: "`culet explain` without a code lists all",
    explanation: "`culet explain` takes a diagnostic's code, such as `E0401`. `culet explain` alone lists all.",
};

pub static E0840: Code = Code {
    id: "E0840",
    title: "not the text of the intermediate representation",
    remedy: "mend the text; `culet dump FILE --after lower` shows how it is written",
    explanation: "A file `.ir` holds what `culet dump FILE --after STAGE` writes for the stage `lower` and the passes. The \
documentation of the crate `culet-ir` describes the text; `culet dump` of a small program shows it.",
};

pub static E0841: Code = Code {
    id: "E0841",
    title: "the intermediate representation breaks its law",
    remedy: "mend the text; `culet dump FILE --after lower` shows a right one",
    explanation: "The text can be read, but is not well formed: a value is used before it is defined, an index leaves its slot, \
operands have the wrong type. The documentation of the crate `culet-ir` has the whole law, in `verify`.",
};

pub static E0842: Code = Code {
    id: "E0842",
    title: "the intermediate representation lacks what this needs",
    remedy: "give the program (.ua) itself",
    explanation: "In a file `.ir` there are registers, not parameters: their types, their directions and how memory holds their \
bytes are gone. So it cannot be compiled to C, run or tested. `culet check` and `culet dump` take it, the latter through \
the passes; for everything else, give the program.",
};

pub static E0850: Code = Code {
    id: "E0850",
    title: "nothing could be measured",
    remedy: "name a C compiler with `--cc`, or a longer `--time`",
    explanation: "The tuner compiles candidates, and runs and times them; every one failed. The message has the reason: the \
runner cannot be started, dies, hangs or prints something else than samples; a C compiler that does not make programs for \
the machine of the runner; a target whose instructions that machine lacks.",
};

pub static E0852: Code = Code {
    id: "E0852",
    title: "nothing fits into the budget",
    remedy: "allow more, or name a C compiler and flags that make smaller code, such as `--cflags -Os`",
    explanation: "`--max-code`, `--max-stack` and `--max-table` limit the bytes of a kernel in the object that a C compiler makes. All \
choices that are left open were tried, or as many as `culet tune` had time for, and none fits. The notes say the least of each kind that \
was found, perhaps by different choices. Functions that are kept (`--inline none`) take the least code. Constants are tables of the \
program: a program with a smaller table is another one.",
};

pub static E0860: Code = Code {
    id: "E0860",
    title: "not an image that can be proved",
    remedy: "give an ELF object, library or program for x86-64, compiled with `-fno-pic` or `-fvisibility=hidden`",
    explanation: "The prover reads ELF files for x86-64: relocatable objects, shared objects, executables. Objects are linked in \
memory with a short list of relocations (R_X86_64_64, PC64, 32, 32S, PC32, PLT32); any other is refused, such as those of a \
global offset table, which `-fvisibility=hidden` or `-fno-pic` avoids.",
};

pub static E0861: Code = Code {
    id: "E0861",
    title: "the circuit of a table is wrong",
    remedy: "report it with the program: this is a defect of the compiler",
    explanation: "The prover is given a circuit for each table of a program, and compares it with the table on every input. One \
differs: this is an error of the compiler, which the prover found before it could do harm.",
};

pub static E0862: Code = Code {
    id: "E0862",
    title: "an object that does not say how it was made",
    remedy: "give the target and the choices with which the C was made, such as `--target c64`",
    explanation: "`culet compile` leaves a note in its C (section `.note.culet`) with the target and the choices, which `culet prove` \
needs. Some compilers and linkers drop it, and an object may hold several kernels. The target and the choices can be given on the \
command line instead; `--name` chooses a kernel.",
};

pub static E0863: Code = Code {
    id: "E0863",
    title: "generated code computes something else than its source",
    remedy: "report it with the program and the command: this is a defect of the compiler",
    explanation: "Before code over a field is written, its words are compared with integers modulo the prime: at the ends of \
their bounds, around multiples of the prime, and at random. A case differs: this is an error of the compiler, which it found \
before it could do harm. No file was written. The case is what its developers need.",
};

pub static E0864: Code = Code {
    id: "E0864",
    title: "a program without kernels of the library",
    remedy: "verify the executable itself, linked with the library `culet` of this version for x86-64",
    explanation: "`culet verify` looks for the records that kernels of the library `culet` have on x86-64. They are in every program that calls \
a kernel, also after link-time optimisation and stripping. A program without records calls no kernel, was linked with a library that has \
none, or is compressed. The library in C, `library/c/culet.c`, has no records: a program that is linked with `libculet.a` or the crate in \
its place has them. A library that is loaded when the program starts is a file of its own: verify that file.",
};

pub static E0865: Code = Code {
    id: "E0865",
    title: "no kernel of this name in a program",
    remedy: "give a part of a name that `culet verify` prints",
    explanation: "`culet verify PROGRAM --only TEXT` proves the kernels that have the text in their names, which are those of the first \
column of its table. A program has the kernels that it can call: one that only checks signatures has none that signs.",
};

pub static E0866: Code = Code {
    id: "E0866",
    title: "less is proved of a program than was proved before",
    remedy: "look at what changed the kernel; if that is wanted, write the document anew by `culet verify PROGRAM --json`",
    explanation: "`culet verify PROGRAM --expect FILE` compares what it proves with a document that `culet verify --json` wrote before: each kernel \
of the document must be in the program, and must be `equal` if it was. A kernel whose record was damaged is found in no table, and one whose \
results changed may still be safe.

`--only` leaves out the other kernels of the document, and with `--safe` a kernel that was equal must be safe.",
};

pub static E0867: Code = Code {
    id: "E0867",
    title: "not a document of `culet verify`",
    remedy: "write it by `culet verify PROGRAM --json`",
    explanation: "`culet verify PROGRAM --expect FILE` reads the document that `culet verify --json` writes: a list `kernels`, in which each has its \
`operation` and its `verdict`.",
};

pub static E0868: Code = Code {
    id: "E0868",
    title: "less is proved of a kernel than its record claims",
    remedy: "the table says why: `--time-limit` gives proofs more time; otherwise build with the compiler that the library names, and report the kernel",
    explanation: "Records of some kernels claim that the kernel is proved equal to its program: those that `equal` names in `library/kernels.toml`. \
`culet verify` fails if such a kernel is only safe: another compiler may have written code that the prover does not follow, the proof may have had too little \
time, or the kernel was changed. With `--safe` nobody asks for equality, and claims do not count.",
};

pub static E0851: Code = Code {
    id: "E0851",
    title: "not a table",
    remedy: "give 2^n values, separated by commas, or the name of a known S-box such as `aes`",
    explanation: "A table of n input bits has 2 to the power of n values, at most 65 536, each of at most 64 bits: the values for the \
indices 0, 1, 2, …, where the first input is the most significant bit of the index. `culet sbox` takes the values, or the name of a \
known S-box.",
};

pub static E0870: Code = Code {
    id: "E0870",
    title: "not a contract",
    remedy: "write `symbol`, `equation` and an `[[argument]]` for each parameter; docs/proving.md has an example",
    explanation: "A contract is a TOML file: `symbol`, `equation`, a table `[constants]`, and for every parameter of the function, in \
order, a table `[[argument]]` with `name`, `direction` (in, out, inout, value, return) and, for numbers in limbs, `limbs`, `bits`, \
`radix` or `positions`, `below`, `below_after`, `value_below`, `value_below_after`, `lanes`, `align`, `extended`, `may_alias`, \
`follows`, `truth`; a table has `entries` and perhaps `stride`. `docs/proving.md` has one that works.",
};

pub static E0871: Code = Code {
    id: "E0871",
    title: "a name that a contract does not have",
    remedy: "use the names of the contract's arguments and constants",
    explanation: "Formulas are made of numbers, the names in `[constants]` and, in equations, the names of arguments; `x'` is what an \
argument of direction `inout` holds afterwards. Constants may be made of other constants, but not in a circle. Every name \
stands for one thing. Each result is in an equation or has a bound, and no equation holds whatever is computed.",
};

pub static E0872: Code = Code {
    id: "E0872",
    title: "not a formula",
    remedy: "write a formula of `+ - * ^` and parentheses: `out = a * b mod p`",
    explanation: "A formula has numbers (decimal or 0x…), names, `+`, `-`, `*`, `^` with a number as the exponent, and parentheses. An \
equation is `formula = formula`, or `formula = formula mod formula`: `out * R = a * b mod p`.",
};

pub static E0873: Code = Code {
    id: "E0873",
    title: "numbers in a contract that contradict each other",
    remedy: "change one of the numbers",
    explanation: "A limb's bound is from 1 to 2 to the power of its bits; there are as many bounds and positions as limbs; a number's \
bound is at most what its limbs can make; a modulus is at least 2; all arguments that have several lanes have as many.",
};

pub static E0880: Code = Code {
    id: "E0880",
    title: "not a recipe of a library",
    remedy: "write the recipe as `library/kernels.toml` is written",
    explanation: "`culet library` takes a TOML file. It has `directory`, where the modules go, and a table `[[module]]` for each module, with \
`name`, `program` (the path of a file `.ua`), `targets` (a list such as `[\"c64\", \"c32\"]`), and perhaps `node`, `slice` (v, h or b), `batch` (a number) and \
`share_inverses` and `in_place` (true or false), which are what the options of `culet compile` are. In place of `node`, a list `nodes` makes a module with a function for \
each node, which share the functions that they call. A list `equal` names the functions whose records claim that they are proved equal to their programs, such as \
`poly1305_finish` or, for other targets than c64, `x25519_lanes@avx512ifma`. A module with a `feature` is there if the crate has that feature on. Paths are relative to the recipe. Every module needs code in \
Rust: its node has streams, elements of fields, lookups at secret positions or words cut anew. `inline` (none or all) and `optimise` (size) are the options', too. A table `[c]` makes the \
library in C: its `source`, C that includes modules by lines such as `#include \"kernels/x25519.c\"`, becomes one file in its `directory`, and its `header` is \
copied there; `[[c.module]]` is a module for that file alone, in place of one of the same name and target. `library/kernels.toml` is one that works.",
};

pub static E0881: Code = Code {
    id: "E0881",
    title: "a generated file is not what its recipe makes",
    remedy: "make the files again: `culet library` without `--check`",
    explanation: "`culet library --check` makes every module of a recipe again and compares it with the file that is there. One differs, is \
missing, or is in a directory of the library without being made by the recipe. Generated files are never edited: change the \
program, the recipe or the compiler, and run `culet library`, which writes all of them; delete a file that is left over.",
};
