// plan and check over a strategy of this directory and one of convoy's models.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <span>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/process/clocks.hpp"
#include "core/cli/verbs/verbs.hpp"
#include "tests/cli/verb_outcome.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::cli {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string kPath = "--plugin_path=" CONVOY_CLI_FIXTURES ":" CONVOY_OWN_PLUGINS;

VerbOutcome check(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {kPath, "--model=lenet"});
  return outcome_of(run_check_verb, arguments);
}

VerbOutcome plan(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {kPath, "--model=lenet"});
  return outcome_of(run_plan_verb, arguments);
}

TEST(CheckVerb, NamesTheOperationVariableAndReplicaOfABrokenClaim) {
  const VerbOutcome outcome = check({"forgetful", "--num_devices=2,3"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("2 devices, shared memory, one bucket: synchronous\n"));
  EXPECT_THAT(outcome.out, HasSubstr("3 devices, shared memory, one bucket: wrong\n"));
  EXPECT_THAT(
      outcome.out,
      ContainsRegex("missing: apply \\(operation 8\\) on affine1/biases .*: the gradient of "
                    "replica 2 is missing"));
  EXPECT_THAT(outcome.out,
              HasSubstr("forgetful claims to be synchronous: not so in 7 of 14 plans\n"));
}

TEST(CheckVerb, TakesOptionsOfTheStrategyAndReportsRefusals) {
  const VerbOutcome outcome = check({"forgetful", "--careful", "--num_devices=3,5"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(outcome.out,
              HasSubstr("5 devices, no peer access, ragged buckets: refused for the same reason"));
  EXPECT_THAT(outcome.out, HasSubstr("more than four devices are too many for me"));
  EXPECT_THAT(outcome.out, HasSubstr("proved in 7 plans, 7 refused\n"));
}

TEST(OptionsOfPlugins, MayNotHaveAnotherNameOfAFlag) {
  const std::string path = "--plugin_path=" CONVOY_CLI_FIXTURES "/namesake:" CONVOY_OWN_PLUGINS;
  const auto outcome = [&](const char* strategy) {
    return outcome_of(
        run_plan_verb,
        std::vector<std::string>{path, "--model=lenet", "--device=cpu", "--num_devices=2",
                                 "--auto=rule", std::string("--variable_update=") + strategy});
  };
  EXPECT_EQ(thrown_text([&] { outcome("namesake"); }),
            "strategy namesake: its option seed is another name of --tf_random_seed; rename the "
            "plug-in's option");
  EXPECT_EQ(outcome("auto").code, 0) << "it was not asked for: " << outcome("auto").err;
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
      const std::string name = std::string(flag).substr(0, std::string(flag).find('='));
      EXPECT_THAT(refusal_by(run, arguments), HasSubstr(name + " is for runs: convoy " + verb));
    }
}

TEST(VerbsThatRunNothing, SimulateHostsOnTheNetworkThatIsDescribed) {
  EXPECT_THAT(refusal_by(run_simulate_verb, {"--transport=shm", kPath, "--model=lenet"}),
              HasSubstr("--transport is for runs: hosts are simulated on the network"));
}

// Buckets begin at multiples of 16 elements.
TEST(PlanVerb, CountsTheBucketsThatAPlanWouldHave) {
  const std::string refusal =
      refusal_by(run_plan_verb, {"--bucket_mb=0.00001", kPath, "--model=lenet", "--num_devices=2"});
  EXPECT_THAT(refusal, HasSubstr("parameters of lenet into 135835 buckets"));
}

// Each is right but for one mistake, which must neither pass nor be taken for a refusal.
TEST(CheckVerb, NamesMistakesThatAreNoMatterOfArithmetic) {
  const std::pair<std::string, std::string> mistakes[] = {
      {"throws", "2 devices, shared memory, one bucket: wrong: .*index out of range"},
      {"typo", "wrong: .*the manifest declares no option 'tpyo'"},
      {"type", "wrong: .*option 'mistake' is 'type', which is no int; declare it as one"},
      {"typo_of_text",
       "wrong: .*the manifest declares no option 'mistkae'; .*; did you mean mistake\\?"},
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
       "unproved\nundeclared: apply \\(operation [0-9]+\\) on .*kernel halve and "
       "counts 2 times(.|\n)*unproved in 7 of 7 plans"}};
  for (const auto& [mistake, text] : mistakes) {
    const VerbOutcome outcome = check({"careless", "--mistake=" + mistake, "--num_devices=2"});
    EXPECT_EQ(outcome.code, 1) << mistake;
    EXPECT_THAT(outcome.out, ContainsRegex(text)) << mistake;
    EXPECT_THAT(outcome.out, Not(HasSubstr(": proved in"))) << mistake;
  }
}

// Nothing is wrong with what was looked at, but that is not all.
TEST(CheckVerb, ProvesNothingWithKernelsThatItCannotTry) {
  const VerbOutcome outcome = check({"careless", "--mistake=vast", "--num_devices=1"});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("careless claims to be approximate: unproved; kernel halve "
                                     "was not tried: 4096 MiB of spans\n"));
}

// Where a large size takes too long, a smaller one is tried whole.
TEST(CheckVerb, TriesKernelsOnSmallerSizesWhereLargeOnesTakeTooLong) {
  const VerbOutcome outcome =
      check({"careless", "--mistake=slow_when_large", "--num_devices=1", "--plugin_timeout=4"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
}

// So it is with each of several numbers of reads, in little more than the time for all calls.
TEST(CheckVerb, TriesEveryNumberOfReadsOnSmallerSizesWhereLargeOnesTakeTooLong) {
  const auto tried_for = [] {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return processor_seconds_of(used);
  };
  const double before = tried_for();
  const VerbOutcome outcome =
      check({"careless", "--mistake=slow_sum", "--num_devices=1,2,3,4,5,6", "--plugin_timeout=4"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_LT(tried_for() - before, 6);
}

// After three numbers of reads, the largest number that a plan has is still tried.
TEST(CheckVerb, TriesKernelsWithTheLargestNumberOfReads) {
  const VerbOutcome few = check({"careless", "--mistake=sum_four", "--num_devices=1,2,3,4"});
  EXPECT_EQ(few.code, 0) << few.out;
  const VerbOutcome five = check({"careless", "--mistake=sum_four", "--num_devices=1,2,3,5"});
  EXPECT_EQ(five.code, 1) << five.out;
  EXPECT_THAT(five.out, ContainsRegex("   5 devices [^\n]*: wrong: kernel 'sum_four' of call "
                                      "\\(operation [0-9]+\\)"));
}

TEST(CheckVerb, NamesKernelsThatItCannotTryWithTheLargestNumberOfReads) {
  const VerbOutcome few = check({"careless", "--mistake=vast_of_five", "--num_devices=1,2,3,4"});
  EXPECT_EQ(few.code, 0) << few.out;
  const VerbOutcome five = check({"careless", "--mistake=vast_of_five", "--num_devices=1,2,3,5"});
  EXPECT_EQ(five.code, 1) << five.out;
  EXPECT_THAT(five.out, HasSubstr("kernel halve was not tried in all shapes: 20480 MiB of spans"));
}

// Calls of one size that differ in their scalar: each is tried, and their results are not the same.
TEST(CheckVerb, TellsCallsApartByTheirArguments) {
  const std::string file = CONVOY_CLI_FIXTURES "/scaled_calls/scaled_calls.so";
  const VerbOutcome alike = check({file, "--num_devices=2"});
  EXPECT_EQ(alike.code, 0) << alike.out;
  const VerbOutcome sums = check({file, "--sums=differ", "--num_devices=2"});
  EXPECT_EQ(sums.code, 1) << sums.out;
  EXPECT_THAT(sums.out, ContainsRegex("wrong: kernel 'times' of call \\(operation [0-9]+\\)"));
  const VerbOutcome results = check({file, "--results=differ", "--num_devices=2"});
  EXPECT_EQ(results.code, 1) << results.out;
  EXPECT_THAT(results.out, Not(HasSubstr(": proved in")));
}

TEST(CheckVerb, TellsAnOverModestClaimWhatItIs) {
  const VerbOutcome outcome = check({"careless", "--num_devices=2"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(outcome.out,
              HasSubstr("careless is synchronous in all these plans for several devices: "
                        "claim=synchronous says so, and claim=approximate says less"));
}

// Every plan could be meant as it is; all of them together could not.
TEST(CheckVerb, DoubtsCountsThatFollowTheDevices) {
  const VerbOutcome outcome = check({"careless", "--mistake=undivided", "--num_devices=2,3"});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.out,
              HasSubstr("careless claims to be approximate: unproved; with 2, 3 devices every "
                        "gradient counts 2, 3 times in the end: that grows with the devices"));
  EXPECT_THAT(outcome.out, Not(HasSubstr(": proved in")));
}

TEST(CheckVerb, NamesMemoryThatIsKeptForNothing) {
  const VerbOutcome forgets = check({"careless", "--mistake=forgets", "--num_devices=2"});
  EXPECT_EQ(forgets.code, 0) << forgets.out;
  EXPECT_THAT(forgets.out, ContainsRegex("no later step reads what kept \\(.*\\), and "
                                         "[0-9]+ more like it, holds: nothing is kept there"));
  const VerbOutcome undivided = check({"careless", "--mistake=undivided", "--num_devices=2"});
  EXPECT_THAT(undivided.out, Not(HasSubstr("no later step reads")));
}

TEST(CheckVerb, ProvesPlansForOneToEightDevices) {
  const VerbOutcome outcome = check({"independent"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  for (const char* kind : {"shared memory, one bucket", "no peer access, ragged buckets"}) {
    EXPECT_THAT(outcome.out, HasSubstr(fmt::format("  1 device, {}: synchronous\n", kind)));
    for (int devices = 2; devices <= 8; ++devices)
      EXPECT_THAT(outcome.out,
                  HasSubstr(fmt::format("  {} devices, {}: independent\n", devices, kind)));
  }
}

TEST(CheckVerb, ProvesBucketsOfManyDevicesWithFewer) {
  const VerbOutcome devices = check({"independent", "--num_devices=64,65"});
  EXPECT_EQ(devices.code, 0) << devices.out;
  EXPECT_THAT(devices.out, HasSubstr("  65 devices, shared memory, one bucket: independent\n"
                                     "  65 devices, no peer access, one bucket: independent\n"));
  for (const char* kind : {"shared memory", "no peer access"})
    EXPECT_THAT(devices.out,
                HasSubstr(fmt::format("  32 devices, {0}, 16 MiB buckets: independent\n"
                                      "  32 devices, {0}, ragged buckets: independent\n",
                                      kind)));
  EXPECT_THAT(devices.out, HasSubstr("proved in 14 plans\n"));
  EXPECT_THAT(devices.out, HasSubstr("  64 devices, shared memory, ragged buckets: independent\n"));
  const VerbOutcome hosts =
      check({"parameter_server", "--hosts=9", "--num_devices=8", "--ps_hosts=5"});
  EXPECT_EQ(hosts.code, 0) << hosts.out;
  for (const char* text :
       {"5 parameter servers, 9 hosts with 8 devices, shared memory, one bucket: ",
        "3 parameter servers, 4 hosts with 8 devices, no peer access, 16 MiB buckets: "})
    EXPECT_THAT(hosts.out, HasSubstr(text));
  EXPECT_THAT(hosts.out, HasSubstr("proved in 6 plans\n"));
}

TEST(CheckVerb, TakesAFile) {
  const VerbOutcome outcome = check({CONVOY_CLI_FIXTURES "/forgetful.so", "--num_devices=1"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
}

TEST(CheckVerb, ProvesNothingWhenEverythingIsRefused) {
  const VerbOutcome outcome = check({"forgetful", "--num_devices=8"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("nothing is proved"));
}

// Devices of no machine are of the kind that is named.
TEST(CheckVerb, ProvesWhatOnlyOneKindOfDevicesCanWithDevicesOfThatKind) {
  const VerbOutcome of_none = check({"replicated", "--all_reduce_spec=nccl", "--num_devices=2"});
  EXPECT_EQ(of_none.code, 1);
  EXPECT_THAT(of_none.out, HasSubstr("needs CUDA devices, the first one here is device:0; name "
                                     "--device=cuda"));
  for (const char* named : {"--device=cuda", "--platform=dgx1-v100"}) {
    const VerbOutcome outcome =
        check({"replicated", "--all_reduce_spec=nccl", "--num_devices=2", named});
    EXPECT_EQ(outcome.code, 0) << outcome.out;
    EXPECT_THAT(outcome.out, HasSubstr("  2 devices, shared memory, one bucket: synchronous\n"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("refused")));
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
  const VerbOutcome logical = plan({"--variable_update=forgetful", "--num_devices=2"});
  EXPECT_EQ(logical.code, 0);
  EXPECT_THAT(logical.out, HasSubstr("logical plan: 2 replicas"));
  EXPECT_THAT(logical.out, ContainsRegex("#4 +host:0 +sum: buffer 4"));
  EXPECT_THAT(logical.out, Not(HasSubstr("waits")));
  const VerbOutcome lowered = plan({"--variable_update=forgetful", "--lowered", "--nopeer_access"});
  EXPECT_THAT(lowered.out, HasSubstr("lowered plan: 2 replicas"));
  EXPECT_THAT(lowered.out, ContainsRegex("device:1 copy out +copy: .* waits #"));
}

TEST(PlanVerb, SaysThatADescribedMachineHasItsOwnLinks) {
  EXPECT_THAT(plan({"--variable_update=forgetful", "--platform=dgx1-p100", "--num_devices=2",
                    "--nopeer_access"})
                  .err,
              HasSubstr("--peer_access has no effect with --platform"));
}

TEST(PlanVerb, DrawsTheGraph) {
  EXPECT_THAT(plan({"--variable_update=forgetful", "--dot"}).out,
              ContainsRegex("^digraph plan \\{(.|\n)*style=dashed(.|\n)*\\}\n// hash of the "
                            "lowered plan: [0-9a-f]+\n$"));
}

std::string plan_refusal(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {kPath, "--model=lenet"});
  return refusal_by(run_plan_verb, arguments);
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
  for (const char* shown : {"--lowered", "--dot", "--svg=plan.svg"}) {
    const std::string name = std::string(shown).substr(0, std::string(shown).find('='));
    for (const char* ranking : {"--explain", "--json"})
      EXPECT_THAT(plan_refusal({"--variable_update=auto", ranking, shown}),
                  HasSubstr(std::string(ranking) + " and " + name));
  }
  EXPECT_THAT(plan_refusal({"--variable_update=forgetful", "--dot", "--svg=plan.svg"}),
              HasSubstr("--dot and --svg"));
  EXPECT_THAT(plan_refusal({"--variable_update=auto", "--hosts=2"}), HasSubstr("--platform"));
  EXPECT_THAT(plan_refusal({"--variable_update=forgetful", "--platform=dgx1-p100",
                            "--worker_hosts=a:1,b:1"}),
              HasSubstr("--hosts"));
}

}  // namespace
}  // namespace convoy::cli
