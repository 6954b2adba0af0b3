#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "topology/catalogue/platform.hpp"
#include "topology/read/nccl_reader.hpp"

namespace convoy::testing {

inline std::filesystem::path share_folder() {
  return std::filesystem::path(CONVOY_SOURCE_DIR) / "share";
}

inline topology::Catalogue shared_catalogue() {
  return topology::Catalogue::read(share_folder() / "catalogue");
}

inline std::string written_nccl_dump(const topology::Machine& machine) {
  return topology::write_nccl_dump(machine, shared_catalogue());
}

inline topology::Platform described(const std::string& name, std::uint32_t hosts = 1) {
  return topology::read_platform(share_folder() / "platforms", name, hosts, shared_catalogue());
}

inline std::size_t node(const topology::Machine& machine, const std::string& name,
                        std::uint32_t host = 0) {
  for (std::size_t i = 0; i < machine.nodes.size(); ++i)
    if (machine.nodes[i].name == name && machine.nodes[i].host == host) return i;
  throw std::out_of_range(machine.name + " has no node " + name);
}

}  // namespace convoy::testing
