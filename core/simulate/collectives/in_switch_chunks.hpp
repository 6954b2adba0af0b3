#pragma once

namespace convoy::simulate {

// The bytes of a chunk when one host's NVSwitches reduce. `at_once` is how many chunks are under
// way: one for every channel and device. Small collectives have smaller chunks.
double in_switch_chunk_bytes(double bytes, double at_once);

// How many times longer the bytes take in such chunks than in the largest ones. A chunk costs a
// fixed time beside that of its bytes; `chunk_cost` is the part of this in the largest ones.
double in_switch_slowdown(double chunk_bytes, double chunk_cost);

}  // namespace convoy::simulate
