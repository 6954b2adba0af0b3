#include "core/cli/plan_verb.hpp"

#include <ostream>

#include "core/base/error.hpp"
#include "core/cli/cluster_flags.hpp"
#include "core/cli/flag_limits.hpp"
#include "core/cli/plan_subject.hpp"
#include "core/plan/dot.hpp"
#include "core/plan/print.hpp"

namespace convoy {
namespace {

FlagDefinition toggle(const std::string& name, const std::string& initial,
                      const std::string& help) {
  FlagDefinition flag;
  flag.name = name;
  flag.type = FlagType::kBool;
  flag.default_value = initial;
  flag.help = help;
  return flag;
}

std::vector<FlagDefinition> plan_flags() {
  FlagDefinition strategy;
  strategy.name = "variable_update";
  strategy.help = "The strategy whose plan is shown: a name, or a path with a '/'.";
  FlagDefinition devices;
  devices.name = "num_devices";
  devices.type = FlagType::kInt;
  devices.default_value = "2";
  devices.minimum = 1;
  devices.maximum = kMostDevices;
  devices.help = "For how many devices on every host.";
  FlagDefinition bucket;
  bucket.name = "bucket_mb";
  bucket.type = FlagType::kFloat;
  bucket.default_value = "16";
  bucket.minimum = 0;
  bucket.maximum = kMostBucketMb;
  bucket.help = "Size of the pieces (2^20 bytes) in which gradients travel; 0 = one piece.";
  std::vector<FlagDefinition> flags = {
      strategy,
      devices,
      bucket,
      toggle("peer_access", "true", "Whether devices address each other's memory."),
      toggle("lowered", "false", "The plan as it runs: staging, slices, lanes and waits."),
      toggle("dot", "false", "Graphviz instead of text.")};
  for (FlagDefinition& flag : cluster_flags()) flags.push_back(std::move(flag));
  return flags;
}

void print_plan_help(std::ostream& out) {
  FlagTable table;
  table.add_all(subject_flags(plan_flags()));
  out << "convoy plan --variable_update=NAME [flags]: shows the plan that a strategy writes. "
         "Options of the strategy are flags too.\n\n"
      << flag_help(table);
}

}  // namespace

void show_plan(std::ostream& out, const StepPlan& plan, bool lowered, bool dot) {
  const Plan& shown = lowered ? plan.lowered() : plan.logical();
  if (dot) return print_dot(out, shown, lowered);
  print_plan(out, shown, lowered ? &plan.schedule() : nullptr);
}

int run_plan_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  if (wants_help(arguments)) {
    print_plan_help(out);
    return static_cast<int>(ExitCode::kOk);
  }
  const auto strategy = find_flag(arguments, "variable_update");
  if (!strategy)
    fail(ExitCode::kUsage,
         "plan needs a strategy: convoy plan --variable_update=NAME; convoy list shows which there "
         "are");
  PlanSubject subject(*strategy, arguments, plan_flags(), log_to(err));
  const ParsedFlags& flags = subject.flags();
  HostsDescription hosts = describe_hosts(flags);
  hosts.devices_per_host = flags.integer_as<std::uint32_t>("num_devices");
  hosts.peer_access = flags.boolean("peer_access");
  const Cluster cluster = make_hosts(hosts);
  const ArenaMap arena = subject.arena_map(
      static_cast<std::uint64_t>(flags.number("bucket_mb") * (1 << 20) / sizeof(float)));
  bool refused = false;
  show_plan(out, StepPlan(cluster, arena, subject.author(refused)), flags.boolean("lowered"),
            flags.boolean("dot"));
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace convoy
