#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/plan/check/symbolic/fingerprint_index.hpp"
#include "core/plan/check/symbolic/weight.hpp"
#include "core/plan/operation.hpp"

namespace convoy::plan::check {

using AtomId = std::uint32_t;
using ValueId = std::uint32_t;
using ContentId = std::uint32_t;
inline constexpr AtomId kNoAtom = UINT32_MAX;

enum class AtomKind : std::uint32_t {
  kInitial,     // the parameters all buffers start with
  kFreshState,  // optimizer state before the first apply
  kGradient,    // of one replica, in one of its computes, for what its forward read
  kApply,       // parameters after an apply
  kState,       // optimizer state after an apply
  kCast,        // converted to another dtype, or what a declared kernel made of a sum
  kOpaque,      // call, minimum, maximum, products, roots, matrices, message of a compressor
  kHeld,        // what a buffer holds when a period begins
};

// The operation on matrices that made an atom. It outlives the stage of that operation.
struct MatrixOperation {
  OperationKind kind = OperationKind::kCopy;  // kMatmul or kOrthogonalise; otherwise neither
  bool transposes_a = false;
  bool transposes_b = false;
  std::uint64_t sizes[4] = {0, 0, 0, 0};  // as in the operation

  bool makes_matrix() const { return kind != OperationKind::kCopy; }
};

// A family of unknown numbers, one per element, identified by its origin. Equal families are one
// atom.
struct Atom {
  AtomKind kind = AtomKind::kInitial;
  std::uint32_t operation = CONVOY_NONE;  // that made it first
  std::int64_t period = -1;               // of that operation; -1: the prologue or the start
  std::uint32_t ordinal = 0;              // among the atoms of that execution of the operation
  std::uint32_t replica = CONVOY_NONE;    // kGradient
  std::uint64_t step = 0;             // kGradient: the replica's compute; kApply: the run's compute
  ContentId forward_read = 0;         // kGradient
  bool changed = false;               // kGradient: backward read other parameters than forward
  std::vector<ValueId> inputs = {};   // kApply: parameters, gradient sum, state; kState: the result
  std::vector<ValueId> factors = {};  // kOpaque of multiply, divide: what multiplies the input
  bool one_factor = false;            // which is one number for all elements
  std::vector<ContentId> reads = {};  // kOpaque of matmul ...: what it read; projections: of what
  std::array<std::vector<ValueId>, 2> sides = {};  // kOpaque of matmul: inputs from each of them
  MatrixOperation matrix = {};                     // kOpaque of matmul, orthogonalise
  AtomId basis = kNoAtom;              // kCast by a projection: on the columns of this atom
  bool keeps_out = false;              // kCast: what it leaves out gets through in no other step
  std::uint64_t contributions = 1;     // kApply
  std::uint32_t dtype = CONVOY_F32;    // kCast; CONVOY_NONE: by a kernel or a compressor
  std::uint32_t buffer = CONVOY_NONE;  // kHeld
  ElementRange range{};                // kApply: the elements it was made for first
  bool message = false;  // kOpaque: of a compressor, or made of what was read as its message
};

// An atom with its coefficient: element i of the span holds weight * atom(i + shift).
struct Term {
  AtomId atom = 0;
  std::int64_t shift = 0;
  Weight weight;
};

// A value times a weight, moved by a shift.
struct WeightedValue {
  ValueId value = 0;
  Weight weight;
  std::int64_t shift = 0;
};

struct Fingerprint {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  bool operator==(const Fingerprint&) const = default;
};

// The contents of a stretch of elements: a linear combination of atoms plus a constant, or memory
// that was never written (poison; every result from it is poison, too).
struct Value {
  Fingerprint fingerprint;  // of the terms: sum of weight * A(atom) * x^shift
  Weight constant{0, 0};    // added to every element
  bool poison = false;      // then buffer and operation say what read it first
  bool leaf = false;        // then atom
  AtomId atom = 0;
  std::uint32_t operation = CONVOY_NONE;  // that made it first
  std::uint32_t buffer = CONVOY_NONE;
  std::int64_t anchor = 0;               // shift of one of the terms
  std::span<const WeightedValue> parts;  // otherwise; they belong to the table
};

// Gradient of a replica in one of the period's computes.
struct GradientKey {
  std::uint32_t replica = 0;
  std::uint64_t compute = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the generated 0 for a pointer.
  auto operator<=>(const GradientKey&) const = default;
};

// Thrown when a check exceeds its budget, with its position at that moment.
struct OverBudget {
  std::uint32_t operation = CONVOY_NONE;
  bool of_neighbours = false;  // nearly every element depends on others of its memory
};

// The budget of a check, in fractions of a microsecond. It counts work, not time, so that every
// machine gives the same answer.
class Budget {
 public:
  static constexpr std::uint64_t kMost = 70'000'000;  // five to ten seconds

  // Throws OverBudget when there was too much.
  void spend(std::uint64_t work, std::uint32_t operation) {
    spent_ += work;
    if (spent_ > kMost) throw OverBudget{operation};
  }
  std::uint64_t spent() const { return spent_; }
  // Takes back the work since `spent_before`, because that attempt failed, so that another attempt
  // may use it. In all, at most as much is given back as one check may spend.
  void give_back(std::uint64_t spent_before) {
    given_back_ += spent_ - spent_before;
    if (given_back_ <= kMost) spent_ = spent_before;
  }

 private:
  std::uint64_t spent_ = 0;
  std::uint64_t given_back_ = 0;
};

// How expand() treats the casts in a value.
enum class Casts {
  kKept,     // an atom of its own
  kThrough,  // what it was made from
  kErrors,   // what it was made from, and an atom of its own for the error
};

// All atoms and values of one check (hash consing): equal linear combinations get equal ids,
// whatever the order in which they were made. Explicit terms are expanded only on demand.
class ValueTable {
 public:
  explicit ValueTable(Budget& budget);

  // Values made from here on are this operation's.
  void set_operation(std::uint32_t operation, std::int64_t period);

  ValueId zero() const { return kZero; }
  ValueId constant(const Weight& weight);
  ValueId poison(std::uint32_t operation, std::uint32_t buffer);
  ValueId leaf(AtomId atom);
  ValueId combine(std::span<const WeightedValue> parts);
  ValueId sum(std::span<const ValueId> values);
  ValueId difference(ValueId a, ValueId b);
  ValueId scaled(ValueId value, const Weight& weight);
  ValueId shifted(ValueId value, std::int64_t shift);

  // The atom with this identity: made from the description if it is new. `key` must contain all
  // that makes it different from other atoms of its kind.
  AtomId intern(Atom description, std::vector<std::uint64_t> key);
  // The value of that atom, moved by a shift.
  ValueId made(Atom description, std::vector<std::uint64_t> key, std::int64_t shift = 0) {
    return shifted(leaf(intern(std::move(description), std::move(key))), shift);
  }

  std::size_t size() const { return values_.size(); }
  std::size_t atoms() const { return atoms_.size(); }
  const Value& value(ValueId id) const { return values_[id]; }
  const Atom& atom(AtomId id) const { return atoms_[id]; }
  // The value that is this atom; it exists already.
  ValueId leaf_of(AtomId atom) const;

  // The terms, sorted by atom and shift; none for poison. Those of long sums are kept, because many
  // devices are given the same sums. Throws OverBudget.
  std::vector<Term> expand(ValueId id, Casts casts) const;
  void spend(std::uint64_t work, std::uint32_t operation) const { budget_.spend(work, operation); }
  // x^shift in both fingerprints.
  Fingerprint power(std::int64_t shift);

 private:
  static constexpr ValueId kZero = 0;

  static std::uint64_t hash_of(const Value& value);
  static bool equal(const Value& a, const Value& b);
  ValueId add(const Value& value, std::span<const WeightedValue> parts = {});
  std::vector<Term> find_terms(ValueId id, Casts casts) const;

  Budget& budget_;
  std::uint32_t operation_ = CONVOY_NONE;
  std::int64_t period_ = -1;
  std::uint32_t ordinal_ = 0;
  std::vector<Atom> atoms_;
  std::map<std::vector<std::uint64_t>, AtomId> atom_ids_;
  std::vector<Value> values_;
  FingerprintIndex value_ids_;  // poison apart
  std::pmr::monotonic_buffer_resource parts_;
  std::vector<WeightedValue> own_parts_;  // of the value in the making
  std::map<std::pair<std::uint32_t, std::uint32_t>, ValueId> poison_ids_;
  std::unordered_map<std::int64_t, Fingerprint> powers_;
  mutable std::map<std::pair<ValueId, Casts>, std::vector<Term>> long_sums_;
  mutable std::size_t kept_terms_ = 0;  // in long_sums_
};

}  // namespace convoy::plan::check
