#include "core/plan/abi_operation.hpp"

#include <convoy/sized.hpp>

#include <algorithm>

namespace convoy::plan {

convoy_operation to_abi(const Operation& operation) {
  auto result = make_sized<convoy_operation>();
  result.kind = static_cast<std::uint32_t>(operation.kind);
  result.flags = operation.flags;
  result.place = operation.place;
  result.reduction = operation.reduction;
  result.algorithm = operation.algorithm;
  result.replica = operation.replica;
  result.reads = operation.reads.data();
  result.read_count = operation.reads.size();
  result.writes = operation.writes.data();
  result.write_count = operation.writes.size();
  result.scalar = operation.scalar;
  result.contributions = operation.contributions;
  result.max_lag = operation.max_lag;
  result.first_layer = operation.first_layer;
  result.layer_count = operation.layer_count;
  std::copy_n(operation.details->sizes, 4, result.sizes);
  result.kernel = operation.details->kernel.c_str();
  result.bytes = operation.details->bytes;
  result.flops = operation.details->flops;
  result.effect = operation.details->effect;
  result.priority = operation.priority;
  return result;
}

}  // namespace convoy::plan
