#include "plugins/devices/cuda/operations/compression.hpp"

#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/status.hpp"
#include "plugins/devices/shared/message_shape.hpp"

namespace convoy::cuda {
namespace {

float* floats(const convoy_region& region) {
  return static_cast<float*>(region.data);
}

float* third(const MessageRegions& it) {
  return it.third == nullptr ? nullptr : floats(*it.third);
}

Quantised quantised(const MessageRegions& it) {
  return {static_cast<std::uint32_t>(it.coding.code), it.coding.block, it.whole.count,
          static_cast<std::uint8_t*>(it.message[0].data), floats(it.message[1])};
}

void add_messages(const MessageRegions& it, Stream stream) {
  start_sum(stream, floats(it.whole), third(it), it.whole.count);
  const std::uint64_t count = it.per_message(0);
  for (std::uint64_t message = 0; message < it.messages; ++message)
    scatter(stream, floats(it.whole), it.whole.count, floats(it.message[0]) + message * count,
            static_cast<const std::int32_t*>(it.message[1].data) + message * count, count);
}

}  // namespace

Compression::~Compression() {
  static_cast<void>(free_on_gpu(memory_));
}

void Compression::top_k(const convoy_submission& operation, Stream stream) {
  const MessageRegions it = message_regions(operation);
  if (memory_ == nullptr) {
    void* memory = nullptr;
    require(allocate_on_gpu(&memory, sizeof(SelectionMemory)), "allocating memory of top_k");
    memory_ = static_cast<SelectionMemory*>(memory);
  }
  cuda::top_k(stream,
              {floats(it.whole), it.whole.count, floats(it.message[0]),
               static_cast<std::int32_t*>(it.message[1].data),
               static_cast<std::uint32_t>(it.message[0].count), third(it)},
              memory_);
}

void Compression::run(const convoy_submission& operation, Stream stream) {
  if (operation.kind == CONVOY_OP_TOP_K) return top_k(operation, stream);
  const MessageRegions it = message_regions(operation);
  if (operation.kind == CONVOY_OP_SCATTER) return add_messages(it, stream);
  if (operation.kind == CONVOY_OP_QUANTISE)
    return quantise(stream, quantised(it), it.per_message(0), it.per_message(1), floats(it.whole),
                    third(it));
  dequantise(stream, quantised(it), it.messages, it.per_message(0), it.per_message(1),
             floats(it.whole), third(it));
}

bool Compression::is_ready(const convoy_submission& operation) const {
  return operation.kind != CONVOY_OP_TOP_K || memory_ != nullptr;
}

}  // namespace convoy::cuda
