#include "core/cli/auto_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/cli/auto_choice.hpp"
#include "core/cli/plan_subject.hpp"
#include "core/cli/plan_verb.hpp"
#include "core/cli/simulated_run.hpp"
#include "core/plan/make_plan.hpp"
#include "core/select/selection_json.hpp"

namespace convoy {
namespace {

FlagDefinition switch_flag(const char* name, const char* help) {
  FlagDefinition flag;
  flag.name = name;
  flag.type = FlagType::kBool;
  flag.default_value = "false";
  flag.help = help;
  flag.group = "what is shown";
  return flag;
}

std::vector<FlagDefinition> auto_plan_flags() {
  std::vector<FlagDefinition> flags = simulation_flags();
  flags.push_back(switch_flag("explain", "The ranking of all candidates instead of a plan."));
  flags.push_back(switch_flag("json", "The ranking as JSON."));
  flags.push_back(switch_flag("lowered", "The plan as it runs: staging, slices, lanes, waits."));
  flags.push_back(switch_flag("dot", "Graphviz instead of text."));
  return flags;
}

// What was compared, on what, and what came of it.
struct Explanation {
  SimulatedHardware hardware;
  ChoiceSubject subject;
  Ranking ranking;
  Decision decision;
};

Explanation explain(const RunSetup& setup) {
  refuse_measuring(setup);
  Explanation result;
  result.hardware = choose_simulated_hardware(setup);
  result.subject = imagined_subject(setup, result.hardware, setup.options.num_devices);
  result.ranking = rank_strategies(setup, result.hardware, result.subject);
  result.decision =
      setup.options.auto_mode == AutoMode::kRule
          ? choose_by_rule(setup, result.hardware.device)
          : choose_by_simulation(setup, result.hardware, result.subject, result.ranking);
  return result;
}

std::string states_text(const Ranking& ranking) {
  std::string text;
  for (const CandidateState state : {CandidateState::kPredicted, CandidateState::kExcluded,
                                     CandidateState::kTooLarge, CandidateState::kRefused}) {
    const auto count = std::count_if(ranking.candidates.begin(), ranking.candidates.end(),
                                     [&](const auto& each) { return each.state == state; });
    if (count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(state));
  }
  return text;
}

void print_ranking(std::ostream& out, const RunSetup& setup, const Explanation& it) {
  out << fmt::format("{} on {}, {} images per device, software {}\n", setup.graph->model(),
                     it.decision.basis, it.subject.batch, it.hardware.software.name)
      << fmt::format(
             "{} candidates: {}\nof each variant with its best size of buckets: predicted "
             "step, how far behind the best, what costs most beside compute\n",
             it.ranking.candidates.size(), states_text(it.ranking))
      << explanation(it.ranking) << decision_line(it.decision) << '\n';
  const double tolerance = shortlist_tolerance(it.hardware.known_error);
  const auto close = it.ranking.shortlist(tolerance, it.ranking.candidates.size()).size();
  out << fmt::format(
      "{} of the variants are within {:.0f} % of the best, which predictions may be "
      "wrong by{}\n",
      close, 100 * tolerance,
      it.hardware.device == "cpu" && close > 1
          ? "; convoy run --auto=measure tries the best of them while it trains"
          : "");
}

void print_json(std::ostream& out, const RunSetup& setup, const Explanation& it) {
  nlohmann::ordered_json json = {{"schema_version", 1},
                                 {"model", setup.graph->model()},
                                 {"machine", it.hardware.name},
                                 {"software", it.hardware.software.name},
                                 {"hosts", it.subject.hosts},
                                 {"devices_per_host", it.subject.devices},
                                 {"batch_per_device", it.subject.batch},
                                 {"decision", to_json(it.decision)},
                                 {"shortlist", nlohmann::ordered_json::array()},
                                 {"candidates", to_json(it.ranking)}};
  const double tolerance = shortlist_tolerance(it.hardware.known_error);
  for (const Candidate& candidate : it.ranking.shortlist(tolerance, kMostTried))
    json["shortlist"].push_back(flags_of(candidate));
  out << json_text(json, 2) << '\n';
}

void print_plan_of(std::ostream& out, const RunSetup& setup, const Explanation& it) {
  const simulate::SimulatedCluster cluster =
      it.hardware.cluster(it.subject.hosts, it.subject.devices);
  const ArenaMap arena = simulated_arena(setup, it.hardware, it.decision.chosen.bucket_elements);
  const Plan plan =
      make_plan(setup.strategy->manifest().name, cluster.cluster, arena,
                [&](const convoy_planner& planner) { setup.strategy->plan(planner); });
  show_plan(out, plan, setup.flags->boolean("lowered"), setup.flags->boolean("dot"));
}

}  // namespace

int run_auto_plan(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  if (wants_help(arguments)) {
    out << "convoy plan --variable_update=auto [flags]: what auto takes on a described machine, "
           "and why.\n\n"
        << run_help(arguments, auto_plan_flags());
    return static_cast<int>(ExitCode::kOk);
  }
  Explanation it;
  const RunSetup setup = set_up_imagined_run(
      arguments, auto_plan_flags(),
      [&](const RunSetup& unfinished) {
        it = explain(unfinished);
        return it.decision;
      },
      log_to(err));
  if (setup.flags->boolean("json")) {
    print_json(out, setup, it);
  } else if (setup.flags->boolean("explain")) {
    print_ranking(out, setup, it);
  } else {
    for (const std::string& notice : setup.notices) err << "convoy: " << notice << '\n';
    print_plan_of(out, setup, it);
  }
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace convoy
