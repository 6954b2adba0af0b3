#include "core/plugin/availability.hpp"

#include <convoy/abi.h>

#include "core/base/error.hpp"
#include "core/plugin/context.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/plugin/transport_plugin.hpp"

namespace convoy::plugin {
namespace {

// The slot is called without the words that DevicePlugin::count puts around a plug-in's reason.
std::optional<std::string> reason_of_device(PluginHost& host, const FoundPlugin& plugin) {
  const DevicePlugin kind(host.load_device(plugin), {});
  convoy_context context(kind.settings());
  const convoy_device_request request{sizeof(request), 0, 0};
  std::uint32_t devices = 0;
  const auto count = [&] {
    return kind.table().count(&context, &host_functions(), &request, &devices);
  };
  if (enter(kind.settings(), "counting the devices", count, kAtLength) != 0)
    return context.error.value_or("it gave no reason");
  if (devices == 0) return "there is none";
  return std::nullopt;
}

// Gives the first device back at once.
void try_device(PluginHost& host, const FoundPlugin& plugin) {
  const DevicePlugin devices(host.load_device(plugin), {});
  const convoy_device_request request{sizeof(request), 1, 0};
  OpenDevice(devices, request, 0).describe();
}

std::optional<std::string> reason_of(PluginHost& host, const FoundPlugin& plugin) {
  if (plugin.manifest.kind == PluginKind::kDevice) return reason_of_device(host, plugin);
  if (plugin.manifest.kind == PluginKind::kTransport)
    return TransportPlugin(host.load_transport(plugin), {}).unavailable();
  return std::nullopt;
}

}  // namespace

std::optional<std::string> unavailable_reason(PluginHost& host, const FoundPlugin& plugin) {
  try {
    host.try_first(plugin, "asking what this machine has for it",
                   [&] { static_cast<void>(reason_of(host, plugin)); });
    // This comes before the first call in this process, because what the plug-in loads then may not
    // survive a fork.
    if (plugin.manifest.kind == PluginKind::kDevice)
      host.try_first(plugin, "opening a device", [&] {
        if (!reason_of(host, plugin)) try_device(host, plugin);
      });
    return reason_of(host, plugin);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace convoy::plugin
