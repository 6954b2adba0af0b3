#pragma once

#include <filesystem>

#include "core/job/hardware/simulated_hardware.hpp"
#include "core/simulate/machine/machine_builder.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::job {

// Returns the numbers of the host's GPUs that --gpu_indices lists, in that order; empty: all GPUs
// in their own order. If a GPU is listed twice, its replicas share it. They are simulated on as
// many GPUs as there are replicas, and a notice says so. Error kUsage for an id that matches none
// or several of the machine's GPUs.
std::vector<std::uint32_t> gpu_order(const JobOptions& options, const topology::Machine& machine,
                                     std::vector<std::string>& notices);

// Returns all GPUs of one host, or of several equal hosts on one network. Its `cluster` throws what
// topology::several_hosts does.
SimulatedHardware gpus_of_machine(const topology::Machine& machine,
                                  const simulate::MachineConstants& constants,
                                  const std::vector<std::uint32_t>& order = {});

// Returns the GPUs of the machine in --topology's file, else of this one, with the catalogue's
// constants for them and for the processors. Error kUsage if there are no GPUs, or if the catalogue
// does not know the speed of one, unless --images_per_sec gives it.
SimulatedHardware topology_hardware(const JobOptions& options, const std::filesystem::path& share);

}  // namespace convoy::job
