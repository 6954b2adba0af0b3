#include "plugins/devices/cuda/operations/first_runs.hpp"

#include "plugins/devices/cuda/graphs/operation_signature.hpp"

namespace convoy::cuda {
namespace {

// Far more than plans have. A forgotten operation counts as new, which costs little.
constexpr std::size_t kMostKnown = 65536;

}  // namespace

bool FirstRuns::add(const convoy_submission& operation) {
  if (known_.size() >= kMostKnown) known_.clear();
  std::array<std::uint64_t, 6> key{operation.kind, word_of(operation.device_kernel)};
  if (operation.read_count > 0) {
    key[2] = word_of(operation.reads[0].data);
    key[3] = operation.reads[0].dtype;
  }
  if (operation.write_count > 0) {
    key[4] = word_of(operation.writes[0].data);
    key[5] = operation.writes[0].dtype;
  }
  return known_.insert(key).second;
}

}  // namespace convoy::cuda
