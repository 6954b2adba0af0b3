#include "plugins/devices/cpu/task.hpp"

#include <stdexcept>
#include <string>

namespace convoy::cpu {

Task primitive_task(const dnnl::primitive& primitive,
                    const std::unordered_map<int, dnnl::memory>& arguments) {
  std::vector<dnnl::memory> kept;
  std::vector<dnnl_exec_arg_t> raw;
  for (const auto& [name, memory] : arguments) {
    kept.push_back(memory);
    raw.push_back({name, memory.get()});
  }
  return [primitive, kept, raw](const TaskContext& context) {
    const dnnl_status_t status = dnnl_primitive_execute(primitive.get(), context.stream,
                                                        static_cast<int>(raw.size()), raw.data());
    if (status != dnnl_success) {
      throw std::runtime_error("oneDNN failed to execute a layer, status " +
                               std::to_string(static_cast<int>(status)));
    }
  };
}

}  // namespace convoy::cpu
