//! Examples that the help of each command ends with.

pub const CHECK: &str = "\
Examples:
  culet check cipher.ua
  culet check cipher.ua --node encrypt --slice v --message-format json";

pub const COMPILE: &str = "\
Examples:
  culet compile primitives/ciphers/aes128.ua --slice h --target avx2 -o out
  culet compile primitives/ciphers/aes128.toml --target sse,avx2,avx512 -o out/aes128
  culet compile primitives/curves/x25519.ua --target c64 --prove -o out
  culet compile primitives/curves/x25519.ua --language rust --name x25519 -o src
  culet compile primitives/curves/x25519.ua --target c32 --max-code 12k --max-stack 2k \\
      --cc riscv64-unknown-elf-gcc --cflags '-Os -march=rv32imc -mabi=ilp32 -ffreestanding' -o out";

pub const RUN: &str = "\
Examples:
  culet run cipher.ua --slice v --interpret --input plain=00112233 --input key=8899aabb
  culet run primitives/ciphers/aes128.toml --mode ctr --key 000102030405060708090a0b0c0d0e0f \\
      --iv 00000000000000000000000000000000 message.txt -o message.aes";

pub const TEST: &str = "\
Examples:
  culet test primitives/ciphers
  culet test primitives/ciphers/aes128.toml --interpret
  culet test primitives/ciphers/aes128.toml --target neon --cc aarch64-linux-gnu-gcc-12 --runner qemu-aarch64";

pub const DUMP: &str = "\
Examples:
  culet dump cipher.ua --slice v --after program
  culet dump cipher.ua --slice b --target avx2 --after schedule > cipher.ir
  culet dump primitives/curves/x25519.ua --target c64 --carries";

pub const TUNE: &str = "\
Examples:
  culet tune primitives/ciphers/rectangle.ua --slice auto --target avx2
  culet tune primitives/ciphers/rectangle.ua --slice v --bytes 64,16k --time 20
  culet tune primitives/ciphers/rectangle.ua --slice v --target c64 --max-code 4k --max-stack 1k
  culet tune primitives/streams/chacha20_xor.ua --bytes 64,1400";

pub const BENCH: &str = "\
Examples:
  culet bench primitives/ciphers/aes128.toml
  culet bench primitives/ciphers --slice b --target avx2 --cc clang-19
  culet bench primitives/aead/chacha20_poly1305.ua --node chacha20_poly1305_seal --target c64,avx2 --bytes 64,1400,16k";

pub const PROVE: &str = "\
Examples:
  culet prove out/aes128_h_avx2.o --source primitives/ciphers/aes128.ua
  culet prove multiply.o --contract multiply.toml --cpu-limit 120
  culet prove app --safe --symbol x25519 --arguments 'r: out 32, k: in 32, u: in 32'
  culet prove out/aes128_h_avx2.o --source primitives/ciphers/aes128.ua --mutate 100";

pub const VERIFY: &str = "\
Examples:
  culet verify target/release/app
  culet verify app --json > proofs.json
  culet verify app --only x25519";

pub const CONTRACT: &str = "\
Examples:
  culet contract curve25519_64.c -o contracts
  culet prove curve25519.o --contract contracts/fiat_25519_carry_mul.toml";

pub const EQUAL: &str = "\
Examples:
  culet equal plain.ua fast.ua
  culet equal formulas.ua formulas.ua --node sum --other-node double";

pub const SBOX: &str = "\
Examples:
  culet sbox aes
  culet sbox 12,5,6,11,9,0,10,13,3,14,15,8,4,7,1,2 --target avx2 --time 60";

pub const FIELD: &str = "\
Examples:
  culet field 'GF(2^255 - 19)' -o out
  culet field 'GF(2^255 - 19)' --ops mul,square,inv --target c32 --name fe25519 -o out
  culet field 'GF(2^130 - 5)' --language rust --radix 44 -o src";

pub const LIBRARY: &str = "\
Examples:
  culet library --check
  culet library library/kernels.toml";

pub const EXPLAIN: &str = "\
Examples:
  culet explain E0320
  culet explain";

pub const DEMO: &str = "\
Examples:
  culet demo
  culet demo chacha20 --file message.txt -o report.html";

pub const COMPLETIONS: &str = "\
Examples:
  culet completions bash > ~/.local/share/bash-completion/completions/culet";

pub const MAN: &str = "\
Examples:
  culet man > culet.1";
