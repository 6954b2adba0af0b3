#include "core/plan/plan.hpp"

#include <fmt/format.h>

#include <bit>

#include "core/plan/digest.hpp"

namespace convoy {

std::string Plan::buffer_name(std::uint32_t buffer) const {
  const PlanBuffer& it = buffers.at(buffer);
  const std::string set = it.set == 0 ? std::string() : fmt::format(", set {}", it.set);
  const std::string& place = cluster->places.at(it.place).name;
  if (!it.name.empty()) return fmt::format("{} ({})", it.name, place);
  switch (it.kind) {
    case CONVOY_BUFFER_PARAMETERS:
      return fmt::format("parameters({}{})", it.owner, set);
    case CONVOY_BUFFER_GRADIENT:
      return fmt::format("gradient({}{})", it.owner, set);
    case CONVOY_BUFFER_MASTER:
      return fmt::format("master({})", place);
    case CONVOY_BUFFER_PERSISTENT:
      return fmt::format("persistent {} ({})", buffer, place);
    default:
      return fmt::format("buffer {} ({})", buffer, place);
  }
}

std::string Plan::span_name(const PlanSpan& span) const {
  return fmt::format("{}[{}..{})", buffer_name(span.buffer), span.first, span.first + span.count);
}

namespace {

void add_operation(Digest& digest, const Operation& it) {
  for (const std::uint64_t word :
       {std::uint64_t{static_cast<std::uint32_t>(it.kind)}, std::uint64_t{it.flags},
        std::uint64_t{it.place}, std::uint64_t{it.reduction}, std::uint64_t{it.algorithm},
        std::uint64_t{it.replica}, std::uint64_t{it.segment}, std::uint64_t{it.phase},
        std::uint64_t{it.lane}, std::bit_cast<std::uint64_t>(it.scalar), it.contributions,
        it.max_lag, it.first_layer, it.layer_count, it.sizes[0], it.sizes[1], it.sizes[2],
        it.sizes[3]})
    digest.add(word);
  digest.add(std::string_view(it.kernel));
  if (it.effect != CONVOY_CALL_UNDECLARED) digest.add(it.effect);
  if (it.priority != 0) digest.add(it.priority);
  digest.add(it.reads);
  digest.add(it.writes);
}

}  // namespace

std::uint64_t plan_hash(const Plan& plan) {
  Digest digest;
  for (const PlanBuffer& buffer : plan.buffers) {
    digest.add(buffer.kind);
    digest.add(buffer.owner);
    digest.add(buffer.set);
    digest.add(buffer.dtype);
    digest.add(buffer.count);
    digest.add(buffer.place);
  }
  for (const auto* section : {&plan.prologue, &plan.body}) {
    digest.add(section->size());
    for (const Operation& operation : *section) add_operation(digest, operation);
  }
  return digest.value();
}

}  // namespace convoy
