//! Programs in words, from the primitives or from texts.

use std::path::Path;

use culet_diag::Diagnostics;
use culet_driver::{DiskReader, Options, Reader, Words, elaborate, load, words};
use culet_ir::{Elements, Module, Target, compute};

/// A source with this text.
pub struct Text<'t>(pub &'t str);

impl Reader for Text<'_> {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

pub fn program(path: &Path, reader: &dyn Reader, target: Target) -> Words {
    program_for(path, reader, &Options::new(target))
}

pub fn program_for(path: &Path, reader: &dyn Reader, options: &Options) -> Words {
    let (source, found) = load(path, &[], reader);
    assert!(!found.has_errors(), "{}: {}", path.display(), messages(&found));
    let (program, found) = elaborate(&source, options);
    assert!(!found.has_errors(), "{}: {}", path.display(), messages(&found));
    words(program.expect("a program"), options, &mut |_, _| {})
        .unwrap_or_else(|found| panic!("{}: {}", path.display(), messages(&found)))
}

pub fn primitive(path: &str, target: Target) -> Words {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../primitives").join(path);
    program(&path, &DiskReader, target)
}

/// The tags that a module computes of messages of some lengths.
pub fn tags(module: &Module, lengths: impl Iterator<Item = usize>) -> Vec<Option<Vec<Elements<u64>>>> {
    let of = |length: usize| {
        let inputs: Vec<Elements<u64>> = [32, length]
            .map(|count| (0..count).map(|at| vec![(at * at * 7 + at * 89 + length) as u64 % 256]).collect())
            .into();
        compute(module, &inputs).ok()
    };
    lengths.map(of).collect()
}

fn messages(found: &Diagnostics) -> String {
    found.iter().map(|diagnostic| diagnostic.message.clone()).collect::<Vec<_>>().join("; ")
}
