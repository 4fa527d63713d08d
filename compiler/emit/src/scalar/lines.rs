//! The lines of a function, and blocks within blocks that have many names.
//!
//! A compiler may follow the names of a block one by one, each in the scope of those before it: rustc's stack overflows in a debug build after
//! some thousands. A block that has many becomes several, each of which hands on the names that later ones use.

use std::collections::{HashMap, HashSet};

use super::syntax::Syntax;

/// The largest number of new names in a block of a language that has [`Syntax::block`], where these are words.
pub(super) const MOST: usize = 1000;

/// The largest number of new names where these are registers of several instances. A debug build keeps about ten registers for each name on the
/// stack, and a thread may have a stack of 2 MB.
pub(super) const MOST_REGISTERS: usize = 100;

/// A line of a function's body.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub depth: usize,
    pub text: String,
    /// Whether a statement begins here, at this depth. The other lines belong to the statement before.
    pub is_first: bool,
    /// Whether the line stays in its own block.
    pub is_fixed: bool,
    /// The name that is new in the block.
    pub defines: Option<String>,
}

/// A statement.
struct Lines {
    lines: Vec<Line>,
    /// The names that are new in the block.
    defines: Vec<String>,
}

impl Lines {
    fn is_fixed(&self) -> bool {
        self.lines.iter().any(|line| line.is_fixed)
    }
}

/// The lines of a block whose statements are at this depth, with at most [`Syntax::most_names`] new names in each block.
pub(super) fn bounded(lines: Vec<Line>, depth: usize, syntax: &dyn Syntax) -> Vec<Line> {
    let count = lines.iter().filter(|line| line.depth == depth && line.defines.is_some()).count();
    let most = syntax.most_names();
    if count <= most || syntax.block(&[]).is_none() {
        return lines;
    }
    let statements = statements(lines, depth);
    let last_uses = last_uses(&statements);
    let mut made = Vec::new();
    let mut done = 0;
    while done < statements.len() {
        if statements[done].is_fixed() {
            made.extend(statements[done].lines.iter().cloned());
            done += 1;
            continue;
        }
        let end = end_of_block(&statements, done, &last_uses, most);
        let block = &statements[done..end];
        done = end;
        let names = block.iter().flat_map(|statement| &statement.defines);
        let handed_on: Vec<&str> = names.filter(|name| last_uses[*name] >= end).map(String::as_str).collect();
        let Some([first, value, last]) = syntax.block(&handed_on) else { continue };
        let line = |text: String, is_first, depth| Line { depth, text, is_first, is_fixed: false, defines: None };
        made.push(line(first, true, depth));
        let lines = block.iter().flat_map(|statement| &statement.lines);
        made.extend(lines.map(|line| Line { depth: line.depth + 1, ..line.clone() }));
        made.extend((!handed_on.is_empty()).then(|| line(value, true, depth + 1)));
        made.push(line(last, false, depth));
    }
    made
}

fn statements(lines: Vec<Line>, depth: usize) -> Vec<Lines> {
    let mut statements: Vec<Lines> = Vec::new();
    for line in lines {
        if (line.depth == depth && line.is_first) || statements.is_empty() {
            statements.push(Lines { lines: Vec::new(), defines: Vec::new() });
        }
        if let Some(statement) = statements.last_mut() {
            statement.defines.extend(line.defines.clone().filter(|_| line.depth == depth));
            statement.lines.push(line);
        }
    }
    statements
}

/// For each name, the number of the last statement that has it.
fn last_uses(statements: &[Lines]) -> HashMap<String, usize> {
    let names: HashSet<&String> = statements.iter().flat_map(|statement| &statement.defines).collect();
    let mut last_uses = HashMap::new();
    for (number, statement) in statements.iter().enumerate() {
        let texts = statement.lines.iter().map(|line| &line.text);
        let words = texts.flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        let used = words.filter_map(|word| names.get(&word.to_owned()));
        last_uses.extend(used.map(|name| ((*name).clone(), number)));
    }
    last_uses
}

/// The end of the block that begins with statement `first`: where the fewest names are handed on, of the places where it has at least half of
/// `most` names and no more than that.
fn end_of_block(statements: &[Lines], first: usize, last_uses: &HashMap<String, usize>, most: usize) -> usize {
    let (mut count, mut fewest, mut best) = (0, usize::MAX, None);
    let mut open: Vec<usize> = Vec::new();
    for (number, statement) in statements.iter().enumerate().skip(first) {
        if statement.is_fixed() {
            return number;
        }
        count += statement.defines.len();
        if count > most && number > first {
            return best.unwrap_or(number);
        }
        open.extend(statement.defines.iter().map(|name| last_uses[name]));
        open.retain(|&last| last > number);
        if count >= most / 2 && open.len() < fewest {
            (fewest, best) = (open.len(), Some(number + 1));
        }
    }
    statements.len()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::graph::Ty;
    use super::super::rust::Rust;
    use super::super::rust::registers::Needed;
    use super::{Line, MOST, MOST_REGISTERS, bounded};

    fn line(text: String, defines: Option<String>) -> Line {
        Line { depth: 1, text, is_first: true, is_fixed: false, defines }
    }

    /// Names, each of which is made of two before it, an array that stays, and a store of the last name.
    fn lines(count: usize) -> Vec<Line> {
        let name = |n: Option<usize>| n.map_or_else(|| "a".to_owned(), |n| format!("t{n}"));
        let define = |n: usize| {
            let operands = [1, count / 3].map(|by| name(n.checked_sub(by)));
            line(format!("let t{n} = {};", operands.join(" + ")), Some(format!("t{n}")))
        };
        let mut lines: Vec<Line> = (0..count).map(define).collect();
        lines.push(line(format!("r[0] = t{};", count - 1), None));
        lines.insert(count / 2, Line { is_fixed: true, ..line("let tail = &mut [0u8; 16];".to_owned(), None) });
        lines
    }

    fn made(count: usize) -> Vec<Line> {
        made_for(count, false)
    }

    fn made_for(count: usize, has_instances: bool) -> Vec<Line> {
        let registers = Needed { lanes: None, pairs: None, rounds: None };
        bounded(lines(count), 1, &Rust { has_instances, word: Ty::U64, registers, records: Vec::new() })
    }

    /// A debug build keeps the names of a function on its stack until it returns.
    #[test]
    fn registers_of_instances_are_in_closures_of_few_names() {
        let (mut closures, mut names) = (0, 0);
        for line in made_for(5 * MOST_REGISTERS, true) {
            let text = line.text.as_str();
            if text.ends_with("(|| {") {
                (closures, names) = (closures + 1, 0);
            } else if line.depth > 1 && text.starts_with("let ") {
                names += 1;
                assert!(names <= MOST_REGISTERS, "{text}");
            } else {
                assert!(line.depth > 1 || text == "})();" || text.contains("tail"), "{text}");
            }
        }
        assert!((5..=10).contains(&closures), "{closures}");
    }

    #[test]
    fn few_names_stay_where_they_are() {
        let texts = |lines: Vec<Line>| lines.into_iter().map(|line| line.text).collect::<Vec<String>>();
        assert_eq!(texts(made(MOST)), texts(lines(MOST)));
    }

    /// The names of a text that are numbered.
    fn names(text: &str) -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(|word| word.starts_with('t') && *word != "tail").map(str::to_owned).collect()
    }

    #[test]
    fn names_are_defined_before_they_are_used_in_blocks_of_few() {
        let count = 5 * MOST;
        let (mut handed_on, mut own) = (BTreeSet::new(), BTreeSet::new());
        let (mut blocks, mut sums) = (0, 0);
        for line in made(count) {
            let text = line.text.as_str();
            match (line.depth, text.split_once(" = ")) {
                (1, Some((outer, "{"))) => {
                    blocks += 1;
                    handed_on.extend(names(outer));
                }
                (1, _) => assert!(text == "{" || text.starts_with('}') || text.contains("tail"), "{text}"),
                (_, Some((name, value))) => {
                    assert!(names(value).iter().all(|used| own.contains(used) || handed_on.contains(used)), "{text}");
                    own.extend(names(name));
                    assert!(own.len() <= MOST, "{text}");
                    sums += 1;
                }
                (_, None) => {
                    assert!(names(text).is_subset(&own) && names(text).is_subset(&handed_on), "{text}");
                    own.clear();
                }
            }
        }
        assert_eq!(sums, count + 1);
        assert!((4..=10).contains(&blocks) && handed_on.len() < count, "{blocks} {}", handed_on.len());
    }
}
