#include "core/conformance/conformance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/plugin/library.hpp"
#include "tests/sanitized.hpp"

namespace convoy::conformance {
namespace {

using ::testing::HasSubstr;

const std::string kFaulty = CONVOY_TEST_PLUGINS "/faulty_device.so";

plugin::PluginHost& host() {
  static plugin::PluginHost plugins;
  return plugins;
}

plugin::DevicePlugin plugin_of(const std::string& file, const plugin::OptionValues& options = {}) {
  setenv("GOMP_SPINCOUNT", "1000", 0);  // as the host does
  return {host().load_device(plugin::read_plugin(file)), options};
}

// What becomes of one case on a device with that fault.
CaseResult result_of(const std::string& fault, const std::string& name) {
  const plugin::DevicePlugin plugin = plugin_of(kFaulty, {{"fault", fault}});
  ConformanceRun run(plugin, {.patience = 0.5});
  for (const ConformanceCase& it : conformance_cases())
    if (it.group + ": " + it.name == name) return run.run(it);
  throw std::out_of_range("no case " + name);
}

class Devices : public testing::TestWithParam<std::string> {};

TEST_P(Devices, HaveNothingWrong) {
  const plugin::DevicePlugin plugin = plugin_of(GetParam());
  ConformanceRun run(plugin);
  int right = 0;
  for (const ConformanceCase& it : conformance_cases()) {
    const CaseResult result = run.run(it);
    EXPECT_NE(result.outcome, Outcome::kWrong)
        << it.group << ": " << it.name << ": " << result.text;
    right += result.outcome == Outcome::kRight ? 1 : 0;
  }
  EXPECT_GT(right, 150);
}

INSTANTIATE_TEST_SUITE_P(All, Devices,
                         testing::Values(CONVOY_OWN_PLUGINS "/convoy_device_cpu.so",
                                         CONVOY_TEST_PLUGINS "/plain_device.so"),
                         [](const auto& it) {
                           return it.param.find("cpu") == std::string::npos ? "plain" : "cpu";
                         });

TEST(ConformanceCases, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const ConformanceCase& it : conformance_cases())
    EXPECT_TRUE(names.insert(it.group + ": " + it.name).second) << it.name;
}

struct Fault {
  std::string fault;
  std::string name;
  std::vector<std::string> texts;
};

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, AreFoundAndSaidWhere) {
  const CaseResult result = result_of(GetParam().fault, GetParam().name);
  EXPECT_EQ(result.outcome, Outcome::kWrong);
  for (const std::string& text : GetParam().texts) EXPECT_THAT(result.text, HasSubstr(text));
  const CaseResult sound = result_of("none", GetParam().name);
  EXPECT_EQ(sound.outcome, Outcome::kRight) << sound.text;
}

INSTANTIATE_TEST_SUITE_P(
    All, Faults,
    testing::Values(
        Fault{"lanes", "device: describes itself", {"2 lanes", "at least 5"}},
        Fault{"memory",
              "device: memory: zeroed, aligned, written and read",
              {"byte 0 of allocate(1) is 7 instead of 0"}},
        Fault{"order",
              "order: a lane runs its operations in order",
              {"before its predecessor in the lane"}},
        Fault{"scale",
              "operations: scale",
              {"write 0[1000] of 1023 elements", "off by 0.25 where", "1 of the 1023 numbers"}},
        Fault{"adam", "updates: apply: adam", {"the parameter after step 2[17] of 70001"}},
        Fault{"gradient",
              "layers: same_stride_two_asymmetric, forward and backward",
              {"2 images of 3x6x6", "parameters as the device proposes", "the gradient of ",
               " instead of "}},
        Fault{"silent",
              "order: an operation's failure is reported by wait()",
              {"returned 42", "no failure"}},
        Fault{"stops",
              "order: values are stored after a failure, too",
              {"the value of one behind it was not stored"}},
        Fault{"silent", "programs: a label beyond the classes fails", {"label 8"}},
        Fault{"transposes", "operations: matmul with transposes", {"the result["}}),
    [](const auto& it) { return it.param.fault + std::to_string(it.index); });

TEST(ConformanceRun, SaysTheDevicesOwnReasonForWhatItDoesNotSupport) {
  const CaseResult half = result_of("none", "operations: cast of f32 to f16");
  EXPECT_EQ(half.outcome, Outcome::kUnsupported);
  EXPECT_EQ(half.text, "this device computes with f32 only");
  const CaseResult selection = result_of("none", "compression: top_k of 1 in 2");
  EXPECT_EQ(selection.outcome, Outcome::kUnsupported);
  EXPECT_EQ(selection.text, "this device does not know that operation");
  const CaseResult layers = result_of("no_layers", "programs: dropout");
  EXPECT_EQ(layers.outcome, Outcome::kUnsupported);
  EXPECT_EQ(layers.text, "compiling the model failed: there is no room for layers");
}

TEST(ConformanceRun, GivesUpADeviceThatHangs) {
  if (kSanitized) GTEST_SKIP() << "a device that is given up is never freed";
  const plugin::DevicePlugin plugin = plugin_of(kFaulty, {{"fault", "hang"}});
  ConformanceRun run(plugin, {.patience = 0.2});
  for (const ConformanceCase& it : conformance_cases()) {
    if (it.name != "fill with 3, f32") continue;
    const CaseResult result = run.run(it);
    EXPECT_EQ(result.outcome, Outcome::kWrong);
    EXPECT_EQ(result.text, "an operation did not finish within 0.2 seconds");
  }
  EXPECT_TRUE(run.hangs());
}

TEST(ConformanceRun, GivesUpDevicesThatACaseOpenedForItself) {
  if (kSanitized) GTEST_SKIP() << "a device that is given up is never freed";
  const plugin::DevicePlugin plugin = plugin_of(kFaulty, {{"fault", "hang_in_order"}});
  std::size_t tried = 0;
  for (const ConformanceCase& it : conformance_cases()) {
    if (it.group != "order" || it.name.starts_with("wait")) continue;
    SCOPED_TRACE(it.name);
    ConformanceRun run(plugin, {.patience = 0.2});
    EXPECT_THAT(run.run(it).text, HasSubstr("within 0.2 seconds"));
    EXPECT_TRUE(run.hangs());
    ++tried;
  }
  EXPECT_EQ(tried, 6u);
}

TEST(ConformanceRun, OpensADeviceAnewAfterAFailure) {
  const plugin::DevicePlugin plugin = plugin_of(kFaulty, {{"fault", "none"}});
  ConformanceRun run(plugin);
  const ConformanceCase fails{"", "", [](const plugin::DevicePlugin&, TestedDevice& device) {
                                convoy_submission submission = operation(CONVOY_OP_CALL);
                                submission.host_kernel = [](const convoy_region*, std::uint64_t,
                                                            const convoy_region*, std::uint64_t) {
                                  return std::int32_t{3};
                                };
                                device.run(submission);
                                return std::string();
                              }};
  const CaseResult failed = run.run(fails);
  EXPECT_EQ(failed.outcome, Outcome::kWrong);
  EXPECT_THAT(failed.text, HasSubstr("the kernel returned 3"));
  EXPECT_FALSE(run.hangs());
  EXPECT_EQ(run.run(conformance_cases().front()).outcome, Outcome::kRight);
}

}  // namespace
}  // namespace convoy::conformance
