#include "plugins/devices/cuda/gpu/availability.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/devices/cuda/gpu/chosen_gpus.hpp"
#include "plugins/devices/cuda/status.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::cuda {
namespace {

using testing::HasSubstr;

DriverFacts working() {
  DriverFacts facts;
  facts.driver_version = 13000;
  facts.runtime_version = 13000;
  facts.devices = 1;
  facts.has_device_files = true;
  return facts;
}

std::string reason(const DriverFacts& facts) {
  return unavailable_because(facts).value_or("available");
}

TEST(Availability, IsThereWithADriverAndADevice) {
  EXPECT_EQ(reason(working()), "available");
}

TEST(Availability, NeedsADriver) {
  DriverFacts facts = working();
  facts.library_problem = "libcuda.so.1: cannot open shared object file";
  EXPECT_THAT(reason(facts), HasSubstr("no NVIDIA driver: libcuda.so.1 cannot be opened"));
}

TEST(Availability, NamesBothVersionsOfADriverThatIsTooOld) {
  DriverFacts facts = working();
  facts.driver_version = 12080;
  facts.error = 35;
  EXPECT_THAT(reason(facts), HasSubstr("too old: it knows CUDA 12.8, this plug-in was built with "
                                       "CUDA 13.0"));
}

TEST(Availability, AcceptsADriverOfTheSameMajorVersion) {
  DriverFacts facts = working();
  facts.runtime_version = 13020;
  EXPECT_EQ(reason(facts), "available");
}

TEST(Availability, TellsHiddenDevicesFromMissingOnes) {
  DriverFacts facts = working();
  facts.devices = 0;
  facts.error = 100;
  EXPECT_THAT(reason(facts), testing::AllOf(HasSubstr("no device that it can use"),
                                            HasSubstr("a GPU in MIG mode needs a slice first")));
  facts.visible_devices = "";
  EXPECT_THAT(reason(facts), HasSubstr("CUDA_VISIBLE_DEVICES='' hides all devices"));
  facts.visible_devices = "7";
  EXPECT_THAT(reason(facts), HasSubstr("CUDA_VISIBLE_DEVICES='7' names no device"));
  facts.visible_devices = "MIG-0000";
  EXPECT_THAT(reason(facts), HasSubstr("ids that `nvidia-smi -L` shows"));
}

TEST(Availability, NamesTheFileThatMayNotBeOpened) {
  DriverFacts facts = working();
  facts.devices = 0;
  facts.error = 100;
  facts.forbidden_file = "/dev/nvidia0";
  EXPECT_THAT(reason(facts), HasSubstr("no permission to open /dev/nvidia0"));
  facts.forbidden_file.clear();
  facts.has_device_files = false;
  EXPECT_THAT(reason(facts), HasSubstr("there is no /dev/nvidia0"));
}

TEST(Availability, PassesOnWhatItDoesNotKnow) {
  DriverFacts facts = working();
  facts.devices = 0;
  facts.error = 999;
  facts.error_text = "unknown error";
  EXPECT_EQ(reason(facts),
            "the driver fails: unknown error (cudaError 999); `nvidia-smi` may say more");
}

TEST(Availability, SaysWhatToDoAboutWhatItKnows) {
  DriverFacts facts = working();
  facts.devices = 0;
  facts.error = 802;
  facts.error_text = "system not yet initialized";
  EXPECT_THAT(reason(facts), testing::AllOf(HasSubstr("system not yet initialized (cudaError 802)"),
                                            HasSubstr("the service nvidia-fabricmanager")));
  facts.visible_devices = "0,1";  // as a batch system sets it
  EXPECT_THAT(reason(facts), HasSubstr("(cudaError 802)"));
}

TEST(ErrorText, SaysWhatToDo) {
  EXPECT_THAT(explain_error(2, "out of memory", "allocating"),
              testing::AllOf(HasSubstr("allocating: out of memory (cudaError 2)"),
                             HasSubstr("--batch_size")));
  EXPECT_THAT(explain_error(209, "no kernel image", "starting"), HasSubstr("architecture"));
  EXPECT_EQ(explain_error(9, "invalid configuration", "starting"),
            "starting: invalid configuration (cudaError 9)");
}

std::string host_memory_problem(cudaError_t error) {
  return thrown_text<std::exception>([&] { require_host_memory(error, 1 << 20); }, "none");
}

TEST(ErrorText, OfHostMemoryGivesNoAdviceOnTheGpus) {
  EXPECT_EQ(host_memory_problem(cudaSuccess), "none");
  EXPECT_THAT(host_memory_problem(cudaErrorMemoryAllocation),
              testing::AllOf(HasSubstr("no 1048576 bytes of pinned host memory"),
                             HasSubstr("the container's memory limit"),
                             testing::Not(HasSubstr("--batch_size"))));
}

TEST(ErrorText, SaysWhichDeviceErrorsLoseTheDevice) {
  for (const int error :
       {700, 719, 710, 716})  // illegal address, launch failure, assert, alignment
    EXPECT_THAT(explain_error(error, "text", "running"), HasSubstr("lost to this process"))
        << error;
  EXPECT_THAT(explain_error(214, "text", "running"), HasSubstr("hardware reports a fault"));
}

TEST(ChosenGpus, AreTheFirstOnesUnlessListed) {
  EXPECT_EQ(choose_gpus("", 0, {3}), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(choose_gpus("", 2, {3}), (std::vector<int>{0, 1}));
  EXPECT_EQ(choose_gpus("2,0", 0, {3}), (std::vector<int>{2, 0}));
}

TEST(ChosenGpus, MayBeOneSeveralTimes) {
  EXPECT_EQ(choose_gpus("0,0", 0, {1}), (std::vector<int>{0, 0}));
  EXPECT_EQ(choose_gpus("0,0", 2, {1}), (std::vector<int>{0, 0}));
}

std::string problem(const std::string& indices, std::uint32_t wanted, const PresentGpus& present) {
  return thrown_text<std::exception>([&] { choose_gpus(indices, wanted, present); }, "none");
}

TEST(ChosenGpus, MustBeThere) {
  EXPECT_THAT(problem("", 8, {1}), HasSubstr("8 CUDA devices asked for, this machine has one GPU"));
  EXPECT_THAT(problem("0,4", 0, {2}), HasSubstr("there is no GPU 4"));
  EXPECT_THAT(problem("0,1", 3, {2}), HasSubstr("lists 2 devices, but 3 are asked for"));
  EXPECT_THAT(problem("0,", 0, {2}), HasSubstr("numbers or ids with commas"));
}

TEST(ChosenGpus, AreThoseThatTheVariableLeaves) {
  EXPECT_THAT(problem("", 3, {2, "1,0"}), HasSubstr("CUDA_VISIBLE_DEVICES='1,0' leaves it 2 GPUs"));
  EXPECT_THAT(problem("", 3, {1, "0,9,1"}),
              HasSubstr("of the 3 entries of CUDA_VISIBLE_DEVICES='0,9,1' CUDA takes 1: the first "
                        "that names no GPU ends the list"));
  EXPECT_EQ(left_out_notice({2, "1,0"}), "");
  EXPECT_EQ(left_out_notice({2}), "");
  EXPECT_THAT(left_out_notice({1, "MIG-a,MIG-b"}), HasSubstr("of slices (MIG) a process gets one"));
}

TEST(ChosenGpus, MayBeNamedByIdsCutShort) {
  const PresentGpus three = {3, {}, {"8932f937-d72c", "8932aaaa-0000", "5c17aaaa-0000"}};
  EXPECT_EQ(choose_gpus("GPU-5c17,GPU-8932F", 0, three), (std::vector<int>{2, 0}));
  EXPECT_EQ(choose_gpus("1,MIG-5c17aaaa-0000", 2, three), (std::vector<int>{1, 2}));
  EXPECT_THAT(problem("GPU-8932", 0, three), HasSubstr("begins the ids of several GPUs"));
  EXPECT_THAT(problem("GPU-77", 0, three), HasSubstr("lists GPU-77, which is the id of no GPU"));
  EXPECT_TRUE(lists_ids("0,GPU-5c17"));
  EXPECT_FALSE(lists_ids("0,1"));
  EXPECT_FALSE(lists_ids(""));
}

}  // namespace
}  // namespace convoy::cuda
