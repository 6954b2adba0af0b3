#include "plugins/devices/cuda/device_work.hpp"

#include <stdexcept>

#include "plugins/devices/cuda/collectives/rank_calls.hpp"
#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/graphs/operation_signature.hpp"
#include "plugins/devices/cuda/operations/strategy_kernel.hpp"
#include "plugins/devices/cuda/programs/program.hpp"
#include "plugins/devices/shared/update_rule.hpp"

namespace convoy::cuda {
namespace {

bool is_compute(std::uint32_t kind) {
  return kind == CONVOY_OP_FORWARD || kind == CONVOY_OP_BACKWARD;
}

const StrategyKernel& kernel_of(const convoy_submission& call) {
  if (call.device_kernel == nullptr)
    throw std::invalid_argument("a call came without a kernel that was built for this device");
  return *static_cast<const StrategyKernel*>(call.device_kernel);
}

}  // namespace

bool DeviceWork::takes(const convoy_submission& operation) const {
  if (is_compute(operation.kind))
    return operation.compute != nullptr && operation.compute->program != nullptr &&
           program_of(operation).profile() == nullptr;
  return !is_collective(operation.kind) && operation.kind != CONVOY_OP_CALL;
}

bool DeviceWork::describe(const convoy_submission& operation, Signature& signature) {
  append_signature(operation, signature);
  if (is_compute(operation.kind)) return program_of(operation).describe(operation, signature);
  return operations_.describe(operation, signature);
}

StepValues DeviceWork::values(const convoy_submission& operation) {
  StepValues values{};
  values.step = operation.step;
  if (operation.kind == CONVOY_OP_APPLY)
    values.learning_rate = static_cast<float>(learning_rate_of(operation));
  return values;
}

void DeviceWork::begin(const convoy_submission& operation) {
  if (is_compute(operation.kind)) program_of(operation).bring_batch(operation);
}

void DeviceWork::end(const convoy_submission& operation) {
  if (is_compute(operation.kind)) program_of(operation).release_batch(operation);
}

void DeviceWork::queue(const convoy_submission& operation, PinnedSlots::Slot* slot,
                       const StepValues* values) {
  const bool is_new = is_compute(operation.kind) ? !program_of(operation).has_run(operation)
                                                 : first_runs_.add(operation);
  const auto turn = is_new ? memory_turn() : MemoryTurn();
  cudaStream_t stream = streams_.stream(operation.lane);
  if (is_compute(operation.kind))
    program_of(operation).run(operation, stream, slot, values);
  else if (operation.kind == CONVOY_OP_CALL)
    kernel_of(operation).run(operation, stream);
  else
    operations_.run(operation, stream, slot, values);
}

// Copies the results of an operation from its slot to the memory that the host wants.
void DeviceWork::tell(const convoy_submission& operation, const PinnedSlots::Slot& slot) {
  switch (operation.kind) {
    case CONVOY_OP_FORWARD:
    case CONVOY_OP_BACKWARD:
      return program_of(operation).finish(operation, slot.loss);
    case CONVOY_OP_APPLY:
      if (operation.updates[0]->square_sum != nullptr)
        *operation.updates[0]->square_sum = slot.number;
      return;
    case CONVOY_OP_NORM:
    case CONVOY_OP_ADAPT_LOSS_SCALE:
      if (operation.result != nullptr) *operation.result = slot.number;
      return;
    default:
      return;
  }
}

}  // namespace convoy::cuda
