#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// The same machine with these GPUs, by the addresses that a driver gives them, before all others
// and in this order. Error kUnavailable naming an address that is no GPU of the machine, or one
// that is there twice.
Machine gpus_first(const Machine& machine, std::span<const PciAddress> order);

// The GPUs that this process can use, as its driver numbers them; all, in the machine's order,
// where nothing says that some cannot be used.
std::vector<std::size_t> usable_gpus(const Machine& machine);

// Whether the text, without regard to its letters' case, is the id of a GPU or its beginning, as
// CUDA_VISIBLE_DEVICES takes ids.
bool begins_id(std::string_view id, std::string_view text);

// The numbers of the machine's GPUs whose ids begin with the text, in its order.
std::vector<std::uint32_t> gpus_of_id(const Machine& machine, std::string_view text);

// Whether something says that this process cannot use the GPU; the number's source says what.
bool is_hidden(const Node& gpu);

// Why GPUs cannot be used: "gpu0: hidden by CUDA_VISIBLE_DEVICES=''; ..."; empty when all can.
std::string hidden_gpus(const Machine& machine);

}  // namespace convoy::topology
