#include "core/cli/show/info.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace convoy::cli {

nlohmann::ordered_json to_json(const plugin::FoundPlugin& plugin) {
  const plugin::Manifest& manifest = plugin.manifest;
  nlohmann::ordered_json options = nlohmann::ordered_json::array();
  for (const plugin::OptionDeclaration& option : manifest.options) {
    options.push_back({{"name", option.name},
                       {"type", plugin::to_string(option.type)},
                       {"default", option.default_value},
                       {"allowed", option.allowed},
                       {"help", option.help}});
  }
  nlohmann::ordered_json variants = nlohmann::ordered_json::array();
  for (const plugin::Variant& variant : manifest.variants) {
    nlohmann::ordered_json settings = nlohmann::ordered_json::object();
    for (const auto& [name, value] : variant) settings[name] = value;
    variants.push_back(settings);
  }
  return {{"kind", plugin::to_string(manifest.kind)},
          {"name", manifest.name},
          {"version", manifest.version},
          {"abi", fmt::format("{}.{}", manifest.abi_major, manifest.abi_minor)},
          {"description", manifest.description},
          {"claim", manifest.claim},
          {"needs", manifest.needs},
          {"options", options},
          {"variants", variants},
          {"path", plugin.path.string()}};
}

}  // namespace convoy::cli
