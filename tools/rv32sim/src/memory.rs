//! The board's memory: flash, which programs only read, and RAM.

use crate::fault::{Access, Fault};
use crate::instruction::Instruction;

/// Where the flash begins.
pub const FLASH: u32 = 0x2000_0000;
/// Where the RAM begins.
pub const RAM: u32 = 0x8000_0000;
/// The flash's size in bytes, 4 MiB as on the HiFive1 rev B.
pub const FLASH_BYTES: usize = 4 << 20;

/// A part of memory with the instructions that have been decoded there.
#[derive(Debug)]
struct Region {
    start: u32,
    bytes: Vec<u8>,
    /// One for every two bytes.
    decoded: Vec<Instruction>,
}

/// Flash and RAM.
#[derive(Debug)]
pub(crate) struct Memory {
    flash: Region,
    ram: Region,
}

impl Region {
    fn new(start: u32, size: usize) -> Self {
        let size = size.next_multiple_of(4);
        Self { start, bytes: vec![0; size], decoded: vec![Instruction::NONE; size / 2] }
    }

    fn slice(&self, address: u32, size: usize) -> Option<&[u8]> {
        let offset = address.wrapping_sub(self.start) as usize;
        self.bytes.get(offset..offset.checked_add(size)?)
    }

    fn slice_mut(&mut self, address: u32, size: usize) -> Option<&mut [u8]> {
        let offset = address.wrapping_sub(self.start) as usize;
        self.bytes.get_mut(offset..offset.checked_add(size)?)
    }

    /// Forgets what was decoded from a word or less at this address, or from bytes just before it.
    fn forget(&mut self, address: u32, size: usize) {
        let offset = address.wrapping_sub(self.start) as usize;
        let first = (offset / 2).saturating_sub(1);
        let end = (offset + size).div_ceil(2).min(self.decoded.len());
        self.decoded[first..end].fill(Instruction::NONE);
    }
}

impl Memory {
    /// Flash up to the end of the program, at most all of it, and RAM.
    pub(crate) fn new(flash_bytes: usize, ram_bytes: usize) -> Self {
        Self { flash: Region::new(FLASH, flash_bytes.min(FLASH_BYTES)), ram: Region::new(RAM, ram_bytes) }
    }

    /// Whether an address is in the flash, if it is in memory at all.
    pub(crate) const fn is_flash(address: u32) -> bool {
        address < RAM
    }

    /// Bytes anywhere in memory, as programs are loaded.
    pub(crate) fn bytes_mut(&mut self, address: u32, size: usize) -> Option<&mut [u8]> {
        let region = if Self::is_flash(address) { &mut self.flash } else { &mut self.ram };
        region.slice_mut(address, size)
    }

    pub(crate) fn bytes(&self, address: u32, size: usize) -> Option<&[u8]> {
        let region = if Self::is_flash(address) { &self.flash } else { &self.ram };
        region.slice(address, size)
    }

    /// The instruction at an address.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, pc: u32) -> Result<Instruction, Fault> {
        let region = if Self::is_flash(pc) { &mut self.flash } else { &mut self.ram };
        let place = (pc.wrapping_sub(region.start) >> 1) as usize;
        match region.decoded.get(place) {
            Some(&instruction) if instruction.length != 0 => Ok(instruction),
            _ => Self::decode(region, pc),
        }
    }

    #[cold]
    fn decode(region: &mut Region, pc: u32) -> Result<Instruction, Fault> {
        let unmapped = Fault::Unmapped { access: Access::Execute, address: pc };
        let half = |address| region.slice(address, 2).map(|b| u32::from(b[0]) | u32::from(b[1]) << 8);
        let low = half(pc).ok_or(unmapped)?;
        let high = if low & 3 == 3 { half(pc.wrapping_add(2)).ok_or(unmapped)? } else { 0 };
        let instruction = Instruction::decode(low | high << 16);
        let place = (pc.wrapping_sub(region.start) >> 1) as usize;
        region.decoded[place] = instruction;
        Ok(instruction)
    }

    /// The word of 4, 2 or 1 bytes at an address.
    #[inline(always)]
    pub(crate) fn load<const SIZE: usize>(&self, address: u32) -> Result<u32, Fault> {
        if address as usize & (SIZE - 1) != 0 {
            return Err(Fault::Misaligned { access: Access::Load, address, size: SIZE });
        }
        let region = if Self::is_flash(address) { &self.flash } else { &self.ram };
        let bytes = region.slice(address, SIZE).ok_or(Fault::Unmapped { access: Access::Load, address })?;
        let mut word = [0; 4];
        word[..SIZE].copy_from_slice(bytes);
        Ok(u32::from_le_bytes(word))
    }

    /// Stores a word of 4, 2 or 1 bytes.
    #[inline(always)]
    pub(crate) fn store<const SIZE: usize>(&mut self, address: u32, value: u32) -> Result<(), Fault> {
        if address as usize & (SIZE - 1) != 0 {
            return Err(Fault::Misaligned { access: Access::Store, address, size: SIZE });
        }
        let Some(bytes) = self.ram.slice_mut(address, SIZE) else {
            return Err(Fault::Unmapped { access: Access::Store, address });
        };
        bytes.copy_from_slice(&value.to_le_bytes()[..SIZE]);
        let place = (address.wrapping_sub(RAM) >> 1) as usize;
        if self.ram.decoded[place].length != 0 || place > 0 && self.ram.decoded[place - 1].length != 0 {
            self.ram.forget(address, SIZE);
        }
        Ok(())
    }
}
