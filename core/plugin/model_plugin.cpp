#include "core/plugin/model_plugin.hpp"

#include <fmt/format.h>

#include <utility>

namespace convoy {

ModelPlugin::ModelPlugin(LoadedPlugin<convoy_model> plugin, const OptionValues& options,
                         PluginLog log)
    : plugin_(std::move(plugin)),
      settings_{.label = fmt::format("model {} ({})", plugin_.manifest.name, plugin_.path.string()),
                .options = resolve_options(plugin_.manifest, options),
                .log = std::move(log)} {
  call(
      settings_, "creating it",
      [&](convoy_context* context) {
        return plugin_.table->create(context, &host_functions(), &self_);
      },
      ExitCode::kUnavailable);
}

ModelPlugin::~ModelPlugin() {
  plugin_.table->destroy(self_);
}

convoy_model_info ModelPlugin::info() {
  convoy_model_info info{};
  info.struct_size = sizeof info;
  info.rate.struct_size = sizeof info.rate;
  call(settings_, "asking for its defaults",
       [&](convoy_context* context) { return plugin_.table->info(self_, context, &info); });
  return info;
}

void ModelPlugin::build(const convoy_graph_builder& builder) {
  call(settings_, "building its layers",
       [&](convoy_context* context) { return plugin_.table->build(self_, context, &builder); });
}

}  // namespace convoy
