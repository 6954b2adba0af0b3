#include "core/plan/check/symbolic/values.hpp"

#include "core/base/error.hpp"

namespace convoy::plan::check {
namespace {

// Seeds of two independent evaluations, for the images of the atoms and the points x.
constexpr std::uint64_t kSeedA = 0x51;
constexpr std::uint64_t kSeedB = 0xb2;

// A new value takes memory, too. This amount of work keeps a check below about a gigabyte.
constexpr std::uint64_t kWorkOfValue = 8;
constexpr std::uint64_t kWorkOfTerm = 5;

// Sums of at least this many terms are cached, up to 64 MB of them. Copying a term takes a fraction
// of the work.
constexpr std::size_t kLongSum = 64;
constexpr std::size_t kMostKeptTerms = 2'000'000;
constexpr std::uint64_t kCopiedTerms = 4;  // terms per unit of the budget

Fingerprint times(const Fingerprint& a, const Fingerprint& b) {
  return {field_multiply(a.a, b.a), field_multiply(a.b, b.b)};
}

}  // namespace

ValueTable::ValueTable(Budget& budget) : budget_(budget) {
  values_.push_back({});
  value_ids_.find_or_add(hash_of(values_.front()), kZero, [](ValueId) { return false; });
}

std::uint64_t ValueTable::hash_of(const Value& value) {
  return field_hash(value.fingerprint.a ^ value.constant.field, value.fingerprint.b);
}

bool ValueTable::equal(const Value& a, const Value& b) {
  return a.fingerprint == b.fingerprint && a.constant.field == b.constant.field;
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

ValueId ValueTable::add(const Value& value, std::span<const WeightedValue> parts) {
  const auto fresh = static_cast<ValueId>(values_.size());
  const ValueId id = value_ids_.find_or_add(
      hash_of(value), fresh, [&](ValueId known) { return equal(values_[known], value); });
  if (id != fresh) return id;
  spend(kWorkOfValue, operation_);
  values_.push_back(value);
  values_.back().operation = operation_;
  if (parts.empty()) return id;
  auto* const kept =
      static_cast<WeightedValue*>(parts_.allocate(parts.size_bytes(), alignof(WeightedValue)));
  std::uninitialized_copy(parts.begin(), parts.end(), kept);
  values_.back().parts = {kept, parts.size()};
  return id;
}

ValueId ValueTable::constant(const Weight& weight) {
  Value value;
  value.constant = weight;
  return add(value);
}

ValueId ValueTable::poison(std::uint32_t operation, std::uint32_t buffer) {
  const auto [it, inserted] =
      poison_ids_.try_emplace({operation, buffer}, static_cast<ValueId>(values_.size()));
  if (inserted) {
    Value value;
    value.poison = true;
    value.operation = operation;
    value.buffer = buffer;
    values_.push_back(value);
  }
  return it->second;
}

ValueId ValueTable::leaf(AtomId atom) {
  Value value;
  value.fingerprint = {field_hash(atom, kSeedA), field_hash(atom, kSeedB)};
  value.leaf = true;
  value.atom = atom;
  return add(value);
}

ValueId ValueTable::leaf_of(AtomId atom) const {
  Value value;
  value.fingerprint = {field_hash(atom, kSeedA), field_hash(atom, kSeedB)};
  const ValueId id =
      value_ids_.at(hash_of(value), [&](ValueId known) { return equal(values_[known], value); });
  CONVOY_CHECK_LT(id, values_.size());
  return id;
}

ValueId ValueTable::shifted(ValueId id, std::int64_t shift) {
  const Value& value = values_[id];
  if (shift == 0 || value.poison || value.fingerprint == Fingerprint{}) return id;
  const WeightedValue part{id, Weight{}, shift};
  return combine({&part, 1});
}

ValueId ValueTable::combine(std::span<const WeightedValue> parts) {
  spend(parts.size(), operation_);
  Value result;
  bool anchored = false;
  own_parts_.clear();
  for (const WeightedValue& part : parts) {
    const Value& value = values_[part.value];
    if (value.poison) return part.value;
    if (part.weight.is_zero()) continue;
    Fingerprint moved = value.fingerprint;
    if (part.weight.field != 1) moved = times(moved, {part.weight.field, part.weight.field});
    if (part.shift != 0) moved = times(moved, power(part.shift));
    result.fingerprint = {field_add(result.fingerprint.a, moved.a),
                          field_add(result.fingerprint.b, moved.b)};
    result.constant = result.constant + part.weight * value.constant;
    if (value.fingerprint == Fingerprint{}) continue;
    if (!anchored) result.anchor = value.anchor + part.shift;
    anchored = true;
    own_parts_.push_back(part);
  }
  return add(result, own_parts_);
}

ValueId ValueTable::sum(std::span<const ValueId> values) {
  std::vector<WeightedValue> parts;
  parts.reserve(values.size());
  for (const ValueId value : values) parts.push_back({value, Weight{}, 0});
  return combine(parts);
}

ValueId ValueTable::difference(ValueId a, ValueId b) {
  const WeightedValue parts[] = {{a, Weight{}, 0}, {b, -Weight{}, 0}};
  return combine(parts);
}

ValueId ValueTable::scaled(ValueId value, const Weight& weight) {
  const WeightedValue part{value, weight, 0};
  return combine({&part, 1});
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

std::vector<Term> ValueTable::expand(ValueId id, Casts casts) const {
  const auto known = long_sums_.find({id, casts});
  if (known != long_sums_.end()) {
    spend(known->second.size() / kCopiedTerms, values_[id].operation);
    return known->second;
  }
  std::vector<Term> terms = find_terms(id, casts);
  if (terms.size() < kLongSum || kept_terms_ + terms.size() > kMostKeptTerms) return terms;
  kept_terms_ += terms.size();
  return long_sums_.emplace(std::pair(id, casts), std::move(terms)).first->second;
}

// Goes from the youngest value to the oldest. Parts are older than their sums, so every value is
// expanded once, however many values refer to it.
std::vector<Term> ValueTable::find_terms(ValueId id, Casts casts) const {
  using Shifts = std::map<std::int64_t, Weight>;
  std::map<ValueId, Shifts, std::greater<>> open{{id, {{0, Weight{}}}}};
  std::map<AtomId, Shifts> terms;
  while (!open.empty()) {
    const auto youngest = open.extract(open.begin());
    const Value& value = values_[youngest.key()];
    spend(kWorkOfTerm * youngest.mapped().size() * (value.parts.size() + 1), value.operation);
    for (const auto& [shift, weight] : youngest.mapped()) {
      for (const WeightedValue& part : value.parts)
        add_weight(open[part.value], shift + part.shift, weight * part.weight);
      if (!value.leaf) continue;
      const bool cast = atoms_[value.atom].kind == AtomKind::kCast && casts != Casts::kKept;
      if (cast) add_weight(open[atoms_[value.atom].inputs.front()], shift, weight);
      if (!cast || casts == Casts::kErrors) add_weight(terms[value.atom], shift, weight);
    }
  }
  std::vector<Term> result;
  for (const auto& [atom, shifts] : terms)
    for (const auto& [shift, weight] : shifts)
      if (!weight.is_zero()) result.push_back({atom, shift, weight});
  return result;
}

}  // namespace convoy::plan::check
