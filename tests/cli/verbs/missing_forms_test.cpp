// A strategy whose kernel has no form for GPUs is refused, or passed over, before anything starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "core/cli/verbs/verbs.hpp"

namespace convoy::cli::missing_forms_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Arguments = std::vector<std::string>;

struct Outcome {
  int code = 0;
  std::string text;
};

// What a verb says, or the error that it ends with.
template <typename Verb>
Outcome outcome_of(Verb verb, Arguments arguments) {
  for (const char* flag : {"--plugin_path=" CONVOY_CLI_FIXTURES "/own_kernel:" CONVOY_OWN_PLUGINS,
                           "--model=lenet", "--num_devices=2"})
    arguments.emplace_back(flag);
  std::ostringstream out;
  std::ostringstream err;
  try {
    const int code = verb(arguments, out, err);
    return {code, out.str()};
  } catch (const Error& error) {
    return {static_cast<int>(error.code()), error.what()};
  }
}

Outcome check(const Arguments& flags) {
  Arguments arguments = {"own_kernel"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return outcome_of(run_check_verb, arguments);
}

std::string missing_on(const std::string& devices) {
  return "kernel 'pass' of strategy own_kernel has no form for " + devices +
         ", which run CUDA source or PTX: give it one (Kernel::cuda(), or CONVOY_ELEMENT_KERNEL); "
         "or choose CPU devices (--device=cpu) or another strategy";
}

constexpr int kUnavailable = static_cast<int>(ExitCode::kUnavailable);

TEST(MissingForm, IsNoMatterOnCpuDevices) {
  const Outcome outcome = check({"--device=cpu"});
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, Not(HasSubstr("no form for")));
}

TEST(MissingForm, IsSaidByCheckOfAMachineWithGpus) {
  const Outcome there = check({"--gpu_form=right", "--platform=dgx1-p100"});
  EXPECT_EQ(there.code, 0) << there.text;
  const Outcome missing = check({"--platform=dgx1-p100"});
  EXPECT_EQ(missing.code, kUnavailable) << missing.text;
  EXPECT_THAT(missing.text,
              AllOf(HasSubstr("cannot run there: " + missing_on("the GPUs of dgx1-p100")),
                    HasSubstr("own_kernel claims to be synchronous: proved")));
}

TEST(MissingForm, IsSaidByCheckOfCudaDevicesThatAreNotHere) {
  EXPECT_EQ(check({"--gpu_form=right", "--device=cuda"}).code, 0);
  const Outcome missing = check({"--device=cuda"});
  EXPECT_EQ(missing.code, kUnavailable) << missing.text;
  EXPECT_THAT(missing.text, HasSubstr("cannot run there: " + missing_on("cuda devices")));
}

TEST(MissingForm, EndsASimulationBeforeItBegins) {
  const Arguments flags = {"--variable_update=own_kernel", "--platform=dgx1-p100"};
  const Outcome missing = outcome_of(run_simulate_verb, flags);
  EXPECT_EQ(missing.code, kUnavailable);
  EXPECT_EQ(missing.text, missing_on("the GPUs of dgx1-p100"));
  Arguments with_form = flags;
  with_form.emplace_back("--gpu_form=right");
  const Outcome there = outcome_of(run_simulate_verb, with_form);
  EXPECT_EQ(there.code, 0) << there.text;
}

TEST(MissingForm, IsWhyAutoPassesAStrategyOver) {
  const Outcome outcome = outcome_of(run_plan_verb, {"--variable_update=auto", "--auto_inexact",
                                                     "--platform=dgx1-p100", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  std::size_t found = 0;
  std::istringstream text(outcome.text);
  const nlohmann::json ranking = parse_json(text);
  for (const nlohmann::json& each : ranking.at("candidates")) {
    if (each.at("strategy") != "own_kernel") continue;
    ++found;
    EXPECT_EQ(each.at("state"), "refused");
    EXPECT_EQ(each.at("reason"), missing_on("the GPUs of dgx1-p100"));
  }
  EXPECT_GT(found, 0u) << outcome.text;
}

}  // namespace
}  // namespace convoy::cli::missing_forms_test
