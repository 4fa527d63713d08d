//! Chains of one associative and commutative operation, rearranged so that parts that several chains have in common are
//! computed once.
//!
//! A chain is a tree of `and`s, of `or`s or of `xor`s in one region whose inner results have no other use; its value
//! depends only on its leaves. Pairs of leaves that occur in most chains are taken out first (Paar's greedy method):
//! each pair costs one operation and saves one in every chain that has it, so that no rearrangement makes more
//! operations. Chains that share nothing stay as they are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{Func, Inst, InstData, Op, Origin, Type, Value, W1};

use crate::hash::Map;

/// Maximum number of leaves of a chain that is rearranged: the work grows with the square of the length.
const LONGEST: usize = 32;

/// The function with its chains rearranged. A pair is taken out if it occurs in at least `least` chains.
pub fn share(func: &Func, least: usize) -> Func {
    let mut search = Search::new(func);
    let mut pairs = Vec::new();
    for (_, group) in chains(func) {
        search.group(group, &mut pairs, least);
    }
    if !search.in_place_of.iter().any(|plan| *plan != Plan::Keep) {
        return func.clone();
    }
    let values = vec![None; pairs.len()];
    transform(func, &mut Rearrange { plans: search.in_place_of, chains: search.chains, pairs, values })
}

/// A leaf of a chain: a value of the function, or a pair that was taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Leaf {
    Value(Value),
    Pair(u32),
}

struct Chain {
    root: Inst,
    inner: Vec<Inst>,
    leaves: Vec<Leaf>,
    is_changed: bool,
}

/// Replacement of an instruction in the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plan {
    Keep,
    /// An inner result of a chain that is rearranged.
    Drop,
    /// The root of this chain.
    Chain(usize),
}

/// The chains of a function, grouped by region, operation and type, in the order of the text.
fn chains(func: &Func) -> Vec<((usize, Op, Type), Vec<Chain>)> {
    let mut order: Vec<((usize, Op, Type), Vec<Chain>)> = Vec::new();
    let mut groups = Map::default();
    let inner = inner_results(func);
    func.walk(&mut |inst, data, around| {
        if !is_link(&data.op) || inner[inst.index()] {
            return;
        }
        let chain = chain(func, inst, &inner);
        if chain.leaves.len() <= LONGEST {
            let region = around.last().map_or(func.body, |l| l.region).index();
            let key = (region, data.op.clone(), func.ty(data.results[0]));
            let group = *groups.entry(key.clone()).or_insert_with(|| {
                order.push((key, Vec::new()));
                order.len() - 1
            });
            order[group].1.push(chain);
        }
    });
    order
}

fn is_link(op: &Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::Xor)
}

/// For each instruction, whether its only use is the same operation in the same region.
fn inner_results(func: &Func) -> Vec<bool> {
    let uses = func.use_counts();
    let mut region_of = vec![None; func.insts.len()];
    let mut inner = vec![false; func.insts.len()];
    func.walk(&mut |inst, data, around| {
        let region = around.last().map_or(func.body, |l| l.region);
        region_of[inst.index()] = Some(region);
        if !is_link(&data.op) {
            return;
        }
        for &arg in &data.args {
            if let Origin::Result(definition, _) = func.value(arg).origin
                && uses[arg.index()] == 1
                && func.inst(definition).op == data.op
                && region_of[definition.index()] == Some(region)
            {
                inner[definition.index()] = true;
            }
        }
    });
    inner
}

fn chain(func: &Func, root: Inst, inner: &[bool]) -> Chain {
    let mut chain = Chain { root, inner: Vec::new(), leaves: Vec::new(), is_changed: false };
    let mut stack = vec![root];
    while let Some(inst) = stack.pop() {
        for &arg in &func.inst(inst).args {
            match func.value(arg).origin {
                Origin::Result(definition, _) if inner[definition.index()] => {
                    chain.inner.push(definition);
                    stack.push(definition);
                }
                _ => chain.leaves.push(Leaf::Value(arg)),
            }
        }
    }
    chain.leaves.sort_unstable();
    let before = chain.leaves.len();
    if func.inst(root).op == Op::Xor {
        // Equal leaves cancel in twos.
        let mut odd: Vec<Leaf> = Vec::with_capacity(before);
        for leaf in chain.leaves.drain(..) {
            match odd.last() {
                Some(&last) if last == leaf => odd.truncate(odd.len() - 1),
                _ => odd.push(leaf),
            }
        }
        chain.leaves = odd;
    } else {
        chain.leaves.dedup();
    }
    chain.is_changed = chain.leaves.len() < before;
    chain
}

/// The two leaves of a pair, and the type and the operation that make one value of them.
struct Pair {
    leaves: (Leaf, Leaf),
    op: Op,
    ty: Type,
}

struct Search {
    in_place_of: Vec<Plan>,
    /// All chains that are rearranged.
    chains: Vec<Chain>,
    ops: Vec<(Op, Type)>,
}

impl Search {
    fn new(func: &Func) -> Search {
        let of = |data: &InstData| (data.op.clone(), data.results.first().map_or(W1, |&result| func.ty(result)));
        Search {
            in_place_of: vec![Plan::Keep; func.insts.len()],
            chains: Vec::new(),
            ops: func.insts.iter().map(of).collect(),
        }
    }

    /// Rearranges the chains of one group.
    fn group(&mut self, mut group: Vec<Chain>, pairs: &mut Vec<Pair>, least: usize) {
        take_out_pairs(&mut group, least, |leaves, root| {
            let (op, ty) = self.ops[root.index()].clone();
            pairs.push(Pair { leaves, op, ty });
            Leaf::Pair(pairs.len() as u32 - 1)
        });
        for chain in group.into_iter().filter(|chain| chain.is_changed) {
            self.in_place_of[chain.root.index()] = Plan::Chain(self.chains.len());
            for &inner in &chain.inner {
                self.in_place_of[inner.index()] = Plan::Drop;
            }
            self.chains.push(chain);
        }
    }
}

/// Replaces the commonest pair of leaves by a new leaf, in every chain that has it, until no pair is common.
fn take_out_pairs(group: &mut [Chain], least: usize, mut name: impl FnMut((Leaf, Leaf), Inst) -> Leaf) {
    let mut counts: Map<(Leaf, Leaf), usize> = Map::default();
    for pair in group.iter().flat_map(Chain::pairs) {
        *counts.entry(pair).or_default() += 1;
    }
    // The chains in which a common pair may occur: all chains that have it, and some that no longer do.
    let mut occurrences: Map<(Leaf, Leaf), Vec<u32>> = Map::default();
    for (i, chain) in group.iter().enumerate() {
        for pair in chain.pairs().filter(|pair| counts[pair] >= least) {
            occurrences.entry(pair).or_default().push(i as u32);
        }
    }
    let mut queue: BinaryHeap<(usize, Reverse<(Leaf, Leaf)>)> =
        occurrences.iter().map(|(&pair, chains)| (chains.len(), Reverse(pair))).collect();
    while let Some((count, Reverse(pair))) = queue.pop() {
        let Some(chains) = occurrences.get_mut(&pair) else { continue };
        chains.retain(|&i| group[i as usize].has(pair));
        if chains.len() < count {
            if chains.len() >= least {
                queue.push((chains.len(), Reverse(pair)));
            }
            continue;
        }
        let chains = occurrences.remove(&pair).unwrap_or_default();
        let new = name(pair, group[chains[0] as usize].root);
        let mut found: Vec<(Leaf, Leaf)> = Vec::new();
        for i in chains {
            let chain = &mut group[i as usize];
            chain.leaves.retain(|&leaf| leaf != pair.0 && leaf != pair.1);
            chain.is_changed = true;
            for &other in &chain.leaves {
                occurrences.entry((other, new)).or_default().push(i);
                found.push((other, new));
            }
            // Pairs compare above values, and later ones above earlier: the leaves stay sorted.
            chain.leaves.push(new);
        }
        found.sort_unstable();
        found.dedup();
        for pair in found {
            match occurrences.get(&pair).map_or(0, Vec::len) {
                count if count >= least => queue.push((count, Reverse(pair))),
                _ => drop(occurrences.remove(&pair)),
            }
        }
    }
}

impl Chain {
    fn pairs(&self) -> impl Iterator<Item = (Leaf, Leaf)> {
        self.leaves.iter().enumerate().flat_map(|(k, &a)| self.leaves[k + 1..].iter().map(move |&b| (a, b)))
    }

    fn has(&self, (a, b): (Leaf, Leaf)) -> bool {
        self.leaves.binary_search(&a).is_ok() && self.leaves.binary_search(&b).is_ok()
    }
}

struct Rearrange {
    plans: Vec<Plan>,
    chains: Vec<Chain>,
    pairs: Vec<Pair>,
    /// The pairs that are computed already. The first chain to need one computes it, and all others come after that in
    /// the same region.
    values: Vec<Option<Value>>,
}

impl Transform for Rearrange {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        match self.plans[inst.index()] {
            Plan::Keep => drop(copier.copy(self, to, inst)),
            Plan::Drop => {}
            Plan::Chain(chain) => {
                let from = copier.from;
                let data = from.inst(inst);
                let result = data.results[0];
                let leaves = std::mem::take(&mut self.chains[chain].leaves);
                let mut leaves: Vec<Value> = leaves.into_iter().map(|leaf| self.leaf(copier, to, leaf)).collect();
                // The leaf that is ready last goes in last.
                leaves.sort_unstable();
                let ty = from.ty(result);
                let value = leaves.into_iter().reduce(|a, b| to.emit1(data.op.clone(), [a, b], ty));
                // All leaves can cancel only in a chain of `xor`s.
                let zero = || Op::Const(vec![0; ty.lanes() as usize].into());
                let value = value.unwrap_or_else(|| to.emit1(zero(), [], ty));
                copier.set(result, value);
            }
        }
    }
}

impl Rearrange {
    /// The value of a leaf. Pairs nest no deeper than a chain is long.
    fn leaf(&mut self, copier: &Copier, to: &mut Builder, leaf: Leaf) -> Value {
        let pair = match leaf {
            Leaf::Value(value) => return copier.value(value),
            Leaf::Pair(pair) => pair as usize,
        };
        if let Some(value) = self.values[pair] {
            return value;
        }
        let (a, b) = self.pairs[pair].leaves;
        let (a, b) = (self.leaf(copier, to, a), self.leaf(copier, to, b));
        let Pair { op, ty, .. } = &self.pairs[pair];
        let value = to.emit1(op.clone(), [a, b], *ty);
        self.values[pair] = Some(value);
        value
    }
}
