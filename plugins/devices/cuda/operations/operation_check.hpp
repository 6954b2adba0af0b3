#pragma once

#include <convoy/abi.h>

#include <cstdint>

namespace convoy::cuda {

// Returns why an operation of this kind on these dtypes cannot run here, or null when it can. The
// dtypes are those of the first read and the first write; CONVOY_F32 if there is none.
const char* refusal(std::uint32_t kind, std::uint32_t read_dtype, std::uint32_t write_dtype);

// Throws std::invalid_argument when an operation on regions does not fit them.
void check_regions(const convoy_submission& operation);

// Returns the bits of a number in a dtype, rounded to nearest even.
std::uint32_t fill_bits(double value, std::uint32_t dtype);

}  // namespace convoy::cuda
