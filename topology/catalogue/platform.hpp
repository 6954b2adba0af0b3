#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topology/catalogue/catalogue.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// A machine that a file of share/platforms describes, or several of them on one network.
struct Platform {
  Machine machine;
  std::string host_constants;  // entry of the catalogue's hosts
  std::uint32_t gpus_per_host = 0;
  std::uint32_t input_cores = 0;  // processors that decode images, per host; 0 = not known
  std::string source;             // where the description comes from
};

// Reads NAME.json of the folder, or the file that `name` is a path of, and builds `hosts` of them.
// Throws Error (kUsage) with file, line and field; for an unknown name with the names there are.
Platform read_platform(const std::filesystem::path& folder, const std::string& name,
                       std::uint32_t hosts, const Catalogue& catalogue);

// Error (kUsage) when a host of the platform has fewer GPUs than these.
void check_gpu_count(const Platform& platform, std::uint32_t gpus_per_host);

// Names of the platforms of a folder, in alphabetical order.
std::vector<std::string> platform_names(const std::filesystem::path& folder);

}  // namespace convoy::topology
