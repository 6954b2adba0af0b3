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
  ElementRange range{};                   // range of the buffer
  std::uint32_t operation = CONVOY_NONE;  // the operation that wrote it last
  ValueId value = 0;                      // its value when the period ends
};

// The parameters that a forward reads: a sum of contents that states had when the period began, and
// of values made in the period.
struct PeriodRead {
  std::uint32_t replica = 0;
  std::uint64_t compute = 0;
  std::uint32_t operation = CONVOY_NONE;
  ElementRange range{};  // range of the arena
  LinearRow states;
  LinearRow opaque = {};  // columns as opaque_atoms of the system
  ValueId value = 0;      // the whole value, with the period's own gradients
};

// The states of a reachable subspace as coordinates of the system. The contents of all states of
// the system are sums of these vectors, each times its coordinate.
struct Coordinates {
  std::vector<PeriodState> states;  // the states of the system
  std::vector<LinearRow> errors;    // C of the system
  std::vector<std::vector<Weight>> vectors;
  std::vector<std::size_t> places;  // the index of each vector's own state, where the other vectors
                                    // are 0
};

// A linear system: elements of memory that depend on each other from one period to the next, and on
// no others,
// x' = A x + B g + C e + D y
// with states x, gradients g, errors e of casts, declared kernels and symmetric products
// (symmetric_products.hpp), and results y of undeclared kernels. An apply counts as p - sum /
// contributions.
struct LinearSystem {
  std::vector<PeriodState> states;
  std::vector<LinearRow> step;       // A, a row per state
  std::vector<LinearRow> gradients;  // B
  std::vector<LinearRow> errors;     // C, columns as error_atoms
  std::vector<LinearRow> opaque;     // D, columns as opaque_atoms
  std::vector<Weight> start;         // the multiple of the first parameters that each state holds
                                     // at first
  // The errors from earlier stages in the initial contents, one column per error. An error is as
  // large as the gradient in the value that was rounded.
  std::vector<LinearRow> start_errors;
  std::vector<LinearRow> start_gradients;  // the same for earlier gradients; columns as `earlier`
                                           // of the map
  std::vector<PeriodRead> reads;
  std::vector<AtomId> error_atoms;
  std::vector<AtomId> opaque_atoms;
  std::optional<Coordinates> coordinates;  // only for results of reachable_subspace()
};

// The reason why a period is not such a linear map.
struct PeriodFault {
  enum class Kind { kShifted, kConstant, kUnknown };
  Kind kind = Kind::kUnknown;
  std::uint32_t operation = CONVOY_NONE;
  std::uint32_t buffer = CONVOY_NONE;
  ElementRange range{};  // range of the buffer
  double value = 0;      // kConstant: the constant that is added; kShifted: elements
};

struct PeriodMap {
  std::vector<GradientKey> gradients;  // columns of B
  std::vector<GradientKey> earlier;    // gradients of earlier stages, numbered by the computes of
                                       // their run
  std::vector<LinearSystem> systems;   // the different systems that forwards read
  // By index, the systems that hold the same elements of the arena, such as one per replica.
  std::vector<std::vector<std::size_t>> groups;
  // The bases of projections in all systems, also in omitted ones, each with one place.
  std::map<AtomId, ElementRange> bases;
  std::vector<PeriodState> unread;  // memory of no system, because nothing leads from it to a
                                    // forward
  std::vector<PeriodFault> faults;
};

// The run before the period.
enum class Begun { kPrologue, kEarlierStages };

// Divides a period into linear systems. `period` was run from any memory (Start::kAnyPeriod).
// `begun` has run the prologue alone, or all earlier stages. `start` leaves out the gradients of
// earlier stages, which are in `start_gradients`. Throws OverBudget.
PeriodMap map_period(const Plan& plan, const SymbolicRun& period, const SymbolicRun& begun,
                     Begun what = Begun::kPrologue);

}  // namespace convoy::plan::check
