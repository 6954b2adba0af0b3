#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {

// A term of a linear row: `weight` times the state, gradient, error or unknown result with this
// index.
struct Addend {
  std::uint32_t index = 0;
  Weight weight;
};
using LinearRow = std::vector<Addend>;  // ascending, none twice

// A stretch of memory that survives the period and whose elements are all treated in the same way.
struct PeriodState {
  std::uint32_t buffer = 0;
  ElementRange range{};                   // of the buffer
  std::uint32_t operation = CONVOY_NONE;  // that wrote it last
  ValueId value = 0;                      // when the period ends
};

// The parameters that a forward reads: a sum of what states hold when the period begins, and of
// what happened in it.
struct PeriodRead {
  std::uint32_t replica = 0;
  std::uint64_t compute = 0;
  std::uint32_t operation = CONVOY_NONE;
  ElementRange range{};  // of the arena
  LinearRow states;
  LinearRow opaque = {};  // columns as opaque_atoms of the system
  ValueId value = 0;      // all of it, with the period's own gradients
};

// How the states of a reachable subspace are coordinates in the system: the contents of all its
// states are sums of these vectors, each times a coordinate.
struct Coordinates {
  std::vector<PeriodState> states;  // of the system
  std::vector<LinearRow> errors;    // C of the system
  std::vector<std::vector<Weight>> vectors;
  std::vector<std::size_t> places;  // of each vector's own state, where the others are 0
};

// A linear system: elements of memory that depend on each other from one period to the next, and on
// no others,
// x' = A x + B g + C e + D y
// with states x, gradients g, errors e of casts, declared kernels and symmetric products
// (symmetric_products.hpp), and results y of kernels that declare nothing. An apply counts as p -
// sum / contributions.
struct LinearSystem {
  std::vector<PeriodState> states;
  std::vector<LinearRow> step;       // A, a row per state
  std::vector<LinearRow> gradients;  // B
  std::vector<LinearRow> errors;     // C, columns as error_atoms
  std::vector<LinearRow> opaque;     // D, columns as opaque_atoms
  std::vector<Weight> start;         // how much of the first parameters each state holds at first
  // Its initial content of errors from earlier stages, a column for each; an error is as large as
  // the gradient in what was rounded.
  std::vector<LinearRow> start_errors;
  std::vector<LinearRow> start_gradients;  // the same of earlier gradients, in the map's columns
  std::vector<PeriodRead> reads;
  std::vector<AtomId> error_atoms;
  std::vector<AtomId> opaque_atoms;
  std::optional<Coordinates> coordinates;  // of reachable_subspace(), else none
};

// The reason why a period is not such a map.
struct PeriodFault {
  enum class Kind { kShifted, kConstant, kUnknown };
  Kind kind = Kind::kUnknown;
  std::uint32_t operation = CONVOY_NONE;
  std::uint32_t buffer = CONVOY_NONE;
  ElementRange range{};  // of the buffer
  double value = 0;      // kConstant: what is added; kShifted: elements
};

struct PeriodMap {
  std::vector<GradientKey> gradients;  // columns of B
  std::vector<GradientKey> earlier;    // of earlier stages, by computes of their run
  std::vector<LinearSystem> systems;   // those that forwards read, different ones only
  // By index, the systems that hold the same elements of the arena, such as one of each replica.
  std::vector<std::vector<std::size_t>> groups;
  // The bases of projections in all systems, also in those that were left out, with one place of
  // each.
  std::map<AtomId, ElementRange> bases;
  std::vector<PeriodState> unread;  // memory of no system: nothing leads from it to a forward
  std::vector<PeriodFault> faults;
};

// What has run before the period.
enum class Begun { kPrologue, kEarlierStages };

// Takes a period apart into linear systems. `period` was run from any memory (Start::kAnyPeriod).
// `begun` has run the prologue alone, or all earlier stages, whose gradients are left out here.
// Throws OverBudget.
PeriodMap map_period(const Plan& plan, const SymbolicRun& period, const SymbolicRun& begun,
                     Begun what = Begun::kPrologue);

}  // namespace convoy::plan::check
