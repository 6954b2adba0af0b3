// Trainings on CUDA devices whose results must not depend on how the devices are driven: gradients
// summed by NCCL or by copies. On real GPUs those that there are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "tests/devices/cuda/cuda_training.hpp"
#include "tests/runtime/small_models.hpp"

namespace convoy::testing {
namespace {

using ::testing::HasSubstr;

// The strategy sums the gradients of as many devices as `gpus` lists, as the spec says.
CudaOutcome train_by(const std::string& gpus, const std::string& spec) {
  return train_on({.gpus = gpus, .options = {{"all_reduce_spec", spec}}}, small_network());
}

class SeveralGpus : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_gpus("0"); !reason.empty())
      GTEST_SKIP() << "no CUDA device can be used: " << reason;
  }
};

// The sum of two numbers does not depend on their order.
TEST_F(SeveralGpus, GiveTheSameBitsByNcclAsByCopiesOnOneGpu) {
  if (const std::string reason = why_no_gpus("0,1"); !reason.empty())
    GTEST_SKIP() << "NCCL needs two GPUs: " << reason;
  const CudaOutcome copies = train_by("0,0", "collective");
  const CudaOutcome nccl = train_by("0,1", "nccl");
  EXPECT_FALSE(copies.has_collectives);
  EXPECT_TRUE(nccl.has_collectives);
  EXPECT_EQ(nccl.losses, copies.losses);
  EXPECT_EQ(nccl.hash, copies.hash);
  EXPECT_TRUE(train_by("1,0", "collective").has_collectives);
}

TEST_F(SeveralGpus, AreNeededByNcclWhichSaysSo) {
  try {
    train_by("0,0", "nccl");
    FAIL() << "trained";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("cuda:0 and cuda:1 share GPU 0, and NCCL takes each GPU "
                                        "once"));
  }
}

}  // namespace
}  // namespace convoy::testing
