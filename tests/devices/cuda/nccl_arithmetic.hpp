#pragma once

#include <nccl.h>

#include <cstddef>
#include <string>
#include <vector>

namespace convoy::cuda::fake_nccl {

// What a rank was told to do, on host memory.
struct Call {
  std::string name;  // "all_reduce"
  const char* send;
  char* receive;
  std::size_t count;
  ncclDataType_t type;
  ncclRedOp_t reduction;
  int root;
};

// Bytes of an element.
std::size_t size_of(ncclDataType_t type);
// Does what one call of every rank asks for. Not empty: they do not belong together.
std::string run(const std::vector<Call>& ranks);

}  // namespace convoy::cuda::fake_nccl
