#pragma once

#include <vector>

#include "core/job/setup.hpp"
#include "core/job/tasks/task.hpp"
#include "core/qualify/device_probes.hpp"
#include "core/qualify/measurement.hpp"

namespace convoy::qualify {

// This host as a run of one process. Not judged yet.
HostQualification qualify_this_host(job::Setup& setup, const ProbeOptions& options);

// As one task of several, all of which call it at the same time: every host by itself, those on one
// machine in turn; then what is between hosts, pairwise and all at once. Gives all hosts to every
// task, by rank, not judged yet. Error as job::Task: one that another task caused names it.
std::vector<HostQualification> qualify_hosts(job::Setup& setup, job::Task& task,
                                             const ProbeOptions& options, const PluginLog& log);

}  // namespace convoy::qualify
