//! Calls of a kernel's functions: the function on registers, and those that pack and unpack registers.

use culet_term::{Term, Terms};

use super::values::{Application, Array, BlockId, Values};
use super::{Effects, Place, Written, unsupported};
use crate::execute::Execution;
use crate::theorem::Purpose;
use crate::unknown::{After, Stage};
use crate::violation::ViolationKind;

impl<'p> Effects for Values<'p> {
    type Says = Purpose<'p>;

    fn begin(&mut self, stage: Stage) {
        Values::begin(self, stage);
    }

    fn written(
        &mut self,
        terms: &mut Terms,
        execution: &mut Execution,
        purpose: Purpose<'p>,
        places: &[Place],
        _: After<'_>,
    ) -> Result<Vec<Written>, ViolationKind> {
        match purpose {
            Purpose::Sliced => {
                let results = self.results.len();
                let mut packed = Vec::new();
                for (index, place) in places[results..].iter().enumerate() {
                    packed.push(self.packed(terms, execution, index, place)?);
                }
                let block = |blocks: &Vec<BlockId>, instance: usize| blocks[instance.min(blocks.len() - 1)];
                let applications: Vec<_> = (0..self.instances() as usize)
                    .map(|instance| self.apply(packed.iter().map(|blocks| block(blocks, instance)).collect()))
                    .collect();
                let arrays = (0..results).map(|index| (index, Array::Result(index, applications.clone())));
                Ok(arrays.flat_map(|(index, array)| self.registers_of(terms, index, array)).collect())
            }
            Purpose::Pack(var) | Purpose::PackWith(var, _) => {
                let index = self.parameter(var).ok_or_else(|| unsupported("a parameter of another program"))?;
                let blocks = self.blocks(terms, execution, index, &places[1])?;
                Ok(self.registers_of(terms, 0, Array::Packed(index, blocks)))
            }
            Purpose::Unpack(var) | Purpose::UnpackWith(var, _) => {
                let index = self.result(var).ok_or_else(|| unsupported("a result of another program"))?;
                let words = self.read_registers(terms, execution, &places[1]);
                match self.recognise(&words).as_deref() {
                    Some(Array::Result(result, applications)) if *result == index => {
                        Ok(self.blocks_of(terms, index, applications))
                    }
                    _ => {
                        let what = format!("the registers of {} are not what the program computed", var.name);
                        Err(ViolationKind::Unsupported(what))
                    }
                }
            }
        }
    }
}

impl Values<'_> {
    /// Returns the words of an array as the contents of an argument.
    fn registers_of(&mut self, terms: &mut Terms, argument: usize, array: Array) -> Vec<Written> {
        let words = self.array(terms, array);
        let register = i64::from(self.specification.layout.register_bits / 8);
        (0..).zip(&words[..]).map(|(index, &word)| (argument, index * register, word)).collect()
    }

    /// Returns the bytes of a result as the contents of the first argument.
    fn blocks_of(&mut self, terms: &mut Terms, result: usize, applications: &[Application]) -> Vec<Written> {
        let mut words = Vec::new();
        for (instance, &application) in (0..).zip(applications) {
            let block = self.output(terms, result, application);
            let shape = &self.results[result].block;
            let start = instance * shape.length;
            words.extend(shape.words().zip(&block[..]).map(|((offset, _), &word)| (0, start + offset, word)));
        }
        words
    }

    fn read_registers(&self, terms: &mut Terms, execution: &mut Execution, place: &Place) -> Vec<Term> {
        let bytes = self.specification.layout.register_bits / 8;
        let offsets = place.range.clone().step_by(bytes as usize);
        offsets.map(|offset| execution.memory.get(terms, place.region, offset, bytes)).collect()
    }

    /// Returns the blocks from which a parameter's registers were packed.
    fn packed(
        &self,
        terms: &mut Terms,
        execution: &mut Execution,
        index: usize,
        place: &Place,
    ) -> Result<Vec<BlockId>, ViolationKind> {
        let words = self.read_registers(terms, execution, place);
        match self.recognise(&words).as_deref() {
            Some(Array::Packed(parameter, blocks)) if *parameter == index => Ok(blocks.clone()),
            _ => {
                let name = &self.parameters[index].var.name;
                Err(ViolationKind::Unsupported(format!("the registers of {name} are not what its packing gave")))
            }
        }
    }

    /// Returns the blocks of a parameter's bytes.
    fn blocks(
        &mut self,
        terms: &mut Terms,
        execution: &mut Execution,
        index: usize,
        place: &Place,
    ) -> Result<Vec<BlockId>, ViolationKind> {
        let mut blocks = Vec::new();
        let (length, offsets): (i64, Vec<_>) = {
            let block = &self.parameters[index].block;
            (block.length, block.words().collect())
        };
        for start in place.range.clone().step_by(length as usize) {
            let word = |&(offset, bytes): &(i64, u32)| execution.memory.get(terms, place.region, start + offset, bytes);
            let words: Vec<Term> = offsets.iter().map(word).collect();
            let port = &self.parameters[index];
            if !port.block.is_padded(terms, &words) {
                let name = &port.var.name;
                return Err(ViolationKind::Unsupported(format!("bits of {name} that hold nothing may be ones")));
            }
            blocks.push(self.block(words));
        }
        Ok(blocks)
    }
}
