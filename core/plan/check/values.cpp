#include "core/plan/check/values.hpp"

namespace convoy::check {
namespace {

// Two independent evaluations: seeds of the atoms' images, and the points x.
constexpr std::uint64_t kSeedA = 0x51;
constexpr std::uint64_t kSeedB = 0xb2;

Fingerprint scale(const Fingerprint& print, const Weight& weight, const Fingerprint& power) {
  return {field_multiply(field_multiply(print.a, weight.field), power.a),
          field_multiply(field_multiply(print.b, weight.field), power.b)};
}

}  // namespace

ValueTable::ValueTable() {
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
    description.operation = operation_;
    description.period = period_;
    description.ordinal = ordinal_++;
    atoms_.push_back(std::move(description));
  }
  return it->second;
}

std::vector<Term> ValueTable::expand(ValueId id, bool through_casts) const {
  std::map<std::pair<AtomId, std::int64_t>, Weight> terms;
  expand_into(id, {}, 0, through_casts, terms);
  std::vector<Term> result;
  for (const auto& [key, weight] : terms)
    if (!weight.is_zero()) result.push_back({key.first, key.second, weight});
  return result;
}

void ValueTable::expand_into(ValueId id, const Weight& weight, std::int64_t shift,
                             bool through_casts,
                             std::map<std::pair<AtomId, std::int64_t>, Weight>& terms) const {
  const Value& value = values_[id];
  if (value.leaf) {
    const Atom& atom = atoms_[value.atom];
    if (through_casts && atom.kind == AtomKind::kCast)
      return expand_into(atom.inputs.front(), weight, shift, through_casts, terms);
    const auto [it, inserted] = terms.try_emplace({value.atom, shift}, weight);
    if (!inserted) it->second = it->second + weight;
    return;
  }
  for (const WeightedValue& part : value.parts)
    expand_into(part.value, weight * part.weight, shift + part.shift, through_casts, terms);
}

}  // namespace convoy::check
