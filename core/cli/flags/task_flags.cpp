#include <sstream>

#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/run_flags.hpp"

namespace convoy::cli {
namespace {

using Flags = std::vector<FlagDefinition>;

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');)
    if (!name.empty()) names.push_back(name);
  return names;
}

// Flags for the tasks of the run and their addresses.
Flags membership_flags(TaskOptions& options, MachineOptions& machine) {
  return {
      bind_words("job_name", options.job_name, {"", "worker", "ps", "controller"},
                 "Role of this process in a run on several hosts. Without it, mpirun, srun or "
                 "RANK and WORLD_SIZE determine the role; without these, the process runs alone."),
      bind_option("task_index", options.task_index,
                  "Number of this task among those of its role, from 0. Worker 0 prints the total.",
                  "0"),
      bind_flag("worker_hosts", machine.worker_hosts,
                "Addresses at which the workers listen: host:port,host:port."),
      bind_flag("ps_hosts", machine.ps_hosts,
                "Addresses at which the parameter servers listen, "
                "in the same form."),
      bind_flag("controller_host", options.controller_host,
                "Address at which the tasks meet. Without it, at worker 0."),
      custom_flag(
          "transport", FlagType::kString, "auto",
          [&options](const std::string& text) {
            options.transports = text == "auto" ? std::vector<std::string>() : split_names(text);
          },
          "Transports, which carry bytes between tasks, by name, separated by commas (`convoy "
          "list` shows them). auto takes the best one for each pair."),
      bind_option("network_channels", options.network_channels,
                  "Number of streams over which a large message between two tasks is divided."),
  };
}

// Flags for how long tasks wait for each other, and for the loss of a task.
Flags loss_flags(TaskOptions& options) {
  return {
      bind_option("join_timeout", options.join_timeout,
                  "Seconds within which all tasks must join."),
      bind_option("peer_timeout", options.peer_timeout,
                  "Seconds of silence after which a task counts as dead."),
      bind_option("restarts", options.restarts,
                  "How often a task that dies may be replaced. The others wait up to join_timeout "
                  "seconds until it is started again, and all continue from the newest checkpoint "
                  "in train_dir. Worker 0 cannot be replaced. Worker 0's value counts."),
  };
}

// Flags for how others reach this task, and how both ends authenticate each other.
Flags connection_flags(TaskOptions& options) {
  return {
      bind_flag("advertise_address", options.advertise_address,
                "Name or address, without a port, at which others reach this task. Without it, the "
                "address from which this task reached the others."),
      bind_flag("certificate", options.certificate,
                "This task's certificate, a file in PEM form. With private_key and "
                "certificate_authority, all bytes between tasks are encrypted and both ends "
                "authenticate each other."),
      bind_flag("private_key", options.private_key,
                "The private key of the certificate, a file in PEM form."),
      bind_flag("certificate_authority", options.certificate_authority,
                "The certificates of the authorities that sign tasks' certificates, a PEM file."),
      bind_flag("insecure_network", options.insecure_network,
                "Allows tasks on several machines to communicate in clear text, without "
                "certificates."),
  };
}

}  // namespace

std::vector<FlagDefinition> task_flags(TaskOptions& options, MachineOptions& machine) {
  return joined(
      {membership_flags(options, machine), loss_flags(options), connection_flags(options)});
}

}  // namespace convoy::cli
