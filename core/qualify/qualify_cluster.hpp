#pragma once

#include <vector>

#include "core/job/setup.hpp"
#include "core/job/tasks/task.hpp"
#include "core/qualify/device_probes.hpp"
#include "core/qualify/measurement.hpp"

namespace convoy::qualify {

// Measures this host in a run of one process. The result is not judged yet.
HostQualification qualify_this_host(job::Setup& setup, const ProbeOptions& options);

// Measures all hosts. All tasks call it at the same time. First every task measures its own host,
// tasks on one machine in turn; then all measure the links between hosts, pairwise and all at once.
// Returns all hosts by rank to every task, not judged yet. Throws as job::Task does: an Error that
// another task caused names that task.
std::vector<HostQualification> qualify_hosts(job::Setup& setup, job::Task& task,
                                             const ProbeOptions& options,
                                             const plugin::PluginLog& log);

}  // namespace convoy::qualify
