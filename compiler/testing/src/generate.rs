//! Random programs: nodes, their variables and their steps. Whatever is drawn, every atom is written before it is read.

use culet_diag::{FileId, Span};
use culet_types::program::{
    Affine, Assign, Atom, Body, ByteOrder, CounterId, Expr, Loop, Node, NodeId, Place, Program, Run, Shape, Slicing,
    Step, Ty, Var, VarId,
};

use crate::Rng;

/// The properties of the random programs.
#[derive(Debug, Clone)]
pub struct Options {
    pub slicing: Slicing,
    /// Widths of words. A program has at most two of them, a horizontal program one.
    pub widths: Vec<u32>,
    /// Maximum number of nodes besides the entry.
    pub nodes: u32,
    /// Maximum number of statements of a node.
    pub statements: u32,
    /// Maximum number of atoms of a variable.
    pub atoms: u32,
    /// Maximum depth of expressions.
    pub depth: u32,
    /// Whether there are `+ - *`; never in direction H.
    pub arithmetic: bool,
    /// Whether there are `Pack`s, which direction H does not have.
    pub packs: bool,
    pub calls: bool,
    pub tables: bool,
    pub loops: bool,
    /// Whether there are `c ? a : b` and the one-bit words that it needs; never in direction H.
    pub conditions: bool,
    /// Whether programs are restricted to those that the language can express and the elaborator accepts.
    pub source: bool,
}

impl Options {
    /// Options with everything that the direction has.
    pub fn new(slicing: Slicing) -> Options {
        let is_horizontal = slicing == Slicing::Horizontal;
        let widths = match slicing {
            Slicing::Vertical => vec![8, 16, 32, 64],
            Slicing::Horizontal => vec![16],
            Slicing::Bitslice => vec![1, 3, 4, 8],
            Slicing::Limbs(_) => panic!("random programs have no fields"),
        };
        Options {
            slicing,
            widths,
            nodes: 4,
            statements: 8,
            atoms: 6,
            depth: 3,
            arithmetic: !is_horizontal,
            packs: !is_horizontal,
            calls: true,
            tables: true,
            loops: true,
            conditions: !is_horizontal,
            source: false,
        }
    }

    #[must_use]
    pub fn for_source(&self) -> Options {
        Options { source: true, ..self.clone() }
    }

    /// These options with words of one width.
    #[must_use]
    pub fn with_width(&self, width: u32) -> Options {
        Options { widths: vec![width], ..self.clone() }
    }
}

/// A program without a text: its spans are empty.
pub fn random_program(seed: u64, options: &Options) -> Program {
    let mut rng = Rng::new(seed);
    // With two widths, words of a needed width exist often enough to be read.
    let widths = (0..2).map(|_| *rng.pick(&options.widths)).collect();
    let options = &Options { widths, ..options.clone() };
    let mut nodes: Vec<Node> = Vec::new();
    for index in 0..1 + rng.below(options.nodes + 1) {
        let maker = Maker::new(&mut rng, options, &nodes);
        let node = if options.tables && maker.rng.chance(30) { maker.table(index) } else { maker.node(index) };
        nodes.push(node);
    }
    let index = nodes.len() as u32;
    nodes.push(Maker::new(&mut rng, options, &nodes).node(index));
    Program { entry: NodeId(index), nodes, fields: Vec::new() }
}

pub(crate) fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

/// A node under construction.
pub(crate) struct Maker<'a> {
    pub rng: &'a mut Rng,
    pub options: &'a Options,
    /// The nodes that can be called.
    pub nodes: &'a [Node],
    pub vars: Vec<Var>,
    /// For each variable, whether all of its atoms have been written.
    pub defined: Vec<bool>,
    /// The counters of the loops around, with their smallest and largest values.
    pub counters: Vec<(CounterId, i64, i64)>,
    counter_count: u32,
}

impl<'a> Maker<'a> {
    fn new(rng: &'a mut Rng, options: &'a Options, nodes: &'a [Node]) -> Self {
        Maker { rng, options, nodes, vars: vec![], defined: vec![], counters: vec![], counter_count: 0 }
    }

    fn random_atom(&mut self) -> Atom {
        let widths = &self.options.widths;
        let bits = match self.options.slicing {
            Slicing::Horizontal => widths[0],
            _ if self.options.conditions && self.rng.chance(15) => 1,
            _ => *self.rng.pick(widths),
        };
        Atom { slicing: self.options.slicing, bits }
    }

    fn var(&mut self, prefix: &str, atom: Atom, atoms: u32) -> VarId {
        let id = VarId(self.vars.len() as u32);
        let dims = if atoms == 1 { vec![] } else { vec![atoms] };
        let name = format!("{prefix}{}", id.0);
        let ty = Ty { atom, dims };
        self.vars.push(Var {
            name,
            ty,
            shared: false,
            public: false,
            stream: false,
            bytes: ByteOrder::Big,
            span: nowhere(),
        });
        self.defined.push(false);
        id
    }

    fn random_var(&mut self, prefix: &str) -> VarId {
        let (atom, atoms) = (self.random_atom(), 1 + self.rng.below(self.options.atoms));
        self.var(prefix, atom, atoms)
    }

    fn named(self, index: u32, params: Vec<VarId>, returns: Vec<VarId>, body: Body) -> Node {
        let inline = *self.rng.pick(&[None, None, None, Some(true), Some(false)]);
        Node {
            name: format!("f{index}"),
            symbol: format!("f{index}"),
            span: nowhere(),
            inline,
            interleave: None,
            no_opt: false,
            instruction: None,
            vars: self.vars,
            params,
            returns,
            body,
            counters: self.counter_count,
            given_as_public: Vec::new(),
        }
    }

    fn table(mut self, index: u32) -> Node {
        let atom = self.random_atom();
        let table = crate::tables::table(self.rng.below(1 << 16));
        let params = vec![self.var("p", atom, table.inputs)];
        let returns = vec![self.var("r", atom, table.outputs)];
        self.named(index, params, returns, Body::Table(table))
    }

    fn node(mut self, index: u32) -> Node {
        let params: Vec<VarId> = (0..1 + self.rng.below(3)).map(|_| self.random_var("p")).collect();
        for &param in &params {
            self.defined[param.0 as usize] = true;
            self.vars[param.0 as usize].shared = self.rng.chance(20);
        }
        let locals: Vec<VarId> = (0..self.rng.below(5)).map(|_| self.random_var("t")).collect();
        let returns: Vec<VarId> = (0..1 + self.rng.below(2)).map(|_| self.random_var("r")).collect();
        let mut steps = Vec::new();
        if self.options.calls && !self.nodes.is_empty() {
            for _ in 0..self.rng.below(3) {
                self.define_by_call(&mut steps);
            }
        }
        for id in locals.into_iter().chain(returns.iter().copied()) {
            self.define(id, &mut steps);
            if self.rng.chance(60) {
                let count = self.rng.below(self.options.statements / 2 + 1);
                self.updates(count, &mut steps);
            }
        }
        self.named(index, params, returns, Body::Steps(steps))
    }

    /// Writes every atom of a variable for the first time.
    fn define(&mut self, id: VarId, steps: &mut Vec<Step>) {
        let Ty { atom, .. } = self.vars[id.0 as usize].ty;
        let atoms = self.vars[id.0 as usize].ty.atoms();
        let may_loop = self.options.loops && atoms > 1;
        match self.rng.below(4) {
            0 if may_loop => self.define_by_loop(id, atom, atoms, steps),
            1 if may_loop => self.define_by_recurrence(id, atom, atoms, steps),
            2 => {
                let value = self.constant(atom, atoms);
                steps.push(assign(vec![whole(id, atoms)], value));
            }
            _ => {
                let value = self.expression(atom, atoms, self.options.depth);
                steps.push(assign(vec![whole(id, atoms)], value));
            }
        }
        self.defined[id.0 as usize] = true;
    }

    /// Makes new variables for all results of a node, and calls it.
    fn define_by_call(&mut self, steps: &mut Vec<Step>) {
        let nodes = self.nodes;
        let index = self.rng.below(nodes.len() as u32);
        let node = &nodes[index as usize];
        let value = self.call_of(NodeId(index), self.options.depth);
        let mut targets = Vec::new();
        for &result in &node.returns {
            let ty = &node.var(result).ty;
            let id = self.var("c", ty.atom, ty.atoms());
            targets.push(whole(id, ty.atoms()));
            self.defined[id.0 as usize] = true;
        }
        steps.push(assign(targets, value));
    }

    /// Writes `forall i in … { v[i] = … }`, with one or two atoms an iteration.
    fn define_by_loop(&mut self, id: VarId, atom: Atom, atoms: u32, steps: &mut Vec<Step>) {
        let unit = if atoms.is_multiple_of(2) && self.rng.chance(40) { 2 } else { 1 };
        let body = |maker: &mut Self, counter, steps: &mut Vec<Step>| {
            for k in 0..unit {
                let value = maker.expression(atom, 1, maker.options.depth);
                let start = Affine { constant: k, terms: vec![(counter, unit)] };
                steps.push(assign(vec![one(id, start)], value));
            }
        };
        self.loop_over(0, i64::from(atoms) / unit - 1, steps, body);
    }

    /// Writes `v[0] = …; forall i in [1, …] { v[i] = … v[i-1] … }`.
    fn define_by_recurrence(&mut self, id: VarId, atom: Atom, atoms: u32, steps: &mut Vec<Step>) {
        let first = self.expression(atom, 1, self.options.depth);
        steps.push(assign(vec![one(id, Affine::constant(0))], first));
        let counter = CounterId(self.counter_count);
        self.counter_count += 1;
        self.counters.push((counter, 1, i64::from(atoms) - 1));
        let before = Affine { constant: -1, terms: vec![(counter, 1)] };
        let previous = self.read(one(id, before), atom, 1);
        let other = self.expression(atom, 1, self.options.depth);
        let value = self.combine(previous, other);
        let target = one(id, Affine { constant: 0, terms: vec![(counter, 1)] });
        self.counters.pop();
        let steps_inside = vec![assign(vec![target], value)];
        let last = i64::from(atoms) - 1;
        steps.push(Step::Loop(Loop {
            counter,
            first: 1,
            last,
            unroll: None,
            stream: None,
            steps: steps_inside,
            span: nowhere(),
        }));
    }

    /// A loop whose counter runs between these bounds, upwards or downwards.
    fn loop_over(
        &mut self,
        low: i64,
        high: i64,
        steps: &mut Vec<Step>,
        body: impl FnOnce(&mut Self, CounterId, &mut Vec<Step>),
    ) {
        let counter = CounterId(self.counter_count);
        self.counter_count += 1;
        self.counters.push((counter, low, high));
        let mut inside = Vec::new();
        body(self, counter, &mut inside);
        self.counters.pop();
        let (first, last) = if self.rng.chance(30) { (high, low) } else { (low, high) };
        let unroll = *self.rng.pick(&[None, None, None, Some(true), Some(false)]);
        steps.push(Step::Loop(Loop { counter, first, last, unroll, stream: None, steps: inside, span: nowhere() }));
    }

    fn updates(&mut self, count: u32, steps: &mut Vec<Step>) {
        for _ in 0..count {
            if self.options.loops && self.counters.len() < 3 && self.rng.chance(25) {
                let low = self.rng.between(-2, 3);
                let high = low + self.rng.between(0, 3);
                let inner = 1 + self.rng.below(3);
                self.loop_over(low, high, steps, |maker, _, steps| maker.updates(inner, steps));
            } else if !self.options.source && self.rng.chance(10) {
                let fresh = self.random_var("s");
                let Ty { atom, .. } = self.vars[fresh.0 as usize].ty;
                let atoms = self.vars[fresh.0 as usize].ty.atoms();
                let value = self.expression(atom, atoms, self.options.depth);
                steps.push(assign(vec![whole(fresh, atoms)], value));
                self.defined[fresh.0 as usize] = true;
            } else {
                self.update(steps);
            }
        }
    }

    /// Updates some atoms of one or two variables.
    fn update(&mut self, steps: &mut Vec<Step>) {
        let mut targets: Vec<Place> = Vec::new();
        let mut values: Vec<Expr> = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            let candidates: Vec<VarId> = (0..self.vars.len() as u32)
                .map(VarId)
                .filter(|id| self.defined[id.0 as usize] && !self.vars[id.0 as usize].shared)
                .filter(|id| targets.iter().all(|place| place.var != *id))
                .collect();
            if candidates.is_empty() {
                break;
            }
            let id = *self.rng.pick(&candidates);
            let Ty { atom, .. } = self.vars[id.0 as usize].ty;
            let atoms = self.vars[id.0 as usize].ty.atoms();
            let length = 1 + self.rng.below(atoms.min(3));
            targets.push(self.place(id, length));
            values.push(self.expression(atom, length, self.options.depth));
        }
        if values.is_empty() {
            return;
        }
        let value = if values.len() == 1 { values.remove(0) } else { crate::expressions::concat(values) };
        steps.push(assign(targets, value));
    }

    /// A random run of atoms of a variable. It lies inside the variable for all values of the counters.
    pub(crate) fn place(&mut self, var: VarId, length: u32) -> Place {
        let atoms = i64::from(self.vars[var.0 as usize].ty.atoms());
        let extent = i64::from(length) - 1;
        let mut index = Affine::default();
        let (mut low, mut high) = (0, 0);
        for &(counter, first, last) in &self.counters.clone() {
            let factor = *self.rng.pick(&[0, 1, 1, -1, 2]);
            let (a, b) = (factor * first, factor * last);
            let (new_low, new_high) = (low + a.min(b), high + a.max(b));
            if factor != 0 && new_high - new_low + extent < atoms && self.rng.chance(80) {
                index.terms.push((counter, factor));
                (low, high) = (new_low, new_high);
            }
        }
        let slack = atoms - 1 - extent - (high - low);
        index.constant = self.rng.between(0, slack) - low;
        let stride = if length == 2 && index.terms.is_empty() && slack > 0 && self.rng.chance(30) {
            index.constant = 0;
            atoms as i32 - 1
        } else if length > 1 && index.terms.is_empty() && self.rng.chance(15) {
            index.constant = extent;
            -1
        } else {
            1
        };
        Place { var, runs: vec![Run { start: index, length, stride }] }
    }
}

pub(crate) fn assign(targets: Vec<Place>, value: Expr) -> Step {
    Step::Assign(Assign { targets, value, span: nowhere() })
}

pub(crate) fn whole(var: VarId, atoms: u32) -> Place {
    Place { var, runs: vec![Run { start: Affine::constant(0), length: atoms, stride: 1 }] }
}

fn one(var: VarId, start: Affine) -> Place {
    Place { var, runs: vec![Run { start, length: 1, stride: 1 }] }
}

pub(crate) fn shape(atom: Atom, count: u32) -> Shape {
    Shape::of(atom, count)
}
