//! The order of operations on elements: products that wait for one another stand apart.
//!
//! A CPU sees some hundreds of instructions at a time, as many as one or two products of elements take, and C compilers
//! leave products in the order of the text. So, of the operations whose operands are ready, the operation on which the
//! longest chain of operations depends comes first. Loads, stores, loops and everything else that is not pure stay
//! where they are.

use std::cmp::Reverse;
use std::collections::HashMap;

use culet_ir::{FieldOp, Func, Inst, Module, Op, Value};

/// Reorders all functions of a module.
pub fn by_latency(module: &mut Module) {
    for func in &mut module.funcs {
        for region in 0..func.regions.len() {
            let insts = std::mem::take(&mut func.regions[region].insts);
            let mut ordered = Vec::with_capacity(insts.len());
            let mut run = Vec::new();
            for inst in insts {
                if func.inst(inst).op.is_pure() && !matches!(func.inst(inst).op, Op::Call(_)) {
                    run.push(inst);
                } else {
                    ordered.append(&mut scheduled(func, std::mem::take(&mut run)));
                    ordered.push(inst);
                }
            }
            ordered.append(&mut scheduled(func, run));
            func.regions[region].insts = ordered;
        }
    }
}

/// Orders the operands of each product: the operand that more products share comes second, and one from outside the
/// loop before all others, because its limbs are folded once for all. If as many products share both, the operand that
/// is made earlier comes second; it is folded while the other is made.
pub fn shared_second(module: &mut Module) {
    for func in &mut module.funcs {
        let mut products: HashMap<Value, u32> = HashMap::new();
        let is_product = |op: &Op| matches!(op, Op::Field(FieldOp::Mul | FieldOp::Sqr));
        for inst in func.insts.iter().filter(|inst| is_product(&inst.op)) {
            inst.args.iter().for_each(|&arg| *products.entry(arg).or_default() += 1);
        }
        for region in &func.regions {
            // Values that are made inside, and when.
            let mut inside: HashMap<Value, usize> = region.params.iter().map(|&param| (param, 0)).collect();
            for (time, &inst) in (1..).zip(&region.insts) {
                let data = &mut func.insts[inst.index()];
                if data.op == Op::Field(FieldOp::Mul) {
                    data.args.sort_by_key(|arg| {
                        let time = inside.get(arg).copied();
                        (time.is_none(), products.get(arg).copied(), Reverse(time))
                    });
                }
                inside.extend(data.results.iter().map(|&result| (result, time)));
            }
        }
    }
}

/// Cycles until the result, and cycles until the next operation can begin, of elements of about 256 bits.
fn cycles(op: &Op) -> (u32, u32) {
    match op {
        Op::Field(FieldOp::Mul | FieldOp::Inv) => (50, 35),
        Op::Field(FieldOp::Sop(signs)) => (50, 35 * (signs.len() as u32).max(1)),
        Op::Field(FieldOp::Sqr) => (45, 27),
        Op::Field(FieldOp::MulC(_)) => (20, 10),
        Op::Field(_) => (4, 3),
        _ => (1, 1),
    }
}

/// Maximum length of a run that is reordered: the search for the next operation looks at all that are ready.
const LONGEST: usize = 4096;

/// Pure instructions of one region in the order in which they are best begun.
fn scheduled(func: &Func, run: Vec<Inst>) -> Vec<Inst> {
    let has_products = run.iter().any(|&inst| cycles(&func.inst(inst).op).0 > 4);
    if !has_products || run.len() > LONGEST {
        return run;
    }
    let graph = Graph::new(func, &run);
    let mut waiting: Vec<usize> = graph.operands.iter().map(Vec::len).collect();
    let mut finished = vec![0; run.len()];
    let mut ready: Vec<usize> = (0..run.len()).filter(|&index| waiting[index] == 0).collect();
    let (mut time, mut ordered) = (0, Vec::with_capacity(run.len()));
    while !ready.is_empty() {
        let begins = |index: usize| graph.operands[index].iter().map(|&arg| finished[arg]).max().unwrap_or(0).max(time);
        let key = |&index: &usize| (begins(index), Reverse(graph.heights[index]), index);
        let best = (0..ready.len()).min_by_key(|&place| key(&ready[place])).unwrap_or(0);
        let (index, begin) = (ready[best], begins(ready[best]));
        ready.swap_remove(best);
        let (latency, cost) = cycles(&func.inst(run[index]).op);
        finished[index] = begin + latency;
        time = begin + cost;
        ordered.push(run[index]);
        for &user in &graph.users[index] {
            waiting[user] -= 1;
            if waiting[user] == 0 {
                ready.push(user);
            }
        }
    }
    ordered
}

/// Dependencies between the instructions of a run, by their places in it.
struct Graph {
    operands: Vec<Vec<usize>>,
    users: Vec<Vec<usize>>,
    /// Cycles from the beginning of each to the end of the longest chain that needs it.
    heights: Vec<u32>,
}

impl Graph {
    fn new(func: &Func, run: &[Inst]) -> Graph {
        let mut makers: HashMap<Value, usize> = HashMap::new();
        let mut graph = Graph { operands: Vec::new(), users: vec![Vec::new(); run.len()], heights: vec![0; run.len()] };
        for (index, &inst) in run.iter().enumerate() {
            let data = func.inst(inst);
            let mut operands: Vec<usize> = data.args.iter().filter_map(|arg| makers.get(arg).copied()).collect();
            operands.sort_unstable();
            operands.dedup();
            for &operand in &operands {
                graph.users[operand].push(index);
            }
            graph.operands.push(operands);
            makers.extend(data.results.iter().map(|&result| (result, index)));
        }
        for index in (0..run.len()).rev() {
            let above = graph.users[index].iter().map(|&user| graph.heights[user]).max().unwrap_or(0);
            graph.heights[index] = above + cycles(&func.inst(run[index]).op).0;
        }
        graph
    }
}
