#include "tests/plan/check/mutation_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/plan/print/print.hpp"
#include "core/plan/stages.hpp"
#include "tests/plan/check/mutation_oracle.hpp"

namespace convoy::testing {
namespace {

bool names_operation(const plan::check::CheckReport& report) {
  return std::ranges::any_of(
      report.findings, [](const plan::check::Finding& it) { return it.operation != CONVOY_NONE; });
}

std::string text_of(const plan::Plan& plan) {
  std::string text;
  for (const std::vector<plan::Operation>* section : plan::sections_of(plan))
    for (const plan::Operation& operation : *section)
      text += plan::operation_line(plan, operation) + '\n';
  return text;
}

}  // namespace

void MutationRun::run(const std::string& name, const plan::Plan& plan, int each) {
  const plan::check::CheckReport original = plan::check::check_plan(plan);
  if (original.verdict == plan::check::Verdict::kWrong)
    contradictions_.push_back(name + " is said to be wrong as it is");
  for (int kind = 0; kind < kMutationKinds; ++kind)
    for (int i = 0; i < each; ++i) {
      plan::Plan mutant = plan;
      const auto mutation = static_cast<MutationKind>(kind);
      bool changed = false;
      for (int tries = 0; !changed && tries < 20; ++tries)
        changed = mutate(mutant, mutation, random_);
      if (changed) judge(name, mutant, mutation, original);
    }
}

void MutationRun::judge(const std::string& name, const plan::Plan& mutant, MutationKind kind,
                        const plan::check::CheckReport& original) {
  MutationTally& tally = tallies_[kind];
  ++tally.mutants;
  const plan::check::CheckReport report = plan::check::check_plan(mutant);
  if (report.verdict == plan::check::Verdict::kWrong ||
      report.verdict == plan::check::Verdict::kUnproved) {
    ++(names_operation(report) ? tally.named : tally.unnamed);
    return;
  }
  ++(report.verdict_text() == original.verdict_text() ? tally.unharmed : tally.relabelled);
  if (const auto found = contradiction(mutant, report))
    contradictions_.push_back(fmt::format("{}, {} replicas, {}: said to be {}, but {}\n{}", name,
                                          mutant.cluster->replicas(), mutation_name(kind),
                                          report.verdict_text(), *found, text_of(mutant)));
}

MutationTally MutationRun::total() const {
  MutationTally all;
  for (const auto& [unused, tally] : tallies_) {
    all.mutants += tally.mutants;
    all.unharmed += tally.unharmed;
    all.named += tally.named;
    all.unnamed += tally.unnamed;
    all.relabelled += tally.relabelled;
  }
  return all;
}

std::string MutationRun::text() const {
  std::string text;
  for (const auto& [kind, tally] : tallies_)
    text += fmt::format(
        "{:8} {:6} mutants: {} as before, {} of another kind, {} refused with and {} without an "
        "operation\n",
        mutation_name(kind), tally.mutants, tally.unharmed, tally.relabelled, tally.named,
        tally.unnamed);
  return text;
}

int wanted_mutants(int usual) {
  const char* const wanted = std::getenv("CONVOY_MUTANTS");
  return wanted == nullptr ? usual : std::atoi(wanted);
}

std::uint32_t wanted_seed() {
  const char* const wanted = std::getenv("CONVOY_TEST_SEED");
  return wanted == nullptr ? 20240917 : static_cast<std::uint32_t>(std::atoi(wanted));
}

}  // namespace convoy::testing
