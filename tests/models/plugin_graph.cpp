#include "tests/models/plugin_graph.hpp"

#include <convoy/sized.hpp>

#include <dlfcn.h>

#include <memory>
#include <stdexcept>

#include "core/graph/assembler.hpp"
#include "core/plugin/context.hpp"

namespace convoy::test {

PluginGraph describe_model(const std::string& name, const convoy_model& table, uint32_t classes) {
  const plugin::PluginSettings settings{"model " + name};
  void* made = nullptr;
  plugin::call(settings, "create", [&](convoy_context* context) {
    return table.create(context, &plugin::host_functions(), &made);
  });
  const std::unique_ptr<void, void (*)(void*)> self(made, table.destroy);
  auto info = make_sized<convoy_model_info>();
  plugin::call(settings, "info",
               [&](convoy_context* context) { return table.info(self.get(), context, &info); });
  const auto build = [&](const convoy_graph_builder& builder) {
    plugin::call(settings, "build", [&](convoy_context* context) {
      return table.build(self.get(), context, &builder);
    });
  };
  return {info, graph::assemble_graph(name, info.image_size, classes, build)};
}

PluginGraph load_model(const std::string& name, uint32_t classes) {
  const std::string path = std::string(CONVOY_PLUGIN_DIRECTORY) + "/" + name + ".so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays open, as in the host
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto entry = reinterpret_cast<convoy_model_entry>(dlsym(library, "convoy_model_v1"));
  if (entry == nullptr) throw std::runtime_error(path + " has no entry point");
  return describe_model(name, *entry(), classes);
}

}  // namespace convoy::test
