#include "core/cli/verbs/known_names.hpp"

#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/job/model_choice.hpp"
#include "core/plugin/search_path.hpp"
#include "core/select/candidate.hpp"
#include "topology/catalogue/platform.hpp"

namespace convoy::cli {

void require_known(const ListedNames& names, std::span<const std::string> arguments) {
  const auto text = [&](const char* flag) { return find_flag(arguments, flag).value_or(""); };
  const plugin::Catalog catalog = scan_catalog(arguments);
  for (const std::string& model : names.models)
    static_cast<void>(
        catalog.find(plugin::PluginKind::kModel,
                     job::model_plugin_name(catalog, model, text("data_name"), text("data_dir"))));
  for (const std::string& strategy : names.strategies)
    if (strategy != select::kAutoStrategy)
      static_cast<void>(catalog.find(plugin::PluginKind::kStrategy, strategy));
  if (names.platforms.empty()) return;
  const auto described = topology::Catalogue::read(plugin::share_directory() / "catalogue");
  for (const std::string& platform : names.platforms)
    static_cast<void>(topology::read_platform(plugin::share_directory() / "platforms", platform,
                                              topology::hosts_of_platform(platform).value_or(1),
                                              described));
}

}  // namespace convoy::cli
