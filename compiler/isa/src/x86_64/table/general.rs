//! Instructions on general registers, mask registers and control flow.

use super::table;
use crate::Values;
use crate::x86_64::FlagName;
use crate::x86_64::machine::{Machine, Memory, Next, Outcome, Stop};
use crate::x86_64::masks::equivalence;
use crate::x86_64::shifts::Direction::{Left, Right};
use crate::x86_64::vector_logic::not_and;
use iced_x86::{Mnemonic, Register};

table! { m;
    straight {
        // Moves of general registers.
        Mov, Independent => m.mov();
        Movzx, Independent => m.move_zero_extended();
        Movsx | Movsxd, Independent => m.move_sign_extended();
        Cmova | Cmovae | Cmovb | Cmovbe | Cmove | Cmovg | Cmovge | Cmovl | Cmovle | Cmovne | Cmovno | Cmovnp | Cmovns
            | Cmovo | Cmovp | Cmovs, Independent => m.conditional_move();
        Seta | Setae | Setb | Setbe | Sete | Setg | Setge | Setl | Setle | Setne | Setno | Setnp | Setns | Seto | Setp
            | Sets, Independent => m.set_on_condition();
        Xchg, Presumed => m.exchange();
        Bswap, Independent => m.byte_swap();
        Movbe, Presumed => m.move_byte_swapped();
        Lea, Independent => m.load_address();
        Push, Independent => m.push_operand();
        Pop, Independent => m.pop_operand();
        Leave, Presumed => m.leave();
        Cbw, Presumed => m.extend_accumulator(Register::AX);
        Cwde, Presumed => m.extend_accumulator(Register::EAX);
        Cdqe, Presumed => m.extend_accumulator(Register::RAX);
        Cwd, Presumed => m.spread_sign(Register::AX, Register::DX);
        Cdq, Presumed => m.spread_sign(Register::EAX, Register::EDX);
        Cqo, Independent => m.spread_sign(Register::RAX, Register::RDX);
        Nop | Endbr64 | Pause, Independent => Ok::<(), Stop<M::Fault>>(());
        // Their time depends on addresses and counts, which are public.
        Movsb, Presumed => m.copy_string(8);
        Movsw, Presumed => m.copy_string(16);
        Movsq, Presumed => m.copy_string(64);
        Stosb, Presumed => m.fill_string(Register::AL);
        Stosw, Presumed => m.fill_string(Register::AX);
        Stosd, Presumed => m.fill_string(Register::EAX);
        Stosq, Presumed => m.fill_string(Register::RAX);
        Lfence | Sfence | Mfence, Presumed => Ok::<(), Stop<M::Fault>>(());

        // Arithmetic of general registers.
        Add, Independent => m.add();
        Adc, Independent => m.add_with_carry();
        Adcx, Independent => m.add_with_flag(FlagName::Carry);
        Adox, Independent => m.add_with_flag(FlagName::Overflow);
        Xadd, Unlisted => m.exchange_and_add();
        Sub, Independent => m.sub();
        Sbb, Independent => m.subtract_with_borrow();
        Cmp, Independent => m.compare();
        Inc, Independent => m.increment();
        Dec, Independent => m.decrement();
        Neg, Independent => m.negate();
        Not, Independent => m.complement();
        And, Independent => m.logic(V::and);
        Or, Independent => m.logic(V::or);
        Xor, Independent => m.logic(V::xor);
        Test, Independent => m.test();
        Andn, Independent => m.and_not();
        Clc, Presumed => m.set_carry(0);
        Stc, Presumed => m.set_carry(1);
        Cmc, Presumed => m.complement_carry();
        // The direction flag is always clear.
        Cld, Presumed => Ok::<(), Stop<M::Fault>>(());
        Mul, Independent => m.multiply();
        Imul, Independent => m.multiply_signed();
        Mulx, Independent => m.multiply_without_flags();

        // Shifts and bits of general registers.
        Shl | Sal, Independent => m.shift(Left, V::shl, false);
        Shr, Independent => m.shift(Right, V::shr, false);
        Sar, Independent => m.shift(Right, V::sar, true);
        Rol, Independent => m.rotate(Left);
        Ror, Independent => m.rotate(Right);
        Rcl, Unlisted => m.rotate_through_carry(Left);
        Rcr, Unlisted => m.rotate_through_carry(Right);
        Shld, Independent => m.double_shift(Left);
        Shrd, Independent => m.double_shift(Right);
        Rorx, Independent => m.rotate_without_flags();
        Shlx, Independent => m.shift_without_flags(V::shl);
        Shrx, Independent => m.shift_without_flags(V::shr);
        Sarx, Presumed => m.shift_without_flags(V::sar);
        Bt, Independent => m.bit_test(None);
        Bts, Independent => m.bit_test(Some(V::or));
        Btr, Independent => m.bit_test(Some(V::andn));
        Btc, Independent => m.bit_test(Some(V::xor));
        Blsr, Presumed => m.reset_lowest_set_bit();
        Blsmsk, Presumed => m.mask_to_lowest_set_bit();
        Blsi, Presumed => m.isolate_lowest_set_bit();
        Bzhi, Presumed => m.zero_high_bits();
        Bextr, Presumed => m.extract_bit_field();
        Tzcnt, Presumed => m.count_trailing_zeros();
        Lzcnt, Presumed => m.count_leading_zeros();
        Bsf, Unlisted => m.scan(true);
        Bsr, Unlisted => m.scan(false);
        Popcnt, Presumed => m.population_count();

        // Mask registers.
        Kmovb, Independent => m.move_mask(8);
        Kmovw, Independent => m.move_mask(16);
        Kmovd, Independent => m.move_mask(32);
        Kmovq, Independent => m.move_mask(64);
        Kandb, Independent => m.mask_logic(8, V::and);
        Kandw, Independent => m.mask_logic(16, V::and);
        Kandd, Independent => m.mask_logic(32, V::and);
        Kandq, Independent => m.mask_logic(64, V::and);
        Kandnb, Independent => m.mask_logic(8, not_and);
        Kandnw, Independent => m.mask_logic(16, not_and);
        Kandnd, Independent => m.mask_logic(32, not_and);
        Kandnq, Independent => m.mask_logic(64, not_and);
        Korb, Independent => m.mask_logic(8, V::or);
        Korw, Independent => m.mask_logic(16, V::or);
        Kord, Independent => m.mask_logic(32, V::or);
        Korq, Independent => m.mask_logic(64, V::or);
        Kxorb, Independent => m.mask_logic(8, V::xor);
        Kxorw, Independent => m.mask_logic(16, V::xor);
        Kxord, Independent => m.mask_logic(32, V::xor);
        Kxorq, Independent => m.mask_logic(64, V::xor);
        Kxnorb, Independent => m.mask_logic(8, equivalence);
        Kxnorw, Independent => m.mask_logic(16, equivalence);
        Kxnord, Independent => m.mask_logic(32, equivalence);
        Kxnorq, Independent => m.mask_logic(64, equivalence);
        Kaddb, Independent => m.mask_logic(8, V::add);
        Kaddw, Independent => m.mask_logic(16, V::add);
        Kaddd, Independent => m.mask_logic(32, V::add);
        Kaddq, Independent => m.mask_logic(64, V::add);
        Knotb, Independent => m.mask_complement(8);
        Knotw, Independent => m.mask_complement(16);
        Knotd, Independent => m.mask_complement(32);
        Knotq, Independent => m.mask_complement(64);
        Kshiftlb, Independent => m.mask_shift(8, true);
        Kshiftlw, Independent => m.mask_shift(16, true);
        Kshiftld, Independent => m.mask_shift(32, true);
        Kshiftlq, Independent => m.mask_shift(64, true);
        Kshiftrb, Independent => m.mask_shift(8, false);
        Kshiftrw, Independent => m.mask_shift(16, false);
        Kshiftrd, Independent => m.mask_shift(32, false);
        Kshiftrq, Independent => m.mask_shift(64, false);
        Kunpckbw, Independent => m.mask_unpack(8);
        Kunpckwd, Independent => m.mask_unpack(16);
        Kunpckdq, Independent => m.mask_unpack(32);
        Kortestb, Independent => m.mask_or_test(8);
        Kortestw, Independent => m.mask_or_test(16);
        Kortestd, Independent => m.mask_or_test(32);
        Kortestq, Independent => m.mask_or_test(64);
        Ktestb, Independent => m.mask_test(8);
        Ktestw, Independent => m.mask_test(16);
        Ktestd, Independent => m.mask_test(32);
        Ktestq, Independent => m.mask_test(64);
        Vpmovm2b, Independent => m.mask_to_vector(8);
        Vpmovm2w, Independent => m.mask_to_vector(16);
        Vpmovm2d, Independent => m.mask_to_vector(32);
        Vpmovm2q, Independent => m.mask_to_vector(64);
        Vpmovb2m, Independent => m.vector_to_mask(8);
        Vpmovw2m, Independent => m.vector_to_mask(16);
        Vpmovd2m, Independent => m.vector_to_mask(32);
        Vpmovq2m, Independent => m.vector_to_mask(64);
        Vpbroadcastmb2q, Independent => m.broadcast_mask(8, 64);
        Vpbroadcastmw2d, Independent => m.broadcast_mask(16, 32);
    }
    jumping {
        Jmp, Independent => m.jump();
        Ja | Jae | Jb | Jbe | Je | Jg | Jge | Jl | Jle | Jne | Jno | Jnp | Jns | Jo | Jp | Js, Independent
            => m.jump_on_condition();
        Jrcxz, Independent => m.jump_on_zero_counter(Register::RCX);
        Jecxz, Independent => m.jump_on_zero_counter(Register::ECX);
        Call, Independent => m.call();
        Ret, Independent => m.ret();
        Ud2 | Int3 | Hlt, Independent => Err(Stop::Trap);
    }
    without_meaning {
        Div | Idiv | Pdep | Pext, Variable;
        Scasb | Scasw | Scasd | Scasq | Cmpsb | Cmpsw | Cmpsq, Variable;
    }
}
