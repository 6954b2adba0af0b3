#include "core/cli/show/auto_explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "core/base/text/json.hpp"
#include "core/job/auto/auto_rule.hpp"
#include "core/select/selection_json.hpp"

namespace convoy::cli {
namespace {

std::string states_text(const select::Ranking& ranking) {
  std::string text;
  for (const select::CandidateState state :
       {select::CandidateState::kPredicted, select::CandidateState::kExcluded,
        select::CandidateState::kTooLarge, select::CandidateState::kRefused}) {
    const auto count = std::count_if(ranking.candidates.begin(), ranking.candidates.end(),
                                     [&](const auto& each) { return each.state == state; });
    if (count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, select::to_string(state));
  }
  return text;
}

void print_ranking(std::ostream& out, const job::Setup& setup, const Explanation& it) {
  out << fmt::format("{} on {}, {} images per device, software {}\n", setup.graph->model(),
                     it.decision.basis, it.subject.batch, it.hardware.software.name)
      << fmt::format(
             "{} candidates: {}\nof each variant with its best size of buckets: predicted "
             "step, how far behind the best, what costs most beside compute\n",
             it.ranking.candidates.size(), states_text(it.ranking))
      << select::explanation(it.ranking) << select::decision_line(it.decision) << '\n';
  const double tolerance = select::shortlist_tolerance(it.hardware.known_error);
  const auto close = it.ranking.shortlist(tolerance, it.ranking.candidates.size()).size();
  out << fmt::format(
      "{} of the variants {} within {:.0f} % of the best: predictions may be wrong by as much{}\n",
      close, close == 1 ? "is" : "are", 100 * tolerance,
      it.hardware.on_host_processors && close > 1
          ? "; convoy run --auto=measure tries the best of them while it trains"
          : "");
}

void print_json(std::ostream& out, const job::Setup& setup, const Explanation& it) {
  nlohmann::ordered_json json = {{"schema_version", 1},
                                 {"model", setup.graph->model()},
                                 {"machine", it.hardware.name},
                                 {"software", it.hardware.software.name},
                                 {"hosts", it.subject.hosts},
                                 {"devices_per_host", it.subject.devices},
                                 {"batch_per_device", it.subject.batch},
                                 {"decision", select::to_json(it.decision)},
                                 {"shortlist", nlohmann::ordered_json::array()},
                                 {"candidates", select::to_json(it.ranking)}};
  const double tolerance = select::shortlist_tolerance(it.hardware.known_error);
  for (const select::Candidate& candidate : it.ranking.shortlist(tolerance, select::kMostTried))
    json["shortlist"].push_back(select::flags_of(candidate));
  out << json_text(json, 2) << '\n';
}

}  // namespace

Explanation explain(const job::Setup& setup) {
  job::refuse_measuring(setup.options);
  Explanation result;
  result.hardware = job::choose_simulated_hardware(setup);
  result.subject = job::dry_run_subject(setup, result.hardware, setup.options.num_devices);
  result.ranking = job::rank_strategies(setup, result.hardware, result.subject);
  result.decision =
      setup.options.auto_mode == AutoMode::kRule
          ? job::choose_by_rule(setup, result.hardware.on_host_processors)
          : job::choose_by_simulation(setup, result.hardware, result.subject, result.ranking);
  return result;
}

void print_explanation(std::ostream& out, const job::Setup& setup, const Explanation& explanation,
                       bool as_json) {
  (as_json ? print_json : print_ranking)(out, setup, explanation);
}

}  // namespace convoy::cli
