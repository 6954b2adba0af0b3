#include "core/cli/plan_verb.hpp"

#include <optional>
#include <ostream>

#include "core/base/error.hpp"
#include "core/cli/auto_choice.hpp"
#include "core/cli/auto_explanation.hpp"
#include "core/cli/cluster_flags.hpp"
#include "core/cli/plan_ground.hpp"
#include "core/cli/run_sizes.hpp"
#include "core/cli/simulated_run.hpp"
#include "core/plan/dot.hpp"
#include "core/plan/print.hpp"
#include "core/plan/step_plan.hpp"
#include "core/runtime/model_map.hpp"
#include "core/runtime/prepared_plan.hpp"

namespace convoy {
namespace {

FlagDefinition toggle(const char* name, const char* initial, const char* help) {
  FlagDefinition flag;
  flag.name = name;
  flag.type = FlagType::kBool;
  flag.default_value = initial;
  flag.help = help;
  flag.group = "what is shown";
  return flag;
}

std::vector<FlagDefinition> plan_flags() {
  std::vector<FlagDefinition> flags = {
      toggle("lowered", "false", "The plan as it runs: staging, slices, lanes and waits."),
      toggle("dot", "false", "Graphviz instead of text."),
      toggle("explain", "false", "Under auto: the ranking of all candidates instead of a plan."),
      toggle("json", "false", "Under auto: the ranking as JSON.")};
  for (FlagDefinition& flag : planned_cluster_flags()) flags.push_back(std::move(flag));
  flags.push_back(toggle(
      "peer_access", "true",
      "Whether devices address each other's memory. Given, the plan is for devices of which no "
      "more is known."));
  flags.back().group = flags[flags.size() - 2].group;
  return flags;
}

bool is_of_this_machine(const ParsedFlags& flags) {
  return plans_for_this_machine(flags) && !flags.is_given("peer_access");
}

// Of hosts and devices of which no more is known than the flags say.
PlanGround imagined_ground(const RunSetup& setup) {
  constexpr std::uint32_t kUsualDevices = 2;
  HostsDescription hosts = describe_hosts(*setup.flags);
  hosts.devices_per_host = setup.options.num_devices.value_or(kUsualDevices);
  hosts.peer_access = setup.flags->boolean("peer_access");
  return {make_hosts(hosts), Arena(*setup.graph)};
}

void show(std::ostream& out, const ParsedFlags& flags, const StepPlan& plan) {
  const std::string hash = plan.hash();  // also asks whether it can be lowered
  const bool lowered = flags.boolean("lowered");
  const bool dot = flags.boolean("dot");
  const Plan& shown = lowered ? plan.lowered() : plan.logical();
  if (dot)
    print_dot(out, shown, lowered);
  else
    print_plan(out, shown, lowered ? &plan.schedule() : nullptr);
  out << (dot ? "// " : "") << "hash of the lowered plan: " << hash << '\n';
}

void show_plan(std::ostream& out, const RunSetup& setup) {
  const PlanAuthor author = author_of(*setup.strategy);
  const StepPlanOptions options{.guard = setup.options.guard};
  const std::uint64_t buckets = setup.options.bucket_elements();
  if (describes_machine(*setup.flags)) {
    const SimulatedHardware hardware = choose_simulated_hardware(setup);
    const SimulatedGround ground = simulated_ground(
        setup, hardware, hardware.hosts, setup.options.num_devices.value_or(hardware.most_devices));
    const StepPlan plan(ground.on.cluster, simulated_map(setup, hardware, ground.arena, buckets),
                        author, options);
    return show(out, *setup.flags, plan);
  }
  const PlanGround ground = is_of_this_machine(*setup.flags)
                                ? ground_of_devices(setup, count_devices(setup))
                                : imagined_ground(setup);
  const StepPlan plan(ground.cluster, make_arena_map(*setup.graph, ground.arena, buckets), author,
                      options);
  show(out, *setup.flags, plan);
}

}  // namespace

int run_plan_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  if (wants_help(arguments)) {
    out << "convoy plan [flags]: shows the plan that convoy run with these flags executes, on this "
           "machine or a described one, as the strategy writes it or lowered.\n\n"
        << run_help(arguments, plan_flags());
    return static_cast<int>(ExitCode::kOk);
  }
  std::optional<Explanation> explanation;
  const RunSetup setup = set_up_imagined_run(
      arguments, {plan_flags(), is_of_this_machine},
      [&](RunSetup& unfinished) {
        const ParsedFlags& flags = *unfinished.flags;
        if (!flags.boolean("explain") && !flags.boolean("json"))
          return choose_as_run_does(unfinished);
        explanation = explain(unfinished);
        return explanation->decision;
      },
      log_to(err));
  if (explanation) {
    print_explanation(out, setup, *explanation, setup.flags->boolean("json"));
    return static_cast<int>(ExitCode::kOk);
  }
  if (setup.flags->boolean("explain") || setup.flags->boolean("json"))
    fail(ExitCode::kUsage,
         "--explain and --json show how strategies rank: they go with --variable_update=auto");
  for (const std::string& notice : setup.notices) err << "convoy: " << notice << '\n';
  show_plan(out, setup);
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace convoy
