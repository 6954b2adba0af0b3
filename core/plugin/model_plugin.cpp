#include "core/plugin/model_plugin.hpp"

#include <convoy/sized.hpp>

#include <utility>

namespace convoy {

ModelPlugin::ModelPlugin(LoadedPlugin<convoy_model> plugin, const OptionValues& options,
                         PluginLog log)
    : plugin_(std::move(plugin)),
      settings_(settings_of(PluginKind::kModel, plugin_, options, std::move(log))) {
  call(
      settings_, "creating it",
      [&](convoy_context* context) {
        return plugin_.table->create(context, &host_functions(), &self_);
      },
      ExitCode::kUnavailable, kAtLength);
}

ModelPlugin::~ModelPlugin() {
  leave(settings_, "destroying it", [&] { plugin_.table->destroy(self_); });
}

convoy_model_info ModelPlugin::info() {
  auto info = make_sized<convoy_model_info>();
  call(settings_, "asking for its defaults",
       [&](convoy_context* context) { return plugin_.table->info(self_, context, &info); });
  if (info.rate.reserved != 0)
    fail(ExitCode::kUnavailable,
         "{}: the reserved field of its learning-rate rule is {}, it must be 0; update convoy, or "
         "build the plug-in with this one's headers",
         settings_.label, info.rate.reserved);
  return info;
}

void ModelPlugin::build(const convoy_graph_builder& builder) {
  call(
      settings_, "building its layers",
      [&](convoy_context* context) { return plugin_.table->build(self_, context, &builder); },
      ExitCode::kFailed, kAtLength);
}

}  // namespace convoy
