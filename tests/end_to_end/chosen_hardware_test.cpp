// Which cores and GPUs the program takes where it may not use all: taskset's, those that
// CUDA_VISIBLE_DEVICES leaves. The driver is made up: three GPUs of NVML's, two of CUDA's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/environment.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy {
namespace chosen_hardware_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// What is started while this lives may use the last core only.
class OnLastCore {
 public:
  OnLastCore() {
    CPU_ZERO(&all_);
    ::sched_getaffinity(0, sizeof(all_), &all_);
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &all_)) core_ = core;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(core_, &own);
    ::sched_setaffinity(0, sizeof(own), &own);
  }
  OnLastCore(const OnLastCore&) = delete;
  OnLastCore& operator=(const OnLastCore&) = delete;
  ~OnLastCore() { ::sched_setaffinity(0, sizeof(all_), &all_); }

  std::string core() const { return std::to_string(core_); }
  bool is_one_of_several() const { return CPU_COUNT(&all_) > 1; }

 private:
  cpu_set_t all_{};
  int core_ = 0;
};

const std::vector<std::string> kShort = {"--model=lenet",   "--batch_size=2",
                                         "--num_batches=1", "--num_warmup_batches=0",
                                         "--verbose",       "--variable_update=replicated"};

std::vector<std::string> with(std::vector<std::string> first,
                              const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

TEST(ChosenCores, AreThoseOfTheProcessInEveryVerb) {
  const OnLastCore bound;
  if (!bound.is_one_of_several()) GTEST_SKIP() << "this process may use one core only";
  const ProgramResult run = run_convoy(with({"run", "--device=cpu", "--num_devices=2"}, kShort));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err,
              HasSubstr("cpu:0 to cpu:1 have more threads than there are cores (" + bound.core()));
  EXPECT_THAT(run_convoy({"topo"}).out, HasSubstr("this process may use 1 of the "));
  EXPECT_THAT(run_convoy({"doctor"}).out, HasSubstr(", 1 allowed to this process"));
  EXPECT_THAT(run_convoy({"simulate", "--device=cpu", "--model=lenet", "--num_devices=1",
                          "--variable_update=replicated"})
                  .out,
              HasSubstr("Simulated:   1 of the "));
}

TEST(ChosenCores, OfTheLauncherAreDividedAmongItsTasks) {
  const OnLastCore bound;
  const ProgramResult tasks = run_convoy(with(
      {"launch", "--workers=2", "--"}, with(kShort, {"--device=cpu", "--all_reduce_spec=xring"})));
  EXPECT_EQ(tasks.exit_code, 0) << tasks.err;
  EXPECT_THAT(tasks.err, AllOf(HasSubstr("worker 0: convoy: cpu:0: "),
                               HasSubstr("1 thread (" + bound.core() + ")")));
}

TEST(ChosenCores, AreTheOnlyOnesThatQualifyLooksAt) {
  const OnLastCore bound;
  const std::string file = scratch_folder("qualify") + "/record.json";
  const ProgramResult result =
      run_convoy({"qualify", "--quick", "--model=lenet", "--batch_size=2", "--device=cpu",
                  "--threshold=0", "--output_file=" + file});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto record = parse_json(std::ifstream(file));
  std::vector<std::string> cores;
  for (const auto& rate : record.at("hosts")[0].at("measurements"))
    if (rate.at("kind") == "core") cores.push_back(rate.at("subject"));
  EXPECT_THAT(cores, ::testing::ElementsAre("core " + bound.core()));
}

// The program's driver library is this one.
class ChosenGpus : public ::testing::Test {
 protected:
  ChosenGpus() {
    std::filesystem::copy_file(CONVOY_FAKE_NVML, folder_ + "/libnvidia-ml.so.1",
                               std::filesystem::copy_options::overwrite_existing);
  }

  ProgramResult run(const std::string& visible, const std::vector<std::string>& arguments) const {
    const Environment environment({{"LD_LIBRARY_PATH", folder_},
                                   {"CUDA_VISIBLE_DEVICES", visible},
                                   {"CUDA_DEVICE_ORDER", std::nullopt},
                                   {"NVIDIA_VISIBLE_DEVICES", std::nullopt}});
    return run_convoy(arguments);
  }

  std::string folder_ = scratch_folder("driver");
};

TEST_F(ChosenGpus, AreShownByTopoAndDoctor) {
  const ProgramResult topo = run("GPU-c,GPU-a", {"topo"});
  EXPECT_THAT(topo.out, HasSubstr("0000:a0:00.0"));
  EXPECT_THAT(topo.out, HasSubstr("device 0 of this process"));
  EXPECT_THAT(topo.out, HasSubstr("hidden by CUDA_VISIBLE_DEVICES='GPU-c,GPU-a'"));
  EXPECT_THAT(run("GPU-c,GPU-a", {"doctor"}).out, HasSubstr("2 of 3: 0000:a0:00.0, 0000:30:00.0 "));
  EXPECT_THAT(run("GPU-c,GPU-x", {"doctor"}).out, HasSubstr("'GPU-x', names no GPU"));
}

TEST_F(ChosenGpus, AreTheOnlyOnesThatAreSimulated) {
  const auto simulate = [&](const std::string& visible, const std::string& gpus) {
    return run(visible, {"simulate", "--device=cuda", "--model=lenet", "--num_gpus=" + gpus,
                         "--variable_update=replicated"});
  };
  EXPECT_EQ(simulate("GPU-c,GPU-a", "2").exit_code, 0) << simulate("GPU-c,GPU-a", "2").err;
  const ProgramResult too_many = simulate("GPU-c", "2");
  EXPECT_EQ(too_many.exit_code, 2);
  EXPECT_THAT(too_many.err,
              HasSubstr("this process can use 1 of this machine's (gpu0: hidden by "));
  const ProgramResult none = simulate("", "1");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("shows no GPU that this process can use (gpu0: hidden by "
                                  "CUDA_VISIBLE_DEVICES=''"));
}

TEST_F(ChosenGpus, AreListedByIdAsByNumber) {
  const auto simulate = [&](const std::string& gpus) {
    return run("GPU-c,GPU-a", {"simulate", "--device=cuda", "--model=lenet",
                               "--gpu_indices=" + gpus, "--variable_update=replicated"});
  };
  const ProgramResult by_id = simulate("GPU-A,GPU-c000");
  EXPECT_EQ(by_id.exit_code, 0) << by_id.err;
  EXPECT_EQ(by_id.out, simulate("1,0").out);
  EXPECT_THAT(simulate("GPU-b").err, HasSubstr("this process can use 2 (gpu1: hidden by"));
  EXPECT_THAT(simulate("GPU-f").err, HasSubstr("lists GPU-f, which is the id of no GPU"));
  EXPECT_THAT(run("GPU-c,GPU-a", {"topo"}).out,
              HasSubstr("GPU-a0000000-1111-2222-3333-444444444444"));
}

#ifdef CONVOY_EMULATED_CUDA_FOLDER
std::vector<std::string> on_cuda(const std::string& gpus) {
  return with(
      {"run", "--device=cuda", "--plugin_path=" CONVOY_EMULATED_CUDA_FOLDER, "--num_gpus=" + gpus},
      kShort);
}

TEST_F(ChosenGpus, TrainInTheOrderOfTheVariable) {
  const ProgramResult turned = run("1,0", on_cuda("2"));
  EXPECT_EQ(turned.exit_code, 0) << turned.err;
  EXPECT_THAT(turned.err, HasSubstr("(0000:65:00.0)"));
  EXPECT_LT(turned.err.find("(0000:65:00.0)"), turned.err.find("(0000:30:00.0)"));
  EXPECT_THAT(run("1", on_cuda("1")).err, Not(HasSubstr("0000:30:00.0")));
}

TEST_F(ChosenGpus, TrainInTheOrderOfTheirIds) {
  const ProgramResult turned =
      run("0,1", with(on_cuda("2"), {"--gpu_indices=GPU-0b0b,GPU-0a0a0a0a-0a0a"}));
  EXPECT_EQ(turned.exit_code, 0) << turned.err;
  EXPECT_LT(turned.err.find("(0000:65:00.0)"), turned.err.find("(0000:30:00.0)"));
  const ProgramResult none = run("0", with(on_cuda("1"), {"--gpu_indices=GPU-0b"}));
  EXPECT_EQ(none.exit_code, 3) << none.err;
  EXPECT_THAT(none.err, HasSubstr("lists GPU-0b, which is the id of no GPU here"));
}

TEST_F(ChosenGpus, ThatAreTooFewAreExplained) {
  const ProgramResult cut = run("0,7,1", on_cuda("2"));
  EXPECT_EQ(cut.exit_code, 3);
  EXPECT_THAT(cut.err, HasSubstr("of the 3 entries of CUDA_VISIBLE_DEVICES='0,7,1' CUDA takes 1"));
  const ProgramResult one = run("0,7,1", on_cuda("1"));
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.err, HasSubstr("the first that names no GPU ends the list"));
  EXPECT_THAT(run("", on_cuda("1")).err, HasSubstr("CUDA_VISIBLE_DEVICES='' hides all devices"));
}
#endif

}  // namespace chosen_hardware_test
}  // namespace convoy
