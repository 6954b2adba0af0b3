#include "core/conformance/compression_operands.hpp"

#include <cstring>

namespace convoy::conformance {
namespace {

void put(Operands& it, const plan::PlanSpan& span, const std::vector<float>& values) {
  std::memcpy(it.at(span), values.data(), values.size() * sizeof(float));
}

void set_coding(plan::Operation& operation, const Coding& coding) {
  operation.details.edit().sizes[0] = static_cast<std::uint64_t>(coding.code);
  operation.details.edit().sizes[1] = coding.block;
}

Operands pack(plan::OperationKind kind, const std::vector<float>& values) {
  Operands it;
  it.operation.kind = kind;
  it.operation.reads = {add_span(it, CONVOY_F32, values.size())};
  put(it, it.operation.reads[0], values);
  return it;
}

void add_rest(Operands& it, Third rest) {
  const plan::PlanSpan from = it.operation.reads[0];
  if (rest == Third::kApart) it.operation.writes.push_back(add_span(it, CONVOY_F32, from.count));
  if (rest == Third::kInPlace) it.operation.writes.push_back(from);
}

// Concatenates messages of other operands, and adds the span to which they are added.
Operands unpack(plan::OperationKind kind, std::vector<Operands> messages, std::uint64_t count,
                Third onto) {
  Operands it;
  it.operation.kind = kind;
  for (const std::uint32_t part : {0u, 1u}) {
    const plan::PlanSpan& like = messages.front().operation.writes[part];
    const plan::PlanSpan all = add_span(it, like.dtype, messages.size() * like.count);
    const std::size_t bytes = it.buffers.back().size() / messages.size();
    for (std::size_t m = 0; m < messages.size(); ++m)
      std::memcpy(it.at(all) + m * bytes, messages[m].at(messages[m].operation.writes[part]),
                  bytes);
    it.operation.reads.push_back(all);
  }
  it.operation.writes = {add_span(it, CONVOY_F32, count)};
  put(it, it.operation.writes[0], noise(count, 3));
  if (onto == Third::kInPlace) it.operation.reads.push_back(it.operation.writes[0]);
  if (onto == Third::kApart) {
    it.operation.reads.push_back(add_span(it, CONVOY_F32, count));
    put(it, it.operation.reads[2], noise(count, 5));
  }
  return it;
}

}  // namespace

Operands top_k_of(const std::vector<float>& values, std::uint64_t taken, Third rest) {
  Operands it = pack(plan::OperationKind::kTopK, values);
  it.operation.writes = {add_span(it, CONVOY_F32, taken), add_span(it, CONVOY_I32, taken)};
  add_rest(it, rest);
  return it;
}

Operands quantise_of(const std::vector<float>& values, const Coding& coding, Third rest) {
  Operands it = pack(plan::OperationKind::kQuantise, values);
  set_coding(it.operation, coding);
  it.operation.writes = {add_span(it, CONVOY_U8, coding.code_bytes(values.size())),
                         add_span(it, CONVOY_F32, coding.scales(values.size()))};
  add_rest(it, rest);
  return it;
}

Operands scatter_onto(std::uint64_t count, std::uint64_t taken, std::uint64_t messages,
                      Third onto) {
  std::vector<Operands> all;
  for (std::uint64_t m = 0; m < messages; ++m) {
    all.push_back(top_k_of(noise(count, 11 + static_cast<std::uint32_t>(m)), taken, Third::kNone));
    all.back().compute();
  }
  Operands it = unpack(plan::OperationKind::kScatter, std::move(all), count, onto);
  it.operation.details.edit().sizes[0] = messages;
  return it;
}

Operands dequantise_onto(std::uint64_t count, const Coding& coding, std::uint64_t messages,
                         Third onto) {
  std::vector<Operands> all;
  for (std::uint64_t m = 0; m < messages; ++m) {
    const auto seed = 21 + static_cast<std::uint32_t>(m);
    all.push_back(quantise_of(noise(count, seed), coding, Third::kNone));
    all.back().compute();
  }
  Operands it = unpack(plan::OperationKind::kDequantise, std::move(all), count, onto);
  set_coding(it.operation, coding);
  it.operation.details.edit().sizes[2] = messages;
  return it;
}

}  // namespace convoy::conformance
