#include "core/plugin/model_plugin.hpp"

#include <convoy/sized.hpp>

namespace convoy::plugin {

convoy_model_info ModelPlugin::info() {
  auto info = make_sized<convoy_model_info>();
  call(settings(), "asking for its defaults",
       [&](convoy_context* context) { return table().info(self(), context, &info); });
  if (info.rate.reserved != 0)
    fail(ExitCode::kUnavailable,
         "{}: the reserved field of its learning-rate rule is {}, it must be 0; update convoy, or "
         "build the plug-in with this one's headers",
         settings().label, info.rate.reserved);
  return info;
}

void ModelPlugin::build(const convoy_graph_builder& builder) {
  call(
      settings(), "building its layers",
      [&](convoy_context* context) { return table().build(self(), context, &builder); },
      ExitCode::kFailed, kAtLength);
}

}  // namespace convoy::plugin
