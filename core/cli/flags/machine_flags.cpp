#include "core/cli/flags/machine_flags.hpp"

#include "core/cli/flags/bind.hpp"

namespace convoy::cli {

std::vector<FlagDefinition> simulation_flags(MachineOptions& machine) {
  std::vector<FlagDefinition> flags = {
      bind_flag("platform", machine.platform,
                "A described machine: a name that `convoy list platforms` shows, or a file. "
                "NAME:2+OTHER:3 means two hosts of one kind and three of another, on the network "
                "of the first."),
      bind_flag("topology", machine.topology,
                "A machine from a file that lstopo, NCCL, nvidia-smi topo -m or convoy topo --json "
                "wrote; without it and --platform, this machine."),
      custom_flag(
          "software", FlagType::kString, "convoy",
          [&machine](const std::string& name) { machine.software = name; },
          "The program whose behaviour is simulated: convoy, or the name of a profile."),
      bind_option("hosts", machine.hosts, "Number of machines of this kind, on one network.", "1"),
      bind_option("images_per_sec", machine.images_per_second,
                  "Known training speed of one device in images per second. Without it, a roofline "
                  "model of the device's peak rates is used."),
  };
  return in_group(kMachineGroup, std::move(flags));
}

std::vector<FlagDefinition> planned_cluster_flags(MachineOptions& machine) {
  std::vector<FlagDefinition> hosts = {
      bind_flag("worker_hosts", machine.worker_hosts,
                "Hosts with devices: addresses separated by commas, or only their number."),
      bind_flag("ps_hosts", machine.ps_hosts,
                "Parameter servers: addresses separated by commas (on a worker's host if the name "
                "is the same), or the number of hosts without devices. Empty = in the memory of "
                "every host."),
  };
  return joined({simulation_flags(machine), in_group(kMachineGroup, std::move(hosts))});
}

}  // namespace convoy::cli
