#include "core/cli/verbs/check/proved_cases.hpp"

#include <fmt/format.h>

namespace convoy::cli {

void CaseOutcome::fail(bool refused, const Error& error) {
  if (refused) {
    text += "refused";
    refusal = error.what();
  } else {
    text += fmt::format("wrong: {}\n", error.what());
  }
  end = refused ? CaseEnd::kRefused : CaseEnd::kBroken;
}

const plan::check::CheckReport& Proofs::of(const plan::Plan& plan) {
  const std::pair key{plan::plan_hash(plan), plan.cluster->replicas()};
  std::unique_lock lock(mutex_);
  const auto [it, is_new] = known_.try_emplace(key);
  lock.unlock();
  if (is_new) {
    try {
      it->second.result.set_value(plan::check::check_plan(plan));
    } catch (...) {
      it->second.result.set_exception(std::current_exception());
    }
  }
  return it->second.proof.get();
}

}  // namespace convoy::cli
