#include "plugins/devices/cpu/programs/task.hpp"

#include <stdexcept>
#include <string>

namespace convoy::cpu {

std::string implementation_name(const dnnl::primitive& primitive) {
  const char* name = nullptr;
  dnnl_primitive_desc_query(primitive.get_primitive_desc(), dnnl_query_impl_info_str, 0, &name);
  return name == nullptr ? "a primitive" : name;
}

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
      throw std::runtime_error("oneDNN could not run " + implementation_name(primitive) +
                               " of kind " +
                               std::to_string(static_cast<int>(primitive.get_kind())) +
                               ": status " + std::to_string(static_cast<int>(status)));
    }
  };
}

}  // namespace convoy::cpu
