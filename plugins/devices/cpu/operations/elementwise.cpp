#include "plugins/devices/cpu/operations/elementwise.hpp"

#include <convoy/kernel.hpp>
#include <cstring>
#include <stdexcept>
#include <string>

#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/operations/operations.hpp"
#include "plugins/devices/cpu/operations/update_constants.hpp"
#include "plugins/devices/shared/operation_rules.hpp"

namespace convoy::cpu {
namespace {

float* floats(const convoy_region& region) {
  return static_cast<float*>(region.data);
}

void copy(const convoy_region& read, const convoy_region& write) {
  const std::size_t bytes = element_bytes(write.dtype) * write.count;
  const char* from = static_cast<const char*>(read.data);
  char* to = static_cast<char*>(write.data);
  if (from == to) return;
  constexpr std::size_t kGrainBytes = 4 * kParallelGrain;
  parallel_stretches(
      bytes,
      [&](std::size_t first, std::size_t size) { std::memcpy(to + first, from + first, size); },
      kGrainBytes);
}

template <typename T>
void fill_with(void* data, std::size_t count, T value) {
  T* to = static_cast<T*>(data);
  parallel_stretches(count, [&](std::size_t first, std::size_t size) {
    std::fill(to + first, to + first + size, value);
  });
}

void fill(const convoy_region& write, double scalar) {
  const auto value = static_cast<float>(scalar);
  std::uint16_t half = 0;
  switch (write.dtype) {
    case CONVOY_F32:
      return fill_with(write.data, write.count, value);
    case CONVOY_I32:
      return fill_with(write.data, write.count, static_cast<std::int32_t>(scalar));
    case CONVOY_U8:
      return fill_with(write.data, write.count, static_cast<std::uint8_t>(scalar));
    case CONVOY_F16:
      kernels().f32_to_f16(&half, &value, 1);
      break;
    default:
      kernels().f32_to_bf16(&half, &value, 1);
      break;
  }
  fill_with(write.data, write.count, half);
}

void call_host_kernel(const convoy_submission& operation) {
  const std::int32_t status = run_kernel(operation);
  if (status != 0) {
    throw std::runtime_error("the strategy's kernel returned " + std::to_string(status));
  }
}

void check_regions(const convoy_submission& operation) {
  require_regions(operation);
  if (operation.kind == CONVOY_OP_CALL) return;
  require_types(operation, refusal);
  if (operation.write_count == 0) throw std::invalid_argument("an operation came without a write");
  if (!regions_fit(operation)) {
    throw std::invalid_argument("the regions of an operation do not fit its sizes, or each other");
  }
}

void add(const convoy_region& write, const convoy_region& a, const convoy_region& b) {
  parallel_stretches(write.count, [&](std::size_t first, std::size_t size) {
    kernels().add(floats(write) + first, floats(a) + first, floats(b) + first, size);
  });
}

void scale(const convoy_region& write, float scalar, const convoy_region& read) {
  parallel_stretches(write.count, [&](std::size_t first, std::size_t size) {
    kernels().scale(floats(write) + first, scalar, floats(read) + first, size);
  });
}

void axpy(const convoy_region& write, float scalar, const convoy_region& a,
          const convoy_region& b) {
  parallel_stretches(write.count, [&](std::size_t first, std::size_t size) {
    kernels().axpy(floats(write) + first, scalar, floats(a) + first, floats(b) + first, size);
  });
}

void run_algebra_or_compression(const convoy_submission& operation) {
  switch (operation.kind) {
    case CONVOY_OP_MATMUL:
      return matmul(operation);
    case CONVOY_OP_MULTIPLY:
      return multiply(operation);
    case CONVOY_OP_DOT:
      return dot(operation);
    case CONVOY_OP_DIVIDE:
      return divide(operation);
    case CONVOY_OP_SQUARE_ROOT:
      return square_root(operation);
    case CONVOY_OP_ORTHOGONALISE:
      return orthogonalise(operation);
    case CONVOY_OP_TOP_K:
      return top_k(operation);
    case CONVOY_OP_SCATTER:
      return scatter(operation);
    case CONVOY_OP_QUANTISE:
      return quantise(operation);
    case CONVOY_OP_DEQUANTISE:
      return dequantise(operation);
    default:
      throw std::invalid_argument("an operation came that works on no regions");
  }
}

}  // namespace

const char* refusal(std::uint32_t kind, std::uint32_t read_dtype, std::uint32_t write_dtype) {
  return kind == CONVOY_OP_CALL ? nullptr : dtype_refusal(kind, read_dtype, write_dtype);
}

void Elementwise::sum(const convoy_submission& operation) {
  if (operation.read_count == 0) throw std::invalid_argument("a sum came without reads");
  reads_.clear();
  writes_.clear();
  for (std::uint64_t i = 0; i < operation.read_count; ++i) {
    reads_.push_back(floats(operation.reads[i]));
  }
  for (std::uint64_t i = 0; i < operation.write_count; ++i) {
    writes_.push_back(floats(operation.writes[i]));
  }
  parallel_stretches(
      operation.writes[0].count,
      [&](std::size_t first, std::size_t size) {
        kernels().sum(writes_.data(), writes_.size(), reads_.data(), reads_.size(), first, size,
                      operation.reduction);
      },
      kParallelGrain / reads_.size() + 1);
}

void Elementwise::run(const convoy_submission& operation) {
  check_regions(operation);
  const convoy_region* reads = operation.reads;
  const convoy_region* writes = operation.writes;
  const auto scalar = static_cast<float>(operation.scalar);
  switch (operation.kind) {
    case CONVOY_OP_COPY:
      return copy(reads[0], writes[0]);
    case CONVOY_OP_FILL:
      return fill(writes[0], operation.scalar);
    case CONVOY_OP_ADD:
      return add(writes[0], reads[0], reads[1]);
    case CONVOY_OP_SUM:
      return sum(operation);
    case CONVOY_OP_SCALE:
      return scale(writes[0], scalar, reads[0]);
    case CONVOY_OP_AXPY:
      return axpy(writes[0], scalar, reads[0], reads[1]);
    case CONVOY_OP_CAST:
      return cast(reads[0], writes[0]);
    case CONVOY_OP_APPLY:
      return apply(operation);
    case CONVOY_OP_NORM:
      return norm(operation);
    case CONVOY_OP_ADAPT_LOSS_SCALE:
      return adapt_loss_scale(operation);
    case CONVOY_OP_CALL:
      return call_host_kernel(operation);
    default:
      return run_algebra_or_compression(operation);
  }
}

}  // namespace convoy::cpu
