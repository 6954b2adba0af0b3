#include "tests/models/plugin_graph.hpp"

#include <convoy/sized.hpp>

#include <dlfcn.h>

#include <stdexcept>

#include "core/graph/assembler.hpp"

// The host's per-call state, as far as these tests need it.
struct convoy_context {
  std::string error;
};

namespace convoy::test {
namespace {

void set_error(convoy_context* context, const char* text) {
  context->error = text;
}
void ignore_log(convoy_context*, int32_t, const char*) {}
const char* find_option(convoy_context*, const char*) {
  return nullptr;
}

constexpr convoy_host kHost = {sizeof(convoy_host), set_error, ignore_log, find_option};

void require(int32_t status, const convoy_context& context) {
  if (status != 0) throw std::runtime_error(context.error);
}

}  // namespace

PluginGraph describe_model(const std::string& name, const convoy_model& table, uint32_t classes) {
  convoy_context context;
  void* self = nullptr;
  require(table.create(&context, &kHost, &self), context);
  auto info = make_sized<convoy_model_info>();
  const int32_t info_status = table.info(self, &context, &info);
  if (info_status != 0) table.destroy(self);
  require(info_status, context);
  const auto build = [&](const convoy_graph_builder& builder) {
    const int32_t status = table.build(self, &context, &builder);
    table.destroy(self);
    require(status, context);
  };
  return {info, assemble_graph(name, info.image_size, classes, build)};
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
