//! Programs that are compiled to C, and proofs of what C compilers make of it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use culet_driver::{DiskReader, Kernel, Options, load};
use culet_image::Image;
use culet_ir::Target;
use culet_native::CCompiler;
use culet_primitives_tests::shelf;
use culet_prove::theorem::{Limits, Proved, Rejection};

/// A program that was compiled to C.
pub struct Subject {
    pub kernel: Kernel,
}

impl Subject {
    pub fn new(path: &Path, target: Target) -> Subject {
        Subject::of(path, &Options::new(target))
    }

    pub fn of(path: &Path, options: &Options) -> Subject {
        let (source, found) = load(path, &[], &DiskReader);
        assert!(!found.has_errors(), "{}: {}", path.display(), shelf::messages(&found));
        let (kernel, found) = Kernel::of(&source, "subject", options, &found);
        Subject { kernel: kernel.unwrap_or_else(|| panic!("{}", shelf::messages(&found))) }
    }

    /// The image that a C compiler makes of it.
    pub fn image(&self, compiler: &CCompiler, flags: &[&str]) -> Image {
        self.image_of(compiler, flags, &str::to_owned)
    }

    /// The image that a C compiler makes of its C after a change.
    pub fn image_of(&self, compiler: &CCompiler, flags: &[&str], change: &dyn Fn(&str) -> String) -> Image {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("subject.c", &*change(self.kernel.text())), ("subject.h", self.kernel.header())] {
            fs::write(folder.path().join(name), text).expect("it can be written");
        }
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        let limit = Duration::from_secs(300);
        let object = compiler.object(folder.path(), "subject", self.kernel.options().target, &flags, limit);
        let object = fs::read(object.expect("it compiles")).expect("an object");
        Image::read(&object).expect("an image")
    }

    pub fn prove(&self, image: &Image) -> Result<Proved, Rejection> {
        self.prove_within(image, &Limits::default())
    }

    pub fn prove_within(&self, image: &Image, limits: &Limits) -> Result<Proved, Rejection> {
        let proofs = self.kernel.proofs(image, limits, &mut |_| true);
        let mut proofs = proofs.unwrap_or_else(|found| panic!("{}", shelf::messages(&found)));
        assert_eq!(proofs.len(), 1, "one function");
        proofs.remove(0).outcome
    }
}
