#include <unordered_map>
#include <utility>

#include "core/plan/check/symbolic.hpp"

namespace convoy::check {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  return field_hash(word, hash);
}

// Fingerprints in which an atom is known by who made it and how many periods ago.
class RelativePrints {
 public:
  RelativePrints(ValueTable& values, std::int64_t period) : values_(values), period_(period) {}

  // Parts first, without recursion: sums may be millions of parts deep.
  std::uint64_t of(ValueId id) {
    std::vector<ValueId> open{id};
    while (!open.empty()) {
      const ValueId next = open.back();
      const std::size_t before = open.size();
      if (!prints_.contains(next))
        for (const WeightedValue& part : values_.value(next).parts)
          if (!prints_.contains(part.value)) open.push_back(part.value);
      if (open.size() > before) continue;
      open.pop_back();
      if (!prints_.contains(next)) prints_.emplace(next, print(next));
    }
    return prints_.at(id);
  }

 private:
  std::uint64_t print(ValueId id) {
    const Value& value = values_.value(id);
    std::uint64_t print = 0;
    if (value.poison)
      print = mix(mix(3, value.operation), value.buffer);
    else if (value.leaf)
      print = of_atom(values_.atom(value.atom));
    else
      for (const WeightedValue& part : value.parts)
        print = field_add(print,
                          field_multiply(field_multiply(prints_.at(part.value), part.weight.field),
                                         values_.power(part.shift).a));
    return field_add(print, field_multiply(value.constant.field, field_hash(1, 17)));
  }

  // What the prologue made stays what it is and has no age.
  std::uint64_t of_atom(const Atom& atom) const {
    const std::int64_t age = atom.period < 0 ? -1 : period_ - atom.period;
    return mix(
        mix(mix(mix(5, static_cast<std::uint64_t>(atom.kind)), atom.operation), atom.ordinal),
        static_cast<std::uint64_t>(age));
  }

  ValueTable& values_;
  std::int64_t period_;
  std::unordered_map<ValueId, std::uint64_t> prints_;
};

void add_buffer(std::uint64_t& hash, const BufferContent& buffer, RelativePrints& prints) {
  for (const auto& [first, value] : buffer.intervals())
    hash = mix(mix(hash, first), prints.of(value));
}

}  // namespace

std::uint64_t SymbolicRun::relative_state() {
  RelativePrints prints(values_, period_);
  std::uint64_t hash = 1;
  for (std::uint32_t i = 0; i < memory_.size(); ++i) {
    if (!relevant_[i] || plan_.buffers[i].kind == CONVOY_BUFFER_SCRATCH) continue;
    hash = mix(hash, i);
    add_buffer(hash, memory_[i], prints);
    add_buffer(hash, states_[i], prints);
  }
  for (const Replica& replica : replicas_) add_buffer(hash, replica.read, prints);
  return hash;
}

// Buffers from which something leads to a forward, directly or through other buffers.
std::vector<bool> SymbolicRun::relevant_buffers() const {
  std::vector<bool> relevant(plan_.buffers.size(), false);
  std::vector<std::vector<const Operation*>> writers(plan_.buffers.size());
  std::vector<std::uint32_t> open;
  const auto need = [&](const Operation& operation) {
    for (const PlanSpan& span : operation.reads) {
      if (relevant[span.buffer]) continue;
      relevant[span.buffer] = true;
      open.push_back(span.buffer);
    }
  };
  for (const auto* section : {&plan_.prologue, &plan_.body})
    for (const Operation& operation : *section) {
      if (operation.kind == OperationKind::kForward) need(operation);
      for (const PlanSpan& span : operation.writes) writers[span.buffer].push_back(&operation);
    }
  while (!open.empty()) {
    const std::vector<const Operation*> found = std::exchange(writers[open.back()], {});
    open.pop_back();
    for (const Operation* writer : found) need(*writer);
  }
  return relevant;
}

}  // namespace convoy::check
