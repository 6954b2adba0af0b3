#include "core/job/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text/counted.hpp"
#include "core/job/sizes.hpp"
#include "core/simulate/memory_need.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::job {
namespace {

// Memory of the program with the smallest model, beside the data counted here.
constexpr double kProgramBytes = 32 << 20;

// Returns how many batches of a device are prepared or in use at a time. A synthetic batch serves
// every step.
double batches_held(const JobOptions& options) {
  constexpr int kInUse = 1;
  return options.data_dir.empty() ? 1 : std::max(2, options.prefetch_depth) + kInUse;
}

std::string advice(const HostMemoryNeed& need, std::uint32_t devices, std::uint32_t batch,
                   const MemoryLimit& limit) {
  const double room = static_cast<double>(limit.bytes) - need.of(devices, 0);
  const double largest = std::floor(room / (devices * need.per_image));
  const std::string text =
      largest >= 1 ? fmt::format("the largest --batch_size that fits is {:.0f}", largest)
                   : std::string(
                         "not one image per device fits: take fewer devices or a smaller "
                         "--model");
  const bool fits_alone = need.of(devices, batch) <= static_cast<double>(limit.total);
  return fits_alone ? text + ", or end what uses the rest" : text;
}

}  // namespace

HostMemoryNeed host_memory_need(const Setup& setup) {
  const JobOptions& options = setup.options;
  HostMemoryNeed need;
  need.once = kProgramBytes;
  const double pixels = static_cast<double>(setup.model_info.image_size) *
                        static_cast<double>(setup.model_info.image_size) * 3;
  need.per_image = pixels * sizeof(float) * batches_held(options);
  if (options.input_only || !setup.device->has(CONVOY_DEVICES_ON_HOST_PROCESSORS)) return need;
  const simulate::Work work =
      trains(options) ? simulate::Work::kTraining : simulate::Work::kInference;
  const simulate::ReplicaNeed replica = simulate::replica_need(*setup.graph, work, options.half);
  need.per_image += replica.per_image;
  need.per_device = replica.variables + replica.gradients;
  if (trains(options)) need.once += replica.variables * train::state_slots(options.optimizer.kind);
  return need;
}

std::string memory_refusal(const HostMemoryNeed& need, std::uint32_t devices, std::uint32_t batch,
                           const MemoryLimit& limit) {
  const double needed = need.of(devices, batch);
  if (needed <= static_cast<double>(limit.bytes)) return {};
  return fmt::format(
      "a batch of {} on {} needs {} of memory, and {}: {} images take {} each for activations, "
      "their gradients and the input, {} {} of variables and gradients, optimizer and program {}; "
      "{}",
      batch, counted(devices, "device"), need_text(needed), limit_text(limit),
      std::uint64_t{devices} * batch, need_text(need.per_image),
      devices == 1 ? "the device" : "each device", need_text(need.per_device), need_text(need.once),
      advice(need, devices, batch, limit));
}

void check_host_memory(const Setup& setup) {
  const std::optional<MemoryLimit> limit = memory_limit(SystemRoot("/"));
  if (!limit) return;
  const std::uint32_t devices = count_devices(setup);
  const std::uint32_t batch = choose_sizes(setup, devices).batch;
  const std::string refusal = memory_refusal(host_memory_need(setup), devices, batch, *limit);
  if (!refusal.empty()) throw Error(ExitCode::kUnavailable, refusal);
}

}  // namespace convoy::job
