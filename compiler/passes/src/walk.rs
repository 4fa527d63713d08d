//! The regions of a function that exist, and what is in them.

use culet_ir::{Func, Inst, Op, RegionId};

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
