#pragma once

#include <convoy/abi.h>

#include <filesystem>
#include <map>
#include <memory>

#include "core/plugin/catalog.hpp"

namespace convoy {

// A plug-in's table, checked and in this host's size: slots that the plug-in lacks are null. And
// who it is from. A table that is part of the program (a test's device) can be wrapped by hand.
template <typename Table>
struct LoadedPlugin {
  const Table* table = nullptr;
  Manifest manifest;
  std::filesystem::path path;
};

// Opens plug-in files. They stay loaded until the process ends, as threads that a plug-in has left
// behind may be in its code. What an object of this class has loaded lives as long as the object:
// make it first and destroy it last.
class PluginHost {
 public:
  PluginHost();
  ~PluginHost();
  PluginHost(const PluginHost&) = delete;
  PluginHost& operator=(const PluginHost&) = delete;

  // Each throws Error with exit code kUnavailable: path, step, reason and what to do.
  LoadedPlugin<convoy_strategy> load_strategy(const FoundPlugin& plugin);
  LoadedPlugin<convoy_model> load_model(const FoundPlugin& plugin);
  LoadedPlugin<convoy_device> load_device(const FoundPlugin& plugin);
  LoadedPlugin<convoy_transport> load_transport(const FoundPlugin& plugin);

 private:
  class Library;
  Library& open(const FoundPlugin& plugin, PluginKind wanted);

  std::map<std::filesystem::path, std::unique_ptr<Library>> libraries_;
};

}  // namespace convoy
