#include "core/plan/plan.hpp"

#include <fmt/format.h>

#include <bit>

#include "core/plan/digest.hpp"

namespace convoy::plan {

std::string Plan::buffer_name(std::uint32_t buffer) const {
  const PlanBuffer& it = buffers.at(buffer);
  const std::string set = it.set == 0 ? std::string() : fmt::format(", set {}", it.set);
  const std::string& place = cluster->places.at(it.place).name;
  if (!it.name->empty()) return fmt::format("{} ({})", *it.name, place);
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

// The hash that tasks compare. Buffers are numbered in the order in which operations first name
// them. The order in which an author asks for them would not do: it may depend on the order in
// which the compiler evaluates arguments, which differs between processors.
class PlanDigest {
 public:
  explicit PlanDigest(const Plan& plan) : plan_(plan), numbers_(plan.buffers.size(), CONVOY_NONE) {}

  void add(const Operation& it) {
    for (const std::uint64_t word :
         {std::uint64_t{static_cast<std::uint32_t>(it.kind)}, std::uint64_t{it.flags},
          std::uint64_t{it.place}, std::uint64_t{it.reduction}, std::uint64_t{it.algorithm},
          std::uint64_t{it.replica}, std::uint64_t{it.segment}, std::uint64_t{it.phase},
          std::uint64_t{it.lane}, std::bit_cast<std::uint64_t>(it.scalar), it.contributions,
          it.max_lag, it.first_layer, it.layer_count, it.details->sizes[0], it.details->sizes[1],
          it.details->sizes[2], it.details->sizes[3]})
      digest_.add(word);
    digest_.add(std::string_view(it.details->kernel));
    if (it.details->effect != CONVOY_CALL_UNDECLARED) digest_.add(it.details->effect);
    if (it.priority != 0) digest_.add(it.priority);
    add(it.reads);
    add(it.writes);
  }
  void add(std::uint64_t word) { digest_.add(word); }
  std::uint64_t value() const { return digest_.value(); }

 private:
  void add(const SpanList& spans) {
    digest_.add(spans.size());
    for (const PlanSpan& span : spans)
      for (const std::uint64_t word :
           {std::uint64_t{number(span.buffer)}, std::uint64_t{span.dtype}, span.first, span.count})
        digest_.add(word);
  }
  std::uint32_t number(std::uint32_t buffer) {
    if (numbers_[buffer] == CONVOY_NONE) {
      numbers_[buffer] = next_++;
      const PlanBuffer& it = plan_.buffers[buffer];
      for (const std::uint64_t word :
           {std::uint64_t{it.kind}, std::uint64_t{it.owner}, std::uint64_t{it.set},
            std::uint64_t{it.dtype}, it.count, std::uint64_t{it.place}})
        digest_.add(word);
    }
    return numbers_[buffer];
  }

  const Plan& plan_;
  std::vector<std::uint32_t> numbers_;
  std::uint32_t next_ = 0;
  Digest digest_;
};

}  // namespace

void number_operations(Plan& plan) {
  std::uint32_t id = 0;
  for (auto* section : {&plan.prologue, &plan.body})
    for (Operation& operation : *section) operation.id = id++;
}

std::uint64_t plan_hash(const Plan& plan) {
  PlanDigest digest(plan);
  for (const auto* section : {&plan.prologue, &plan.body}) {
    digest.add(section->size());
    for (const Operation& operation : *section) digest.add(operation);
  }
  for (const PlanStage& stage : plan.later) {
    digest.add(stage.first_step);
    for (const auto* section : {&stage.prologue, &stage.body}) {
      digest.add(section->size());
      for (const Operation& operation : *section) digest.add(operation);
    }
  }
  return digest.value();
}

}  // namespace convoy::plan
