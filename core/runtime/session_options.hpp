#pragma once

#include <convoy/abi.h>

#include <cstdint>

#include "core/plan/lower/guard.hpp"
#include "core/runtime/executor.hpp"

namespace convoy::runtime {

struct SessionOptions {
  std::uint32_t batch = 1;  // per replica
  std::uint64_t seed = 1;
  bool hash_initializer = false;  // reference fill instead of the layers' initialisers
  bool dropout = true;
  bool winograd = true;        // devices may use Winograd's algorithm for convolutions
  bool profile = false;        // keep the times of layers, see profile()
  bool accuracy = false;       // count top-1 and top-5 hits
  bool deterministic = false;  // refuse devices and plans that cannot guarantee equal bits
  // The type of activations and operands; the session replaces kHalfOfTheDevices by that type.
  std::uint32_t dtype = CONVOY_F32;
  std::uint64_t bucket_elements = std::uint64_t{4} << 20;
  convoy_optimizer optimizer{};
  plan::GuardOptions guard;  // loss scaling, clipping by norm, norms in the step results
  ExecutorOptions executor;
};

}  // namespace convoy::runtime
