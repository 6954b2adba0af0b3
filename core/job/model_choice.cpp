#include "core/job/model_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/base/error.hpp"
#include "core/data/pipeline/dataset.hpp"
#include "core/plugin/model_plugin.hpp"

namespace convoy::job {
namespace {

std::string suffixed(std::string_view model, std::string_view dataset) {
  return fmt::format("{}_{}", model, dataset);
}

}  // namespace

std::string model_plugin_name(const plugin::Catalog& catalog, const std::string& model,
                              std::string_view data_name, std::string_view data_dir) {
  const data::Dataset* const dataset = data::requested_dataset(data_name, data_dir);
  if (dataset == nullptr) return model;
  const std::string own = suffixed(model, dataset->name);
  const std::vector<std::string> names = catalog.names(plugin::PluginKind::kModel);
  return std::ranges::find(names, own) != names.end() ? own : model;
}

std::string models_made_for(const plugin::Catalog& catalog, plugin::PluginHost& host,
                            std::string_view dataset) {
  const std::string suffix = suffixed("", dataset);
  std::vector<std::string> names;
  for (const plugin::FoundPlugin& found : catalog.plugins()) {
    if (found.manifest.kind != plugin::PluginKind::kModel) continue;
    try {
      plugin::ModelPlugin model(host.load_model(found), {});
      if (model.info().dataset != dataset) continue;
    } catch (const Error&) {
      continue;
    }
    std::string name = found.manifest.name;
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
    names.push_back(name);
  }
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace convoy::job
