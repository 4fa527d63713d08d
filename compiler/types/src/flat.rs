//! The equations of a node in a form that is fast to execute: atoms are numbers, and iterations are numbered as they
//! begin.

use std::ops::Range;

use culet_diag::Span;

use crate::order::{Equation, LoopTree, Tree};
use crate::program::{Affine, CounterId, Expr, ExprKind, Place, Var, VarId};

/// The trees of a node in a form that is fast to traverse.
pub(crate) struct Flat<'t> {
    pub(crate) blocks: Vec<Block>,
    pub(crate) leaves: Vec<Leaf<'t>>,
    pub(crate) loops: Vec<FlatLoop<'t>>,
    /// The runs that the equations write and read, one after the other.
    runs: Vec<FlatRun>,
    /// The first atom of each variable among all atoms.
    bases: Vec<u32>,
    /// Number of atoms. The variable of an atom is found by searching `bases`.
    pub(crate) atoms: u32,
    counters: usize,
}

pub(crate) struct Block {
    pub(crate) nodes: Vec<NodeRef>,
    /// The loop around the block.
    pub(crate) owner: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum NodeRef {
    Leaf(u32),
    Loop(u32),
}

pub(crate) struct Leaf<'t> {
    pub(crate) equation: &'t Equation,
    writes: Range<usize>,
    reads: Range<usize>,
    /// The block and the position in it.
    pub(crate) place: (u32, u32),
}

pub(crate) struct FlatLoop<'t> {
    pub(crate) tree: &'t LoopTree,
    pub(crate) blocks: Vec<u32>,
    /// In a loop over a stream, what it does with streams as wholes: a leaf in the loop's place.
    pub(crate) passage: Option<u32>,
    pub(crate) place: (u32, u32),
}

struct FlatRun {
    start: Affine,
    length: u32,
    stride: i32,
    span: Span,
}

/// One execution of one equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Execution {
    pub(crate) leaf: u32,
    /// The innermost iteration around the equation.
    pub(crate) iteration: u32,
}

/// The iterations of all loops as they begin; number 0 is the node itself.
#[derive(Default)]
pub(crate) struct Iterations {
    /// For each iteration: the iteration around it, and the number of loops around its statements.
    all: Vec<(u32, u16)>,
}

impl Iterations {
    fn new() -> Self {
        Iterations { all: vec![(0, 0)] }
    }

    fn begin(&mut self, around: u32) -> u32 {
        let depth = self.all[around as usize].1 + 1;
        self.all.push((around, depth));
        self.all.len() as u32 - 1
    }

    pub(crate) fn depth(&self, iteration: u32) -> u16 {
        self.all[iteration as usize].1
    }

    /// The iteration at this depth that contains or equals `iteration`, if `iteration` is that deep.
    pub(crate) fn at_depth(&self, mut iteration: u32, depth: u16) -> Option<u32> {
        while self.depth(iteration) > depth {
            iteration = self.all[iteration as usize].0;
        }
        (self.depth(iteration) == depth).then_some(iteration)
    }

    /// The number of loops that two iterations share.
    pub(crate) fn common_depth(&self, mut a: u32, mut b: u32) -> u16 {
        while a != b {
            let (depth_a, depth_b) = (self.depth(a), self.depth(b));
            if depth_a >= depth_b {
                a = self.all[a as usize].0;
            }
            if depth_b >= depth_a {
                b = self.all[b as usize].0;
            }
        }
        self.depth(a)
    }
}

/// A callback that gets an equation, its execution, the values of the counters, and the iterations so far.
pub(crate) type Visitor<'v, 't> = dyn FnMut(&Leaf<'t>, Execution, &[i64], &Iterations) + 'v;

impl<'t> Flat<'t> {
    pub(crate) fn new(trees: &'t [Tree], vars: &[Var]) -> Self {
        let mut bases = Vec::with_capacity(vars.len());
        let mut atoms = 0;
        for var in vars {
            bases.push(atoms);
            atoms += var.ty.atoms();
        }
        let (blocks, leaves, loops) = (Vec::new(), Vec::new(), Vec::new());
        let mut flat = Flat { blocks, leaves, loops, runs: Vec::new(), bases, atoms, counters: 0 };
        flat.block(trees, None);
        flat
    }

    fn block(&mut self, trees: &'t [Tree], owner: Option<u32>) -> u32 {
        let block = self.blocks.len() as u32;
        self.blocks.push(Block { nodes: Vec::with_capacity(trees.len()), owner });
        for (position, tree) in trees.iter().enumerate() {
            let place = (block, position as u32);
            let node = match tree {
                Tree::Equation(equation) => {
                    self.leaf(equation, place);
                    NodeRef::Leaf(self.leaves.len() as u32 - 1)
                }
                Tree::Loop(tree) => {
                    let index = self.loops.len() as u32;
                    if let Some(counter) = tree.counter {
                        self.counters = self.counters.max(counter.0 as usize + 1);
                    }
                    self.loops.push(FlatLoop { tree, blocks: Vec::new(), passage: None, place });
                    let blocks = tree.blocks.iter().map(|trees| self.block(trees, Some(index))).collect();
                    self.loops[index as usize].blocks = blocks;
                    if let Some(stream) = &tree.stream {
                        self.leaf(&stream.passage, place);
                        self.loops[index as usize].passage = Some(self.leaves.len() as u32 - 1);
                    }
                    NodeRef::Loop(index)
                }
            };
            self.blocks[block as usize].nodes.push(node);
        }
        block
    }

    fn leaf(&mut self, equation: &'t Equation, place: (u32, u32)) {
        let start = self.runs.len();
        for target in &equation.targets {
            self.add_runs(target, equation.span);
        }
        let middle = self.runs.len();
        if let Some(value) = &equation.value {
            self.add_reads(value);
        }
        self.leaves.push(Leaf { equation, writes: start..middle, reads: middle..self.runs.len(), place });
    }

    fn add_reads(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Read(place) => self.add_runs(place, expr.span),
            ExprKind::Length(parts) => parts.iter().for_each(|&part| self.add_whole(part, expr.span)),
            _ => {}
        }
        expr.kind.for_each_operand(&mut |operand| self.add_reads(operand));
    }

    fn add_runs(&mut self, place: &Place, span: Span) {
        for run in &place.runs {
            let mut start = run.start.clone();
            start.constant += i64::from(self.bases[place.var.0 as usize]);
            self.runs.push(FlatRun { start, length: run.length, stride: run.stride, span });
        }
    }

    fn add_whole(&mut self, var: VarId, span: Span) {
        let first = self.bases[var.0 as usize];
        let after = self.bases.get(var.0 as usize + 1).copied().unwrap_or(self.atoms);
        let start = Affine { constant: i64::from(first), terms: Vec::new() };
        self.runs.push(FlatRun { start, length: after - first, stride: 1, span });
    }

    pub(crate) fn variable(&self, atom: u32) -> VarId {
        VarId(self.bases.partition_point(|&base| base <= atom) as u32 - 1)
    }

    pub(crate) fn atoms_of(&self, var: VarId, vars: &[Var]) -> Range<u32> {
        let base = self.bases[var.0 as usize];
        base..base + vars[var.0 as usize].ty.atoms()
    }

    /// `x[1][3]`
    pub(crate) fn name(&self, atom: u32, vars: &[Var]) -> String {
        let id = self.variable(atom);
        let var = &vars[id.0 as usize];
        let mut rest = atom - self.bases[id.0 as usize];
        let mut name = var.name.clone();
        let mut size = var.ty.atoms();
        for dim in &var.ty.dims {
            size /= dim;
            name += &format!("[{}]", rest / size);
            rest %= size;
        }
        name
    }

    /// Carries out all iterations in textual order and calls `visit` for every equation.
    pub(crate) fn run(&self, visit: &mut Visitor<'_, 't>) -> Iterations {
        let mut iterations = Iterations::new();
        let mut counters = vec![0; self.counters];
        self.run_block(0, 0, &mut iterations, &mut counters, visit);
        iterations
    }

    fn run_block(
        &self,
        block: u32,
        iteration: u32,
        iterations: &mut Iterations,
        counters: &mut [i64],
        visit: &mut Visitor<'_, 't>,
    ) {
        for &node in &self.blocks[block as usize].nodes {
            match node {
                NodeRef::Leaf(leaf) => {
                    visit(&self.leaves[leaf as usize], Execution { leaf, iteration }, counters, iterations);
                }
                NodeRef::Loop(index) => {
                    let inner = &self.loops[index as usize];
                    for (k, value) in inner.tree.values().enumerate() {
                        let block = match inner.tree.counter {
                            Some(CounterId(counter)) => {
                                counters[counter as usize] = value;
                                inner.blocks[0]
                            }
                            None => inner.blocks[k],
                        };
                        let iteration = iterations.begin(iteration);
                        self.run_block(block, iteration, iterations, counters, visit);
                    }
                    if let Some(leaf) = inner.passage {
                        visit(&self.leaves[leaf as usize], Execution { leaf, iteration }, counters, iterations);
                    }
                }
            }
        }
    }
}

impl Flat<'_> {
    pub(crate) fn for_each_read(&self, leaf: &Leaf<'_>, counters: &[i64], f: &mut dyn FnMut(u32, Span)) {
        for run in &self.runs[leaf.reads.clone()] {
            run.for_each_atom(counters, &mut |atom| f(atom, run.span));
        }
    }

    pub(crate) fn for_each_write(&self, leaf: &Leaf<'_>, counters: &[i64], f: &mut dyn FnMut(u32)) {
        for run in &self.runs[leaf.writes.clone()] {
            run.for_each_atom(counters, f);
        }
    }
}

impl FlatRun {
    fn for_each_atom(&self, counters: &[i64], f: &mut dyn FnMut(u32)) {
        let mut atom = self.start.evaluate(|CounterId(c)| counters[c as usize]);
        for _ in 0..self.length {
            f(atom as u32);
            atom += i64::from(self.stride);
        }
    }
}
