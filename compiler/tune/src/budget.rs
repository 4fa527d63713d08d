//! How many bytes a kernel may take, and what to say where nothing is so small.

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{Options, Source, elaborate};
use culet_native::Size;

/// Bytes that a kernel may take at most, by a C compiler's object; none where there is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    pub code: Option<u64>,
    pub stack: Option<u64>,
    pub table: Option<u64>,
}

/// One kind of bytes: its option, its name, what is allowed, and what a kernel takes.
struct Kind {
    option: &'static str,
    name: &'static str,
    allowed: Option<u64>,
    taken: u64,
}

impl Budget {
    /// Whether any kernel fits.
    pub fn is_open(self) -> bool {
        self == Budget::default()
    }

    fn kinds(self, size: Size) -> [Kind; 3] {
        [
            Kind { option: "--max-code", name: "code", allowed: self.code, taken: size.code },
            Kind { option: "--max-stack", name: "stack", allowed: self.stack, taken: size.stack },
            Kind { option: "--max-table", name: "constants", allowed: self.table, taken: size.table },
        ]
    }

    /// Bytes beyond what is allowed, of all kinds together; 0 if the kernel fits.
    pub fn excess(self, size: Size) -> u64 {
        self.kinds(size).iter().map(|kind| kind.taken.saturating_sub(kind.allowed.unwrap_or(u64::MAX))).sum()
    }

    /// The options that give this budget.
    pub fn arguments(self) -> String {
        let kinds = self.kinds(Size { code: 0, stack: 0, table: 0 });
        let given = kinds.iter().filter_map(|kind| Some(format!("{} {}", kind.option, kind.allowed?)));
        given.collect::<Vec<_>>().join(" ")
    }
}

/// A size in words.
pub fn described(size: Size) -> String {
    let kinds = Budget::default().kinds(size).map(|kind| format!("{} bytes of {}", kind.taken, kind.name));
    format!("{}, {} and {}", kinds[0], kinds[1], kinds[2])
}

/// The fewest bytes of each kind that were found, each with the choice that takes them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Smallest {
    found: [Option<(u64, String)>; 3],
    /// The number of choices that were measured.
    tried: usize,
}

impl Smallest {
    pub fn add(&mut self, size: Size, choice: &str) {
        self.tried += 1;
        for (found, kind) in self.found.iter_mut().zip(Budget::default().kinds(size)) {
            if found.as_ref().is_none_or(|(least, _)| kind.taken < *least) {
                *found = Some((kind.taken, choice.to_owned()));
            }
        }
    }

    /// The error that nothing fits; none if nothing was measured.
    pub fn unmet(&self, budget: Budget, source: &Source, options: &Options) -> Option<Diagnostics> {
        let [Some(code), Some(stack), Some(table)] = &self.found else { return None };
        let program = elaborate(source, options).0?;
        let entry = program.entry();
        let ways = if self.tried == 1 {
            "one way to compile it was".to_owned()
        } else {
            format!("{} ways to compile it were", self.tried)
        };
        let message = format!("`{}` does not fit into `{}`: {ways} tried", entry.name, budget.arguments());
        let mut diagnostic = Diagnostic::error(&world::E0852, entry.span, message);
        let least = Size { code: code.0, stack: stack.0, table: table.0 };
        for (kind, (bytes, choice)) in budget.kinds(least).iter().zip([code, stack, table]) {
            let allowed = kind.allowed.map_or_else(|| "no limit".to_owned(), |allowed| format!("{allowed} allowed"));
            diagnostic = diagnostic
                .note(format!("{}: the fewest found are {bytes} bytes ({allowed}), by `{choice}`", kind.name));
        }
        Some(diagnostic.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_budget_counts_and_nothing_else() {
        let size = Size { code: 1000, stack: 100, table: 10 };
        let budget = |code, stack, table| Budget { code, stack, table };
        assert_eq!(budget(None, None, None).excess(size), 0);
        assert_eq!(budget(Some(1000), Some(100), Some(10)).excess(size), 0);
        assert_eq!(budget(Some(999), Some(500), Some(0)).excess(size), 1 + 10);
        assert_eq!(budget(None, Some(40), None).excess(size), 60);
        assert_eq!(budget(Some(1024), None, Some(0)).arguments(), "--max-code 1024 --max-table 0");
        assert_eq!(described(size), "1000 bytes of code, 100 bytes of stack and 10 bytes of constants");
    }
}
