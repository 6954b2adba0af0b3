#include "core/network/launcher.hpp"

#include <cstdlib>

#include "core/base/error.hpp"
#include "core/base/numbers/fnv.hpp"
#include "core/base/text/number.hpp"
#include "core/network/slurm_nodes.hpp"

namespace convoy::network {
namespace {

constexpr int kMostTasks = 65536;
// This is below the ports that systems choose by themselves (32768 and up).
constexpr int kFirstPort = 20000;
constexpr int kPorts = 10000;

// A port that all tasks of a run compute alike, and that other runs rarely have.
int port_of_run(const std::string& key) {
  Fnv1a64 hash;
  hash.add_bytes(key);
  return kFirstPort + static_cast<int>(hash.value() % kPorts);
}

class Variables {
 public:
  explicit Variables(const EnvironmentLookup& lookup) : lookup_(lookup) {}

  std::optional<std::string> text(const std::string& variable) const {
    std::optional<std::string> value = lookup_(variable);
    if (value && value->empty()) value.reset();
    return value;
  }

  std::string first_text(std::initializer_list<const char*> variables) const {
    for (const char* variable : variables)
      if (const auto value = text(variable)) return *value;
    return "";
  }

  std::optional<int> number(const std::string& variable, int least, int most) const {
    const std::optional<std::string> value = text(variable);
    if (!value) return std::nullopt;
    const std::optional<int> result = parse_number<int>(*value);
    if (!result || *result < least || *result > most)
      fail(ExitCode::kUsage,
           "{}='{}' is no number from {} to {}; whatever starts the processes sets it: start them "
           "with mpirun or srun, or unset it for a run of one process",
           variable, *value, least, most);
    return result;
  }

  // Reads rank and size. It is an error if only one of them is set.
  LaunchedProcess rank_and_size(const std::string& launcher, const std::string& rank,
                                const std::string& size) const {
    LaunchedProcess process;
    process.launcher = launcher;
    const std::optional<int> processes = number(size, 1, kMostTasks);
    if (!processes)
      fail(ExitCode::kUsage,
           "{}={} is set and {} is not; set both, or neither for a run of one process", rank,
           *text(rank), size);
    process.size = *processes;
    process.rank = number(rank, 0, kMostTasks - 1).value_or(0);
    if (process.rank >= process.size)
      fail(ExitCode::kUsage, "{}={} does not fit {}={}: ranks are 0 to {}; start as many processes",
           rank, process.rank, size, process.size, process.size - 1);
    return process;
  }

  // The number of processes on this host.
  std::optional<int> local_size(const std::string& variable) const {
    return number(variable, 1, kMostTasks);
  }

  // Reads MASTER_ADDR and MASTER_PORT. Nothing if they are not set.
  std::optional<HostPort> master() const {
    const auto host = text("MASTER_ADDR");
    const auto port = number("MASTER_PORT", 1, 65535);
    if (!host && !port) return std::nullopt;
    if (!host || !port)
      fail(ExitCode::kUsage, "{} is set and {} is not; the first process listens there: set both",
           host ? "MASTER_ADDR" : "MASTER_PORT", host ? "MASTER_PORT" : "MASTER_ADDR");
    check_host(*host, "MASTER_ADDR");
    return HostPort{*host, *port};
  }

  // If all processes are on this host, they find each other without an address.
  void add_coordinator(LaunchedProcess& process) const {
    if (!process.coordinator) process.coordinator = master();
    if (!process.coordinator && process.local_size == process.size)
      process.coordinator = HostPort{"127.0.0.1", port_of_run(process.launcher + process.run_key)};
  }

 private:
  const EnvironmentLookup& lookup_;
};

LaunchedProcess open_mpi_process(const Variables& variables) {
  LaunchedProcess process =
      variables.rank_and_size("Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  process.local_size = variables.local_size("OMPI_COMM_WORLD_LOCAL_SIZE");
  process.run_key = variables.first_text({"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"});
  variables.add_coordinator(process);
  return process;
}

// MPICH and its relatives set the size. PMIx leaves it to the resource manager.
LaunchedProcess pmi_process(const Variables& variables) {
  const bool pmi = variables.text("PMI_RANK").has_value();
  LaunchedProcess process =
      pmi ? variables.rank_and_size("MPICH", "PMI_RANK", "PMI_SIZE")
          : variables.rank_and_size("PMIx", "PMIX_RANK",
                                    variables.text("PMIX_SIZE") ? "PMIX_SIZE" : "SLURM_NTASKS");
  process.local_size = variables.local_size("MPI_LOCALNRANKS");
  process.run_key = variables.first_text({"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID"});
  return process;
}

LaunchedProcess ranked_process(const Variables& variables) {
  LaunchedProcess process =
      variables.rank_and_size("whoever set RANK and WORLD_SIZE", "RANK", "WORLD_SIZE");
  process.local_size = variables.local_size("LOCAL_WORLD_SIZE");
  process.run_key = variables.first_text({"TORCHELASTIC_RUN_ID", "MASTER_PORT"});
  variables.add_coordinator(process);
  return process;
}

// Rank 0 of a step runs on the first node of its list.
void add_slurm_coordinator(const Variables& variables, LaunchedProcess& process) {
  process.coordinator = variables.master();
  if (process.coordinator) return;
  for (const char* variable : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    const auto list = variables.text(variable);
    if (!list) continue;
    process.hosts = expand_node_list(*list, variable);
    const bool one_host = process.hosts.size() == 1;
    process.coordinator =
        HostPort{one_host ? "127.0.0.1" : process.hosts.front(), port_of_run(process.run_key)};
    if (one_host) process.local_size = process.size;
    return;
  }
}

LaunchedProcess slurm_process(const Variables& variables) {
  LaunchedProcess process = variables.rank_and_size(
      "Slurm", "SLURM_PROCID",
      variables.text("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS");
  process.run_key = variables.first_text({"SLURM_JOB_ID", "SLURM_JOBID"}) + "." +
                    variables.first_text({"SLURM_STEP_ID", "SLURM_STEPID"});
  return process;
}

}  // namespace

std::optional<LaunchedProcess> launched_process(const EnvironmentLookup& environment) {
  const Variables variables(environment);
  if (variables.text("OMPI_COMM_WORLD_RANK")) return open_mpi_process(variables);
  const bool pmix_size = variables.text("PMIX_SIZE") || variables.text("SLURM_NTASKS");
  if (variables.text("PMI_RANK") || (variables.text("PMIX_RANK") && pmix_size)) {
    LaunchedProcess process = pmi_process(variables);
    if (variables.text("SLURM_NTASKS"))
      add_slurm_coordinator(variables, process);
    else
      variables.add_coordinator(process);
    return process;
  }
  if (variables.text("RANK")) return ranked_process(variables);
  // A batch script has a rank and a number of tasks, too. But only srun, which starts tasks, makes
  // a step.
  if (variables.text("SLURM_STEP_ID") && variables.text("SLURM_PROCID") &&
      (variables.text("SLURM_NTASKS") || variables.text("SLURM_STEP_NUM_TASKS"))) {
    LaunchedProcess process = slurm_process(variables);
    add_slurm_coordinator(variables, process);
    return process;
  }
  if (variables.number("WORLD_SIZE", 1, kMostTasks).value_or(1) > 1)
    fail(ExitCode::kUsage,
         "WORLD_SIZE={} is set and RANK is not; set both, or neither for a run of one process",
         *variables.text("WORLD_SIZE"));
  return std::nullopt;
}

EnvironmentLookup process_environment() {
  return [](const std::string& variable) -> std::optional<std::string> {
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

}  // namespace convoy::network
