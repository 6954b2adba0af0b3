#pragma once

#include <string>

#include "core/plugin/catalog.hpp"
#include "core/plugin/library.hpp"

namespace convoy::plugin {

// The name with which the plug-ins choose themselves, see convoy_device.preference.
inline constexpr const char* kAnyDevice = "auto";
// The plug-in whose devices --num_gpus counts; --device=gpu is another name of it.
inline constexpr const char* kGpuDevices = "cuda";

// The device plug-in that `wanted` means: a name, a file's path with a '/', or kAnyDevice. It
// counts at least one device here; to find that out, plug-ins are loaded and asked, but no device
// is opened. Error kUnavailable: no such plug-in (with the nearest names and what is installed),
// none of its devices can be used here (with its reason), or kAnyDevice finds none.
FoundPlugin choose_device(PluginHost& host, const Catalog& catalog, const std::string& wanted);

// The plug-in of the highest preference whose devices compute on the host's processors. Error
// kUnavailable when there is none.
FoundPlugin choose_processors(PluginHost& host, const Catalog& catalog);

}  // namespace convoy::plugin
