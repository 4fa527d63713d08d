//! This CPU, as the reference with which the table of instructions is compared.

use culet_isa::x86_64::cosim::{Machine, Outcome, Processor};

use crate::cpu::{Cpu, CpuRun, CpuState, MEMORY_BYTES};

impl Processor for Cpu {
    fn code(&self) -> u64 {
        Cpu::code(self)
    }

    fn landing(&self) -> u64 {
        Cpu::landing(self)
    }

    fn memory(&self) -> (u64, usize) {
        (Cpu::memory(self), MEMORY_BYTES)
    }

    fn run(&mut self, trials: &[(Vec<u8>, Machine)]) -> Result<Vec<Outcome>, String> {
        let runs: Vec<_> = trials.iter().map(|(code, machine)| to_run(code, machine)).collect();
        let results = Cpu::run(self, &runs).map_err(|error| error.to_string())?;
        Ok(results.iter().map(to_outcome).collect())
    }
}

fn to_run(code: &[u8], machine: &Machine) -> CpuRun {
    let mut bytes = [0; 15];
    bytes[..code.len()].copy_from_slice(code);
    let mut memory = [0; MEMORY_BYTES];
    memory.copy_from_slice(&machine.memory);
    let mut state = CpuState::default();
    state.general = machine.general;
    state.flags = machine.flags;
    state.masks = machine.masks;
    state.vectors = machine.vectors;
    CpuRun { code: bytes, length: code.len() as u8, state, memory }
}

fn to_outcome(result: &Result<CpuRun, i32>) -> Outcome {
    match result {
        Err(libc::SIGILL) => Outcome::Unknown,
        Err(_) => Outcome::Exception,
        Ok(CpuRun { state, memory, .. }) => Outcome::Done(Box::new(Machine {
            general: state.general,
            flags: state.flags,
            masks: state.masks,
            vectors: state.vectors,
            memory: memory.to_vec(),
            landed: state.landed == 1,
        })),
    }
}
