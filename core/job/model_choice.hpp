#pragma once

#include <string>
#include <string_view>

#include "core/plugin/catalog.hpp"
#include "core/plugin/library.hpp"

namespace convoy::job {

// Returns the name of the plug-in for a model that the user names. Models for different data sets
// may share a name. The plug-in of model M for data set D (data_name, or guessed from data_dir) is
// M_D if there is one, else M. Error kUsage for a data set that convoy does not read.
std::string model_plugin_name(const plugin::Catalog& catalog, const std::string& model,
                              std::string_view data_name, std::string_view data_dir);

// Returns the installed models that are made for a data set, as the user names them: "a, b, c".
// Loads every model to ask it, and leaves out those that cannot be loaded.
std::string models_made_for(const plugin::Catalog& catalog, plugin::PluginHost& host,
                            std::string_view dataset);

}  // namespace convoy::job
