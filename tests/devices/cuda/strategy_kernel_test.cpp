// Kernels of strategies, as far as no GPU is needed: what they are told, and that NVRTC takes them.
#include "plugins/devices/cuda/operations/strategy_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <convoy/element_kernel.hpp>
#include <string>
#include <vector>

#include "plugins/devices/cuda/libraries/nvrtc_library.hpp"
#include "plugins/devices/cuda/libraries/source_compiler.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::cuda::strategy_kernel_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

CONVOY_ELEMENT_KERNEL(Everything, {
  if (i >= call.read(0).size()) return;
  const double rate = call.step() < call.size(2) ? call.learning_rate() : call.scalar();
  call.write(0)[i] = fmaxf(call.read(0)[i], static_cast<float>(rate) * sqrtf(call.read(1)[i]));
})

convoy_kernel_code code_of(const std::string& source) {
  auto code = make_sized<convoy_kernel_code>();
  code.strategy = "tested";
  code.kernel = "some_kernel";
  code.text = source.c_str();
  code.entry = "some_kernel";
  code.form = CONVOY_KERNEL_CUDA_SOURCE;
  return code;
}

class Nvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = thrown_text<std::exception>([] { nvrtc(); }); !reason.empty())
      GTEST_SKIP() << reason;
  }
};

TEST(StrategyKernel, IsToldWhatTheCallSays) {
  std::vector<float> values(6);
  const std::vector<convoy_region> reads = {{values.data(), 2, CONVOY_F32, 1},
                                            {values.data() + 2, 3, CONVOY_I32, 2}};
  const convoy_region write = {values.data() + 5, 1, CONVOY_U8, 3};
  const std::uint64_t sizes[4] = {4, 5, 6, 7};
  convoy_submission call{};
  call.step = 11;
  call.learning_rate = 0.5;
  call.scalar = 2;
  call.sizes = sizes;
  call.reads = reads.data();
  call.read_count = reads.size();
  call.writes = &write;
  call.write_count = 1;
  const convoy_cuda_call told = cuda_call_of(call);
  EXPECT_EQ(told.step, 11u);
  EXPECT_EQ(told.learning_rate, 0.5);
  EXPECT_EQ(told.scalar, 2);
  EXPECT_EQ(told.sizes[3], 7u);
  EXPECT_EQ(told.read_count, 2u);
  EXPECT_EQ(told.write_count, 1u);
  EXPECT_EQ(told.spans[1].data, values.data() + 2);
  EXPECT_EQ(told.spans[1].count, 3u);
  EXPECT_EQ(told.spans[1].dtype, static_cast<unsigned>(CONVOY_I32));
  EXPECT_EQ(told.spans[2].data, values.data() + 5) << "the writes follow the reads";
  EXPECT_EQ(told.spans[2].place, 3u);
  EXPECT_EQ(told.reserved[0], 0u);
}

TEST(StrategyKernel, RefusesMoreSpansThanItCanBeTold) {
  const std::vector<convoy_region> many(CONVOY_CUDA_SPANS + 1);
  convoy_submission call{};
  call.reads = many.data();
  call.read_count = CONVOY_CUDA_SPANS;
  EXPECT_EQ(cuda_call_of(call).read_count, std::uint64_t{CONVOY_CUDA_SPANS});
  call.read_count = many.size();
  EXPECT_THAT(thrown_text<std::exception>([&] { cuda_call_of(call); }),
              HasSubstr("takes 128 reads and writes at most, and this call has 129"));
}

TEST(StrategyKernel, HasAThreadPerElementUpToAFullGpu) {
  EXPECT_EQ(blocks_for(0, 256), 1u);
  EXPECT_EQ(blocks_for(256, 256), 1u);
  EXPECT_EQ(blocks_for(257, 256), 2u);
  EXPECT_EQ(blocks_for(std::uint64_t{1} << 40, 256), 1024u);
}

TEST_F(Nvrtc, CompilesTheTextOfAnElementKernel) {
  const CudaCode everything = Everything().cuda();
  convoy_kernel_code code = code_of(everything.source);
  EXPECT_THAT(compile_source(code, 90), AllOf(HasSubstr("ELF"), HasSubstr("convoy_elements")));
  const std::string ptx = compile_source(code, 990);
  EXPECT_THAT(ptx, HasSubstr(".entry convoy_elements")) << "for a GPU newer than all it knows";
  EXPECT_THAT(ptx, Not(HasSubstr("fma.rn.f32"))) << "rounds otherwise than a host";
}

TEST_F(Nvrtc, SaysWhatIsWrongWithASource) {
  const std::string source =
      "#include <convoy/cuda_kernel.hpp>\n"
      "extern \"C\" __global__ void some_kernel(const convoy_cuda_call call) { hlaf(call); }\n";
  EXPECT_THAT(thrown_text<std::exception>([&] { compile_source(code_of(source), 90); }),
              AllOf(HasSubstr("some_kernel.cu(2)"), HasSubstr("\"hlaf\" is undefined")));
}

TEST_F(Nvrtc, SaysWhatGpusAreTooOld) {
  EXPECT_THAT(thrown_text<std::exception>([] { compile_source(code_of("int x;"), 10); }),
              HasSubstr("and this one has 10: install a toolkit that still knows it"));
}

TEST(StrategyKernel, RefusesBlocksThatNoGpuHas) {
  convoy_kernel_code code = code_of("int x;");
  code.threads = 1025;
  EXPECT_THAT(thrown_text<std::exception>([&] { StrategyKernel kernel(code); }),
              HasSubstr("blocks of 1025 threads, and GPUs have 1024 at most"));
}

}  // namespace
}  // namespace convoy::cuda::strategy_kernel_test
