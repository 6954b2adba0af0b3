#pragma once

#include <convoy/abi/model.h>

#include "core/plugin/library.hpp"

namespace convoy::plugin {

// One instance of a model, with its options. Failures of the plug-in are thrown as Error.
class ModelPlugin : public PluginInstance<convoy_model> {
 public:
  using PluginInstance::PluginInstance;

  // The model's defaults. Its dataset text lives as long as this object.
  convoy_model_info info();

  // Adds the layers in execution order.
  void build(const convoy_graph_builder& builder);
};

}  // namespace convoy::plugin
