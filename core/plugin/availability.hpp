#pragma once

#include <optional>
#include <string>

#include "core/plugin/catalog.hpp"
#include "core/plugin/library.hpp"

namespace convoy {

// Why no device of this plug-in can be used on this machine (no driver, no permission, ...), or why
// this transport cannot be opened by this process, in the words of the plug-in, or of the host when
// it cannot be loaded; empty when it can. Loads the plug-in and asks it. Empty for plug-ins of
// other kinds, which are not loaded.
std::optional<std::string> unavailable_reason(PluginHost& host, const FoundPlugin& plugin);

}  // namespace convoy
