#pragma once

#include <vector>

#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {

// Products of a period (multiply, divide, orthogonalise) in which no replica's gradient counts more
// than another's. The value contains the gradients of all replicas alike, also of earlier periods.
// The factor was computed in this period, such as a trust ratio, or the root of a second moment by
// which a momentum is divided. Such a product counts as its value with an error, like a cast.
//
// They are found by abstract interpretation. Every value has one of three symmetries, and memory is
// lowered until a period leaves it at least as symmetric as it found it.
//
// Accepted factors are results of dot, square_root, kernels and similar operations, never memory or
// a sum of gradients. An element-wise factor must be the divisor, and a root of a value that is
// made of all replicas' gradients alike.
class SymmetricProducts {
 public:
  // `period` was run from any memory, `begun` has run the prologue. Throws OverBudget.
  SymmetricProducts(const Plan& plan, const SymbolicRun& period, const SymbolicRun& begun);

  bool contains(AtomId atom) const { return atom < atoms_.size() && atoms_[atom].is_product; }

 private:
  // The abstract domain, in ascending order: a value is as symmetric as its least symmetric part.
  enum class Symmetry {
    kNone,    // replicas may count differently
    kKnown,   // a function of values that contain all replicas' gradients alike
    kLinear,  // a sum that contains all replicas' gradients alike
  };
  struct KnownAtom {
    Symmetry symmetry = Symmetry::kNone;
    bool is_product = false;
  };

  struct Place {
    std::uint32_t buffer = 0;
    std::int64_t first = 0;
  };

  void examine_memory(const SymbolicRun& begun);
  void find_equal(const SymbolicRun& begun);
  void find_equal_pieces(const SymbolicRun& begun);
  bool is_copy(const SymbolicRun& run, std::uint32_t buffer, const Place& of) const;
  void examine_atoms();
  bool lower_memory();
  KnownAtom examine(AtomId id) const;
  Symmetry of_all(const std::vector<ValueId>& values) const;
  Symmetry of_value(ValueId value) const;
  std::vector<Term> without_equal(std::vector<Term> terms) const;
  Symmetry of_term(const Atom& atom, AtomId id) const;
  bool accepts_factor(const Atom& atom) const;

  const Plan& plan_;
  const SymbolicRun& period_;
  const ValueTable& values_;
  std::vector<Symmetry> memory_;  // by buffer
  // By buffer: the first buffer with the same contents at the beginning of every period, or memory
  // of the model of which the buffer is a copy from that element on.
  std::vector<Place> equal_;
  std::vector<KnownAtom> atoms_;
};

}  // namespace convoy::plan::check
