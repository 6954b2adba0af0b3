#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "topology/catalogue/catalogue.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// The properties that all hosts of one file share.
struct PlatformHosts {
  std::uint32_t hosts = 0;        // number of equal hosts in a row
  std::string constants;          // entry in the catalogue's hosts
  std::uint32_t input_cores = 0;  // processors that decode images, per host; 0 = unknown
};

// A machine that a file of share/platforms describes, or several of them on one network.
struct Platform {
  Machine machine;
  std::vector<PlatformHosts> kinds;  // in the order of the hosts' numbers
  std::uint32_t gpus_per_host = 0;   // of the host with the fewest GPUs
  std::string fewest_gpus;           // that host's name
  std::string source;                // where the description comes from
};

// Returns the number of hosts that a text with unlike hosts states, such as
// "dgx1-p100:2+hgx-h100:3". A part without a number is one host. Returns nothing for a plain name
// or a file, which stands for any number of hosts. Throws Error (kUsage) when a number is
// malformed, or when the sum is above kMostHosts.
std::optional<std::uint32_t> hosts_of_platform(const std::string& name);

// Returns the number of hosts that the name states, else the number that --hosts asks for, else
// one. Throws Error (kUsage) if both state it and differ.
std::uint32_t hosts_of_platform(const std::string& name, std::optional<std::uint32_t> asked);

// Reads NAME.json in the folder, or the file at the path `name`, and builds `hosts` hosts of it. Of
// unlike hosts it takes the first ones, on the network of the first. Throws Error (kUsage) with
// file, line and field; for an unknown name, the error lists the known names.
Platform read_platform(const std::filesystem::path& folder, const std::string& name,
                       std::uint32_t hosts, const Catalogue& catalogue);

// Throws Error (kUsage) when a host of the platform has fewer GPUs than this.
void check_gpu_count(const Platform& platform, std::uint32_t gpus_per_host);

// Returns the names of the platforms in a folder, in alphabetical order.
std::vector<std::string> platform_names(const std::filesystem::path& folder);

}  // namespace convoy::topology
