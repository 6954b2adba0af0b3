#include "core/plan/reference/arithmetic.hpp"

#include <cstring>
#include <vector>

#include "core/base/error.hpp"
#include "core/plan/reference/half.hpp"

namespace convoy::plan {
namespace {

using Values = std::vector<float>;

template <typename T>
Values widen(const std::byte* from, std::uint64_t count, float (*convert)(T)) {
  std::vector<T> stored(count);
  std::memcpy(stored.data(), from, count * sizeof(T));
  Values values(count);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = convert(stored[i]);
  return values;
}

template <typename T, typename Convert>
void narrow(std::byte* to, const Values& values, Convert convert) {
  std::vector<T> stored(values.size());
  for (std::uint64_t i = 0; i < values.size(); ++i) stored[i] = convert(values[i]);
  std::memcpy(to, stored.data(), stored.size() * sizeof(T));
}

Values load(const SpanMemory& memory, const PlanSpan& span) {
  switch (span.dtype) {
    case CONVOY_F32: {
      Values values(span.count);
      std::memcpy(values.data(), memory(span), span.count * sizeof(float));
      return values;
    }
    case CONVOY_F16:
      return widen<std::uint16_t>(memory(span), span.count, from_f16);
    case CONVOY_BF16:
      return widen<std::uint16_t>(memory(span), span.count, from_bf16);
    default:
      fail(ExitCode::kFailed, "arithmetic on {} is not possible; cast to f32 first",
           dtype_name(span.dtype));
  }
}

void store(const SpanMemory& memory, const PlanSpan& span, const Values& values) {
  std::byte* to = memory(span);
  switch (span.dtype) {
    case CONVOY_F32:
      std::memcpy(to, values.data(), values.size() * sizeof(float));
      return;
    case CONVOY_F16:
      return narrow<std::uint16_t>(to, values, to_f16);
    case CONVOY_BF16:
      return narrow<std::uint16_t>(to, values, to_bf16);
    case CONVOY_I32:
      return narrow<std::int32_t>(to, values,
                                  [](float value) { return static_cast<std::int32_t>(value); });
    default:
      return narrow<std::uint8_t>(to, values,
                                  [](float value) { return static_cast<std::uint8_t>(value); });
  }
}

float combine(float total, float value, std::uint32_t reduction) {
  if (reduction == CONVOY_REDUCE_MIN) return value < total ? value : total;
  if (reduction == CONVOY_REDUCE_MAX) return value > total ? value : total;
  return total + value;
}

Values reduce(const Operation& operation, const SpanMemory& memory) {
  Values total = load(memory, operation.reads.front());
  for (std::size_t r = 1; r < operation.reads.size(); ++r) {
    const Values next = load(memory, operation.reads[r]);
    for (std::size_t i = 0; i < total.size(); ++i)
      total[i] = combine(total[i], next[i], operation.reduction);
  }
  return total;
}

Values at_place(const Operation& operation, const SpanMemory& memory) {
  if (is_algebra(operation.kind)) {
    std::vector<Values> reads;
    for (const PlanSpan& span : operation.reads) reads.push_back(load(memory, span));
    return algebra_result(operation, reads);
  }
  const auto scalar = static_cast<float>(operation.scalar);
  if (operation.kind == OperationKind::kFill) return Values(operation.writes.front().count, scalar);
  Values result = load(memory, operation.reads[0]);
  if (operation.kind == OperationKind::kScale)
    for (float& value : result) value = scalar * value;
  if (operation.kind == OperationKind::kAdd || operation.kind == OperationKind::kAxpy) {
    const Values other = load(memory, operation.reads[1]);
    const bool scaled = operation.kind == OperationKind::kAxpy;
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = (scaled ? scalar * result[i] : result[i]) + other[i];
  }
  return result;
}

// Returns the bytes of all reads one after the other. Copies and gathers work on every dtype.
std::vector<std::byte> concatenate(const Operation& operation, const SpanMemory& memory) {
  std::vector<std::byte> all;
  for (const PlanSpan& span : operation.reads) {
    const std::byte* from = memory(span);
    all.insert(all.end(), from, from + span.count * dtype_bytes(span.dtype));
  }
  return all;
}

void scatter(const Values& total, const Operation& operation, const SpanMemory& memory) {
  std::uint64_t first = 0;
  for (const PlanSpan& piece : operation.writes) {
    const auto from = total.begin() + static_cast<std::ptrdiff_t>(first);
    store(memory, piece, Values(from, from + static_cast<std::ptrdiff_t>(piece.count)));
    first += piece.count;
  }
}

}  // namespace

void run_arithmetic(const Operation& operation, const SpanMemory& memory) {
  if (is_compression(operation.kind)) return run_compression(operation, memory);
  switch (operation.kind) {
    case OperationKind::kCopy:
    case OperationKind::kBroadcast:
    case OperationKind::kAllGather: {
      const std::vector<std::byte> all = concatenate(operation, memory);
      for (const PlanSpan& span : operation.writes)
        std::memcpy(memory(span), all.data(), all.size());
      return;
    }
    case OperationKind::kReduceScatter:
      return scatter(reduce(operation, memory), operation, memory);
    case OperationKind::kSum:
    case OperationKind::kAllReduce:
    case OperationKind::kReduce: {
      const Values total = reduce(operation, memory);
      for (const PlanSpan& span : operation.writes) store(memory, span, total);
      return;
    }
    default:
      return store(memory, operation.writes.front(), at_place(operation, memory));
  }
}

}  // namespace convoy::plan
