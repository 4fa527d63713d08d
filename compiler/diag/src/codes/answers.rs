use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[&E0901, &E0902];

pub static E0901: Code = Code {
    id: "E0901",
    title: "not a description of a primitive",
    explanation: "The file is not valid TOML, or a field is missing, unknown, or of the wrong kind. The note says which and \
where; `primitives/README.md` documents the format.",
};

pub static E0902: Code = Code {
    id: "E0902",
    title: "a known answer does not come out",
    explanation: "The program computes something else than a published vector says, or the vector does not fit the node: a \
parameter has no value, a value has the wrong length. If the program is new, it is probably wrong; if it was right and only \
one target or compiler fails, that is a defect of culet or of the C compiler.",
};
