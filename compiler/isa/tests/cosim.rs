//! The table against this CPU, and tests that the comparison notices errors.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use culet_isa::x86_64::cosim::{Model, Options, Report, cosimulate, forms};
use culet_isa::x86_64::{self, Flag, Instruction};
use culet_native::Cpu;
use iced_x86::{Code, Mnemonic};
use std::io::Write;

fn option(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// The options. `CULET_COSIM_TRIALS` and `CULET_COSIM_SEED` change the number of trials of a form, and their seed.
fn options(trials: u64) -> Options {
    Options { trials: option("CULET_COSIM_TRIALS", trials) as u32, seed: option("CULET_COSIM_SEED", 1) }
}

/// Whether there is nothing to compare with: registers of 512 bits are needed to see all effects of instructions.
fn lacks_avx512() -> bool {
    let lacks = !(is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw"));
    if lacks {
        writeln!(std::io::stdout(), "NOT COMPARED: this CPU lacks AVX-512 F and BW").expect("stdout");
    }
    lacks
}

fn compare(only: &[Mnemonic], trials: u64, model: Model) -> Report {
    let mut cpu = Cpu::new().expect("a CPU with AVX-512 to compare with");
    let forms: Vec<_> = forms().into_iter().filter(|f| only.is_empty() || only.contains(&f.code.mnemonic())).collect();
    cosimulate(&mut cpu, &forms, options(trials), model, &mut |_| {}).expect("the CPU runs instructions")
}

#[test]
fn every_form_does_what_the_cpu_does() {
    if lacks_avx512() {
        return;
    }
    let report =
        compare(&[], 6, &|values, state, memory, instruction| x86_64::step(values, state, memory, instruction));
    writeln!(std::io::stdout(), "{report}").expect("stdout");
    assert!(report.mismatches.is_empty(), "{report}");
    assert!(report.compared > 3000, "{report}");
    // The second decoder has errors of its own, in rare forms.
    assert!(10 * report.disagreements.len() < report.compared, "{report}");
}

/// The report on a model that takes one opcode for another.
fn swapped(from: Code, to: Code) -> Report {
    compare(&[from.mnemonic()], 40, &|values, state, memory, instruction| {
        let mut decoded = *instruction.decoded();
        if decoded.code() == from {
            decoded.set_code(to);
        }
        x86_64::step(values, state, memory, &Instruction::from(decoded))
    })
}

#[test]
fn swapped_meanings_are_noticed() {
    if lacks_avx512() {
        return;
    }
    for (from, to) in [
        (Code::Add_rm64_r64, Code::Sub_rm64_r64),
        (Code::Adcx_r64_rm64, Code::Adox_r64_rm64),
        (Code::Cmovb_r32_rm32, Code::Cmovbe_r32_rm32),
        (Code::Shl_rm64_imm8, Code::Shr_rm64_imm8),
        (Code::Jb_rel32_64, Code::Jae_rel32_64),
        (Code::Imul_r64_rm64, Code::And_r64_rm64),
        (Code::VEX_Vpaddd_ymm_ymm_ymmm256, Code::VEX_Vpaddq_ymm_ymm_ymmm256),
        (Code::VEX_Vpunpcklbw_ymm_ymm_ymmm256, Code::VEX_Vpunpckhbw_ymm_ymm_ymmm256),
        (Code::VEX_Kandq_kr_kr_kr, Code::VEX_Kandnq_kr_kr_kr),
        (Code::EVEX_Vpmadd52luq_zmm_k1z_zmm_zmmm512b64, Code::EVEX_Vpmadd52huq_zmm_k1z_zmm_zmmm512b64),
        (Code::Movdqu_xmm_xmmm128, Code::Movdqa_xmm_xmmm128),
        (Code::Aesenc_xmm_xmmm128, Code::Aesenclast_xmm_xmmm128),
        (Code::Sha256msg1_xmm_xmmm128, Code::Sha256msg2_xmm_xmmm128),
    ] {
        let report = swapped(from, to);
        assert!(!report.mismatches.is_empty(), "{from:?} as {to:?}: {report}");
    }
}

#[test]
fn a_wrong_flag_and_a_wrong_width_are_noticed() {
    if lacks_avx512() {
        return;
    }
    let dropped_carry = compare(&[Mnemonic::Adc], 40, &|values, state, memory, instruction| {
        let next = x86_64::step(values, state, memory, instruction)?;
        state.flags.carry = Flag::Bit(culet_isa::Wide::default());
        Ok(next)
    });
    assert!(!dropped_carry.mismatches.is_empty(), "{dropped_carry}");
    let kept_upper_half = compare(&[Mnemonic::Mov], 40, &|values, state, memory, instruction| {
        let before = state.general;
        let next = x86_64::step(values, state, memory, instruction)?;
        let register = instruction.decoded().op0_register();
        if register.is_gpr32() {
            let number = register.full_register().number();
            let (old, new) = (before[number].low(), state.general[number].low());
            state.general[number] = culet_isa::Wide::from_limbs(&[old & !0xffff_ffff | new]);
        }
        Ok(next)
    });
    assert!(!kept_upper_half.mismatches.is_empty(), "{kept_upper_half}");
}
