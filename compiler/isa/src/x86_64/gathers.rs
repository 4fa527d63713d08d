//! Gathers and scatters: each lane has an address of its own. The accessed lanes must be known, as every address must.

use super::machine::{Filled, Machine, Memory, Outcome, Stop};
use crate::Values;
use iced_x86::Register;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `vpgather`, `vgather`: loads lanes of `element` bits from addresses given by indices of `index` bits. The mask,
    /// which is a mask register or the signs of a vector's lanes, is zero afterwards.
    pub fn gather(&mut self, element: u32, index: u32) -> Outcome<(), V, M> {
        let (target, indices) = (self.register(0), self.vector_index()?);
        let mask = self.register(2);
        let shared = [(target, indices), (target, mask), (mask, indices)];
        if shared.iter().any(|(a, b)| a.is_vector_register() && b.is_vector_register() && a.number() == b.number()) {
            return Err(self.unsupported("the instruction raises an exception where it uses a register twice"));
        }
        let lanes = self.indexed_lanes(0, element, index)?;
        let old = self.read(0)?;
        let chosen = match mask.is_vector_register() {
            true => {
                let signs = self.read_bits(2, lanes * element)?;
                self.sign_bits(element, lanes * element, &signs)
            }
            false => self.needed_mask(lanes)?,
        };
        let chosen = self.need_known_for_access(lanes, &chosen, "which lanes are gathered is not known")?;
        let mut parts = Vec::with_capacity(lanes as usize);
        for lane in 0..lanes {
            parts.push(if chosen >> lane & 1 == 1 {
                let address = self.indexed_address(indices, index, lane)?;
                self.memory.load(self.values, &address, element / 8, 1).map_err(Stop::Fault)?
            } else {
                self.values.extract(self.bits(0), &old, lane * element, element)
            });
        }
        let word = self.values.join(element, &parts);
        self.state.vectors[target.number()] = self.values.zero_extend(512, lanes * element, &word);
        match mask.is_vector_register() {
            true => self.state.vectors[mask.number()] = self.values.zero(512),
            false => self.clear_mask(),
        }
        Ok(())
    }

    /// `vpscatter`, `vscatter`: stores lanes of `element` bits at addresses given by indices of `index` bits, the
    /// lowest lane first.
    pub fn scatter(&mut self, element: u32, index: u32) -> Outcome<(), V, M> {
        let indices = self.vector_index()?;
        let lanes = self.indexed_lanes(1, element, index)?;
        let chosen = self.needed_mask(lanes)?;
        let chosen = self.need_known_for_access(lanes, &chosen, "which lanes are scattered is not known")?;
        let word = self.read(1)?;
        for lane in (0..lanes).filter(|lane| chosen >> lane & 1 == 1) {
            let address = self.indexed_address(indices, index, lane)?;
            let part = self.values.extract(self.bits(1), &word, lane * element, element);
            self.memory.store(self.values, &address, element / 8, 1, &part).map_err(Stop::Fault)?;
        }
        self.clear_mask();
        Ok(())
    }

    fn vector_index(&self) -> Outcome<Register, V, M> {
        let code = self.instruction.decoded();
        if code.memory_base().is_gpr32() || !code.memory_index().is_vector_register() {
            return Err(self.unsupported("only vectors as indices and addresses of 64 bits have a meaning here"));
        }
        Ok(code.memory_index())
    }

    /// The number of lanes that both the data operand and the indices have.
    fn indexed_lanes(&self, data: u32, element: u32, index: u32) -> Outcome<u32, V, M> {
        let indices = 8 * self.vector_index()?.size() as u32 / index;
        Ok(indices.min(self.bits(data) / element))
    }

    fn needed_mask(&mut self, lanes: u32) -> Outcome<V::Word, V, M> {
        self.lane_mask(lanes).ok_or_else(|| self.unsupported("the instruction raises an exception without a mask"))
    }

    fn clear_mask(&mut self) {
        let mask = self.instruction.decoded().op_mask().number();
        self.state.masks[mask] = self.values.zero(64);
    }

    /// The sum of the base, the displacement and a scaled lane of the indices.
    fn indexed_address(&mut self, indices: Register, index: u32, lane: u32) -> Outcome<V::Word, V, M> {
        let code = *self.instruction.decoded();
        let whole = self.state.vectors[indices.number()].clone();
        let part = self.values.extract(512, &whole, lane * index, index);
        let part = self.values.sign_extend(64, index, &part);
        let scaled = self.values.shl(64, &part, code.memory_index_scale().trailing_zeros());
        let displacement = match self.memory.linked(self.values, self.instruction, Filled::Displacement) {
            Some(displacement) => displacement,
            None => self.values.constant(64, code.memory_displacement64()),
        };
        let address = self.values.add(64, &scaled, &displacement);
        if code.memory_base() == Register::None {
            return Ok(address);
        }
        let base = self.read_register(code.memory_base(), 64)?;
        Ok(self.values.add(64, &base, &address))
    }
}
