#include "tests/devices/cuda/fake_nccl.hpp"

namespace convoy::cuda {

const NcclFunctions& nccl() {
  return fake_nccl::functions();
}

}  // namespace convoy::cuda
