//! The regions of a function that exist, their contents, and the amount of machine code that these become.

use culet_ir::{Func, Inst, InstData, Op, RegionId, Target, Type};

/// The body and all regions inside it, outer ones first, in textual order.
pub(crate) fn regions(func: &Func) -> Vec<RegionId> {
    regions_in(func, func.body)
}

/// A region and all regions inside it, outer ones first, in textual order.
pub(crate) fn regions_in(func: &Func, region: RegionId) -> Vec<RegionId> {
    let mut found = Vec::new();
    let mut stack = vec![region];
    while let Some(region) = stack.pop() {
        found.push(region);
        stack.extend(func.region(region).insts.iter().rev().filter_map(|&inst| nested(func, inst)));
    }
    found
}

/// The region of a loop.
pub(crate) fn nested(func: &Func, inst: Inst) -> Option<RegionId> {
    match &func.inst(inst).op {
        Op::Loop(data) => Some(data.region),
        _ => None,
    }
}

/// Every instruction that a region lists, with the region.
pub(crate) fn live_insts(func: &Func) -> Vec<(RegionId, Inst)> {
    let list = |region: RegionId| func.region(region).insts.iter().map(move |&inst| (region, inst));
    regions(func).into_iter().flat_map(list).collect()
}

/// The region that lists each instruction.
pub(crate) fn homes(func: &Func) -> Vec<Option<RegionId>> {
    let mut homes = vec![None; func.insts.len()];
    for (region, inst) in live_insts(func) {
        homes[inst.index()] = Some(region);
    }
    homes
}

/// About the number of machine instructions that one instruction becomes. On plain words a vector of bits is a word for
/// each lane, which C compilers may put into vectors of four.
pub(crate) fn weight(func: &Func, data: &InstData, target: Target) -> u64 {
    data.results.first().map_or(1, |&value| type_weight(func.ty(value), target))
}

/// About the number of machine instructions that one operation on values of a type becomes.
pub(crate) fn type_weight(ty: Type, target: Target) -> u64 {
    match ty {
        Type::Vector { bits: 1, lanes } if !target.is_vector() => u64::from(lanes).div_ceil(4),
        _ => 1,
    }
}

/// The weight of a function's text, loops taken once and counted as one more.
pub(crate) fn size(func: &Func, target: Target) -> u64 {
    let mut size = 0;
    func.walk(&mut |_, data, _| size += weight(func, data, target));
    size
}
