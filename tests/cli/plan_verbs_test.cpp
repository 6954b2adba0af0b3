// plan and check over a strategy of this directory and one of convoy's models.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/cli/verbs/verbs.hpp"

namespace convoy::cli {
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

// They would be given for nothing.
TEST(VerbsThatRunNothing, RefuseFlagsThatAreAboutRuns) {
  using RunVerb = int (*)(std::span<const std::string>, std::ostream&, std::ostream&);
  for (const auto& [verb, run] : {std::pair<const char*, RunVerb>{"plan", run_plan_verb},
                                  {"check", run_check_verb},
                                  {"explain", run_explain_verb}})
    for (const char* flag :
         {"--output_file=x.json", "--report=x.html", "--trace_file=x.json", "--record_timeline",
          "--repeat=3", "--profile", "--against=--use_fp16", "--against_program=./convoy"}) {
      std::vector<std::string> arguments = {flag, kPath, "--model=lenet", "--num_devices=2"};
      if (run == run_check_verb) arguments.insert(arguments.begin(), "forgetful");
      std::ostringstream out;
      try {
        run(arguments, out, out);
        ADD_FAILURE() << verb << " takes " << flag;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::kUsage);
        const std::string name = std::string(flag).substr(0, std::string(flag).find('='));
        EXPECT_THAT(error.what(), HasSubstr(name + " is for runs: convoy " + verb));
      }
    }
}

// Each is right but for one mistake, which must neither pass nor be taken for a refusal.
TEST(CheckVerb, NamesMistakesThatAreNoMatterOfArithmetic) {
  const std::pair<std::string, std::string> mistakes[] = {
      {"throws", "2 devices, shared memory, one bucket: wrong: .*index out of range"},
      {"typo", "wrong: .*the manifest declares no option 'tpyo'"},
      {"kernel", "wrong: call \\(operation [0-9]+\\) on gradient\\(0\\).* names kernel 'missing'"},
      {"overrun",
       "wrong: kernel 'overrun' of call \\(operation [0-9]+\\) reads or writes behind "
       "the end of gradient\\(0\\)"},
      {"overrun_odd",
       "ragged buckets: wrong: kernel 'overrun_odd' of call \\(operation [0-9]+\\) reads or writes "
       "behind the end of gradient\\(0\\)"},
      {"needs", "wrong: .*operations that its manifest does not name: add copy to needs="},
      {"differs",
       "wrong: .*two different plans .*first at operation [0-9]+: fill by [0-9]+: .*, and "
       "another time fill by [0-9]+"},
      {"scales",
       "unproved\n +undeclared: apply \\(operation [0-9]+\\) on .*kernel halve and "
       "counts 2 times(.|\n)*unproved in 7 of 7 plans"}};
  for (const auto& [mistake, text] : mistakes) {
    const Outcome outcome = check({"careless", "--mistake=" + mistake, "--num_devices=2"});
    EXPECT_EQ(outcome.code, 1) << mistake;
    EXPECT_THAT(outcome.text, ContainsRegex(text)) << mistake;
    EXPECT_THAT(outcome.text, Not(HasSubstr(": proved in"))) << mistake;
  }
}

// Nothing is wrong with what was looked at, but that is not all.
TEST(CheckVerb, ProvesNothingWithKernelsThatItCannotTry) {
  const Outcome outcome = check({"careless", "--mistake=vast", "--num_devices=1"});
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("careless claims to be approximate: unproved; kernel halve "
                                      "was not tried: 4096 MiB of spans\n"));
}

// Where a large size takes too long, a smaller one is tried whole.
TEST(CheckVerb, TriesKernelsOnSmallerSizesWhereLargeOnesTakeTooLong) {
  const Outcome outcome =
      check({"careless", "--mistake=slow_when_large", "--num_devices=1", "--plugin_timeout=4"});
  EXPECT_EQ(outcome.code, 0) << outcome.text;
}

// After three numbers of reads, the largest number that a plan has is still tried.
TEST(CheckVerb, TriesKernelsWithTheLargestNumberOfReads) {
  const Outcome few = check({"careless", "--mistake=sum_four", "--num_devices=1,2,3,4"});
  EXPECT_EQ(few.code, 0) << few.text;
  const Outcome five = check({"careless", "--mistake=sum_four", "--num_devices=1,2,3,5"});
  EXPECT_EQ(five.code, 1) << five.text;
  EXPECT_THAT(five.text, ContainsRegex("   5 devices [^\n]*: wrong: kernel 'sum_four' of call "
                                       "\\(operation [0-9]+\\)"));
}

TEST(CheckVerb, NamesKernelsThatItCannotTryWithTheLargestNumberOfReads) {
  const Outcome few = check({"careless", "--mistake=vast_of_five", "--num_devices=1,2,3,4"});
  EXPECT_EQ(few.code, 0) << few.text;
  const Outcome five = check({"careless", "--mistake=vast_of_five", "--num_devices=1,2,3,5"});
  EXPECT_EQ(five.code, 1) << five.text;
  EXPECT_THAT(five.text, HasSubstr("kernel halve was not tried in all shapes: 20480 MiB of spans"));
}

// Calls of one size that differ in their scalar: each is tried, and their results are not the same.
TEST(CheckVerb, TellsCallsApartByTheirArguments) {
  const std::string file = CONVOY_CLI_FIXTURES "/scaled_calls/scaled_calls.so";
  const Outcome alike = check({file, "--num_devices=2"});
  EXPECT_EQ(alike.code, 0) << alike.text;
  const Outcome sums = check({file, "--sums=differ", "--num_devices=2"});
  EXPECT_EQ(sums.code, 1) << sums.text;
  EXPECT_THAT(sums.text, ContainsRegex("wrong: kernel 'times' of call \\(operation [0-9]+\\)"));
  const Outcome results = check({file, "--results=differ", "--num_devices=2"});
  EXPECT_EQ(results.code, 1) << results.text;
  EXPECT_THAT(results.text, Not(HasSubstr(": proved in")));
}

TEST(CheckVerb, TellsAnOverModestClaimWhatItIs) {
  const Outcome outcome = check({"careless", "--num_devices=2"});
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_THAT(outcome.text,
              HasSubstr("careless is synchronous in all these plans for several devices: "
                        "claim=synchronous says so, and claim=approximate says less"));
}

// Every plan could be meant as it is; all of them together could not.
TEST(CheckVerb, DoubtsCountsThatFollowTheDevices) {
  const Outcome outcome = check({"careless", "--mistake=undivided", "--num_devices=2,3"});
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_THAT(outcome.text,
              HasSubstr("careless claims to be approximate: unproved; with 2, 3 devices every "
                        "gradient counts 2, 3 times in the end: that grows with the devices"));
  EXPECT_THAT(outcome.text, Not(HasSubstr(": proved in")));
}

TEST(CheckVerb, NamesMemoryThatIsKeptForNothing) {
  const Outcome forgets = check({"careless", "--mistake=forgets", "--num_devices=2"});
  EXPECT_EQ(forgets.code, 0) << forgets.text;
  EXPECT_THAT(forgets.text, ContainsRegex("no later step reads what kept \\(.*\\), and "
                                          "[0-9]+ more like it, holds: nothing is kept there"));
  const Outcome undivided = check({"careless", "--mistake=undivided", "--num_devices=2"});
  EXPECT_THAT(undivided.text, Not(HasSubstr("no later step reads")));
}

TEST(CheckVerb, ProvesPlansForOneToEightDevices) {
  const Outcome outcome = check({"independent"});
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  for (const char* kind : {"shared memory, one bucket", "no peer access, ragged buckets"}) {
    EXPECT_THAT(outcome.text, HasSubstr(fmt::format("  1 device, {}: synchronous\n", kind)));
    for (int devices = 2; devices <= 8; ++devices)
      EXPECT_THAT(outcome.text,
                  HasSubstr(fmt::format("  {} devices, {}: independent\n", devices, kind)));
  }
}

TEST(CheckVerb, ProvesBucketsOfManyDevicesWithFewer) {
  const Outcome devices = check({"independent", "--num_devices=64,65"});
  EXPECT_EQ(devices.code, 0) << devices.text;
  for (const char* kind : {"shared memory", "no peer access"})
    EXPECT_THAT(devices.text,
                HasSubstr(fmt::format("  65 devices, {0}, one bucket: independent\n"
                                      "  32 devices, {0}, 16 MiB buckets: independent\n"
                                      "  32 devices, {0}, ragged buckets: independent\n",
                                      kind)));
  EXPECT_THAT(devices.text, HasSubstr("proved in 14 plans\n"));
  EXPECT_THAT(devices.text,
              HasSubstr("  64 devices, shared memory, ragged buckets: independent\n"));
  const Outcome hosts = check({"parameter_server", "--hosts=9", "--num_devices=8", "--ps_hosts=5"});
  EXPECT_EQ(hosts.code, 0) << hosts.text;
  for (const char* text :
       {"5 parameter servers, 9 hosts with 8 devices, shared memory, one bucket: ",
        "3 parameter servers, 4 hosts with 8 devices, no peer access, 16 MiB buckets: "})
    EXPECT_THAT(hosts.text, HasSubstr(text));
  EXPECT_THAT(hosts.text, HasSubstr("proved in 6 plans\n"));
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

// Devices of no machine are of the kind that is named.
TEST(CheckVerb, ProvesWhatOnlyOneKindOfDevicesCanWithDevicesOfThatKind) {
  const Outcome of_none = check({"replicated", "--all_reduce_spec=nccl", "--num_devices=2"});
  EXPECT_EQ(of_none.code, 1);
  EXPECT_THAT(of_none.text, HasSubstr("needs CUDA devices, the first one here is device:0; name "
                                      "--device=cuda"));
  for (const char* named : {"--device=cuda", "--platform=dgx1-v100"}) {
    const Outcome outcome =
        check({"replicated", "--all_reduce_spec=nccl", "--num_devices=2", named});
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("  2 devices, shared memory, one bucket: synchronous\n"));
    EXPECT_THAT(outcome.text, Not(HasSubstr("refused")));
  }
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

TEST(PlanVerb, RefusesRunsThatTrainNothing) {
  EXPECT_THAT(plan_refusal({"--variable_update=forgetful", "--forward_only"}),
              HasSubstr("--forward_only is for runs: convoy plan"));
  EXPECT_THAT(plan_refusal({"--variable_update=forgetful", "--eval", "--train_dir=kept"}),
              HasSubstr("--eval is for runs: convoy plan"));
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
}  // namespace convoy::cli
