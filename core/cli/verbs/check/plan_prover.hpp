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

// Has a strategy write plans, proves them and prints what is found, in their order.
class PlanProver {
 public:
  // Both must outlive it.
  PlanProver(const job::Setup& setup, std::ostream& out)
      : setup_(setup), out_(out), kernel_checks_(setup, kernels_said_) {}

  // The strategy writes its plans in this thread, while no other thread works, because a
  // third-party strategy writes each plan in a forked process first. Then plans are proved in
  // parallel: as many as keep all processors busy, but no more than are likely to fit into memory.
  void add(const std::string& what, const plan::Cluster& cluster, plan::ArenaMap map,
           bool shows_hash);
  // For the map of the one that was added last. Both share the plan where the strategy writes the
  // same for both clusters.
  void add_alike(const std::string& what, const plan::Cluster& cluster, plan::ArenaMap map);
  // Proves and prints those that were added and are not proved yet.
  void prove_written();
  // Prints what was found in them.
  void print_findings() const;
  // Prints what all of them say together and returns it as an exit code.
  int conclude() const;

 private:
  const plugin::Manifest& manifest() const { return setup_.strategy->manifest(); }
  ProvedCase& add_case(const std::string& what, const plan::Cluster& cluster);
  void write_plan(ProvedCase& it, plan::ArenaMap map, const plan::StepPlan* like);
  void prove_full_batch();
  std::vector<std::size_t> longest_first() const;
  bool takes_long(const ProvedCase& it) const;
  void prove(ProvedCase& it);
  // `of_lowered`: the report on what the plan becomes, of one that is proved.
  void judge(ProvedCase& it, const plan::check::CheckReport& report,
             const plan::check::CheckReport* of_lowered);

  const job::Setup& setup_;
  std::ostream& out_;
  std::ostringstream kernels_said_;
  KernelChecks kernel_checks_;
  Proofs proofs_;
  StrategyVerdict verdict_;
  std::vector<std::unique_ptr<ProvedCase>> written_;
  std::uint64_t devices_written_ = 0;
  // Devices whose plans are proved together. The first batches are small, because nothing is proved
  // after one in which a budget was spent.
  std::uint64_t batch_ = 2;
  bool gives_up_ = false;  // a budget was spent: later plans would take as long each
};

}  // namespace convoy::cli
