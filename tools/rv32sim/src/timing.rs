//! The time that instructions take on an E31: one instruction a cycle, in order, but for what waits for a result, for memory, for the
//! multiplier, or for the right instruction to be fetched.

use crate::cache::Cache;
use crate::instruction::{Instruction, Operation};
use crate::predictor::{Outcome, Predictor};

/// What takes more than one cycle, in cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    /// From a load of a word to its use.
    pub load_word: u64,
    /// From a load of a byte or half a word to its use.
    pub load_part: u64,
    /// From one product to its use or to the next product.
    pub multiply: u64,
    /// As that, of divisions.
    pub divide: u64,
    /// Extra cycles of a branch or a jump that was predicted wrongly.
    pub misprediction: u64,
    /// Extra cycles if a jump's target is an instruction of 32 bits that is cut by the boundary of a word.
    pub cut_target: u64,
    /// Extra cycles of a load of a word that has just been stored.
    pub pending_store: u64,
    /// Extra cycles of a load from flash.
    pub flash_load: u64,
    /// Extra cycles to fetch a line of instructions that is not in the cache; 0 without the cache.
    pub line_fill: u64,
}

impl Costs {
    /// The E31 of the HiFive1 rev B, without its cache.
    pub const E31: Self = Self {
        load_word: 2,
        load_part: 3,
        multiply: 6,
        divide: 33,
        misprediction: 3,
        cut_target: 1,
        pending_store: 5,
        flash_load: 98,
        line_fill: 0,
    };

    /// Cycles to fetch a line of 32 bytes, derived from a load's 98, not measured: four data lines move a word in 8 clocks of the flash, which are
    /// 32 cycles at a quarter of the core's clock. Command, address and waiting take the other 66; a line has 8 words.
    pub const LINE_FILL: u64 = 66 + 8 * 32;
}

/// Counts of what happened in a part of a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub cycles: u64,
    pub instructions: u64,
    pub cache_misses: u64,
    pub mispredictions: u64,
    pub flash_loads: u64,
    pub multiplications: u64,
}

impl Counts {
    /// What has happened since an earlier time.
    #[must_use]
    pub const fn since(&self, earlier: &Self) -> Self {
        Self {
            cycles: self.cycles - earlier.cycles,
            instructions: self.instructions - earlier.instructions,
            cache_misses: self.cache_misses - earlier.cache_misses,
            mispredictions: self.mispredictions - earlier.mispredictions,
            flash_loads: self.flash_loads - earlier.flash_loads,
            multiplications: self.multiplications - earlier.multiplications,
        }
    }

    pub(crate) const fn add(&mut self, other: &Self) {
        self.cycles += other.cycles;
        self.instructions += other.instructions;
        self.cache_misses += other.cache_misses;
        self.mispredictions += other.mispredictions;
        self.flash_loads += other.flash_loads;
        self.multiplications += other.multiplications;
    }
}

/// A store that may still be on its way: the address of its word, and when it was issued.
#[derive(Debug, Clone, Copy)]
struct Pending {
    word: u32,
    issued: u64,
}

/// Maximum number of stores on their way.
const PENDING: usize = 2;
/// Cycles after which a store can leave, in a cycle without a load.
const STORE_CYCLES: u64 = 2;

/// The state of the pipeline.
#[derive(Debug)]
pub(crate) struct Pipeline {
    costs: Costs,
    pub(crate) counts: Counts,
    /// When each register's value is there.
    ready: [u64; 32],
    multiplier_free: u64,
    pending: [Pending; PENDING],
    pending_count: usize,
    cache: Cache,
    predictor: Predictor,
}

impl Pipeline {
    pub(crate) fn new(costs: Costs) -> Self {
        Self {
            costs,
            counts: Counts::default(),
            ready: [0; 32],
            multiplier_free: 0,
            pending: [Pending { word: 0, issued: 0 }; PENDING],
            pending_count: 0,
            cache: Cache::new(),
            predictor: Predictor::new(),
        }
    }

    /// Fetches an instruction from flash.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, pc: u32) {
        if self.costs.line_fill > 0 && self.cache.misses(pc) {
            self.counts.cycles += self.costs.line_fill;
            self.counts.cache_misses += 1;
        }
    }

    /// Waits for an instruction's operands, and says when it starts.
    #[inline(always)]
    pub(crate) fn start(&mut self, instruction: &Instruction) -> u64 {
        let ready = |register: u8| self.ready[usize::from(register & 31)];
        let operands = ready(instruction.rs1).max(ready(instruction.rs2));
        self.counts.cycles.max(operands).max(ready(instruction.rd))
    }

    /// Ends an instruction whose result, if it has one, is there after some cycles.
    #[inline(always)]
    pub(crate) fn end(&mut self, instruction: &Instruction, start: u64, latency: u64) {
        self.ready[usize::from(instruction.rd & 31)] = if instruction.rd == 0 { 0 } else { start + latency };
        self.counts.cycles = start + 1;
        self.counts.instructions += 1;
    }

    /// Lets a store leave while memory is free, in an instruction that is no load.
    #[inline(always)]
    pub(crate) fn drain(&mut self, start: u64) {
        if self.pending_count > 0 && start >= self.pending[0].issued + STORE_CYCLES {
            self.pending[0] = self.pending[1];
            self.pending_count -= 1;
        }
    }

    /// Says when a load starts that would otherwise start at `start`, and its latency.
    #[inline(always)]
    pub(crate) fn load(&mut self, address: u32, is_word: bool, is_flash: bool, mut start: u64) -> (u64, u64) {
        if is_flash {
            start += self.costs.flash_load;
            self.counts.flash_loads += 1;
        }
        if self.pending[..self.pending_count].iter().any(|store| store.word == address >> 2) {
            start += self.costs.pending_store;
            self.pending_count = 0;
        }
        (start, if is_word { self.costs.load_word } else { self.costs.load_part })
    }

    #[inline(always)]
    pub(crate) fn store(&mut self, address: u32, start: u64) {
        if self.pending_count == PENDING {
            self.pending[0] = self.pending[1];
            self.pending_count -= 1;
        }
        self.pending[self.pending_count] = Pending { word: address >> 2, issued: start };
        self.pending_count += 1;
    }

    /// Says when a product or a quotient starts that would otherwise start at `start`, and its latency.
    #[inline(always)]
    pub(crate) fn multiply(&mut self, operation: Operation, start: u64) -> (u64, u64) {
        let is_product = matches!(operation, Operation::Mul | Operation::Mulh | Operation::Mulhsu | Operation::Mulhu);
        self.counts.multiplications += u64::from(is_product);
        let latency = if is_product { self.costs.multiply } else { self.costs.divide };
        let start = start.max(self.multiplier_free);
        self.multiplier_free = start + latency;
        (start, latency)
    }

    /// Adds the cycles that a branch or a jump costs after it has ended. `is_cut` says whether the next instruction is cut by the boundary of
    /// a word.
    #[inline(always)]
    pub(crate) fn go(&mut self, instruction: &Instruction, outcome: Outcome, is_cut: bool) {
        if outcome.is_taken && is_cut {
            self.counts.cycles += self.costs.cut_target;
        }
        if !self.predictor.predicts(instruction, outcome) {
            self.counts.mispredictions += 1;
            self.counts.cycles += self.costs.misprediction;
        }
    }
}
