// Plug-ins of other versions train in this host. The same cases are compiled twice: into this host,
// and into the host of a later version, in which all structs have grown (CONVOY_LATER).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/abi/training_case.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAreArray;
using ::testing::Field;
using ::testing::Lt;

std::vector<::testing::Matcher<double>> near(const std::vector<double>& expected) {
  std::vector<::testing::Matcher<double>> matchers;
  matchers.reserve(expected.size());
  for (const double value : expected)
    matchers.push_back(::testing::DoubleNear(value, 1e-5 * value));
  return matchers;
}

Files of(const std::filesystem::path& folder) {
  return {folder / "one_server.so", folder / "softmax_regression.so", folder / "inline_device.so"};
}

Files plain_of(const std::filesystem::path& folder) {
  return {folder / "plain_strategy.so", folder / "plain_model.so", folder / "inline_device.so"};
}

// What the first-party strategy and device make of the same model.
std::vector<double> reference() {
  return train({kToday / "replicated.so", kFrozen / "softmax_regression.so",
                kToday / "convoy_device_cpu.so"});
}

TEST(CONVOY_VERSIONS, PluginsOfTodayTrainHere) {
  const std::vector<double> losses = reference();
  EXPECT_THAT(losses.back(), Lt(0.9 * losses.front())) << "it does not learn";
}

TEST(CONVOY_VERSIONS, FrozenPluginsTrainHere) {
  EXPECT_THAT(train(of(kFrozen)), ElementsAreArray(near(reference())));
}

TEST(CONVOY_VERSIONS, PluginsOfALaterVersionTrainHere) {
  EXPECT_THAT(train(of(kLater)), ElementsAreArray(near(reference())));
}

TEST(CONVOY_VERSIONS, PluginsOfAllVersionsWorkTogether) {
  EXPECT_THAT(train({kLater / "one_server.so", kFrozen / "softmax_regression.so",
                     kToday / "convoy_device_cpu.so"}),
              ElementsAreArray(near(reference())));
  EXPECT_THAT(train({kFrozen / "one_server.so", kLater / "softmax_regression.so",
                     kLater / "inline_device.so"}),
              ElementsAreArray(near(reference())));
  EXPECT_THAT(train({kToday / "replicated.so", kLater / "softmax_regression.so",
                     kFrozen / "inline_device.so"}),
              ElementsAreArray(near(reference())));
}

TEST(CONVOY_VERSIONS, DevicesOfAllVersionsTellOfTheirMemory) {
  for (const auto& folder : {kFrozen, kLater}) {
    const std::vector<MemoryUse> places = memory_use(of(folder));
    EXPECT_THAT(places, Contains(AllOf(Field(&MemoryUse::activations, 1000u),
                                       Field(&MemoryUse::scratch, 24u)))
                            .Times(2))
        << folder;
  }
}

TEST(CONVOY_VERSIONS, PluginsInPlainCTrainHere) {
  const std::vector<double> losses = train(plain_of(kFrozen));
  EXPECT_THAT(losses.back(), Lt(0.9 * losses.front())) << "it does not learn";
  EXPECT_EQ(train(plain_of(kLater)), losses);
}

TEST(CONVOY_VERSIONS, FrozenPluginsLogAndReportErrors) {
  plugin::PluginHost host;
  std::string logged;
  plugin::StrategyPlugin strategy(
      host.load_strategy(plugin::read_plugin(kFrozen / "plain_strategy.so")), {{"fail", "true"}},
      [&](std::int32_t, std::string_view, std::string_view text) { logged = text; });
  EXPECT_EQ(logged, "plain strategy created");
  EXPECT_FALSE(strategy.kernel("any", CONVOY_KERNEL_HOST).has_value());
  convoy_planner planner{};
  planner.struct_size = sizeof(planner);
  EXPECT_THAT(thrown_text([&] { strategy.plan(planner); }),
              ::testing::HasSubstr("planning failed: it was asked to fail"));
}

// What came later than a plug-in is not there, and what was there is as before.
TEST(CONVOY_VERSIONS, PluginsWithoutFormsForGpusHaveHostFunctions) {
  plugin::PluginHost host;
  for (const std::filesystem::path& folder : {kFrozen, kLater}) {
    plugin::StrategyPlugin strategy(
        host.load_strategy(plugin::read_plugin(folder / "one_server.so")), {});
    EXPECT_TRUE(strategy.kernel("pass_on", CONVOY_KERNEL_HOST)) << folder;
    EXPECT_FALSE(strategy.kernel("pass_on", CONVOY_KERNEL_CUDA_SOURCE)) << folder;
    EXPECT_FALSE(strategy.kernel("pass_on", CONVOY_KERNEL_PTX)) << folder;
    const plugin::DevicePlugin device(
        host.load_device(plugin::read_plugin(folder / "inline_device.so")), {});
    EXPECT_EQ(device.kernel_forms().bits, 1u << CONVOY_KERNEL_HOST) << folder;
  }
}

TEST(CONVOY_VERSIONS, SlotsThatAPluginLacksAreNull) {
  plugin::PluginHost host;
  const auto strategy = host.load_strategy(plugin::read_plugin(kFrozen / "plain_strategy.so"));
  EXPECT_EQ(strategy.table->struct_size, sizeof(convoy_strategy)) << "in this host's size";
  EXPECT_EQ(strategy.table->kernel, nullptr);
  EXPECT_NE(strategy.table->plan, nullptr);
}

}  // namespace
}  // namespace convoy::testing
