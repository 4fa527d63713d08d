//! Names at which tools stop that follow names to their definitions.
//!
//! Clippy asks of the word before the call of a method whether its type is certain, follows each name in that word to its definition, and so on, without
//! a memory of names that it has followed before: in time that is exponential in the length of a chain of definitions, which was minutes for
//! 16 rounds of SHA-512. No tool follows a name that a pattern takes out of an array, and compilers make the same of both. So definitions in
//! long chains are written by patterns, here and there, in a language that has methods.

use std::collections::HashMap;

use super::graph::{Graph, Kind, NodeId, Statement, Variable};
use super::live::Live;
use super::syntax::Syntax;

/// The most steps that a tool may take from the call of a method. A function of hundreds of calls then costs a tool a few seconds at most.
const MOST: u64 = 30_000;

/// Whether each expression's name, if it has one, is to be written so that no tool follows it.
pub(super) fn stops(graph: &Graph, live: &Live, body: &[Statement], syntax: &dyn Syntax) -> Vec<bool> {
    let mut definitions = Definitions { graph, order: Vec::new(), firsts: HashMap::new() };
    definitions.find(body);
    let mut stops = vec![false; graph.nodes.len()];
    let is_followed = definitions.followed(syntax);
    let mut steps = vec![1u64; graph.nodes.len()];
    for &id in definitions.order.iter().filter(|id| is_followed[id.0 as usize]) {
        let index = id.0 as usize;
        let sum = definitions.next(id).map(|next| steps[next.0 as usize]).fold(1, u64::saturating_add);
        stops[index] = sum > MOST && live.is_shared(id);
        steps[index] = if stops[index] { 1 } else { sum };
    }
    stops
}

/// The expressions of a function.
struct Definitions<'g> {
    graph: &'g Graph,
    /// In the order of the text.
    order: Vec<NodeId>,
    /// The first values of carried variables, by their numbers.
    firsts: HashMap<u32, NodeId>,
}

impl<'g> Definitions<'g> {
    fn find(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Node(id) => self.order.push(*id),
                Statement::Loop(l) => {
                    self.firsts.extend(l.carried.iter().map(|carried| (carried.number, carried.first)));
                    self.find(&l.body);
                }
                _ => {}
            }
        }
    }

    /// The expressions that a tool follows from an expression. A conversion says its type.
    fn next(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let node = self.graph.node(id);
        let first = match node.kind {
            Kind::Variable(Variable::Carried(number)) => self.firsts.get(&number).copied(),
            _ => None,
        };
        let args = if node.kind == Kind::Convert { &[][..] } else { &node.args[..] };
        args.iter().copied().chain(first)
    }

    /// Whether a tool follows names to each expression.
    fn followed(&self, syntax: &dyn Syntax) -> Vec<bool> {
        let mut is_followed = vec![false; self.graph.nodes.len()];
        for &id in self.order.iter().rev() {
            let node = self.graph.node(id);
            if syntax.is_method(&node.kind, node.ty) {
                node.args.iter().for_each(|arg| is_followed[arg.0 as usize] = true);
            }
            if is_followed[id.0 as usize] {
                self.next(id).for_each(|next| is_followed[next.0 as usize] = true);
            }
        }
        is_followed
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::fmt::Write;

    use culet_ir::{parse, verify};

    use super::MOST;
    use crate::scalar::rust_function;

    const PATTERN: &str = "let [";

    /// A chain of definitions before a loop and one in it, each of whose values has the two before it three times. The last value goes to `last`.
    fn chains(operation: &str, last: &str) -> String {
        let mut text = "entry fn main {\n  input a: w64[2]\n  output r: w64[1]\n".to_owned();
        text.push_str("  v0 = load.w64 a[0]\n  v1 = load.w64 a[1]\n");
        let chain = |text: &mut String, from: usize| {
            for n in (from..from + 60).step_by(2) {
                let _ = writeln!(text, "  v{} = rotl.w64 v{}, 7", n + 2, n + 1);
                let _ = writeln!(text, "  v{} = {operation}.w64 v{}, v{}", n + 3, n + 2, n - usize::from(n > from));
            }
        };
        chain(&mut text, 0);
        text.push_str("  v300 = loop i0 = 0 to 3 (v100 = v61) {\n  v101 = xor.w64 v100, v1\n");
        chain(&mut text, 100);
        let _ = writeln!(text, "  v200 = {last}.w64 v161, v160\n  next v200\n  }}\n  store r[0], v300\n}}");
        let module = parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        verify(&module).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
        rust_function(module.entry(), "f", 64).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The most steps that a tool takes from the call of a method, through the definitions of a text.
    fn most(text: &str) -> u64 {
        let mut steps: HashMap<&str, u64> = HashMap::new();
        let mut most = 0;
        for statement in text.split(';').filter_map(|statement| statement.trim().split_once(" = ")) {
            let (name, value) = statement;
            let words = value.split(|c: char| !c.is_ascii_alphanumeric());
            let sum = words.filter_map(|word| steps.get(word)).fold(1u64, |sum, &of| sum.saturating_add(of));
            if value.contains(".wrapping_") {
                most = most.max(sum);
            }
            let name = name.rsplit("let ").next().unwrap_or(name).trim_start_matches("mut ");
            let name = name.split(':').next().unwrap_or(name);
            if !name.starts_with('[') {
                steps.insert(name, sum);
            }
        }
        most
    }

    #[test]
    fn no_call_of_a_method_begins_a_long_way() {
        for [operation, last] in [["add", "xor"], ["sub", "add"], ["xor", "add"]] {
            let text = chains(operation, last);
            let patterns = text.matches(PATTERN).count();
            assert!((2..30).contains(&patterns), "{patterns} patterns\n{text}");
            let most = most(&text);
            assert!((MOST / 10..=4 * MOST).contains(&most), "{most} steps\n{text}");
            assert!(self::most(&text.replace(PATTERN, "let ").replace("] = [", " = ")) > 1000 * MOST, "{text}");
        }
    }

    #[test]
    fn chains_without_methods_have_no_patterns() {
        let text = chains("xor", "and");
        assert!(!text.contains(PATTERN), "{text}");
    }
}
