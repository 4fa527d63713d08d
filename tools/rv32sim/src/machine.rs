//! The machine: what instructions do to registers and memory.

use std::sync::Arc;

use crate::fault::{Access, Fault, Report};
use crate::instruction::{Instruction, Operation};
use crate::memory::{FLASH, Memory};
use crate::predictor::Outcome;
use crate::profile::{Call, FunctionCounts, Profile};
use crate::program::{LoadError, Program, Segment};
use crate::timing::{Costs, Counts, Pipeline};
use crate::trace::Trace;

/// How a program is run.
#[derive(Debug, Clone)]
pub struct Options {
    pub costs: Costs,
    /// The size of RAM, in bytes.
    pub ram_bytes: usize,
    /// Maximum number of instructions.
    pub limit: u64,
    /// Functions of which each call is counted by itself.
    pub watched: Vec<String>,
    /// Whether to hash all addresses.
    pub is_traced: bool,
}

impl Default for Options {
    /// The HiFive1 rev B with 16 KiB of RAM, without its cache.
    fn default() -> Self {
        Self { costs: Costs::E31, ram_bytes: 16 << 10, limit: 1_000_000_000, watched: Vec::new(), is_traced: false }
    }
}

/// What came of a program that has ended.
#[derive(Debug, Clone)]
pub struct Run {
    /// The program's own verdict; 0 is good.
    pub exit_code: u32,
    /// What the program has written.
    pub output: Vec<u8>,
    pub counts: Counts,
    /// Bytes of stack below the highest stack pointer.
    pub stack: u32,
    /// Counts of each function that has run, the most cycles first.
    pub functions: Vec<FunctionCounts>,
    /// Calls of watched functions, in the order in which they ended.
    pub calls: Vec<Call>,
    /// The hash of all addresses of instructions, loads and stores, and of the sizes of divisions' operands, if it was asked for.
    pub trace: Option<Trace>,
}

/// A board with a program in its memory.
#[derive(Debug)]
pub struct Machine {
    program: Arc<Program>,
    options: Options,
    memory: Memory,
    registers: [u32; 32],
    pc: u32,
    pipeline: Pipeline,
    profile: Profile,
    /// The bounds of the function that is running.
    function: (u32, u32),
    /// The place of the last function that ran in the program's.
    last: Option<usize>,
    /// Addresses of watched functions.
    watched: Vec<(u32, String)>,
    output: Vec<u8>,
    trace: Trace,
}

/// Whether the program goes on.
enum Next {
    At(u32),
    Exit(u32),
}

const SP: usize = 2;
const RA: usize = 1;

impl Machine {
    /// Loads a program.
    ///
    /// # Errors
    ///
    /// A segment of the program lies outside flash and RAM.
    pub fn new(program: Arc<Program>, options: Options) -> Result<Self, LoadError> {
        let end =
            |segment: &Segment| (segment.address.wrapping_sub(FLASH) as usize).saturating_add(segment.bytes.len());
        let in_flash = program.segments.iter().filter(|segment| Memory::is_flash(segment.address));
        let mut memory = Memory::new(in_flash.map(end).max().unwrap_or(0), options.ram_bytes);
        for segment in program.segments.iter().filter(|segment| !segment.bytes.is_empty()) {
            let size = segment.bytes.len();
            let place = memory.bytes_mut(segment.address, size);
            let place = place.ok_or(LoadError::Outside { address: segment.address, size })?;
            place.copy_from_slice(&segment.bytes);
        }
        let address = |name: &String| program.function(name).map(|function| (function.address, name.clone()));
        Ok(Self {
            watched: options.watched.iter().filter_map(address).collect(),
            profile: Profile::new(program.functions.iter().map(|function| function.name.clone())),
            pipeline: Pipeline::new(options.costs),
            pc: program.entry,
            registers: [0; 32],
            function: (0, 0),
            last: None,
            output: Vec::new(),
            trace: Trace::NEW,
            memory,
            program,
            options,
        })
    }

    /// The bytes of an object of the program, by its name, for giving the program its input.
    pub fn object_mut(&mut self, name: &str) -> Option<&mut [u8]> {
        let object = self.program.objects.get(name)?;
        self.memory.bytes_mut(object.address, object.size as usize)
    }

    /// Runs the program to its end.
    ///
    /// # Errors
    ///
    /// The program does something that the board cannot do, or does not end within the limit.
    pub fn run(mut self) -> Result<Run, Box<Report>> {
        let result = if self.options.is_traced { self.steps::<true>() } else { self.steps::<false>() };
        let exit_code = result.map_err(|fault| self.report(fault))?;
        let stack = self.profile.stack();
        let (functions, calls) = self.profile.finish(&self.pipeline.counts);
        Ok(Run {
            exit_code,
            output: self.output,
            counts: self.pipeline.counts,
            stack,
            functions,
            calls,
            trace: self.options.is_traced.then_some(self.trace),
        })
    }

    fn report(&mut self, fault: Fault) -> Box<Report> {
        let place = self.program.function_at(self.pc);
        let function = place.map(|place| &self.program.functions[place]);
        let function = function.map(|function| (function.name.clone(), self.pc - function.address));
        let last = self.last.filter(|_| function.is_none());
        let came_from = last.map(|place| self.program.functions[place].name.clone());
        let output = std::mem::take(&mut self.output);
        Box::new(Report { fault, pc: self.pc, function, came_from, registers: self.registers, output })
    }

    fn steps<const TRACED: bool>(&mut self) -> Result<u32, Fault> {
        while self.pipeline.counts.instructions < self.options.limit {
            match self.step::<TRACED>()? {
                Next::At(pc) => self.pc = pc,
                Next::Exit(code) => return Ok(code),
            }
        }
        Err(Fault::Limit { instructions: self.options.limit })
    }

    #[inline(always)]
    fn step<const TRACED: bool>(&mut self) -> Result<Next, Fault> {
        use Operation as O;
        let pc = self.pc;
        if pc < self.function.0 || pc >= self.function.1 {
            self.switch_function();
        }
        if TRACED {
            self.trace.add(pc);
        }
        if Memory::is_flash(pc) {
            self.pipeline.fetch(pc);
        }
        let instruction = self.memory.fetch(pc)?;
        let i = &instruction;
        let start = self.pipeline.start(i);
        let (a, b) = (self.register(i.rs1), self.register(i.rs2));
        let next = pc.wrapping_add(u32::from(i.length));
        match i.operation {
            O::Lb | O::Lh | O::Lw | O::Lbu | O::Lhu => self.load::<TRACED>(i, a, start)?,
            O::Sb | O::Sh | O::Sw => self.store::<TRACED>(i, a, b, start)?,
            O::Beq | O::Bne | O::Blt | O::Bge | O::Bltu | O::Bgeu | O::Jal | O::Jalr => {
                return self.jump(i, a, b, start).map(Next::At);
            }
            O::Mul | O::Mulh | O::Mulhsu | O::Mulhu | O::Div | O::Divu | O::Rem | O::Remu => {
                self.pipeline.drain(start);
                // A divider goes on for as many bits as its operands have, without their signs.
                let bits = match i.operation {
                    O::Div | O::Rem => Some([a, b].map(|x| x.cast_signed().unsigned_abs())),
                    O::Divu | O::Remu => Some([a, b]),
                    _ => None,
                };
                if TRACED && let Some([a, b]) = bits {
                    self.trace.add(a.leading_zeros() << 8 | b.leading_zeros());
                }
                let (start, latency) = self.pipeline.multiply(i.operation, start);
                self.pipeline.end(i, start, latency);
                self.set(i.rd, product(i.operation, a, b));
            }
            O::Illegal | O::Csr | O::Ecall | O::Ebreak => {
                if let Some(code) = self.system(i)? {
                    return Ok(Next::Exit(code));
                }
                self.pipeline.end(i, start, 1);
            }
            _ => {
                self.pipeline.drain(start);
                self.pipeline.end(i, start, 1);
                self.set(i.rd, sum(i, pc, a, b));
                // An address that takes two instructions is no stack pointer after the first.
                if usize::from(i.rd) == SP && !matches!(i.operation, O::Lui | O::Auipc) {
                    self.profile.stack_pointer(self.registers[SP]);
                }
            }
        }
        Ok(Next::At(next))
    }

    #[inline(always)]
    fn register(&self, number: u8) -> u32 {
        self.registers[usize::from(number & 31)]
    }

    #[inline(always)]
    fn set(&mut self, number: u8, value: u32) {
        if number != 0 {
            self.registers[usize::from(number & 31)] = value;
        }
    }

    #[inline(always)]
    fn load<const TRACED: bool>(&mut self, i: &Instruction, a: u32, start: u64) -> Result<(), Fault> {
        use Operation as O;
        let address = a.wrapping_add(i.immediate as u32);
        if TRACED {
            self.trace.add(address);
        }
        let value = match i.operation {
            O::Lw => self.memory.load::<4>(address)?,
            O::Lh => i32::from(self.memory.load::<2>(address)? as i16) as u32,
            O::Lhu => self.memory.load::<2>(address)?,
            O::Lb => i32::from(self.memory.load::<1>(address)? as i8) as u32,
            _ => self.memory.load::<1>(address)?,
        };
        let is_word = i.operation == O::Lw;
        let (start, latency) = self.pipeline.load(address, is_word, Memory::is_flash(address), start);
        self.pipeline.end(i, start, latency);
        self.set(i.rd, value);
        Ok(())
    }

    #[inline(always)]
    fn store<const TRACED: bool>(&mut self, i: &Instruction, a: u32, b: u32, start: u64) -> Result<(), Fault> {
        let address = a.wrapping_add(i.immediate as u32);
        if TRACED {
            self.trace.add(address);
        }
        match i.operation {
            Operation::Sw => self.memory.store::<4>(address, b)?,
            Operation::Sh => self.memory.store::<2>(address, b)?,
            _ => self.memory.store::<1>(address, b)?,
        }
        self.pipeline.drain(start);
        self.pipeline.store(address, start);
        self.pipeline.end(i, start, 1);
        Ok(())
    }

    /// Branches or jumps, and says where to.
    #[inline(always)]
    fn jump(&mut self, i: &Instruction, a: u32, b: u32, start: u64) -> Result<u32, Fault> {
        self.pipeline.drain(start);
        let after = self.pc.wrapping_add(u32::from(i.length));
        let (is_taken, target) = match i.operation {
            Operation::Jalr => (true, a.wrapping_add(i.immediate as u32) & !1),
            operation => (is_taken(operation, a, b), self.pc.wrapping_add(i.immediate as u32)),
        };
        let next = if is_taken { target } else { after };
        let is_cut = is_taken && next & 2 != 0 && self.memory.fetch(next).is_ok_and(|target| target.length == 4);
        let outcome = Outcome { pc: self.pc, next, is_taken };
        self.pipeline.end(i, start, 1);
        self.pipeline.go(i, outcome, is_cut);
        match i.operation {
            Operation::Jalr => {
                self.set(i.rd, after);
                self.profile.arrive(next, &self.pipeline.counts, self.registers[SP]);
            }
            // Nothing changes from one time to the next.
            _ if next == self.pc => return Err(Fault::Circle),
            Operation::Jal => self.set(i.rd, after),
            _ => {}
        }
        Ok(next)
    }

    /// Counts for another function from here on, whose call may be watched.
    #[cold]
    fn switch_function(&mut self) {
        let place = self.program.function_at(self.pc);
        self.profile.switch(&self.pipeline.counts, place);
        self.last = place.or(self.last);
        let beyond = (self.pc, self.pc.wrapping_add(1));
        self.function = place.map_or(beyond, |place| (self.program.functions[place].address, self.program.end(place)));
        if let Some((_, name)) = self.watched.iter().find(|(address, _)| *address == self.pc) {
            self.profile.enter(name, &self.pipeline.counts, self.registers[RA], self.registers[SP]);
        }
    }

    /// Does what a program asks of its surroundings; the exit code if it ends.
    #[cold]
    fn system(&mut self, i: &Instruction) -> Result<Option<u32>, Fault> {
        let size = usize::from(i.length);
        let bytes =
            self.memory.bytes(self.pc, size).ok_or(Fault::Unmapped { access: Access::Execute, address: self.pc })?;
        let word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        match i.operation {
            Operation::Csr => Err(Fault::Csr { word }),
            Operation::Ecall => Err(Fault::Call),
            Operation::Ebreak if self.is_semihosting() => self.semihosting(),
            Operation::Ebreak => Err(Fault::Breakpoint),
            _ => Err(Fault::Illegal { word }),
        }
    }

    /// Whether the breakpoint at `pc` is between the two instructions that mark semihosting.
    fn is_semihosting(&self) -> bool {
        const BEFORE: u32 = 0x01f0_1013;
        const AFTER: u32 = 0x4070_5013;
        let word = |address| self.memory.bytes(address, 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        word(self.pc.wrapping_sub(4)) == Some(BEFORE) && word(self.pc.wrapping_add(4)) == Some(AFTER)
    }

    /// The operation in a0 with the argument in a1, as RISC-V semihosting takes both from Arm's.
    fn semihosting(&mut self) -> Result<Option<u32>, Fault> {
        const APPLICATION_EXIT: u32 = 0x20026;
        let (operation, argument) = (self.registers[10], self.registers[11]);
        match operation {
            0x3 => self.output.push(self.memory.load::<1>(argument)? as u8),
            0x4 => {
                let mut address = argument;
                loop {
                    match self.memory.load::<1>(address)? as u8 {
                        0 => break,
                        byte => self.output.push(byte),
                    }
                    address = address.wrapping_add(1);
                }
            }
            0x18 => return Ok(Some(u32::from(argument != APPLICATION_EXIT))),
            0x20 => {
                let is_exit = self.memory.load::<4>(argument)? == APPLICATION_EXIT;
                let code = self.memory.load::<4>(argument.wrapping_add(4))?;
                return Ok(Some(if is_exit { code } else { 1 }));
            }
            _ => return Err(Fault::Semihosting { operation }),
        }
        self.registers[10] = 0;
        Ok(None)
    }
}

/// The results of instructions that need neither memory nor the multiplier.
#[inline(always)]
fn sum(i: &Instruction, pc: u32, a: u32, b: u32) -> u32 {
    use Operation as O;
    let immediate = i.immediate as u32;
    match i.operation {
        O::Lui => immediate,
        O::Auipc => pc.wrapping_add(immediate),
        O::Addi => a.wrapping_add(immediate),
        O::Slti => u32::from((a as i32) < i.immediate),
        O::Sltiu => u32::from(a < immediate),
        O::Xori => a ^ immediate,
        O::Ori => a | immediate,
        O::Andi => a & immediate,
        O::Slli => a << (immediate & 31),
        O::Srli => a >> (immediate & 31),
        O::Srai => ((a as i32) >> (immediate & 31)) as u32,
        O::Add => a.wrapping_add(b),
        O::Sub => a.wrapping_sub(b),
        O::Sll => a << (b & 31),
        O::Slt => u32::from((a as i32) < b as i32),
        O::Sltu => u32::from(a < b),
        O::Xor => a ^ b,
        O::Srl => a >> (b & 31),
        O::Sra => ((a as i32) >> (b & 31)) as u32,
        O::Or => a | b,
        O::And => a & b,
        // A fence has no result, and one program alone has nothing to wait for.
        _ => 0,
    }
}

/// The results of the M extension; division by zero and overflow have results, too.
#[inline(always)]
fn product(operation: Operation, a: u32, b: u32) -> u32 {
    use Operation as O;
    let signed = |x: u32| i64::from(x as i32);
    let high = |product: i64| (product >> 32) as u32;
    match operation {
        O::Mul => a.wrapping_mul(b),
        O::Mulh => high(signed(a) * signed(b)),
        O::Mulhsu => high(signed(a) * i64::from(b)),
        O::Mulhu => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        O::Div if b == 0 => u32::MAX,
        O::Div => (a as i32).wrapping_div(b as i32) as u32,
        O::Divu => a.checked_div(b).unwrap_or(u32::MAX),
        O::Rem if b == 0 => a,
        O::Rem => (a as i32).wrapping_rem(b as i32) as u32,
        _ => a.checked_rem(b).unwrap_or(a),
    }
}

/// Whether a branch is taken; jumps always are.
#[inline(always)]
fn is_taken(operation: Operation, a: u32, b: u32) -> bool {
    match operation {
        Operation::Beq => a == b,
        Operation::Bne => a != b,
        Operation::Blt => (a as i32) < b as i32,
        Operation::Bge => a as i32 >= b as i32,
        Operation::Bltu => a < b,
        Operation::Bgeu => a >= b,
        _ => true,
    }
}
