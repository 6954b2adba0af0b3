#include "core/plan/check/values.hpp"

namespace convoy::check {
namespace {

// Two independent evaluations: seeds of the atoms' images, and the points x.
constexpr std::uint64_t kSeedA = 0x51;
constexpr std::uint64_t kSeedB = 0xb2;

// A new value takes memory, too: so many keep a check below about a gigabyte.
constexpr std::uint64_t kWorkOfValue = 20;
constexpr std::uint64_t kWorkOfTerm = 5;

Fingerprint scale(const Fingerprint& print, const Weight& weight, const Fingerprint& power) {
  return {field_multiply(field_multiply(print.a, weight.field), power.a),
          field_multiply(field_multiply(print.b, weight.field), power.b)};
}

}  // namespace

ValueTable::ValueTable(Budget& budget) : budget_(budget) {
  values_.push_back({});
  value_ids_.emplace(std::array<std::uint64_t, 3>{0, 0, 0}, kZero);
}

void ValueTable::set_operation(std::uint32_t operation, std::int64_t period) {
  operation_ = operation;
  period_ = period;
  ordinal_ = 0;
}

Fingerprint ValueTable::power(std::int64_t shift) {
  const auto [it, inserted] = powers_.try_emplace(shift);
  if (inserted) {
    const auto point = [&](std::uint64_t seed) {
      const std::uint64_t x = field_hash(0x78, seed);
      return shift < 0 ? field_power(field_inverse(x), static_cast<std::uint64_t>(-shift))
                       : field_power(x, static_cast<std::uint64_t>(shift));
    };
    it->second = {point(kSeedA), point(kSeedB)};
  }
  return it->second;
}

ValueId ValueTable::add(Value value) {
  const std::array<std::uint64_t, 3> key{value.print.a, value.print.b, value.constant.field};
  const auto [it, inserted] = value_ids_.try_emplace(key, static_cast<ValueId>(values_.size()));
  if (inserted) {
    spend(kWorkOfValue, operation_);
    value.operation = operation_;
    values_.push_back(std::move(value));
  }
  return it->second;
}

ValueId ValueTable::constant(const Weight& weight) {
  Value value;
  value.constant = weight;
  return add(std::move(value));
}

ValueId ValueTable::poison(std::uint32_t operation, std::uint32_t buffer) {
  const auto [it, inserted] =
      poison_ids_.try_emplace({operation, buffer}, static_cast<ValueId>(values_.size()));
  if (inserted) {
    Value value;
    value.poison = true;
    value.operation = operation;
    value.buffer = buffer;
    values_.push_back(std::move(value));
  }
  return it->second;
}

ValueId ValueTable::leaf(AtomId atom) {
  Value value;
  value.print = {field_hash(atom, kSeedA), field_hash(atom, kSeedB)};
  value.leaf = true;
  value.atom = atom;
  return add(std::move(value));
}

ValueId ValueTable::leaf_of(AtomId atom) const {
  return value_ids_.at({field_hash(atom, kSeedA), field_hash(atom, kSeedB), 0});
}

ValueId ValueTable::shifted(ValueId id, std::int64_t shift) {
  const Value& value = values_[id];
  if (shift == 0 || value.poison || value.print == Fingerprint{}) return id;
  const WeightedValue part{id, Weight{}, shift};
  return combine({&part, 1});
}

ValueId ValueTable::combine(std::span<const WeightedValue> parts) {
  spend(parts.size(), operation_);
  Value result;
  bool anchored = false;
  for (const WeightedValue& part : parts) {
    const Value& value = values_[part.value];
    if (value.poison) return part.value;
    if (part.weight.is_zero()) continue;
    const Fingerprint moved = scale(value.print, part.weight, power(part.shift));
    result.print = {field_add(result.print.a, moved.a), field_add(result.print.b, moved.b)};
    result.constant = result.constant + part.weight * value.constant;
    if (value.print == Fingerprint{}) continue;
    if (!anchored) result.anchor = value.anchor + part.shift;
    anchored = true;
    result.parts.push_back(part);
  }
  return add(std::move(result));
}

AtomId ValueTable::intern(Atom description, std::vector<std::uint64_t> key) {
  key.push_back(static_cast<std::uint64_t>(description.kind));
  const auto [it, inserted] =
      atom_ids_.try_emplace(std::move(key), static_cast<AtomId>(atoms_.size()));
  if (inserted) {
    spend(kWorkOfValue, operation_);
    description.operation = operation_;
    description.period = period_;
    description.ordinal = ordinal_++;
    atoms_.push_back(std::move(description));
  }
  return it->second;
}

// From the youngest value to the oldest: parts are older than what they are part of, so everything
// is taken apart once, whatever leads to it.
std::vector<Term> ValueTable::expand(ValueId id, Casts casts) const {
  using Shifts = std::map<std::int64_t, Weight>;
  const auto add_to = [](Shifts& shifts, std::int64_t shift, const Weight& weight) {
    const auto [it, inserted] = shifts.try_emplace(shift, weight);
    if (!inserted) it->second = it->second + weight;
  };
  std::map<ValueId, Shifts, std::greater<>> open{{id, {{0, Weight{}}}}};
  std::map<AtomId, Shifts> terms;
  while (!open.empty()) {
    const auto youngest = open.extract(open.begin());
    const Value& value = values_[youngest.key()];
    spend(kWorkOfTerm * youngest.mapped().size() * (value.parts.size() + 1), value.operation);
    for (const auto& [shift, weight] : youngest.mapped()) {
      for (const WeightedValue& part : value.parts)
        add_to(open[part.value], shift + part.shift, weight * part.weight);
      if (!value.leaf) continue;
      const bool cast = atoms_[value.atom].kind == AtomKind::kCast && casts != Casts::kKept;
      if (cast) add_to(open[atoms_[value.atom].inputs.front()], shift, weight);
      if (!cast || casts == Casts::kErrors) add_to(terms[value.atom], shift, weight);
    }
  }
  std::vector<Term> result;
  for (const auto& [atom, shifts] : terms)
    for (const auto& [shift, weight] : shifts)
      if (!weight.is_zero()) result.push_back({atom, shift, weight});
  return result;
}

}  // namespace convoy::check
