#pragma once

#include <iosfwd>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/cli/verbs/check/check_kernels.hpp"
#include "core/cli/verbs/check/proved_cases.hpp"
#include "core/cli/verbs/check/strategy_verdict.hpp"
#include "core/job/setup.hpp"

namespace convoy::cli {

// Makes a strategy write plans, proves them and prints the findings, in the order of the plans.
class PlanProver {
 public:
  // The setup and the stream must outlive this object.
  PlanProver(const job::Setup& setup, std::ostream& out)
      : setup_(setup), out_(out), kernel_checks_(setup, kernels_said_) {}

  // The strategy writes its plans in this thread, while no other thread works, because a
  // third-party strategy writes each plan in a forked process first. Then plans are proved in
  // parallel: enough to keep all processors busy, but no more than are likely to fit into memory.
  void add(const std::string& what, const plan::Cluster& cluster, plan::ArenaMap map,
           bool shows_hash);
  // Adds a case with the map of the case that was added last. Both share one plan if the strategy
  // writes the same for both clusters.
  void add_alike(const std::string& what, const plan::Cluster& cluster, plan::ArenaMap map);
  // Proves and prints the added plans that are not proved yet.
  void prove_written();
  // Prints the findings in the plans.
  void print_findings() const;
  // Prints the verdict on all plans together and returns it as an exit code.
  int conclude() const;

 private:
  const plugin::Manifest& manifest() const { return setup_.strategy->manifest(); }
  ProvedCase& add_case(const std::string& what, const plan::Cluster& cluster);
  void write_plan(ProvedCase& it, plan::ArenaMap map, const plan::StepPlan* like);
  void prove_full_batch();
  std::vector<std::size_t> longest_first() const;
  bool takes_long(const ProvedCase& it) const;
  void prove(ProvedCase& it);
  void show(const CaseOutcome& outcome);
  // `of_lowered`: the report on the lowered plan, if the author's plan is proved.
  void judge(ProvedCase& it, const plan::check::CheckReport& report,
             const plan::check::CheckReport* of_lowered);

  const job::Setup& setup_;
  std::ostream& out_;
  std::ostringstream kernels_said_;
  KernelChecks kernel_checks_;
  Proofs proofs_;
  StrategyVerdict verdict_;
  std::vector<std::unique_ptr<ProvedCase>> written_;
  std::string last_refusal_;  // of the plan that was printed last; empty if it was not refused
  std::uint64_t devices_written_ = 0;
  // The number of devices in a batch of plans that are proved together. The first batches are
  // small, because nothing more is proved after a batch in which a plan exceeded its budget.
  std::uint64_t batch_ = 2;
  bool gives_up_ = false;  // a plan exceeded its budget, and later plans would take as long each
};

}  // namespace convoy::cli
