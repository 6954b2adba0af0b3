#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "core/plan/cluster.hpp"
#include "core/qualify/measurement.hpp"
#include "core/qualify/plan_probe.hpp"

namespace convoy::qualify {

// How much is measured, and who is told of it.
struct ProbeOptions {
  bool quick = false;
  std::function<void(const std::string&)> tell = [](const std::string&) {};
};

using Ends = std::pair<std::uint32_t, std::uint32_t>;  // places, from and to

// Each adds to the host's measurements; what cannot be measured to its notices.

// Matrix products and sums of vectors of every device, alone and all at once.
void probe_device_rates(const ProbeTarget& target, const ProbeOptions& options,
                        HostQualification& host);
// Copies between the host's memory and every device, and of every pair of devices: pairwise, and
// all at once.
void probe_links(const ProbeTarget& target, const ProbeOptions& options, HostQualification& host);
// ", NVLink", where the kind of the route makes copies unlike others of their class; what links
// that nobody foresees are told apart by. Empty for all other routes.
std::string over_route(const Cluster& cluster, const Ends& ends);
// all_reduce of several sizes over all devices, or over all devices of all hosts.
void probe_collectives(const ProbeTarget& target, const ProbeOptions& options,
                       HostQualification& host);
// A few steps of the job's model on all devices, whose gradients are summed.
void probe_training(const ProbeTarget& target, const ProbeOptions& options,
                    HostQualification& host);

}  // namespace convoy::qualify
