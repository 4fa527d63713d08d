/*
 * culet in one file: every operation of culet.h in portable C11, without Rust and without malloc.
 *
 *     cc -O2 program.c culet.c
 *
 * The README beside this file says how to leave parts out, what machines it runs on, and how it was tested. Functions whose names begin with
 * kernel_ are compiled from programs that read like the standards; what is written by hand copies bytes, keeps contexts and looks at
 * arguments. Nothing but culet_... is visible to other files.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include "start.c"
#include "kernels/definitions.c"
#include "base.c"
#include "parts.c"
#include "sha2.c"
#include "sponge.c"
#include "blake2.c"
#include "mac.c"
#include "stream.c"
#include "aead.c"
#include "segments.c"
#include "secretstream.c"
#include "gcm.c"
#include "curve25519.c"
#include "boxes.c"
#include "weierstrass.c"
#include "bip340.c"

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
