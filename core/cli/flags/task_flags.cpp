#include <sstream>

#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/run_flags.hpp"
#include "core/job/limits.hpp"

namespace convoy {
namespace {

using Flags = std::vector<FlagDefinition>;

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');)
    if (!name.empty()) names.push_back(name);
  return names;
}

// Who takes part, and where.
Flags membership_flags(TaskOptions& options, MachineOptions& machine) {
  return {
      bind_words("job_name", options.job_name, {"", "worker", "ps", "controller"},
                 "What this process is among the tasks of a run on several hosts. Left out, "
                 "mpirun, srun or RANK and WORLD_SIZE say who it is; else it runs alone."),
      bind_flag("task_index", options.task_index, Range{0, double{kMostHosts}},
                "Its number among those, from 0. Worker 0 prints the total.", "0"),
      bind_flag("worker_hosts", machine.worker_hosts,
                "Where the workers listen: host:port,host:port."),
      bind_flag("ps_hosts", machine.ps_hosts, "Where the parameter servers listen, likewise."),
      bind_flag("controller_host", options.controller_host,
                "Where the tasks meet; left out, at worker 0."),
      custom_flag(
          "transport", FlagType::kString, "auto",
          [&options](const std::string& text) {
            options.transports = text == "auto" ? std::vector<std::string>() : split_names(text);
          },
          "What carries bytes between tasks: names of transports, separated by commas (`convoy "
          "list` shows them). auto takes the best one for each pair."),
      bind_flag("network_channels", options.network_channels, Range{1, 255},
                "Streams that a large message between two tasks is divided over."),
  };
}

// How long tasks wait for each other, and what happens when one is lost.
Flags loss_flags(TaskOptions& options) {
  return {
      bind_flag("join_timeout", options.join_timeout, Range{0.1, kMostSeconds},
                "Seconds in which all tasks must have come."),
      bind_flag("peer_timeout", options.peer_timeout, Range{0.1, kMostSeconds},
                "Seconds of silence after which a task counts as dead."),
      bind_flag("restarts", options.restarts, Range{0, double{kMostHosts}},
                "How often a task that dies may be replaced: the others wait until it is started "
                "again, for join_timeout seconds, and all go on from the newest checkpoint of "
                "train_dir. Worker 0 cannot be replaced. Worker 0's value counts."),
  };
}

// How others reach this task, and how both ends prove who they are.
Flags connection_flags(TaskOptions& options) {
  return {
      bind_flag("advertise_address", options.advertise_address,
                "The address by which others reach this task; left out, that which reached the "
                "others."),
      bind_flag(
          "certificate", options.certificate,
          "This task's certificate, a file in PEM form; with private_key and "
          "certificate_authority all bytes between tasks are encrypted and both ends prove who "
          "they are."),
      bind_flag("private_key", options.private_key, "Its private key."),
      bind_flag("certificate_authority", options.certificate_authority,
                "The certificates of those who sign tasks' certificates."),
      bind_flag("insecure_network", options.insecure_network,
                "Lets tasks on several machines talk in clear text, without certificates."),
  };
}

}  // namespace

std::vector<FlagDefinition> task_flags(TaskOptions& options, MachineOptions& machine) {
  return joined(
      {membership_flags(options, machine), loss_flags(options), connection_flags(options)});
}

}  // namespace convoy
