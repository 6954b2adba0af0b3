#include "plugins/devices/cuda/operations/strategy_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>

namespace convoy::cuda {
namespace {

constexpr unsigned kUsualThreads = 256;
constexpr unsigned kMostThreads = 1024;  // of a block, on every GPU
constexpr unsigned kMostUsualBlocks = 1024;

static_assert(sizeof(convoy_cuda_span) == sizeof(convoy_region));
static_assert(offsetof(convoy_cuda_span, data) == offsetof(convoy_region, data));
static_assert(offsetof(convoy_cuda_span, count) == offsetof(convoy_region, count));
static_assert(offsetof(convoy_cuda_span, dtype) == offsetof(convoy_region, dtype));
static_assert(offsetof(convoy_cuda_span, place) == offsetof(convoy_region, place));
static_assert(sizeof(convoy_cuda_call) <= 4096, "more than kernels of older GPUs take");

unsigned threads_of(const convoy_kernel_code& code) {
  if (code.threads > kMostThreads)
    throw std::invalid_argument("it asks for blocks of " + std::to_string(code.threads) +
                                " threads, and GPUs have " + std::to_string(kMostThreads) +
                                " at most: lower CudaCode::threads");
  return code.threads == 0 ? kUsualThreads : code.threads;
}

}  // namespace

unsigned blocks_for(std::uint64_t elements, unsigned threads) {
  const std::uint64_t blocks = (elements + threads - 1) / threads;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, kMostUsualBlocks));
}

convoy_cuda_call cuda_call_of(const convoy_submission& call) {
  if (call.read_count + call.write_count > CONVOY_CUDA_SPANS)
    throw std::invalid_argument("a kernel on a GPU takes " + std::to_string(CONVOY_CUDA_SPANS) +
                                " reads and writes at most, and this call has " +
                                std::to_string(call.read_count + call.write_count) +
                                ": call it several times");
  convoy_cuda_call told{};
  told.step = call.step;
  told.learning_rate = call.learning_rate;
  told.scalar = call.scalar;
  if (call.sizes != nullptr) std::copy_n(call.sizes, 4, told.sizes);
  told.read_count = call.read_count;
  told.write_count = call.write_count;
  if (call.read_count > 0)
    std::memcpy(told.spans, call.reads, call.read_count * sizeof(convoy_cuda_span));
  if (call.write_count > 0)
    std::memcpy(told.spans + call.read_count, call.writes,
                call.write_count * sizeof(convoy_cuda_span));
  return told;
}

StrategyKernel::StrategyKernel(const convoy_kernel_code& code)
    : threads_(threads_of(code)), blocks_(code.blocks), loaded_(load_kernel(code)) {}

void StrategyKernel::run(const convoy_submission& call, Stream stream) const {
  const convoy_cuda_call told = cuda_call_of(call);
  const std::uint64_t elements = call.write_count > 0 ? call.writes[0].count : 0;
  loaded_->launch(stream, blocks_ == 0 ? blocks_for(elements, threads_) : blocks_, threads_, told);
}

}  // namespace convoy::cuda
