//! The extensions of x86-64 that instructions need.

use iced_x86::CpuidFeature;

use super::Instruction;

/// Features that every CPU for x86-64 has, and CET's marks of branch targets, which are no operations on all other
/// CPUs.
const EVERYWHERE: [CpuidFeature; 13] = [
    CpuidFeature::INTEL8086,
    CpuidFeature::INTEL186,
    CpuidFeature::INTEL286,
    CpuidFeature::INTEL386,
    CpuidFeature::INTEL486,
    CpuidFeature::X64,
    CpuidFeature::FPU,
    CpuidFeature::MMX,
    CpuidFeature::CMOV,
    CpuidFeature::SSE,
    CpuidFeature::SSE2,
    CpuidFeature::MULTIBYTENOP,
    CpuidFeature::CET_IBT,
];

/// The names of the extensions that a CPU must have to execute an instruction, as CPUID's flags are called.
pub fn extensions(instruction: &Instruction) -> impl Iterator<Item = String> {
    let needed = instruction.decoded().cpuid_features().iter();
    needed.filter(|feature| !EVERYWHERE.contains(feature)).map(|feature| format!("{feature:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::x86_64::decode;

    #[test]
    fn extensions_are_named() {
        let of = |bytes: &[u8]| extensions(&decode(bytes, 0).expect("an instruction")).collect::<Vec<_>>();
        assert!(of(&[0x48, 0x01, 0xd8]).is_empty());
        assert!(of(&[0xf3, 0x0f, 0x1e, 0xfa]).is_empty());
        assert_eq!(of(&[0xc5, 0xfd, 0xef, 0xc0]), ["AVX2"]);
        assert_eq!(of(&[0xc4, 0xe2, 0xfb, 0xf6, 0xc1]), ["BMI2"]);
        assert_eq!(of(&[0x62, 0xf1, 0x7d, 0x28, 0xef, 0xc0]), ["AVX512VL", "AVX512F"]);
    }
}
