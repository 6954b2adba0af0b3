#include "core/cli/verbs/check/plan_prover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <mutex>
#include <numeric>
#include <ostream>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/process/in_parallel.hpp"
#include "core/plan/check/report/explain.hpp"
#include "core/plan/check/report/unread_memory.hpp"
#include "core/plan/plan_writer.hpp"
#include "core/plan/step_plan.hpp"
#include "core/runtime/claim.hpp"

namespace convoy::cli {
namespace {

constexpr std::uint64_t kLargestBatch = 128;  // enough to keep all processors busy

// Plans for so many devices are proved nearly alone, because few of them fit into memory together.
bool is_large(const plan::Cluster& cluster) {
  return cluster.replicas() >= 512;
}

bool spent_its_budget(const ProvedCase& it) {
  return it.outcome.findings != nullptr && plan::check::is_over_budget(*it.outcome.findings);
}

}  // namespace

void PlanProver::add(const std::string& what, const plan::Cluster& cluster, plan::ArenaMap map,
                     bool shows_hash) {
  ProvedCase& it = add_case(what, cluster);
  it.shows_hash = shows_hash;
  write_plan(it, std::move(map), nullptr);
  prove_full_batch();
}

void PlanProver::add_alike(const std::string& what, const plan::Cluster& cluster,
                           plan::ArenaMap map) {
  ProvedCase& it = add_case(what, cluster);
  const ProvedCase* const last =
      written_.size() < 2 ? nullptr : std::prev(written_.end(), 2)->get();
  write_plan(it, std::move(map), last != nullptr && last->plan ? &*last->plan : nullptr);
  prove_full_batch();
}

ProvedCase& PlanProver::add_case(const std::string& what, const plan::Cluster& cluster) {
  constexpr std::uint64_t kMostProved = 3072;
  if (devices_written_ + cluster.replicas() > kMostProved) prove_written();
  ProvedCase& it = *written_.emplace_back(std::make_unique<ProvedCase>());
  devices_written_ += cluster.replicas();
  it.cluster = cluster;
  it.outcome.plan = what.substr(what.find_first_not_of(' '));
  it.outcome.text = what + ": ";
  return it;
}

// A large plan at the end waits for others that may follow it.
void PlanProver::prove_full_batch() {
  if (written_.size() > 1 && devices_written_ >= batch_ && !is_large(written_.back()->cluster))
    prove_written();
}

// A refusal by the strategy or the host is not a fault. Any other exception is.
void PlanProver::write_plan(ProvedCase& it, plan::ArenaMap map, const plan::StepPlan* like) {
  bool refused = false;
  const plan::PlanAuthor author{
      manifest().name, [&](const convoy_planner& planner) {
        try {
          setup_.strategy->plan(planner);
        } catch (const Error& error) {
          const auto& writer = *static_cast<const plan::PlanWriter*>(planner.self);
          refused =
              writer.is_too_large() || (error.code() == ExitCode::kUsage && writer.error().empty());
          throw;
        }
      }};
  try {
    if (like != nullptr && like->is_also_written_for(it.cluster, author)) {
      it.plan.emplace(*like, it.cluster);
      return;  // the checks below were made for that plan
    }
    it.plan.emplace(it.cluster, std::move(map), author,
                    plan::StepPlanOptions{.guard = job::guard_options(setup_.options)});
    runtime::require_manifest(it.plan->logical(), *setup_.strategy);
    kernel_checks_.try_all(it.plan->logical());
  } catch (const Error& error) {
    it.plan.reset();
    it.outcome.fail(refused, error);
  }
  it.outcome.text = std::exchange(kernels_said_, {}).str() + it.outcome.text;
}

// Returns whether the author's plan and the lowered plan are proved in parallel. That is impossible
// with guards, because the proof of the author's plan decides about them.
bool PlanProver::takes_long(const ProvedCase& it) const {
  return is_large(it.cluster) && !job::guard_options(setup_.options).changes_plans();
}

void PlanProver::prove(ProvedCase& it) {
  if (gives_up_) {
    it.outcome.text += "unproved: not checked, because an earlier plan has spent the budget\n";
    it.outcome.end = CaseEnd::kUnproved;
    it.plan.reset();
    return;
  }
  bool lowers = false;
  const auto lower = [&] {
    lowers = true;
    it.plan->lowered();
    lowers = false;
  };
  const plan::check::CheckReport* report = nullptr;
  const plan::check::CheckReport* of_lowered = nullptr;
  const auto prove_authors = [&] {
    report = &proofs_.of(it.plan->logical());
    it.plan->take_check(*report);
  };
  const auto prove_lowered = [&] { of_lowered = &proofs_.of(it.plan->lowered()); };
  try {
    if (takes_long(it)) {
      lower();  // lowered first, because nothing is proved about a plan that becomes too large
      in_parallel(2, [&](std::size_t part) { part == 0 ? prove_authors() : prove_lowered(); });
    } else {
      prove_authors();
      lower();
      if (report->verdict != plan::check::Verdict::kUnproved) prove_lowered();
    }
    judge(it, *report, of_lowered);
  } catch (const Error& error) {
    // The host's guards do not fit every plan, so a usage error in lowering is a refusal.
    it.outcome.fail(lowers && error.code() == ExitCode::kUsage, error);
  }
  it.plan.reset();
}

void PlanProver::judge(ProvedCase& it, const plan::check::CheckReport& report,
                       const plan::check::CheckReport* of_lowered) {
  CaseOutcome& outcome = it.outcome;
  const std::string verdict = report.verdict_text();
  const bool unproved = report.verdict == plan::check::Verdict::kUnproved;
  const std::string lowered = unproved ? verdict : of_lowered->verdict_text();
  const bool as_claimed = plan::check::satisfies(report, manifest().claim);
  const bool kept = as_claimed && lowered == verdict;
  // The author's plan is proved. Whether the lowered plan still computes the same is unproved.
  const bool open_when_lowered =
      as_claimed && !kept && of_lowered->verdict == plan::check::Verdict::kUnproved;
  outcome.text += verdict;
  if (lowered != verdict) outcome.text += ", but lowered it is " + lowered;
  if (!kept && !open_when_lowered && !unproved && report.verdict != plan::check::Verdict::kWrong)
    outcome.text += fmt::format(" (not as claimed: {})",
                                plan::check::explain_verdict(it.plan->logical(), report));
  if (it.shows_hash) outcome.text += ", hash of the lowered plan: " + it.plan->hash();
  outcome.text += '\n';
  outcome.findings = open_when_lowered ? of_lowered : &report;
  outcome.unread = plan::check::unread_memory(it.plan->logical());
  outcome.end = kept                            ? CaseEnd::kKept
                : unproved || open_when_lowered ? CaseEnd::kUnproved
                                                : CaseEnd::kBroken;
  outcome.report = &report;
}

// Returns the best order for the proofs: the longest first. If two are equally long, the second one
// takes longer, because its devices have no access to each other's memory.
std::vector<std::size_t> PlanProver::longest_first() const {
  const auto operations = [this](std::size_t i) {
    return written_[i]->plan ? written_[i]->plan->logical().body.size() : 0;
  };
  std::vector<std::size_t> order(written_.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), operations);
  return order;
}

// Shows each result after all earlier ones are shown.
void PlanProver::prove_written() {
  std::mutex showing;
  std::vector<bool> proved(written_.size());
  std::size_t shown = 0;
  const std::vector<std::size_t> order = longest_first();
  in_parallel(written_.size(), [&](std::size_t turn) {
    const std::size_t i = order[turn];
    if (written_[i]->plan) prove(*written_[i]);
    const std::lock_guard lock(showing);
    for (proved[i] = true; shown < proved.size() && proved[shown]; ++shown) {
      show(written_[shown]->outcome);
      verdict_.add(written_[shown]->outcome);
    }
  });
  gives_up_ = gives_up_ ||
              std::ranges::any_of(written_, [](const auto& it) { return spent_its_budget(*it); });
  batch_ = std::min(2 * batch_, kLargestBatch);
  written_.clear();
  devices_written_ = 0;
}

// Several plans are often refused for one reason, which may be long.
void PlanProver::show(const CaseOutcome& outcome) {
  out_ << outcome.text;
  if (!outcome.refusal.empty())
    out_ << (outcome.refusal == last_refusal_ ? " for the same reason" : ": " + outcome.refusal)
         << '\n';
  out_ << std::flush;
  last_refusal_ = outcome.refusal;
}

void PlanProver::print_findings() const {
  verdict_.print_findings(out_);
}

int PlanProver::conclude() const {
  return verdict_.conclude(manifest(), kernel_checks_, out_);
}

}  // namespace convoy::cli
