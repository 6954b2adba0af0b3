#include "plugins/devices/cuda/operations/operation_check.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <bit>
#include <cstring>
#include <stdexcept>

#include "plugins/devices/shared/operation_rules.hpp"

namespace convoy::cuda {
const char* refusal(std::uint32_t kind, std::uint32_t read_dtype, std::uint32_t write_dtype) {
  switch (kind) {
    case CONVOY_OP_ALL_GATHER:
    case CONVOY_OP_BROADCAST:
      return read_dtype == write_dtype ? nullptr : "a collective needs equal dtypes; cast converts";
    case CONVOY_OP_ALL_REDUCE:
    case CONVOY_OP_REDUCE_SCATTER:
    case CONVOY_OP_REDUCE:
      return is_floating_dtype(read_dtype) && read_dtype == write_dtype
                 ? nullptr
                 : "CUDA devices reduce f32, f16 and bf16";
    case CONVOY_OP_CALL:
      return "CUDA devices run kernels of a strategy as CUDA source or PTX, not as host functions";
    default:
      return dtype_refusal(kind, read_dtype, write_dtype);
  }
}

void check_regions(const convoy_submission& operation) {
  if (operation.write_count == 0) throw std::invalid_argument("an operation came without a write");
  require_regions(operation);
  require_types(operation, refusal);
  // The host emits separate sums, because these devices do not claim to join them with updates.
  const bool joins = operation.kind == CONVOY_OP_APPLY &&
                     (element_reads(operation) != 1 || operation.write_count != 1);
  if (joins || !regions_fit(operation))
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
