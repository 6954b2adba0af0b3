#include "operations.hpp"

#include <convoy/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "update.hpp"

namespace {

std::size_t bytes_of(const convoy_region& region) {
  switch (region.dtype) {
    case CONVOY_U8:
      return region.count;
    case CONVOY_F16:
    case CONVOY_BF16:
      return 2 * region.count;
    default:
      return 4 * region.count;
  }
}

float combine(float total, float value, std::uint32_t reduction) {
  if (reduction == CONVOY_REDUCE_MIN) return std::min(total, value);
  if (reduction == CONVOY_REDUCE_MAX) return std::max(total, value);
  return total + value;
}

// Works element by element, so that a write may be one of the reads.
void sum(const convoy_submission& it) {
  for (std::uint64_t i = 0; i < it.writes[0].count; ++i) {
    float total = floats(it.reads[0])[i];
    for (std::uint64_t r = 1; r < it.read_count; ++r)
      total = combine(total, floats(it.reads[r])[i], it.reduction);
    for (std::uint64_t w = 0; w < it.write_count; ++w) floats(it.writes[w])[i] = total;
  }
}

void combine_two(const convoy_submission& it, float factor) {
  for (std::uint64_t i = 0; i < it.writes[0].count; ++i) {
    const float product = factor * floats(it.reads[0])[i];
    floats(it.writes[0])[i] = product + floats(it.reads[1])[i];
  }
}

// Row-major. Either matrix may be stored transposed, and several may follow each other in memory.
void matmul(const convoy_submission& it) {
  const std::uint64_t rows = it.sizes[0];
  const std::uint64_t columns = it.sizes[1];
  const std::uint64_t inner = it.sizes[2];
  const bool flips_a = (it.flags & CONVOY_OP_TRANSPOSES_A) != 0;
  const bool flips_b = (it.flags & CONVOY_OP_TRANSPOSES_B) != 0;
  for (std::uint64_t t = 0; t < std::max<std::uint64_t>(it.sizes[3], 1); ++t) {
    const float* a = floats(it.reads[0]) + t * rows * inner;
    const float* b = floats(it.reads[1]) + t * inner * columns;
    float* to = floats(it.writes[0]) + t * rows * columns;
    for (std::uint64_t i = 0; i < rows * columns; ++i) {
      const std::uint64_t row = i / columns;
      const std::uint64_t column = i % columns;
      double total = 0;
      for (std::uint64_t k = 0; k < inner; ++k)
        total += static_cast<double>(a[flips_a ? k * rows + row : row * inner + k]) *
                 b[flips_b ? column * inner + k : k * columns + column];
      to[i] = static_cast<float>(total);
    }
  }
}

// If the second read has one element, it applies to all.
void multiply_or_divide(const convoy_submission& it) {
  const bool one = it.reads[1].count == 1;
  for (std::uint64_t i = 0; i < it.writes[0].count; ++i) {
    const float value = floats(it.reads[0])[i];
    const float by = floats(it.reads[1])[one ? 0 : i];
    if (it.kind == CONVOY_OP_MULTIPLY)
      floats(it.writes[0])[i] = value * by;
    else
      floats(it.writes[0])[i] = by == 0 ? static_cast<float>(it.scalar) : value / by;
  }
}

void dot(const convoy_submission& it) {
  double total = 0;
  for (std::uint64_t i = 0; i < it.reads[0].count; ++i)
    total += static_cast<double>(floats(it.reads[0])[i]) * floats(it.reads[1])[i];
  floats(it.writes[0])[0] = static_cast<float>(total);
}

void call(const convoy_submission& it) {
  const std::int32_t status = convoy::run_kernel(it);
  if (status != 0) throw std::runtime_error("the kernel returned " + std::to_string(status));
}

void require_equal_counts(const convoy_submission& it) {
  for (std::uint64_t r = 0; r < it.read_count; ++r)
    if (it.reads[r].count != it.writes[0].count || it.reads[r].dtype != it.writes[0].dtype)
      throw std::invalid_argument("reads and writes of an operation differ in size or type");
}

void copy(const convoy_submission& it) {
  require_equal_counts(it);
  std::memmove(it.writes[0].data, it.reads[0].data, bytes_of(it.writes[0]));
}

void fill(const convoy_submission& it) {
  std::fill_n(floats(it.writes[0]), it.writes[0].count, static_cast<float>(it.scalar));
}

void scale(const convoy_submission& it) {
  const auto factor = static_cast<float>(it.scalar);
  for (std::uint64_t i = 0; i < it.writes[0].count; ++i)
    floats(it.writes[0])[i] = factor * floats(it.reads[0])[i];
}

void square_root(const convoy_submission& it) {
  for (std::uint64_t i = 0; i < it.writes[0].count; ++i)
    floats(it.writes[0])[i] = std::sqrt(floats(it.reads[0])[i]);
}

}  // namespace

const char* refusal_of(const convoy_operation& operation) {
  const bool computes = operation.kind == CONVOY_OP_FORWARD || operation.kind == CONVOY_OP_BACKWARD;
  const bool any_type = operation.kind == CONVOY_OP_COPY || operation.kind == CONVOY_OP_CALL;
  const bool known = operation.kind >= CONVOY_OP_COPY && operation.kind <= CONVOY_OP_MATMUL;
  const bool updates = operation.kind == CONVOY_OP_APPLY || operation.kind == CONVOY_OP_NORM ||
                       operation.kind == CONVOY_OP_ADAPT_LOSS_SCALE;
  const bool algebra =
      operation.kind >= CONVOY_OP_MULTIPLY && operation.kind <= CONVOY_OP_SQUARE_ROOT;
  if (!known && !updates && !computes && !any_type && !algebra)
    return "this device does not know that operation";
  if (computes || any_type) return nullptr;
  if (operation.kind == CONVOY_OP_APPLY && operation.write_count > 1)
    return "this device updates one set of parameters at a time";
  for (std::uint64_t i = 0; i < operation.read_count; ++i)
    if (operation.reads[i].dtype != CONVOY_F32) return "this device computes with f32 only";
  for (std::uint64_t i = 0; i < operation.write_count; ++i)
    if (operation.writes[i].dtype != CONVOY_F32) return "this device computes with f32 only";
  return nullptr;
}

void run_operation(const convoy_submission& it) {
  switch (it.kind) {
    case CONVOY_OP_COPY:
    case CONVOY_OP_CAST:  // from f32 to f32
      return copy(it);
    case CONVOY_OP_FILL:
      return fill(it);
    case CONVOY_OP_ADD:
      return combine_two(it, 1.0f);
    case CONVOY_OP_AXPY:
      return combine_two(it, static_cast<float>(it.scalar));
    case CONVOY_OP_SUM:
      return sum(it);
    case CONVOY_OP_SCALE:
      return scale(it);
    case CONVOY_OP_MATMUL:
      return matmul(it);
    case CONVOY_OP_MULTIPLY:
    case CONVOY_OP_DIVIDE:
      return multiply_or_divide(it);
    case CONVOY_OP_DOT:
      return dot(it);
    case CONVOY_OP_SQUARE_ROOT:
      return square_root(it);
    case CONVOY_OP_CALL:
      return call(it);
    case CONVOY_OP_APPLY:
      return apply(it);
    case CONVOY_OP_NORM:
      return norm(it);
    case CONVOY_OP_ADAPT_LOSS_SCALE:
      return adapt_loss_scale(it);
    default:
      throw std::invalid_argument("operation " + std::to_string(it.kind) + " is unknown here");
  }
}
