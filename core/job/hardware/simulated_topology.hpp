#pragma once

#include <filesystem>

#include "core/job/hardware/simulated_hardware.hpp"
#include "core/simulate/machine/machine_builder.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::job {

// The numbers of the host's GPUs that --gpu_indices lists, in its order; empty: all in theirs.
// Where one is listed twice, its replicas share it; they are simulated on as many GPUs as there are
// replicas, which a notice says. Error kUsage for an id that is none or several of the machine's.
std::vector<std::uint32_t> gpu_order(const JobOptions& options, const topology::Machine& machine,
                                     std::vector<std::string>& notices);

// All GPUs of one host, or of several like it on one network. Its cluster throws what
// topology::several_hosts does.
SimulatedHardware gpus_of_machine(const topology::Machine& machine,
                                  const simulate::MachineConstants& constants,
                                  const std::vector<std::uint32_t>& order = {});

// The GPUs of the machine in --topology's file, else of this one, with the catalogue's constants
// for them and the processors. Error kUsage where there are no GPUs, or one of which the catalogue
// knows no speed, unless --images_per_sec gives it.
SimulatedHardware topology_hardware(const JobOptions& options, const std::filesystem::path& share);

}  // namespace convoy::job
