#include "core/cli/flags/machine_flags.hpp"

#include "core/cli/flags/bind.hpp"
#include "core/job/limits.hpp"

namespace convoy {
namespace {

std::vector<FlagDefinition> in_group(std::vector<FlagDefinition> flags) {
  for (FlagDefinition& flag : flags) flag.group = "For which machine";
  return flags;
}

}  // namespace

std::vector<FlagDefinition> simulation_flags(MachineOptions& machine) {
  return in_group({
      bind_flag("platform", machine.platform,
                "A described machine: a name from share/platforms, or a file. NAME:2+OTHER:3 is "
                "two hosts of one kind and three of another, on the first one's network."),
      bind_flag("topology", machine.topology,
                "A machine from a file that lstopo, NCCL, nvidia-smi topo -m or convoy topo --json "
                "wrote; without it and --platform, this machine."),
      custom_flag(
          "software", FlagType::kString, "convoy",
          [&machine](const std::string& name) { machine.software = name; },
          "Whose behaviour is simulated: convoy, or a profile's name."),
      bind_flag("hosts", machine.hosts, Range{1, kMostHosts},
                "So many machines of the kind, on one network.", "1"),
      bind_flag("images_per_sec", machine.images_per_second, Range{1e-6},
                "Images that one device trains per second, when it is known; else the roofline of "
                "its peaks."),
  });
}

std::vector<FlagDefinition> planned_cluster_flags(MachineOptions& machine) {
  std::vector<FlagDefinition> flags = simulation_flags(machine);
  for (FlagDefinition& flag : in_group({
           bind_flag("worker_hosts", machine.worker_hosts,
                     "The hosts of devices as addresses separated by commas, or as a number, if no "
                     "more is known of them."),
           bind_flag("ps_hosts", machine.ps_hosts,
                     "Parameter servers: addresses separated by commas (on a worker's host if they "
                     "have its name), or how many hosts without devices; empty = in the memory of "
                     "every host."),
       }))
    flags.push_back(std::move(flag));
  return flags;
}

}  // namespace convoy
