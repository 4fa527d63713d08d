/* Bit-matrix transposition written by hand, to measure the generated one by. REGISTER_BITS blocks of 16 bytes become 128
 * registers: bit s of register 8 j + 7 - t is bit t of byte j of block s. */
#include <stdint.h>

void hand_pack(void *registers, const uint8_t *bytes);
void hand_unpack(uint8_t *bytes, const void *registers);
