#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Returns the same machine with these GPUs before all other GPUs, in this order. The addresses are
// those that a driver reports. Throws Error (kUnavailable) that names an address if it is no GPU of
// the machine or occurs twice.
Machine gpus_first(const Machine& machine, std::span<const PciAddress> order);

// Returns the GPUs that this process can use, as its driver numbers them. If no source says that
// some cannot be used, these are all GPUs in the machine's order.
std::vector<std::size_t> usable_gpus(const Machine& machine);

// Whether the text is the id of a GPU or its beginning, ignoring case, as CUDA_VISIBLE_DEVICES
// accepts ids.
bool begins_id(std::string_view id, std::string_view text);

// Returns the numbers of the machine's GPUs whose ids begin with the text, in the machine's order.
std::vector<std::uint32_t> gpus_of_id(const Machine& machine, std::string_view text);

// Whether a source says that this process cannot use the GPU. The source of device_number names the
// reason.
bool is_hidden(const Node& gpu);

// Returns why GPUs cannot be used: "gpu0: hidden by CUDA_VISIBLE_DEVICES=''; ..."; empty when all
// can.
std::string hidden_gpus(const Machine& machine);

}  // namespace convoy::topology
