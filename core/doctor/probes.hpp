#pragma once

#include <string>

#include "core/base/system/dynamic_libraries.hpp"
#include "core/base/system/system_root.hpp"
#include "core/doctor/finding.hpp"
#include "topology/detect/gpu_selection.hpp"

namespace convoy::doctor {

// Every probe examines one subject and appends its findings. It never throws because something is
// missing, but reports it as unknown.

// Examines operating system, kernel, container and virtual machine.
void probe_system(const SystemRoot& root, Findings& findings);
// Examines vector instructions, usable processors and the frequency governor.
void probe_processors(const SystemRoot& root, Findings& findings);
// Examines usable memory, NUMA nodes, huge pages and /dev/shm.
void probe_memory(const SystemRoot& root, Findings& findings);
// Examines limits of the process: locked memory, open files, stack.
void probe_limits(const SystemRoot& root, Findings& findings);
// Examines GPUs on the PCI bus, their drivers and links, and the NVIDIA kernel driver.
void probe_graphics(const SystemRoot& root, Findings& findings);
// Examines NVIDIA's libraries as they would be found now, with versions, if there are NVIDIA GPUs.
void probe_libraries(const SystemRoot& root, const DynamicLibraries& libraries, Findings& findings);
// The same even if there are no such GPUs.
void probe_cuda_libraries(const SystemRoot& root, const DynamicLibraries& libraries,
                          Findings& findings);
// Examines NVLink and access between GPUs, as NVIDIA's management library reports them.
void probe_gpu_links(const DynamicLibraries& libraries, Findings& findings);
// The same if there are GPUs. It also examines possible obstacles: IOMMU and access control of
// bridges.
void probe_peers(const SystemRoot& root, const DynamicLibraries& libraries, Findings& findings);
// Examines the GPUs that the environment variables leave to this process, with the ids and numbers
// that convoy topo shows, and the GPUs that --gpu_indices selects, if it is given. `nvml`: the
// library's file.
void probe_gpu_selection(const topology::GpuVariables& variables, const std::string& gpu_indices,
                         const std::string& nvml, Findings& findings);
// Examines InfiniBand and other remote memory access.
void probe_network(const SystemRoot& root, Findings& findings);
// Examines the plug-ins that were found, by their manifests, and those that were refused. `deep`:
// also tries in a process of its own whether each loads and can be used. `plugin_path` is as given
// on the command line.
void probe_plugins(const std::string& plugin_path, bool deep, Findings& findings);

// Returns the number of NVIDIA GPUs on the PCI bus.
std::size_t nvidia_gpu_count(const SystemRoot& root);

}  // namespace convoy::doctor
