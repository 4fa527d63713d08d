//! The memory that a kernel takes where it runs: code, stack and constants, as its C compiler makes them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use culet_image::Sizes;
use culet_ir::Target;

use crate::CCompiler;
use crate::build::{CompileError, shown};

/// Bytes that a kernel takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Bytes of instructions.
    pub code: u64,
    /// Bytes of stack of the calls that take the most together, by what the compiler says of each function. Functions of other files
    /// take no part.
    pub stack: u64,
    /// Bytes of constants.
    pub table: u64,
}

/// The flags with which an object says what it takes: each function has a section, and the compiler writes a file of stacks.
const FLAGS: [&str; 2] = ["-ffunction-sections", "-fstack-usage"];

impl CCompiler {
    /// Compiles `name.c` of a directory, and returns what the code takes. The object is not linked, and may be for any machine.
    ///
    /// # Errors
    ///
    /// The compiler's, or what it writes is no object, or does not say how much stack its functions take.
    pub fn size(
        &self,
        directory: &Path,
        name: &str,
        target: Target,
        flags: &[String],
        limit: Duration,
    ) -> Result<Size, CompileError> {
        let object = directory.join(format!("{name}_sized.o"));
        let mut command = self.to_object(directory, name, target, flags, &object);
        command.args(FLAGS);
        crate::build::run(&mut command, limit)?;
        let failed = |output: String| CompileError::Failed { command: shown(&command), output };
        let bytes = fs::read(&object).map_err(|error| failed(format!("it wrote no object: {error}")))?;
        let sizes = Sizes::of(&bytes).map_err(|error| failed(error.to_string()))?;
        let frames = fs::read_to_string(object.with_extension("su"))
            .map_err(|_| failed("it wrote no file that says how much stack each function takes".to_owned()))?;
        let stack = deepest(&sizes, &frames).map_err(failed)?;
        Ok(Size { code: sizes.code, stack, table: sizes.constants })
    }
}

/// Bytes of stack of the calls that take the most together.
fn deepest(sizes: &Sizes, frames: &str) -> Result<u64, String> {
    let mut walk = Walk { sizes, frames: BTreeMap::new(), found: BTreeMap::new() };
    for line in frames.lines() {
        let [function, bytes, kind] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("it wrote `{line}` in place of a function, its stack and its kind"));
        };
        let name = function.rsplit(':').next().unwrap_or(function);
        let bytes = match bytes.parse::<u64>() {
            Ok(bytes) if kind != "dynamic" => bytes,
            _ => return Err(format!("it does not know how much stack `{name}` takes")),
        };
        let frame = walk.frames.entry(name).or_default();
        *frame = bytes.max(*frame);
    }
    sizes.calls.keys().try_fold(0, |most, function| Ok(most.max(walk.from(function)?)))
}

struct Walk<'a> {
    sizes: &'a Sizes,
    /// Bytes of stack of each function by itself.
    frames: BTreeMap<&'a str, u64>,
    /// Bytes of stack of each function with its calls; none while that is looked for.
    found: BTreeMap<&'a str, Option<u64>>,
}

impl<'a> Walk<'a> {
    fn from(&mut self, function: &'a str) -> Result<u64, String> {
        match self.found.get(function) {
            Some(Some(found)) => return Ok(*found),
            Some(None) => return Err(format!("`{function}` calls itself")),
            None => {}
        }
        let Some(calls) = self.sizes.calls.get(function) else { return Ok(0) };
        self.found.insert(function, None);
        let own = self.frame(function).ok_or_else(|| format!("it does not say how much stack `{function}` takes"))?;
        let calls = calls.iter().try_fold(0, |most, callee| Ok::<u64, String>(most.max(self.from(callee)?)))?;
        self.found.insert(function, Some(own + calls));
        Ok(own + calls)
    }

    /// The stack of a function by itself, which compilers say of one of its names. GCC writes `f.isra` of `f.isra.0`, and the part
    /// of a function that it calls cold stands in the function's frame.
    fn frame(&self, function: &str) -> Option<u64> {
        if function.ends_with(".cold") {
            return Some(0);
        }
        let by_name = |name: &str| {
            let without_number = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('.');
            self.frames.get(name).or_else(|| self.frames.get(without_number)).copied()
        };
        let is_named = |names: &&Vec<String>| names.iter().any(|name| name == function);
        let others = || self.sizes.names.iter().find(is_named)?.iter().find_map(|name| by_name(name));
        by_name(function).or_else(others)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// `f` calls `g` and `h`, `g` calls `h`, and `h` a function elsewhere.
    fn sizes() -> Sizes {
        let calls = [("f", vec!["g", "h"]), ("g", vec!["h.isra.0"]), ("h.isra.0", vec!["memcpy"]), ("h", vec![])];
        let set = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
        Sizes { calls: calls.map(|(name, calls)| (name.to_owned(), set(calls))).into(), ..Sizes::default() }
    }

    const FRAMES: &str =
        "k.c:1:2:f\t16\tstatic\nk.c:3:g\t100\tdynamic,bounded\nk.c:4:h.isra\t40\tstatic\nk.c:4:h\t8\tstatic\n";

    #[test]
    fn the_stack_is_that_of_the_deepest_calls() {
        assert_eq!(deepest(&sizes(), FRAMES), Ok(16 + 100 + 40));
        let mut without = sizes();
        without.calls.insert("g".to_owned(), BTreeSet::new());
        assert_eq!(deepest(&without, FRAMES), Ok(16 + 100));
    }

    #[test]
    fn a_function_with_two_names_has_the_stack_of_either() {
        let mut two = sizes();
        two.calls.insert("other".to_owned(), BTreeSet::from(["h".to_owned()]));
        two.calls.insert("f".to_owned(), BTreeSet::from(["other".to_owned()]));
        assert!(deepest(&two, FRAMES).unwrap_err().contains("does not say how much stack `other`"));
        two.names = vec![vec!["other".to_owned(), "g".to_owned()]];
        two.calls.insert("g".to_owned(), BTreeSet::from(["h".to_owned()]));
        assert_eq!(deepest(&two, FRAMES), Ok(16 + 100 + 8));
    }

    /// Functions that GCC makes one (`-Os`).
    #[test]
    fn functions_that_are_alike_have_a_stack() {
        let directory = crate::Scratch::new("culet-size-").expect("a directory");
        let alike =
            |name: &str| format!("__attribute__((noinline)) static int {name}(int x) {{ return x * 77 + 5; }}\n");
        let kernel =
            format!("{}{}int both(int x) {{ return first(x) + second(x + 1); }}\n", alike("first"), alike("second"));
        fs::write(directory.path().join("k.c"), kernel).expect("it is written");
        for name in ["gcc-12", "clang-19"] {
            let Ok(compiler) = CCompiler::find(Some(name)) else { continue };
            let flags = ["-Os".to_owned()];
            let size = compiler.size(directory.path(), "k", Target::C64, &flags, Duration::from_secs(60));
            assert!(size.is_ok_and(|size| size.stack < 200), "{name}");
        }
    }

    /// Two functions that call a third with a larger frame, a table, and a variable that takes no bytes of the file.
    const KERNEL: &str = "#include <stdint.h>
static const uint8_t table[200] = { 1, 2, 3 };
uint8_t zeros[5000];
__attribute__((noinline)) static uint8_t large(const uint8_t *x) {
    volatile uint8_t all[1000];
    for (int i = 0; i < 1000; i++) all[i] = x[i & 7];
    return all[x[0]];
}
__attribute__((noinline)) uint8_t outer(const uint8_t *x) {
    volatile uint8_t some[300];
    for (int i = 0; i < 300; i++) some[i] = table[x[i & 7] % 200];
    return large(x) + some[x[1]];
}
uint8_t small(const uint8_t *x) { return large(x) + 1; }
";

    #[test]
    fn a_compiler_says_what_a_kernel_takes() {
        let directory = crate::Scratch::new("culet-size-").expect("a directory");
        fs::write(directory.path().join("k.c"), KERNEL).expect("it is written");
        for name in ["gcc-12", "clang-19"] {
            let Ok(compiler) = CCompiler::find(Some(name)) else { continue };
            let flags = ["-O1".to_owned()];
            let size =
                |flags: &[String]| compiler.size(directory.path(), "k", Target::C64, flags, Duration::from_secs(60));
            let found = size(&flags).expect("it is measured");
            assert_eq!(found.table, 200, "{name}");
            // Both frames, of which the last may lie in part in the 128 bytes below the stack pointer of x86-64.
            assert!((1300 - 128..1450).contains(&found.stack), "{name}: {found:?}");
            assert!((100..600).contains(&found.code), "{name}: {found:?}");
            let error = size(&["-S".to_owned()]).unwrap_err();
            assert!(error.to_string().contains("ELF"), "{name}: {error}");
        }
    }

    #[test]
    fn a_stack_that_is_not_known_is_an_error() {
        for (from, to, reason) in [
            ("100\tdynamic,bounded", "100\tdynamic", "does not know how much stack `g`"),
            ("100", "-1", "does not know how much stack `g`"),
            ("k.c:3:g", "k.c:3:other", "does not say how much stack `g`"),
            ("\tstatic", "", "in place of a function"),
        ] {
            let error = deepest(&sizes(), &FRAMES.replace(from, to)).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        let mut round = sizes();
        round.calls.insert("h.isra.0".to_owned(), BTreeSet::from(["f".to_owned()]));
        assert!(deepest(&round, FRAMES).unwrap_err().contains("calls itself"));
    }
}
