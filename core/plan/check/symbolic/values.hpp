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
  kGradient,    // one replica's gradient in one of its computes, for what its forward read
  kApply,       // parameters after an apply
  kState,       // optimizer state after an apply
  kCast,        // a conversion to another dtype, or the result of a declared kernel for a sum
  kOpaque,      // a call, minimum, maximum, product, root, matrix or message of a compressor
  kHeld,        // the contents of a buffer when a period begins
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
  std::uint32_t operation = CONVOY_NONE;  // the operation that made it first
  std::int64_t period = -1;               // the period of that operation; -1: the prologue or the
                                          // start
  std::uint32_t ordinal = 0;              // its number among the atoms of that execution
  std::uint32_t replica = CONVOY_NONE;    // kGradient
  std::uint64_t step = 0;             // kGradient: the replica's compute; kApply: the run's compute
  ContentId forward_read = 0;         // kGradient
  bool changed = false;               // kGradient: backward read other parameters than forward
  std::vector<ValueId> inputs = {};   // kApply: parameters, gradient sum, state; kState: the result
  std::vector<ValueId> factors = {};  // kOpaque of multiply, divide: the factors of the input
  bool one_factor = false;            // the factor is one number for all elements
  std::vector<ContentId> reads = {};  // kOpaque of matmul and the like: what it read; projections:
                                      // the projected contents
  std::array<std::vector<ValueId>, 2> sides = {};  // kOpaque of matmul: inputs of each side
  MatrixOperation matrix = {};                     // kOpaque of matmul, orthogonalise
  AtomId basis = kNoAtom;              // kCast by a projection: the atom on whose columns it
                                       // projects
  bool keeps_out = false;              // kCast: no other step lets the omitted part through
  std::uint64_t contributions = 1;     // kApply
  std::uint32_t dtype = CONVOY_F32;    // kCast; CONVOY_NONE: made by a kernel or a compressor
  std::uint32_t buffer = CONVOY_NONE;  // kHeld
  ElementRange range{};                // kApply: the elements for which it was made first
  bool message = false;  // kOpaque: of a compressor, or made from values that were read as its
                         // message
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
  Fingerprint fingerprint;  // fingerprint of the terms: sum of weight * A(atom) * x^shift
  Weight constant{0, 0};    // added to every element
  bool poison = false;      // the value is poison; buffer and operation say what read it first
  bool leaf = false;        // the value is the single atom `atom`
  AtomId atom = 0;
  std::uint32_t operation = CONVOY_NONE;  // the operation that made it first
  std::uint32_t buffer = CONVOY_NONE;
  std::int64_t anchor = 0;               // the shift of one of the terms
  std::span<const WeightedValue> parts;  // if it is no leaf; the table owns them
};

// Identifies the gradient of a replica in one of the period's computes.
struct GradientKey {
  std::uint32_t replica = 0;
  std::uint64_t compute = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the generated 0 for a pointer.
  auto operator<=>(const GradientKey&) const = default;
};

// Thrown when a check exceeds its budget, with its position at that moment.
struct OverBudget {
  std::uint32_t operation = CONVOY_NONE;
  bool of_neighbours = false;  // nearly every element depends on other elements of its memory
};

// The budget of a check, in fractions of a microsecond. It counts work, not time, so that every
// machine gives the same answer.
class Budget {
 public:
  static constexpr std::uint64_t kMost = 70'000'000;  // five to ten seconds

  // Throws OverBudget when the budget is exceeded.
  void spend(std::uint64_t work, std::uint32_t operation) {
    spent_ += work;
    if (spent_ > kMost) throw OverBudget{operation};
  }
  std::uint64_t spent() const { return spent_; }
  // Returns the work since `spent_before` to the budget, because that attempt failed, so that
  // another attempt may use it. In all, at most as much is returned as one check may spend.
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
  kKept,     // as atoms of their own
  kThrough,  // replaced by their inputs
  kErrors,   // replaced by their inputs, plus an atom for each error
};

// All atoms and values of one check (hash consing): equal linear combinations get equal ids,
// whatever the order in which they were made. Explicit terms are expanded only on demand.
class ValueTable {
 public:
  explicit ValueTable(Budget& budget);

  // Values made from now on belong to this operation.
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

  // Returns the atom with this identity. Makes it from the description if it is new. `key` must
  // contain everything that distinguishes it from other atoms of its kind.
  AtomId intern(Atom description, std::vector<std::uint64_t> key);
  // The value of that atom, moved by a shift.
  ValueId made(Atom description, std::vector<std::uint64_t> key, std::int64_t shift = 0) {
    return shifted(leaf(intern(std::move(description), std::move(key))), shift);
  }

  std::size_t size() const { return values_.size(); }
  std::size_t atoms() const { return atoms_.size(); }
  const Value& value(ValueId id) const { return values_[id]; }
  const Atom& atom(AtomId id) const { return atoms_[id]; }
  // Returns the value that is this atom. The value must exist already.
  ValueId leaf_of(AtomId atom) const;

  // Returns the terms, sorted by atom and shift; none for poison. Terms of long sums are cached,
  // because many devices receive the same sums. Throws OverBudget.
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
  FingerprintIndex value_ids_;  // without poison
  std::pmr::monotonic_buffer_resource parts_;
  std::vector<WeightedValue> own_parts_;  // of the value that is being made
  std::map<std::pair<std::uint32_t, std::uint32_t>, ValueId> poison_ids_;
  std::unordered_map<std::int64_t, Fingerprint> powers_;
  mutable std::map<std::pair<ValueId, Casts>, std::vector<Term>> long_sums_;
  mutable std::size_t kept_terms_ = 0;  // number of terms in long_sums_
};

}  // namespace convoy::plan::check
