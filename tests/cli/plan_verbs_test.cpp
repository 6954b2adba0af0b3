// plan and check over a strategy of this directory and one of convoy's models.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/base/error.hpp"
#include "core/cli/verbs/check.hpp"
#include "core/cli/verbs/plan.hpp"

namespace convoy {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string kPath = "--plugin_path=" CONVOY_CLI_FIXTURES ":" CONVOY_OWN_PLUGINS;

struct Outcome {
  int code = 0;
  std::string text;
};

Outcome check(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {kPath, "--model=lenet"});
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_check_verb(arguments, out, err);
  return {code, out.str()};
}

Outcome plan(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {kPath, "--model=lenet"});
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_plan_verb(arguments, out, err);
  return {code, out.str()};
}

TEST(CheckVerb, NamesTheOperationVariableAndReplicaOfABrokenClaim) {
  const Outcome outcome = check({"forgetful", "--num_devices=2,3"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.text, HasSubstr("2 devices, shared memory, one bucket: synchronous\n"));
  EXPECT_THAT(outcome.text, HasSubstr("3 devices, shared memory, one bucket: wrong\n"));
  EXPECT_THAT(
      outcome.text,
      ContainsRegex("missing: apply \\(operation 8\\) on affine1/biases .*: the gradient of "
                    "replica 2 is missing"));
  EXPECT_THAT(outcome.text,
              HasSubstr("forgetful claims to be synchronous: not so in 7 of 14 plans\n"));
}

TEST(CheckVerb, TakesOptionsOfTheStrategyAndReportsRefusals) {
  const Outcome outcome = check({"forgetful", "--careful", "--num_devices=3,5"});
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("5 devices, no peer access, ragged buckets: refused: "));
  EXPECT_THAT(outcome.text, HasSubstr("more than four devices are too many for me"));
  EXPECT_THAT(outcome.text, HasSubstr("proved in 7 plans, 7 refused\n"));
}

TEST(CheckVerb, TakesAFile) {
  const Outcome outcome = check({CONVOY_CLI_FIXTURES "/forgetful.so", "--num_devices=1"});
  EXPECT_EQ(outcome.code, 0) << outcome.text;
}

TEST(CheckVerb, ProvesNothingWhenEverythingIsRefused) {
  const Outcome outcome = check({"forgetful", "--num_devices=8"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.text, HasSubstr("nothing is proved"));
}

TEST(CheckVerb, RefusesBadCommandLines) {
  EXPECT_THROW(check({}), Error);
  EXPECT_THROW(check({"forgetful", "--num_devices=1,,2"}), Error);
  EXPECT_THROW(check({"forgetful", "--num_devices=0"}), Error);
  EXPECT_THROW(check({"forgetful", "--carefull"}), Error);
  EXPECT_THROW(check({"no_such_strategy"}), Error);
}

TEST(PlanVerb, ShowsThePlanAsWrittenAndAsItRuns) {
  const Outcome logical = plan({"--variable_update=forgetful", "--num_devices=2"});
  EXPECT_EQ(logical.code, 0);
  EXPECT_THAT(logical.text, HasSubstr("logical plan: 2 replicas"));
  EXPECT_THAT(logical.text, ContainsRegex("#4 +host:0 +sum: buffer 4"));
  EXPECT_THAT(logical.text, Not(HasSubstr("waits")));
  const Outcome lowered = plan({"--variable_update=forgetful", "--lowered", "--nopeer_access"});
  EXPECT_THAT(lowered.text, HasSubstr("lowered plan: 2 replicas"));
  EXPECT_THAT(lowered.text, ContainsRegex("device:1 copy out +copy: .* waits #"));
}

TEST(PlanVerb, DrawsTheGraph) {
  EXPECT_THAT(plan({"--variable_update=forgetful", "--dot"}).text,
              ContainsRegex("^digraph plan \\{(.|\n)*style=dashed(.|\n)*\\}\n// hash of the "
                            "lowered plan: [0-9a-f]+\n$"));
}

std::string plan_refusal(std::vector<std::string> arguments) {
  try {
    plan(std::move(arguments));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "it was accepted";
}

TEST(PlanVerb, RefusesFlagsThatDoNotGoTogether) {
  EXPECT_THAT(plan_refusal({"--variable_update=forgetful", "--explain"}),
              HasSubstr("--variable_update=auto"));
  EXPECT_THAT(plan_refusal({"--variable_update=auto", "--hosts=2"}), HasSubstr("--platform"));
  EXPECT_THAT(plan_refusal({"--variable_update=forgetful", "--platform=dgx1-p100",
                            "--worker_hosts=a:1,b:1"}),
              HasSubstr("--hosts"));
}

}  // namespace
}  // namespace convoy
