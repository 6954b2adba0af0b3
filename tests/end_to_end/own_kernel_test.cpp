// A strategy with a kernel of its own as users check it, and as they run it on GPUs, which are
// emulated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/end_to_end/run_program.hpp"

namespace convoy::own_kernel_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Arguments = std::vector<std::string>;

// A call sleeps for ten minutes, and check ends it after the second that calls may take.
TEST(OwnKernel, ThatSleepsIsNamedByCheckWhichEndsInTime) {
  const auto begin = std::chrono::steady_clock::now();
  const ProgramResult result =
      run_convoy({"check", CONVOY_OWN_KERNEL_FOLDER "/own_kernel.so", "--model=lenet",
                  "--device=cpu", "--num_devices=2", "--sleep=600", "--plugin_timeout=1"});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("kernel 'pass' of call (operation "),
                                HasSubstr("does not return within 1 second")));
  EXPECT_LT(took.count(), 120);
}

#ifdef CONVOY_EMULATED_CUDA_FOLDER

ProgramResult convoy(Arguments arguments, const std::string& form) {
  for (const char* flag :
       {"--plugin_path=" CONVOY_EMULATED_CUDA_FOLDER ":" CONVOY_OWN_KERNEL_FOLDER, "--model=lenet",
        "--device=cuda", "--gpu_indices=0,0", "--num_devices=2"})
    arguments.emplace_back(flag);
  arguments.push_back("--gpu_form=" + form);
  return run_convoy(arguments);
}

ProgramResult run(const std::string& form) {
  return convoy({"run", "--variable_update=own_kernel", "--batch_size=2", "--num_batches=2",
                 "--num_warmup_batches=0"},
                form);
}

TEST(OwnKernel, RunsOnGpus) {
  const ProgramResult result = run("right");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("total images/sec: "));
}

TEST(OwnKernel, EndsARunOnGpusBeforeItStartsWithoutAFormForThem) {
  const ProgramResult result = run("none");
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("kernel 'pass' of strategy own_kernel has no form for cuda "
                                    "devices, which run CUDA source or PTX"));
  EXPECT_THAT(result.out, Not(HasSubstr("images/sec")));
}

TEST(OwnKernel, EndsARunOnGpusWithTheCompilersWords) {
  const ProgramResult result = run("misspelt");
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("building kernel 'pass' of strategy own_kernel"), HasSubstr("hlaf")));
  EXPECT_THAT(result.out, Not(HasSubstr("images/sec")));
}

TEST(OwnKernel, IsComparedWithItsHostFunctionByCheck) {
  const ProgramResult right = convoy({"check", "own_kernel"}, "right");
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  const ProgramResult wrong = convoy({"check", "own_kernel"}, "wrong");
  EXPECT_EQ(wrong.exit_code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, AllOf(HasSubstr("kernel 'pass' of call (operation "),
                               HasSubstr("on cuda:0 writes -0.055 to element 0 of "),
                               HasSubstr("and the host function -0.05")));
  EXPECT_EQ(convoy({"check", "own_kernel"}, "none").exit_code, 3);
}

#endif

}  // namespace
}  // namespace convoy::own_kernel_test
