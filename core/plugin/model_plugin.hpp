#pragma once

#include <convoy/abi/model.h>

#include "core/plugin/context.hpp"
#include "core/plugin/library.hpp"

namespace convoy {

// One instance of a model, with its options. Failures of the plug-in are thrown as Error.
class ModelPlugin {
 public:
  ModelPlugin(LoadedPlugin<convoy_model> plugin, const OptionValues& options, PluginLog log = {});
  ~ModelPlugin();
  ModelPlugin(const ModelPlugin&) = delete;
  ModelPlugin& operator=(const ModelPlugin&) = delete;

  const Manifest& manifest() const { return plugin_.manifest; }
  const OptionValues& options() const { return settings_.options; }

  // The model's defaults. Its dataset text lives as long as this object.
  convoy_model_info info();

  // Adds the layers in execution order.
  void build(const convoy_graph_builder& builder);

 private:
  LoadedPlugin<convoy_model> plugin_;
  PluginSettings settings_;
  void* self_ = nullptr;
};

}  // namespace convoy
