#include <utility>
#include <vector>

#include "core/plan/check/findings.hpp"
#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  return field_hash(word, hash);
}

// Fingerprints in which an atom is the operation that made it and the number of periods since then.
class RelativeFingerprints {
 public:
  RelativeFingerprints(ValueTable& values, std::int64_t period)
      : values_(values), period_(period), fingerprints_(values.size(), kUnknown) {}

  // Visits parts first, without recursion, because sums may be millions of parts deep.
  std::uint64_t of(ValueId id) {
    if (fingerprints_[id] == kUnknown) open_.push_back(id);
    while (!open_.empty()) {
      const ValueId next = open_.back();
      const std::size_t before = open_.size();
      if (fingerprints_[next] != kUnknown) {
        open_.pop_back();
        continue;
      }
      for (const WeightedValue& part : values_.value(next).parts)
        if (fingerprints_[part.value] == kUnknown) open_.push_back(part.value);
      if (open_.size() > before) continue;
      open_.pop_back();
      fingerprints_[next] = fingerprint(next);
    }
    return fingerprints_[id];
  }

 private:
  static constexpr std::uint64_t kUnknown = UINT64_MAX;  // never an element of the field

  std::uint64_t fingerprint(ValueId id) {
    const Value& value = values_.value(id);
    std::uint64_t fingerprint = 0;
    if (value.poison)
      fingerprint = mix(mix(3, value.operation), value.buffer);
    else if (value.leaf)
      fingerprint = of_atom(values_.atom(value.atom));
    else
      for (const WeightedValue& part : value.parts)
        fingerprint =
            field_add(fingerprint,
                      field_multiply(field_multiply(fingerprints_[part.value], part.weight.field),
                                     values_.power(part.shift).a));
    return field_add(fingerprint, field_multiply(value.constant.field, field_hash(1, 17)));
  }

  // Atoms of the prologue do not change and have no age.
  std::uint64_t of_atom(const Atom& atom) const {
    const std::int64_t age = atom.period < 0 ? -1 : period_ - atom.period;
    return mix(
        mix(mix(mix(5, static_cast<std::uint64_t>(atom.kind)), atom.operation), atom.ordinal),
        static_cast<std::uint64_t>(age));
  }

  ValueTable& values_;
  std::int64_t period_;
  std::vector<std::uint64_t> fingerprints_;  // by value
  std::vector<ValueId> open_;
};

void add_buffer(std::uint64_t& hash, const BufferContent& buffer,
                RelativeFingerprints& fingerprints) {
  for (const auto& [first, value] : buffer.intervals())
    hash = mix(mix(hash, first), fingerprints.of(value));
}

}  // namespace

std::uint64_t SymbolicRun::state_fingerprint() {
  RelativeFingerprints fingerprints(values_, period_);
  std::uint64_t hash = 1;
  for (std::uint32_t i = 0; i < memory_.size(); ++i) {
    if (!relevant_[i] || plan_.buffers[i].kind == CONVOY_BUFFER_SCRATCH) continue;
    hash = mix(hash, i);
    add_buffer(hash, memory_[i], fingerprints);
    add_buffer(hash, states_[i], fingerprints);
  }
  for (const Replica& replica : replicas_) add_buffer(hash, replica.read, fingerprints);
  return hash;
}

// The backward slice: returns which buffers influence a forward, directly or through other buffers.
std::vector<bool> SymbolicRun::relevant_buffers() const {
  std::vector<bool> relevant(plan_.buffers.size(), false);
  std::vector<std::vector<std::uint32_t>> writers(plan_.buffers.size());
  std::vector<std::uint32_t> open;
  const auto operations = static_cast<std::uint32_t>(plan_.prologue.size() + plan_.body.size());
  // Each operation is examined once, because a collective writes many buffers.
  std::vector<bool> needed(operations, false);
  const auto need = [&](std::uint32_t operation) {
    if (needed[operation]) return;
    needed[operation] = true;
    for (const PlanSpan& span : operation_of(plan_, operation).reads) {
      if (relevant[span.buffer]) continue;
      relevant[span.buffer] = true;
      open.push_back(span.buffer);
    }
  };
  for (std::uint32_t i = 0; i < operations; ++i) {
    const Operation& operation = operation_of(plan_, i);
    if (operation.kind == OperationKind::kForward) need(i);
    for (const PlanSpan& span : operation.writes) writers[span.buffer].push_back(i);
  }
  while (!open.empty()) {
    const std::vector<std::uint32_t> found = std::exchange(writers[open.back()], {});
    open.pop_back();
    for (const std::uint32_t writer : found) need(writer);
  }
  return relevant;
}

}  // namespace convoy::plan::check
