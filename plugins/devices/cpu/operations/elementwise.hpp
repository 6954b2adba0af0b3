#pragma once

#include <convoy/abi.h>

#include <vector>

#include "plugins/devices/cpu/kernels/table.hpp"

namespace convoy::cpu {

// Returns why an operation of this kind on these dtypes cannot run here, or null when it can. The
// dtypes are those of the first read and the first write; CONVOY_F32 if there is none.
const char* refusal(std::uint32_t kind, std::uint32_t read_dtype, std::uint32_t write_dtype);

// Runs the operations on regions, on the team of the calling thread. Throws std::exception when an
// operation does not fit its regions.
class Elementwise {
 public:
  void run(const convoy_submission& submission);

 private:
  void sum(const convoy_submission& submission);

  std::vector<const float*> reads_;
  std::vector<float*> writes_;
};

}  // namespace convoy::cpu
