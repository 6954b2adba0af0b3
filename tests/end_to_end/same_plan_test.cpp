// The plan that a run executes is the one that is shown, proved and simulated: for every strategy,
// what the host adds, and kinds of devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/environment.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy {
namespace {

using ::testing::HasSubstr;
using Arguments = std::vector<std::string>;

Arguments operator+(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Arguments kTrained = {"--num_batches=1", "--num_warmup_batches=0", "--batch_size=2"};

nlohmann::json read_json(const std::string& path) {
  return parse_json(std::ifstream(path));
}

// What follows the words "hash of the lowered plan: ", at its first place.
std::string hash_in(const std::string& text) {
  const std::string title = "hash of the lowered plan: ";
  const std::size_t found = text.find(title);
  return found == std::string::npos ? "none" : text.substr(found + title.size(), 16);
}

struct Hashes {
  std::string run;
  std::string plan;
  std::string check;
};

Hashes hashes_of(const Arguments& flags) {
  const std::string file = scratch_folder("same_plan") + "/run.json";
  const ProgramResult run =
      run_convoy(Arguments{"run"} + flags + kTrained + Arguments{"--output_file=" + file});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const ProgramResult plan = run_convoy(Arguments{"plan"} + flags + kTrained);
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  const std::string strategy = flags.front().substr(flags.front().find('=') + 1);
  const ProgramResult check = run_convoy(Arguments{"check", strategy} +
                                         Arguments(flags.begin() + 1, flags.end()) + kTrained);
  EXPECT_EQ(check.exit_code, 0) << check.err << check.out;
  return {read_json(file).at("strategy").at("plan_hash"), hash_in(plan.out), hash_in(check.out)};
}

std::string simulated_hash(const Arguments& flags) {
  const std::string file = scratch_folder("same_plan") + "/simulated.json";
  const ProgramResult result =
      run_convoy(Arguments{"simulate"} + flags + kTrained + Arguments{"--output_file=" + file});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::string hash = read_json(file).at("results").at(0).at("plan_hash");
  EXPECT_THAT(result.out, HasSubstr("Hash of the lowered plan: " + hash));
  return hash;
}

const Arguments kVariants[] = {
    {"--variable_update=independent"},
    {"--variable_update=parameter_server"},
    {"--variable_update=parameter_server", "--local_parameter_device=cpu"},
    {"--variable_update=parameter_server", "--staged_vars"},
    {"--variable_update=parameter_server", "--variable_consistency=relaxed"},
    {"--variable_update=replicated"},
    {"--variable_update=replicated", "--all_reduce_spec=xring"},
    {"--variable_update=replicated", "--all_reduce_spec=pscpu"},
    {"--variable_update=replicated", "--all_reduce_spec=collective"},
    {"--variable_update=replicated", "--hierarchical_copy"},
    {"--variable_update=replicated", "--gradient_repacking=3"},
    {"--variable_update=replicated", "--variable_consistency=relaxed"},
    {"--variable_update=distributed_replicated"},
    {"--variable_update=distributed_all_reduce", "--all_reduce_spec=pscpu"}};

class SamePlan : public ::testing::TestWithParam<Arguments> {};

TEST_P(SamePlan, OnCpuDevices) {
  const Arguments flags =
      GetParam() + Arguments{"--model=lenet", "--device=cpu", "--num_devices=2"};
  std::set<std::string> different;
  for (const Arguments& guards :
       {Arguments{}, Arguments{"--gradient_clip_norm=1"}, Arguments{"--use_fp16"},
        Arguments{"--report_gradient_norms", "--bucket_mb=1"}}) {
    SCOPED_TRACE(::testing::PrintToString(guards));
    const Hashes hashes = hashes_of(flags + guards);
    EXPECT_EQ(hashes.run.size(), 16u);
    EXPECT_EQ(hashes.plan, hashes.run);
    EXPECT_EQ(hashes.check, hashes.run);
    EXPECT_EQ(simulated_hash(flags + guards), hashes.run);
    different.insert(hashes.run);
  }
  EXPECT_EQ(different.size(), 4u) << "the flags do not change the plan";
}

INSTANTIATE_TEST_SUITE_P(Variants, SamePlan, ::testing::ValuesIn(kVariants));

#ifdef CONVOY_EMULATED_CUDA_FOLDER
// A machine with GPUs stands in for this one where they are simulated.
class SamePlanOnGpus : public ::testing::TestWithParam<Arguments> {
 protected:
  static std::string simulated(const Arguments& flags) {
    const std::string machine = scratch_folder("machine") + "/dgx1.xml";
    std::ofstream(machine) << run_convoy({"topo", "--platform=dgx1-p100", "--export=lstopo"}).out;
    const Environment other_machine(this_machine_is(machine));
    return simulated_hash(flags);
  }
};

TEST_P(SamePlanOnGpus, Emulated) {
  const Arguments flags =
      GetParam() + Arguments{"--model=lenet", "--device=cuda", "--gpu_indices=0,0",
                             "--plugin_path=" CONVOY_EMULATED_CUDA_FOLDER, "--num_devices=2"};
  for (const Arguments& guards : {Arguments{}, Arguments{"--gradient_clip_norm=1", "--use_fp16"}}) {
    SCOPED_TRACE(::testing::PrintToString(guards));
    const Hashes hashes = hashes_of(flags + guards);
    EXPECT_EQ(hashes.plan, hashes.run);
    EXPECT_EQ(hashes.check, hashes.run);
    EXPECT_EQ(simulated(flags + guards), hashes.run);
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, SamePlanOnGpus, ::testing::ValuesIn(kVariants));
#endif

// The hash that auto ranked is that of the plan which then runs.
TEST(SamePlanUnderAuto, IsRankedShownAndRun) {
  const Arguments flags = {"--model=lenet",         "--device=cpu",           "--num_devices=2",
                           "--num_intra_threads=3", "--gradient_clip_norm=1", "--auto=simulate"};
  const Arguments automatic = Arguments{"--variable_update=auto"} + flags;
  const Hashes hashes = hashes_of(automatic);
  EXPECT_EQ(hashes.plan, hashes.run);
  EXPECT_EQ(hashes.check, hashes.run);
  EXPECT_EQ(simulated_hash(automatic), hashes.run);
  const ProgramResult ranked =
      run_convoy(Arguments{"plan"} + automatic + kTrained + Arguments{"--json"});
  ASSERT_EQ(ranked.exit_code, 0) << ranked.err;
  EXPECT_EQ(parse_json(ranked.out).at("candidates").at(0).at("plan_hash"), hashes.run);
  const ProgramResult compared =
      run_convoy(Arguments{"compare", "--simulate", "--models=lenet", "--device=cpu",
                           "--num_devices=2", "--num_intra_threads=3", "--gradient_clip_norm=1",
                           "--auto=simulate", "--strategies=auto", "--json", "--batch_size=2"});
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  const auto cell = parse_json(compared.out).at("cells").at(0);
  EXPECT_EQ(cell.at("plan_hash"), hashes.run);
  EXPECT_EQ(cell.at("threads_per_device"), 3);
}

TEST(SamePlanOnDescribedMachines, IsShownProvedAndSimulated) {
  for (const char* guards : {"--nouse_fp16", "--use_fp16", "--gradient_clip_norm=1"}) {
    const Arguments flags = {"--model=lenet", "--platform=dgx1-p100", "--num_gpus=4",
                             "--staged_vars", guards};
    const Arguments named = Arguments{"--variable_update=parameter_server"} + flags;
    const ProgramResult plan = run_convoy(Arguments{"plan"} + named);
    const ProgramResult check = run_convoy(Arguments{"check", "parameter_server"} + flags);
    EXPECT_EQ(hash_in(plan.out).size(), 16u) << plan.err;
    EXPECT_EQ(hash_in(check.out), hash_in(plan.out)) << check.err;
    EXPECT_EQ(simulated_hash(named), hash_in(plan.out));
  }
}

// More GPUs than most machines have: what can be proved without them is proved.
TEST(CheckWithoutTheDevices, ProvesForAllKindsOfDevices) {
  const ProgramResult result =
      run_convoy({"check", "replicated", "--model=lenet", "--num_gpus=64"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("64 devices, no peer access"));
  EXPECT_THAT(
      result.out + result.err,
      ::testing::AnyOf(HasSubstr("not checked"), HasSubstr("only plans for generic devices")));
}

}  // namespace
}  // namespace convoy
