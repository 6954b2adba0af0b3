#include "core/plan/check/recurrence/canonical_form.hpp"

#include <functional>
#include <map>
#include <string>

#include "core/plan/check/findings.hpp"
#include "core/plan/check/recurrence/columns.hpp"
#include "core/plan/check/symbolic/field.hpp"

namespace convoy::plan::check {
namespace {

// Adds words that describe what a system does to its states, without the atoms.
void add_form(const Plan& plan, const LinearSystem& it, std::vector<std::uint64_t>& words) {
  words.insert(words.end(),
               {it.states.size(), it.reads.size(), it.error_atoms.size(), it.opaque_atoms.size()});
  const auto add = [&](const LinearRow& row) {
    words.push_back(row.size());
    for (const Addend& addend : row) {
      words.push_back(addend.index);
      words.push_back(addend.weight.field);
    }
  };
  for (const auto* rows :
       {&it.step, &it.gradients, &it.errors, &it.opaque, &it.start_errors, &it.start_gradients})
    for (const LinearRow& row : *rows) add(row);
  for (const Weight& weight : it.start) words.push_back(weight.field);
  for (const PeriodState& state : it.states) words.push_back(plan.buffers[state.buffer].kind);
  for (const PeriodRead& read : it.reads) {
    words.push_back(read.replica);
    words.push_back(read.compute);
    add(read.states);
    add(read.opaque);
  }
}

// Returns the period's own gradients in a value, as one word.
std::uint64_t own_gradients(ValueId value, const ValueTable& values) {
  std::uint64_t sum = 0;
  for (const Term& term : values.expand(value, Casts::kThrough))
    if (const Atom& atom = values.atom(term.atom); atom.kind == AtomKind::kGradient)
      sum = field_add(sum, field_multiply(term.weight.field,
                                          field_hash(field_hash(atom.step, atom.replica), 0x6f)));
  return sum;
}

// Words for errors and for values that only the run knows: their operations and their sources.
class AtomWords {
 public:
  AtomWords(const Plan& plan, const std::vector<LinearSystem>& systems, const ValueTable& values)
      : plan_(plan), values_(values) {
    for (const LinearSystem& it : systems)
      for (const PeriodState& state : it.states)
        places_.try_emplace(state.buffer, static_cast<std::uint32_t>(places_.size()));
  }

  void add(AtomId id, std::vector<std::uint64_t>& words) {
    const std::uint32_t number = atoms_.of(id);
    words.push_back(number);
    if (number < described_) return;
    described_ = number + 1;
    const Atom& atom = values_.atom(id);
    const Operation& by = operation_of(plan_, atom.operation);
    words.insert(
        words.end(),
        {static_cast<std::uint64_t>(atom.kind), static_cast<std::uint64_t>(by.kind),
         by.kind == OperationKind::kQuantise ? by.details->sizes[0] : 0,
         by.kind == OperationKind::kCall ? std::hash<std::string>{}(by.details->kernel) : 0,
         atom.dtype, static_cast<std::uint64_t>(atom.matrix.kind),
         atom.factors.size() * 4 + (atom.keeps_out ? 2 : 0) + (atom.basis != kNoAtom ? 1 : 0)});
    if (!atom.inputs.empty()) words.push_back(source(atom.inputs.front()));
  }

 private:
  // Returns the sum from which the atom was made, as one word.
  std::uint64_t source(ValueId value) {
    std::uint64_t sum = 0;
    for (const Term& term : values_.expand(value, Casts::kErrors))
      sum = field_add(sum, field_multiply(term.weight.field, origin(term.atom)));
    return sum;
  }

  std::uint64_t origin(AtomId id) {
    const Atom& atom = values_.atom(id);
    const auto kind = static_cast<std::uint64_t>(atom.kind);
    if (atom.kind == AtomKind::kGradient)
      return field_hash(field_hash(atom.step, atom.replica), kind);
    if (atom.kind == AtomKind::kHeld) return field_hash(place(atom.buffer), kind);
    return field_hash(0, kind);
  }

  // All memory of other systems, from which a factor may be made, has one number.
  std::uint64_t place(std::uint32_t buffer) const {
    const auto found = places_.find(buffer);
    return found == places_.end() ? places_.size() : found->second;
  }

  const Plan& plan_;
  const ValueTable& values_;
  std::map<std::uint32_t, std::uint32_t> places_;  // of buffers that hold states
  Columns<AtomId> atoms_;                          // numbered in common for all systems
  std::uint32_t described_ = 0;
};

}  // namespace

std::vector<std::uint64_t> canonical_form(const Plan& plan,
                                          const std::vector<LinearSystem>& systems,
                                          const ValueTable& values) {
  std::vector<std::uint64_t> words;
  AtomWords atoms(plan, systems, values);
  std::map<ValueId, std::uint64_t> own;
  for (const LinearSystem& it : systems) {
    add_form(plan, it, words);
    for (const PeriodRead& read : it.reads) {
      const auto [known, is_new] = own.try_emplace(read.value, 0);
      if (is_new) known->second = own_gradients(read.value, values);
      words.push_back(known->second);
    }
    for (const auto* list : {&it.error_atoms, &it.opaque_atoms})
      for (const AtomId atom : *list) atoms.add(atom, words);
  }
  values.spend(words.size(), CONVOY_NONE);
  return words;
}

}  // namespace convoy::plan::check
