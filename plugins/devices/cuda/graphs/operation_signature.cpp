#include "plugins/devices/cuda/graphs/operation_signature.hpp"

#include <bit>
#include <convoy/operation_traits.hpp>

namespace convoy::cuda {
namespace {

std::uint64_t word_of(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

std::uint64_t size_count(const convoy_submission& operation) {
  const OperationTraits* const traits = find_operation_traits(operation.kind);
  const bool uses_sizes = traits != nullptr && (traits->fields & kUsesSizes) != 0;
  return uses_sizes && operation.sizes != nullptr ? 4 : 0;
}

void append_regions(const convoy_region* regions, std::uint64_t count, Signature& signature) {
  signature.push_back(count);
  for (std::uint64_t i = 0; i < count; ++i)
    signature.insert(signature.end(),
                     {cuda::word_of(regions[i].data), regions[i].count, regions[i].dtype});
}

void append_optimizer(const convoy_optimizer& it, Signature& signature) {
  signature.insert(signature.end(),
                   {it.kind, word_of(it.momentum), word_of(it.decay), word_of(it.beta1),
                    word_of(it.beta2), word_of(it.epsilon), word_of(it.weight_decay),
                    word_of(it.clip), word_of(it.gradient_scale)});
}

void append_update(const convoy_update& update, Signature& signature) {
  signature.insert(signature.end(), {update.contributions, cuda::word_of(update.state[0]),
                                     cuda::word_of(update.state[1]), update.decayed_count,
                                     update.square_sum == nullptr ? 0u : 1u});
  for (std::uint64_t i = 0; i < update.decayed_count; ++i)
    signature.insert(signature.end(), {update.decayed[i].first, update.decayed[i].count});
  if (update.optimizer != nullptr) append_optimizer(*update.optimizer, signature);
}

}  // namespace

void append_signature(const convoy_submission& operation, Signature& signature) {
  signature.insert(signature.end(),
                   {operation.kind, operation.lane, operation.reduction, operation.flags,
                    word_of(operation.scalar), operation.result == nullptr ? 0u : 1u});
  append_regions(operation.reads, operation.read_count, signature);
  append_regions(operation.writes, operation.write_count, signature);
  for (std::uint64_t i = 0; i < size_count(operation); ++i) signature.push_back(operation.sizes[i]);
  if (operation.update_count > 0) append_update(*operation.updates[0], signature);
}

}  // namespace convoy::cuda
