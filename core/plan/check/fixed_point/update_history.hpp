#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/plan/check/check.hpp"
#include "core/plan/check/dataflow/factor_paths.hpp"
#include "core/plan/check/dataflow/reaching_gradients.hpp"
#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {

// A version of the parameters: the gradients that were applied to them, one update after the other.
struct Version {
  bool sound = true;                       // nothing was found to be wrong with it
  std::vector<std::uint64_t> progress;     // n per replica: exactly its first n gradients are
                                           // contained, each once
  std::uint64_t updates = 0;               // applies with a gradient
  std::optional<std::uint64_t> last_step;  // the step of the last apply
  std::uint32_t operation = CONVOY_NONE;   // the last apply
};

// How updates are made, over all versions that forwards read.
struct UpdateStyle {
  std::set<std::uint64_t> replicas_per_update;
  std::set<std::uint64_t> computes_per_update;
  // The first compute of an update's gradients, and the one after the last, within a replica.
  std::set<std::pair<std::uint64_t, std::uint64_t>> computes_of_updates;
  bool waits = false;             // an apply comes later than in the last of these computes
  std::uint64_t largest_lag = 0;  // steps from a compute to the apply of its gradient
  bool zero_start = false;        // there are updates without gradients before the first one
                                  // with a gradient
  bool rounded = false;           // there are casts on a path
  bool opaque = false;            // there are kernels whose effect is not known
  bool averaged = false;          // versions are mixed
  std::set<std::string> kernels;  // undeclared kernels on a path
  std::set<std::string> compressing_kernels;  // declared kernels on a path
  std::set<std::string> factors;      // operations that multiply gradients by computed values
  std::set<std::string> compressors;  // compressors on a path whose omitted parts are lost
};

// The update history of parameters: traces the values that forwards read back to the first
// parameters, and reports errors in the updates in between. Every version is examined once.
class UpdateHistory {
 public:
  UpdateHistory(const Plan& plan, const SymbolicRun& run)
      : plan_(plan), run_(run), reaching_(run.values()), factors_(plan, run.values()) {}

  // `range` and `reader` (an operation) say where the parameters were found.
  const Version& version_of(ValueId value, const ElementRange& range, std::uint32_t reader);

  const UpdateStyle& style() const { return style_; }
  const std::vector<Finding>& findings() const { return findings_; }

  // Adds a finding unless the same operation has one of this kind for this replica.
  void report(FindingKind kind, std::uint32_t operation, std::uint32_t replica,
              const ElementRange& range, const std::string& what);

 private:
  struct Contribution {
    std::uint32_t replica = 0;
    std::uint64_t compute = 0;
    std::int64_t shift = 0;
    Weight weight;  // its weight in the sum, before the division by the number of contributions
  };

  // The place where a value that stands for parameters was found.
  struct Place {
    ElementRange range{};
    std::uint32_t reader = CONVOY_NONE;
  };

  void collect_older(ValueId value, const Place& place, std::map<ValueId, Place>& found);
  // The reason why a value is not parameters: the operation that causes it and what it does.
  struct Fault {
    FindingKind kind = FindingKind::kForeign;
    std::uint32_t operation = CONVOY_NONE;
    std::string what;
  };
  std::optional<Fault> fault_of(const Value& value, const std::vector<Term>& terms,
                                std::uint32_t reader) const;
  std::optional<Fault> fault_of_sum(const Value& sum, const std::vector<Term>& terms) const;
  Version first_version() const;
  Version examine(ValueId value, const ElementRange& range, std::uint32_t reader);
  Version examine_update(const Atom& update);
  Version mix(const std::vector<Term>& terms, const ElementRange& range, std::uint32_t operation);
  Version made_by_kernels(const std::vector<Term>& terms, const ElementRange& range,
                          std::uint32_t reader);
  void note_unapplied(const ReachingSet& reaching);
  void report_skipped(const Atom& update, std::uint32_t replica, std::uint64_t first,
                      std::uint64_t end, Version& version);
  bool has_computed_part(const std::vector<Term>& terms, const ElementRange& range);
  void require_state(const Atom& update);
  std::vector<Contribution> contributions(const Atom& update, Version& version);
  void require_whole_parameters(const Atom& update, Version& version);
  void require_equal_centring(const Atom& update, Version& version);
  void count_reaching(const Atom& update, Version& version);
  void require_reaching_weights(const Atom& update, const ReachingSet& reaching,
                                std::uint64_t computes_of_each, Version& version);
  void note_kernel(std::uint32_t operation);
  void note_rounding(const Atom& atom);
  bool is_misread(const ReachingSet& reaching, const ElementRange& range);
  void require_weights(const Atom& update, const std::vector<Contribution>& parts,
                       Version& version);
  void require_error_weights(const Atom& update, Version& version);
  void report_weights(const Atom& update, const std::vector<Contribution>& parts);
  void note_computes(const Atom& update, std::uint64_t first, std::uint64_t end);
  void advance(const Atom& update, const std::vector<Contribution>& parts, Version& version);
  void reject(Version& version, FindingKind kind, const Atom& update, std::uint32_t replica,
              const std::string& what);

  const Plan& plan_;
  const SymbolicRun& run_;
  ReachingGradients reaching_;
  FactorPaths factors_;
  std::unordered_map<ValueId, Version> versions_;
  // Gradients, by replica and compute, that become a part of what a forward reads without an
  // update.
  std::set<std::pair<std::uint32_t, std::uint64_t>> unapplied_;
  std::set<ValueId> with_errors_;  // sums of updates whose errors are judged
  UpdateStyle style_;
  std::vector<Finding> findings_;
  std::set<std::tuple<FindingKind, std::uint32_t, std::uint32_t>> seen_;
};

}  // namespace convoy::plan::check
