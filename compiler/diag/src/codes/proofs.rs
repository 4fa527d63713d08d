use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[
    &E0910, &E0911, &E0912, &E0913, &E0914, &E0915, &E0916, &E0917, &E0918, &E0919, &E0920, &E0921, &E0922, &E0923,
    &E0924, &E0925, &E0926, &E0927, &E0928,
];

pub static E0910: Code = Code {
    id: "E0910",
    title: "there is no function to prove",
    remedy: "name a function of the file with `--symbol`; `nm` lists them",
    explanation: "The image has no function of the name that the kernel, the contract or `--symbol` gives. Either another file was compiled, the \
name was changed (`--name`, `static`, a C++ compiler), or the linker dropped the function. `nm FILE` lists the symbols; `--symbol` \
gives the name of the function, with a contract and with `--safe`.",
};

pub static E0911: Code = Code {
    id: "E0911",
    title: "control goes to what is no code",
    remedy: "compile without what jumps there: jump tables, calls by pointer, exceptions",
    explanation: "The bytes there are no instruction, are not executable, may be changed by the program, or are read as different \
instructions by two decoders. What cannot be read for certain is never taken for proved. A function that runs beyond its end, a jump \
into data and code that changes itself are refused for this reason.",
};

pub static E0912: Code = Code {
    id: "E0912",
    title: "what the final link fills in is not known",
    remedy: "link it: prove the shared object or the program instead of the object",
    explanation: "In an object, bytes that a relocation changes are unknown until the final link, unless it says what they become. The \
function reads such bytes, or executes them, where they matter. Prove the program or the shared object that the linker makes.",
};

pub static E0913: Code = Code {
    id: "E0913",
    title: "an address is not known",
    remedy: "compile with another level of optimisation or another compiler",
    explanation: "Every address must be a constant, or at a known distance from the start of an argument or of the stack. This one \
depends on data, so that the cache tells of them, or on what the caller leaves. A table that is indexed by a secret is the usual \
cause: read the whole table and choose by masks, or compute it. A table of jumps, which compilers make of `switch`, is avoided with \
`-fno-jump-tables`.",
};

pub static E0914: Code = Code {
    id: "E0914",
    title: "memory is accessed that must not be",
    remedy: "see that the function stays within its arguments, or give the contract their true sizes",
    explanation: "Each access must be inside the memory of an argument, the stack that is allowed, or constants of the image; only \
results may be written; an aligned access must be aligned for certain; what lies more than 128 bytes below the stack pointer may be \
changed by signal handlers. The message says which rule the access breaks and by how much.",
};

pub static E0915: Code = Code {
    id: "E0915",
    title: "a branch depends on what is not known",
    remedy: "write the choice without a branch, or name in the contract what is public",
    explanation: "Which instructions are executed must be the same for all contents of memory. The condition, or the target of the \
jump, depends on what the message names: on data, so that the time tells of them, or on what the caller leaves in registers. Choose by \
masks (`(a & m) | (b & ~m)`). Where the source has no branch, the C compiler made one: another level of optimisation or another \
compiler may not.",
};

pub static E0916: Code = Code {
    id: "E0916",
    title: "the time of an instruction may depend on data",
    remedy: "use another instruction, or name in the contract what is public",
    explanation: "Intel lists the instructions whose time does not depend on the values of their operands, in the mode for \
data-independent timing. This one is not in the list, or is known to take longer for some values, as divisions do.",
};

pub static E0917: Code = Code {
    id: "E0917",
    title: "an instruction or a use of it has no meaning here",
    remedy: "compile for x86-64 without this instruction: another `-march`",
    explanation: "The model of the CPU lacks the instruction, or this form of it; or the function reads a flag that the manual \
leaves undefined, or calls another function in a way whose effect is not known. That says nothing against the function. Compile for \
fewer extensions, or report the instruction.",
};

pub static E0918: Code = Code {
    id: "E0918",
    title: "a function is called that the image does not hold",
    remedy: "link the function in, or give a contract for it",
    explanation: "What a function does that lies in another file is not known, but for `memcpy`, `memmove` and `memset` of the C \
library. Link the objects into one with `ld -r`, or prove the program that is linked.",
};

pub static E0919: Code = Code {
    id: "E0919",
    title: "the function takes more steps than it may",
    remedy: "let it execute more: `--instructions`",
    explanation: "The function is executed along its one path, at most as many instructions as `--instructions` says, of which at most \
a fixed number of gates may be made. It may have no end for what is unknown, or be too large for one proof: prove its parts by \
contracts of their own, and name their files in `calls`.",
};

pub static E0920: Code = Code {
    id: "E0920",
    title: "a register is not kept",
    remedy: "save the register at the entry, and restore it before the return",
    explanation: "The System V ABI says that a function returns with rbx, rbp, r12 to r15 as they were, and with the stack pointer \
above the return address. After the return, this register holds something else.",
};

pub static E0921: Code = Code {
    id: "E0921",
    title: "what depends on data is left behind",
    remedy: "overwrite it before the return",
    explanation: "With `--erasure`, nothing may be left on the stack or in registers that callers may read that depends on what \
arguments hold, but the results. C compilers do not clear registers and spilled words: clear them in assembly, or call a function \
with as much stack that does.",
};

pub static E0922: Code = Code {
    id: "E0922",
    title: "a result is wrong",
    remedy: "follow the values that are shown to where they go wrong",
    explanation: "For the values that are listed, the function computes something else than the source means or the contract says. \
On x86-64 under Linux, the function itself was run on them, and the message says whether that confirms it. Either the machine code is \
wrong, or the program or the contract is not what it was made from: check the options and the node, too.",
};

pub static E0923: Code = Code {
    id: "E0923",
    title: "whether a result is right stays open",
    remedy: "try another level of optimisation or another compiler",
    explanation: "No values were found for which the result is wrong, and no proof that there are none. The function may be right. \
Proofs are found where the machine code computes in about the way of the program: another level of optimisation, another compiler, \
or smaller functions with contracts of their own often help.",
};

pub static E0924: Code = Code {
    id: "E0924",
    title: "a block of a result is not known to be right",
    remedy: "see that each block of results is made of the same block of parameters",
    explanation: "A function from bytes to bytes must make each block of its results of the same block of its parameters. The \
bytes that are named come from something else, or are not what one of the proved functions gave: blocks may be exchanged, left \
out, or written twice.",
};

pub static E0925: Code = Code {
    id: "E0925",
    title: "the loop over blocks cannot be followed",
    remedy: "compile with `-O2` instead of `-O3`, or with `-fno-unroll-loops`",
    explanation: "For any number of blocks, the proof is an induction over the iterations of one loop: some instruction is \
executed once in each iteration, and what registers and stack hold there is constant, a pointer that goes on by an iteration's \
blocks, or the number of blocks to come. Compilers that unroll such a loop, or divide it, break this: `-fno-unroll-loops`, or \
`-O2` instead of `-O3`.",
};

pub static E0926: Code = Code {
    id: "E0926",
    title: "no proof of this kind is known",
    remedy: "test it: SOUNDNESS.md lists what can be proved",
    explanation: "The prover has no theorem for what was asked: the message says for what. `SOUNDNESS.md` lists what can be proved \
and what is missing.",
};

pub static E0927: Code = Code {
    id: "E0927",
    title: "a function that it calls is not proved",
    remedy: "mend or prove the function that is called first",
    explanation: "The proof of a function uses what was proved of those that it calls. One of these is not proved, so that nothing is \
known of what it does; the verdict says of that function why.",
};

pub static E0928: Code = Code {
    id: "E0928",
    title: "the proof took longer than it may",
    remedy: "give it more time: `--time-limit`",
    explanation: "`--time-limit` ended the proof. It says nothing against the function, nor of those that were to be proved after it.",
};
