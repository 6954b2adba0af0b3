// Whether cuDNN itself, where it is installed, has an algorithm on an H100 for the convolutions
// that models have: it proposes and plans for GPUs that are not there, from a description of one.
#include <cudnn_graph.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugins/devices/cuda/libraries/convolution_graph.hpp"
#include "tests/sanitized.hpp"

namespace convoy::cuda::convolution_engines_test {
namespace {

#if CUDNN_VERSION >= CONVOY_CUDNN_DESCRIBES_GPUS

constexpr std::int64_t kMostWorkspace = std::int64_t{1} << 30;  // bytes

// As cuDNN writes down a GPU; what it says of clocks is not exact.
constexpr const char* kH100 = R"({
  "deviceName": "NVIDIA H100 80GB HBM3", "deviceVer": 900, "driverVersion": 13000,
  "cudaDeviceId": 0, "pciDeviceId": 590356702, "isTccDriver": 0, "supportCoopLaunch": 1,
  "multiProcessorCount": 132, "warpSize": 32, "maxGridSize": [2147483647, 65535, 65535],
  "maxBlockSize": [1024, 1024, 64], "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048,
  "maxCtasPerSM": 32, "regsPerBlock": 65536, "maxRegistersPerSM": 65536,
  "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448,
  "reservedSharedMemoryPerBlock": 1024, "l2CacheSize": 52428800, "smClockRateKHz": 1980000,
  "memClockRateKHz": 2619000, "driverVer": 13000, "totalGlobalMem": 85017493504})";

// Throws where there is no cuDNN, or one that takes another description.
BackendDescriptor h100() {
  BackendDescriptor properties(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  const std::string text = kH100;
  properties.set_all(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                     static_cast<std::int64_t>(text.size()), text.data());
  properties.finalize();
  return properties;
}

// A square convolution: sizes of input and kernel, equal padding on all sides.
struct Square {
  const char* name;
  std::int64_t in_channels, size, out_channels, kernel, stride, pad, groups, dilation;

  ConvolutionShape shape(std::int64_t images) const {
    ConvolutionShape it;
    it.images = images;
    it.in_channels = in_channels;
    it.out_channels = out_channels;
    it.in_height = it.in_width = size;
    it.out_height = it.out_width = (size + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
    it.kernel_height = it.kernel_width = kernel;
    it.stride_height = it.stride_width = stride;
    it.dilation_height = it.dilation_width = dilation;
    it.pad_top = it.pad_bottom = it.pad_left = it.pad_right = pad;
    it.groups = groups;
    return it;
  }
};

constexpr Square kSquares[] = {{"resnet50_first", 3, 224, 64, 7, 2, 3, 1, 1},
                               {"resnet50_3x3", 64, 56, 64, 3, 1, 1, 1, 1},
                               {"resnet50_1x1", 64, 56, 256, 1, 1, 0, 1, 1},
                               {"resnet50_halving", 1024, 14, 2048, 1, 2, 0, 1, 1},
                               {"resnet20_first", 3, 32, 16, 3, 1, 1, 1, 1},
                               {"alexnet_first", 3, 227, 64, 11, 4, 0, 1, 1},
                               {"alexnet_second", 64, 27, 192, 5, 1, 2, 1, 1},
                               {"lenet_first", 1, 28, 20, 5, 1, 2, 1, 1},
                               {"resnext_groups", 128, 56, 128, 3, 1, 1, 32, 1},
                               {"vit_patches", 3, 224, 768, 16, 16, 0, 1, 1},
                               {"dilated", 64, 28, 64, 3, 1, 2, 1, 2},
                               {"odd_channels", 7, 13, 5, 3, 1, 1, 1, 1}};

bool is_planned(const BackendDescriptor& configuration, const BackendDescriptor& gpu) {
  BackendDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, gpu);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  return plan.try_finalize() &&
         plan.integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) <= kMostWorkspace;
}

bool has_algorithm(const ConvolutionShape& shape, ConvolutionPass pass,
                   const BackendDescriptor& gpu) {
  const ConvolutionGraph graph(CudnnTarget{.properties = &gpu}, shape, pass);
  const std::vector<BackendDescriptor> all = graph.configurations();
  return std::any_of(all.begin(), all.end(), [&](const BackendDescriptor& configuration) {
    return is_usable(configuration, shape) && is_planned(configuration, gpu);
  });
}

class ConvolutionEngines : public testing::Test {
 protected:
  void SetUp() override {
    if constexpr (kSanitized) GTEST_SKIP() << "libraries of others leak";
    try {
      gpu_ = h100();
    } catch (const std::exception& error) {
      GTEST_SKIP() << error.what();
    }
  }

  // For every type and pass.
  void expect_algorithms(ConvolutionShape shape, const char* name) const {
    for (const Type type : {Type::kFloat, Type::kHalf, Type::kBfloat})
      for (const auto pass :
           {ConvolutionPass::kForward, ConvolutionPass::kData, ConvolutionPass::kFilter})
        for (const bool direct : {false, true}) {
          shape.type = type;
          shape.direct = direct;
          EXPECT_TRUE(has_algorithm(shape, pass, *gpu_)) << name << ": " << key_of(shape, pass);
        }
  }

 private:
  std::optional<BackendDescriptor> gpu_;
};

// Up to batches whose activations have more elements than 32 bits count.
TEST_F(ConvolutionEngines, HaveADeterministicAlgorithmOnAnH100) {
  for (const Square& square : kSquares)
    for (const std::int64_t images : {1, 64, 8192})
      expect_algorithms(square.shape(images), square.name);
}

// As TensorFlow pads for strides of two: a row below and a column to the right.
TEST_F(ConvolutionEngines, HaveOneForUnequalPadding) {
  constexpr Square kUnequal[] = {{"stem", 3, 224, 32, 3, 2, 0, 1, 1},
                                 {"inner", 64, 56, 128, 3, 2, 0, 1, 1},
                                 {"groups", 128, 56, 128, 3, 2, 0, 32, 1},
                                 {"first of 7x7", 3, 224, 64, 7, 2, 2, 1, 1}};
  for (const Square& square : kUnequal) {
    ConvolutionShape shape = square.shape(64);
    shape.out_height = shape.out_width = square.size / 2;
    ++shape.pad_bottom;
    ++shape.pad_right;
    expect_algorithms(shape, square.name);
  }
}

#endif

}  // namespace
}  // namespace convoy::cuda::convolution_engines_test
