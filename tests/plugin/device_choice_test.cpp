#include "core/plugin/device_choice.hpp"

#include <gtest/gtest.h>
#include <convoy/sized.hpp>

#include "core/plugin/device_plugin.hpp"
#include "tests/plugin/fixtures.hpp"

namespace convoy::plugin {
namespace {

// The fixtures that are told, in the order of the search path.
Catalog catalog_of(const std::vector<std::string>& names) {
  std::vector<SearchEntry> entries;
  entries.reserve(names.size());
  for (const std::string& name : names) entries.push_back({fixture(name), SearchOrigin::kFlag});
  return Catalog::scan(entries);
}

std::string chosen(const std::vector<std::string>& installed, const std::string& wanted) {
  PluginHost host;
  return choose_device(host, catalog_of(installed), wanted).manifest.name;
}

TEST(DeviceChoice, TakesTheOneThatIsNamedOrInTheFile) {
  const std::vector<std::string> all = {"device_of_processors", "device_accelerator"};
  EXPECT_EQ(chosen(all, "device_of_processors"), "device_of_processors");
  EXPECT_EQ(chosen({}, fixture("device_accelerator").string()), "device_accelerator");
}

TEST(DeviceChoice, AutoTakesTheHighestPreferenceWhateverTheOrderOfTheSearch) {
  EXPECT_EQ(chosen({"device_of_processors", "device_accelerator"}, kAnyDevice),
            "device_accelerator");
  EXPECT_EQ(chosen({"device_accelerator", "device_of_processors"}, kAnyDevice),
            "device_accelerator");
}

TEST(DeviceChoice, AutoPassesOverWhatHasNoDeviceHereAndWhatPrefersItselfNot) {
  EXPECT_EQ(chosen({"device_absent", "device_modest", "device_of_processors"}, kAnyDevice),
            "device_of_processors");
}

TEST(DeviceChoice, AutoTakesOfEqualsTheOneThatIsFoundFirst) {
  EXPECT_EQ(chosen({"device_other_processors", "device_of_processors"}, kAnyDevice),
            "device_other_processors");
  EXPECT_EQ(chosen({"device_of_processors", "device_other_processors"}, kAnyDevice),
            "device_of_processors");
}

TEST(DeviceChoice, AutoSaysOfEveryPluginWhyItCannotBeUsed) {
  expect_error(ExitCode::kUnavailable,
               {"--device=auto finds no device", "device_absent: the card is in the drawer"}, [] {
                 chosen({"device_absent", "device_modest"}, kAnyDevice);
               });
}

TEST(DeviceChoice, AWrongNameIsToldTheNearestAndWhatIsInstalled) {
  expect_error(ExitCode::kUnavailable,
               {"no device is named 'device_moddest'", "did you mean device_modest?",
                "(installed: device_absent, device_modest)"},
               [] {
                 chosen({"device_absent", "device_modest"}, "device_moddest");
               });
}

TEST(DeviceChoice, ANamedOneWithoutDevicesIsRefusedWithItsReason) {
  expect_error(ExitCode::kUnavailable,
               {"no device of plug-in device_absent", "the card is in the drawer", "--device=auto"},
               [] { chosen({"device_absent"}, "device_absent"); });
}

TEST(DeviceChoice, ProcessorsAreThoseOfTheHost) {
  PluginHost host;
  const auto processors = [&](const std::vector<std::string>& installed) {
    return choose_processors(host, catalog_of(installed)).manifest.name;
  };
  EXPECT_EQ(processors({"device_accelerator", "device_of_processors"}), "device_of_processors");
  expect_error(ExitCode::kUnavailable, {"no installed device plug-in computes on this machine"},
               [&] { processors({"device_accelerator"}); });
}

TEST(DeviceTraits, OfATableFromBeforeThemAreNone) {
  convoy_device table{};
  table.traits = CONVOY_DEVICES_ON_HOST_PROCESSORS;
  table.preference = CONVOY_PREFERENCE_ACCELERATORS;
  table.struct_size = offsetof(convoy_device, traits);
  EXPECT_EQ(read_table(table, "older").traits, 0u);
  EXPECT_EQ(read_table(table, "older").preference, 0u);
  table.struct_size = sizeof table;
  EXPECT_EQ(read_table(table, "today's").traits, std::uint32_t{CONVOY_DEVICES_ON_HOST_PROCESSORS});
  EXPECT_EQ(read_table(table, "today's").preference, std::uint32_t{CONVOY_PREFERENCE_ACCELERATORS});
}

TEST(DeviceTraits, ThatAreUnknownAreRefused) {
  expect_error(ExitCode::kUnavailable, {"checking its table", "traits 0x80000000", "newer convoy"},
               [] { chosen({"device_of_the_future"}, "device_of_the_future"); });
}

}  // namespace
}  // namespace convoy::plugin
