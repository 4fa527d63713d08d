use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[&E0901, &E0902];

pub static E0901: Code = Code {
    id: "E0901",
    title: "not a description of a primitive",
    remedy: "write the description as `primitives/README.md` says",
    explanation: "The file is not valid TOML, a field is missing, unknown, or of the wrong kind, or it names a node, a parameter \
or a result that the program does not have. The message says which and where; `primitives/README.md` documents the format.",
};

pub static E0902: Code = Code {
    id: "E0902",
    title: "a known answer does not come out",
    remedy: "compare the program with its specification, step by step: `culet run --node` runs a part of it",
    explanation: "The program computes something else than a published vector says, or the node that decrypts does not undo \
the one that encrypts. If the program is new, it is probably wrong; if it was right and only \
one target or compiler fails, that is a defect of culet or of the C compiler.",
};
