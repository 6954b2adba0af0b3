// Every plug-in of the build tree exports its entry point and its manifest, and nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "tests/plugin/fixtures.hpp"

namespace convoy::plugin {
namespace {

std::vector<std::string> exported_symbols(const std::filesystem::path& library) {
  const std::string command = "nm -D --defined-only '" + library.string() + "'";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run: " + command);
  std::string output;
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
  EXPECT_EQ(::pclose(pipe), 0) << command;
  std::istringstream lines(output);
  std::vector<std::string> names;
  std::string address;
  std::string type;
  std::string name;
  while (lines >> address >> type >> name) names.push_back(name);
  return names;
}

TEST(Exports, AreTheEntryPointAndTheManifest) {
  EXPECT_THAT(exported_symbols(fixture("good")),
              testing::UnorderedElementsAre("convoy_strategy_v1", "convoy_plugin_manifest"));
  EXPECT_THAT(exported_symbols(fixture("null_slot")),
              testing::UnorderedElementsAre("convoy_strategy_v1", "convoy_plugin_manifest"));
}

TEST(Exports, OfTheInstalledPluginsAreWhatTheAbiNames) {
  const std::filesystem::path directory = CONVOY_BINARY_DIR "/lib/convoy/plugins";
  if (!std::filesystem::exists(directory)) GTEST_SKIP() << "no plug-in is built";
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".so") continue;
    std::vector<std::string> names = exported_symbols(entry.path());
    const bool is_device = std::ranges::count(names, "convoy_device_v1") != 0;
    if (is_device) std::erase(names, "convoy_device_waking_v1");
    EXPECT_THAT(names, testing::UnorderedElementsAre(testing::MatchesRegex("convoy_[a-z]+_v1"),
                                                     "convoy_plugin_manifest"))
        << entry.path();
  }
}

}  // namespace
}  // namespace convoy::plugin
