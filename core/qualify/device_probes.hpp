#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/cluster.hpp"
#include "core/qualify/measurement.hpp"
#include "core/qualify/plan_probe.hpp"

namespace convoy::qualify {

// The amount of measurement, and the receiver of progress texts.
struct ProbeOptions {
  bool quick = false;
  std::function<void(const std::string&)> tell = [](const std::string&) {};
};

using Ends = std::pair<std::uint32_t, std::uint32_t>;  // places, from and to

// Each function adds to the host's measurements, and adds a notice about anything that cannot be
// measured.

// Measures matrix products and sums of vectors of every device, alone and all at once.
void probe_device_rates(const ProbeTarget& target, const ProbeOptions& options,
                        HostQualification& host);
// Measures copies between the host's memory and every device, and between every pair of devices,
// one pair at a time and all at once.
void probe_links(const ProbeTarget& target, const ProbeOptions& options, HostQualification& host);
// Returns ", NVLink" for routes whose kind makes copies differ from others of their class, else an
// empty text. It distinguishes links that are compared with each other because nothing is predicted
// for them.
std::string over_route(const plan::Cluster& cluster, const Ends& ends);
// Returns the bytes of every all_reduce to measure. Sizes above 64 MiB are measured only if
// accelerators reduce. `accelerator_memory`: the memory that each of them has at least; 0: there
// are none.
std::vector<std::uint64_t> collective_sizes(bool quick, std::uint64_t accelerator_memory);
// Measures all_reduce of several sizes over all devices, or over all devices of all hosts.
void probe_collectives(const ProbeTarget& target, const ProbeOptions& options,
                       HostQualification& host);
// Measures a few steps of the job's model on all devices, which sum their gradients.
void probe_training(const ProbeTarget& target, const ProbeOptions& options,
                    HostQualification& host);

}  // namespace convoy::qualify
