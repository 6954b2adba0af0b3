#include "core/network/task_identity.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace convoy::network {
namespace {

Role parse_role(const std::string& job_name) {
  for (const Role role : {Role::kWorker, Role::kServer, Role::kController})
    if (job_name == to_string(role)) return role;
  fail(ExitCode::kUsage, "--job_name={} is none of worker, ps, controller; take one of them",
       job_name);
}

void refuse_hosts_without_name(const IdentityOptions& options) {
  const bool workers = !options.worker_hosts.empty();
  if (!workers && options.ps_hosts.empty()) return;
  fail(ExitCode::kUsage,
       "{}={} is given without --job_name, and no launcher says which task this is; add "
       "--job_name=worker (or ps) and --task_index=N",
       workers ? "--worker_hosts" : "--ps_hosts",
       workers ? options.worker_hosts : options.ps_hosts);
}

void check_distinct(const TaskIdentity& identity, const std::optional<HostPort>& controller) {
  for (const HostPort& host : identity.server_hosts)
    if (std::ranges::find(identity.worker_hosts, host) != identity.worker_hosts.end())
      fail(ExitCode::kUsage,
           "{} is in --ps_hosts and in --worker_hosts; every task needs a port of "
           "its own",
           to_string(host));
  for (const auto* hosts : {&identity.worker_hosts, &identity.server_hosts})
    if (controller && std::ranges::find(*hosts, *controller) != hosts->end())
      fail(ExitCode::kUsage,
           "--controller_host={} is also a worker's or a server's address; the "
           "controller needs a port of its own",
           to_string(*controller));
}

int checked_index(const IdentityOptions& options, Role role, int tasks) {
  const int index = options.task_index.value_or(0);
  if (!options.task_index && tasks > 1)
    fail(ExitCode::kUsage, "--job_name={} needs --task_index, from 0 to {}", to_string(role),
         tasks - 1);
  if (tasks == 0)
    fail(ExitCode::kUsage, "--job_name={} needs its address in --{}", to_string(role),
         role == Role::kServer       ? "ps_hosts"
         : role == Role::kController ? "controller_host"
                                     : "worker_hosts");
  if (index < 0 || index >= tasks)
    fail(ExitCode::kUsage,
         "--task_index={} does not fit: {} of --job_name={} in the list of hosts, and they count "
         "from 0; correct it or the list",
         index, tasks == 1 ? "there is 1 task" : fmt::format("there are {} tasks", tasks),
         to_string(role));
  return index;
}

TaskIdentity identity_from_flags(const IdentityOptions& options) {
  TaskIdentity identity;
  identity.role = parse_role(options.job_name);
  identity.worker_hosts = parse_host_list(options.worker_hosts, "--worker_hosts");
  identity.server_hosts = parse_host_list(options.ps_hosts, "--ps_hosts");
  std::optional<HostPort> controller;
  if (!options.controller_host.empty())
    controller = parse_host_port(options.controller_host, "--controller_host");
  check_distinct(identity, controller);
  identity.workers = static_cast<int>(identity.worker_hosts.size());
  identity.servers = static_cast<int>(identity.server_hosts.size());
  identity.controller = controller.has_value();
  if (identity.workers == 0)
    fail(ExitCode::kUsage, "--job_name={} needs --worker_hosts, the addresses of all workers",
         options.job_name);
  const int tasks = identity.role == Role::kWorker   ? identity.workers
                    : identity.role == Role::kServer ? identity.servers
                                                     : (controller ? 1 : 0);
  identity.index = checked_index(options, identity.role, tasks);
  identity.coordinator = controller ? controller : identity.worker_hosts.front();
  identity.source = "--job_name";
  identity.run_key = to_string(*identity.coordinator);
  return identity;
}

TaskIdentity identity_from_launcher(const LaunchedProcess& process,
                                    const IdentityOptions& options) {
  TaskIdentity identity;
  identity.index = process.rank;
  identity.workers = process.size;
  identity.worker_hosts = parse_host_list(options.worker_hosts, "--worker_hosts");
  if (!identity.worker_hosts.empty() &&
      static_cast<int>(identity.worker_hosts.size()) != process.size)
    fail(ExitCode::kUsage,
         "--worker_hosts has {} addresses, and {} started {} processes; leave the "
         "flag out, or give each process an address",
         identity.worker_hosts.size(), process.launcher, process.size);
  identity.launched_hosts = process.hosts;
  identity.coordinator = process.coordinator;
  if (!identity.worker_hosts.empty()) identity.coordinator = identity.worker_hosts.front();
  if (!options.controller_host.empty())
    identity.coordinator = parse_host_port(options.controller_host, "--controller_host");
  identity.source = process.launcher;
  identity.run_key = process.run_key;
  return identity;
}

}  // namespace

std::optional<TaskIdentity> identify_task(const IdentityOptions& options,
                                          const EnvironmentLookup& environment) {
  if (!options.job_name.empty()) return identity_from_flags(options);
  if (options.task_index)
    fail(ExitCode::kUsage,
         "--task_index={} is given without --job_name; add --job_name=worker or "
         "--job_name=ps",
         *options.task_index);
  const std::optional<LaunchedProcess> process = launched_process(environment);
  if (process && !options.ps_hosts.empty())
    fail(ExitCode::kUsage,
         "--ps_hosts={} is given, and {} started this process as a worker; start "
         "servers with --job_name=ps and workers with --job_name=worker",
         options.ps_hosts, process->launcher);
  if (!process || process->size == 1) {
    refuse_hosts_without_name(options);
    return std::nullopt;
  }
  return identity_from_launcher(*process, options);
}

const HostPort& required_coordinator(const TaskIdentity& identity) {
  if (!identity.coordinator)
    fail(ExitCode::kUsage,
         "{} started {} processes and does not say where the first one listens; "
         "add --controller_host=HOST:PORT with the first host's name, or set MASTER_ADDR and "
         "MASTER_PORT",
         identity.source, identity.workers);
  return *identity.coordinator;
}

HostPort transport_address(const TaskIdentity& identity) {
  const auto& hosts =
      identity.role == Role::kServer ? identity.server_hosts : identity.worker_hosts;
  if (hosts.empty() || identity.role == Role::kController) return {};
  HostPort own = hosts[static_cast<std::size_t>(identity.index)];
  if (identity.is_coordinator() && identity.coordinator == own) own.port = 0;
  return own;
}

}  // namespace convoy::network
