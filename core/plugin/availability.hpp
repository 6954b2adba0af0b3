#pragma once

#include <optional>
#include <string>

#include "core/plugin/catalog.hpp"
#include "core/plugin/library.hpp"

namespace convoy::plugin {

// The reason why no device of this plug-in can be used on this machine (no driver, no permission,
// ...), or why this process cannot open this transport; empty if it can. Loads the plug-in and asks
// it; if it cannot be loaded, that is the reason. Plug-ins of other kinds are not loaded: empty.
std::optional<std::string> unavailable_reason(PluginHost& host, const FoundPlugin& plugin);

}  // namespace convoy::plugin
