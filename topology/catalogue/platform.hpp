#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "topology/catalogue/catalogue.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// What is the same for hosts that one file describes.
struct PlatformHosts {
  std::uint32_t hosts = 0;        // the number of equal hosts in a row
  std::string constants;          // entry of the catalogue's hosts
  std::uint32_t input_cores = 0;  // processors that decode images, per host; 0 = not known
};

// A machine that a file of share/platforms describes, or several of them on one network.
struct Platform {
  Machine machine;
  std::vector<PlatformHosts> kinds;  // in the order of the hosts' numbers
  std::uint32_t gpus_per_host = 0;   // of the host with the fewest
  std::string fewest_gpus;           // that host's name
  std::string source;                // where the description comes from
};

// How many hosts a text says in which they are unlike, such as "dgx1-p100:2+hgx-h100:3"; a part
// without a number is one host. None for a name or a file, of which there may be any number. Error
// (kUsage) for a number that is none, or above kMostHosts in all.
std::optional<std::uint32_t> hosts_of_platform(const std::string& name);

// As many as the name says, else as many as --hosts asks for, or one. Error (kUsage) if both say it
// and differ.
std::uint32_t hosts_of_platform(const std::string& name, std::optional<std::uint32_t> asked);

// Reads NAME.json of the folder, or the file that `name` is a path of, and builds `hosts` of them;
// of unlike hosts the first ones, on the network of the first. Throws Error (kUsage) with file,
// line and field; for an unknown name with the names there are.
Platform read_platform(const std::filesystem::path& folder, const std::string& name,
                       std::uint32_t hosts, const Catalogue& catalogue);

// Error (kUsage) when a host of the platform has fewer GPUs than these.
void check_gpu_count(const Platform& platform, std::uint32_t gpus_per_host);

// Names of the platforms of a folder, in alphabetical order.
std::vector<std::string> platform_names(const std::filesystem::path& folder);

}  // namespace convoy::topology
