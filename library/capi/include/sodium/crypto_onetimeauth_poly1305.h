/* A part of libsodium by its own name; all parts are in one header. */
#include "../sodium.h"
