#include "core/doctor/examine.hpp"

#include "core/base/system/nvml_library.hpp"
#include "core/doctor/probes.hpp"

namespace convoy::doctor {

Findings examine(const SystemRoot& root, const std::string& plugin_path, bool deep,
                 const std::string& gpu_indices) {
  const DynamicLibraries libraries = root.is_this_machine()
                                         ? system_libraries()
                                         : no_libraries("these are another machine's files");
  Findings findings;
  probe_system(root, findings);
  probe_processors(root, findings);
  probe_memory(root, findings);
  probe_limits(root, findings);
  probe_graphics(root, findings);
  probe_libraries(root, libraries, findings);
  probe_peers(root, libraries, findings);
  if (root.is_this_machine())
    probe_gpu_selection(topology::GpuVariables::of_this_process(), gpu_indices, kNvmlFile,
                        findings);
  probe_network(root, findings);
  probe_plugins(plugin_path, deep, findings);
  return findings;
}

}  // namespace convoy::doctor
