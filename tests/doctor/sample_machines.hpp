#pragma once

#include <filesystem>
#include <string>

#include "core/doctor/finding.hpp"

namespace convoy::testing {

// Files of a machine's /proc, /sys and /etc in a folder of the test.
class MachineFiles {
 public:
  MachineFiles();
  MachineFiles& file(const std::string& path, const std::string& text);
  MachineFiles& link(const std::string& path, const std::string& target);
  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

// Debian on a server of two NUMA nodes with 8 processors and 32 GiB, nothing limited.
MachineFiles bare_machine();
// The same machine from inside a container of 2.5 processors, 2 GiB and 64 MiB of /dev/shm, control
// groups of version 2 or 1.
MachineFiles limited_container(int version);
// The same machine with two NVIDIA GPUs, one of which has 8 of its 16 lanes.
MachineFiles gpu_server();

// The finding about a subject; a test failure and an empty one when there is none.
doctor::Finding find(const doctor::Findings& findings, const std::string& subject);

}  // namespace convoy::testing
