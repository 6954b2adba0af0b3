#pragma once

#include <string>

#include "core/base/system/dynamic_libraries.hpp"
#include "core/base/system/system_root.hpp"
#include "core/doctor/finding.hpp"
#include "topology/detect/gpu_selection.hpp"

namespace convoy::doctor {

// Every probe looks at one thing, appends what it found and never throws for what is missing: it
// says that this is unknown.

// Operating system, kernel, container, virtual machine.
void probe_system(const SystemRoot& root, Findings& findings);
// Vector instructions, processors that may be used, frequency governor.
void probe_processors(const SystemRoot& root, Findings& findings);
// Memory that may be used, NUMA nodes, huge pages, /dev/shm.
void probe_memory(const SystemRoot& root, Findings& findings);
// Limits of the process: locked memory, open files, stack.
void probe_limits(const SystemRoot& root, Findings& findings);
// GPUs on the PCI bus, their drivers and links; the NVIDIA kernel driver.
void probe_graphics(const SystemRoot& root, Findings& findings);
// NVIDIA's libraries as they would be found now, with versions.
void probe_libraries(const SystemRoot& root, const DynamicLibraries& libraries, Findings& findings);
// The same whatever GPUs there are.
void probe_cuda_libraries(const SystemRoot& root, const DynamicLibraries& libraries,
                          Findings& findings);
// NVLink and access between GPUs, as NVIDIA's management library knows them.
void probe_gpu_links(const DynamicLibraries& libraries, Findings& findings);
// The same where there are GPUs, and what could be in their way: IOMMU and access control of
// bridges.
void probe_peers(const SystemRoot& root, const DynamicLibraries& libraries, Findings& findings);
// The GPUs that the variables leave to this process, with the ids and numbers that convoy topo
// shows, and the ones that --gpu_indices takes, if it is given. `nvml`: the library's file.
void probe_gpu_selection(const topology::GpuVariables& variables, const std::string& gpu_indices,
                         const std::string& nvml, Findings& findings);
// InfiniBand and other remote memory access.
void probe_network(const SystemRoot& root, Findings& findings);
// Plug-ins that were found, by their manifests, and those that were refused. `deep`: also whether
// each loads and can be used, tried in a process of its own. `plugin_path` is as given on the
// command line.
void probe_plugins(const std::string& plugin_path, bool deep, Findings& findings);

// How many NVIDIA GPUs the PCI bus has.
std::size_t nvidia_gpu_count(const SystemRoot& root);

}  // namespace convoy::doctor
