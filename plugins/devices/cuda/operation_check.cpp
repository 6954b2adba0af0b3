#include "plugins/devices/cuda/operation_check.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <bit>
#include <cstring>
#include <stdexcept>

#include "plugins/devices/cuda/update_plan.hpp"
#include "plugins/devices/shared/algebra_sizes.hpp"
#include "plugins/devices/shared/message_shape.hpp"
#include "plugins/devices/shared/operation_arity.hpp"

namespace convoy::cuda {
namespace {

bool is_floating(std::uint32_t dtype) {
  return dtype == CONVOY_F32 || dtype == CONVOY_F16 || dtype == CONVOY_BF16;
}

bool counts_fit(const convoy_submission& operation) {
  if (is_algebra(operation.kind)) return algebra_fits(operation);
  if (is_compression(operation.kind)) return messages_fit(operation);
  if (operation.kind == CONVOY_OP_ADAPT_LOSS_SCALE)
    return operation.writes[0].count == 2 && operation.sizes != nullptr;
  const std::uint64_t reads = element_reads(operation);
  if (reads == 0 && operation.kind != CONVOY_OP_FILL) return false;
  // Sums that updates could join come lowered: these devices do not claim to join them.
  if (operation.kind == CONVOY_OP_APPLY && (reads != 1 || operation.write_count != 1)) return false;
  if (operation.kind == CONVOY_OP_NORM)
    return reads == 1 || operation.reads[1].count == operation.reads[0].count;
  const std::uint64_t count = operation.writes[0].count;
  for (std::uint64_t i = 0; i < reads; ++i)
    if (operation.reads[i].count != count) return false;
  for (std::uint64_t i = 0; i < operation.write_count; ++i)
    if (operation.writes[i].count != count) return false;
  return true;
}

}  // namespace

std::size_t dtype_bytes(std::uint32_t dtype) {
  if (dtype == CONVOY_U8) return 1;
  return dtype == CONVOY_F16 || dtype == CONVOY_BF16 ? 2 : 4;
}

const char* refusal(std::uint32_t kind, std::uint32_t read_dtype, std::uint32_t write_dtype) {
  switch (kind) {
    case CONVOY_OP_COPY:
      return read_dtype == write_dtype ? nullptr : "copy needs equal dtypes; cast converts";
    case CONVOY_OP_FILL:
    case CONVOY_OP_FORWARD:
    case CONVOY_OP_BACKWARD:
      return nullptr;
    case CONVOY_OP_CAST:
      return is_floating(read_dtype) && is_floating(write_dtype)
                 ? nullptr
                 : "CUDA devices cast among f32, f16 and bf16 only";
    case CONVOY_OP_ADD:
    case CONVOY_OP_SUM:
    case CONVOY_OP_SCALE:
    case CONVOY_OP_AXPY:
    case CONVOY_OP_MATMUL:
    case CONVOY_OP_APPLY:
    case CONVOY_OP_NORM:
    case CONVOY_OP_ADAPT_LOSS_SCALE:
    case CONVOY_OP_MULTIPLY:
    case CONVOY_OP_DOT:
    case CONVOY_OP_DIVIDE:
    case CONVOY_OP_SQUARE_ROOT:
    case CONVOY_OP_ORTHOGONALISE:
      return read_dtype == CONVOY_F32 && write_dtype == CONVOY_F32
                 ? nullptr
                 : "CUDA devices compute this operation in f32 only";
    case CONVOY_OP_ALL_GATHER:
    case CONVOY_OP_BROADCAST:
      return read_dtype == write_dtype ? nullptr : "a collective needs equal dtypes; cast converts";
    case CONVOY_OP_ALL_REDUCE:
    case CONVOY_OP_REDUCE_SCATTER:
    case CONVOY_OP_REDUCE:
      return is_floating(read_dtype) && read_dtype == write_dtype
                 ? nullptr
                 : "CUDA devices reduce f32, f16 and bf16";
    case CONVOY_OP_TOP_K:
    case CONVOY_OP_SCATTER:
    case CONVOY_OP_QUANTISE:
    case CONVOY_OP_DEQUANTISE:
      return is_compressed_dtype(kind, read_dtype, write_dtype)
                 ? nullptr
                 : "CUDA devices compress f32 only, into codes of u8";
    case CONVOY_OP_CALL:
      return "CUDA devices run kernels of a strategy as CUDA source or PTX, not as host functions";
    default:
      return "unknown operation: CUDA devices know those of SDK 1.0";
  }
}

void check_regions(const convoy_submission& operation) {
  if (operation.write_count == 0) throw std::invalid_argument("an operation came without a write");
  require_regions(operation);
  const std::uint32_t write = operation.writes[0].dtype;
  const std::uint32_t read = operation.read_count == 0 ? write : operation.reads[0].dtype;
  if (const char* reason = refusal(operation.kind, read, write))
    throw std::invalid_argument(reason);
  if (!counts_fit(operation))
    throw std::invalid_argument("the regions of an operation do not fit its sizes, or each other");
}

std::uint32_t fill_bits(double value, std::uint32_t dtype) {
  const auto bits_of = [](auto half) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, &half, sizeof bits);
    return std::uint32_t{bits};
  };
  switch (dtype) {
    case CONVOY_I32:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    case CONVOY_U8:
      return static_cast<std::uint8_t>(value);
    case CONVOY_F16:
      return bits_of(__float2half_rn(static_cast<float>(value)));
    case CONVOY_BF16:
      return bits_of(__float2bfloat16_rn(static_cast<float>(value)));
    default:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

}  // namespace convoy::cuda
