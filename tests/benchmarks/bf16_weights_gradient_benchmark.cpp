// Gradients of weights from bf16 activations by the plug-in's own kernels beside oneDNN's, by
// shape, on all cores.
#include <omp.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/devices/cpu/convolutions/bf16_row_gradient.hpp"
#include "plugins/devices/cpu/onednn.hpp"
#include "tests/benchmarks/gradient_cases.hpp"

namespace convoy {
namespace {

using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

constexpr GradientShape kBf16Shapes[] = {
    {"tiny", 1, 16, 8, 16, 3, 3, 2, 1, 1},
    {"resnet50_1x1_64_to_256_at_56", 16, 64, 56, 256, 1, 1, 1, 0, 0},
    {"resnet50_1x1_64_to_64_at_56", 16, 64, 56, 64, 1, 1, 1, 0, 0},
    {"resnet50_1x1_256_to_64_at_56", 16, 256, 56, 64, 1, 1, 1, 0, 0},
    {"resnet50_1x1_128_to_512_at_28", 16, 128, 28, 512, 1, 1, 1, 0, 0},
    {"resnet50_1x1_512_to_128_at_28", 16, 512, 28, 128, 1, 1, 1, 0, 0},
    {"resnet50_1x1_256_to_1024_at_14", 16, 256, 14, 1024, 1, 1, 1, 0, 0},
    {"resnet50_1x1_1024_to_256_at_14", 16, 1024, 14, 256, 1, 1, 1, 0, 0},
    {"resnet50_1x1_512_to_2048_at_7", 16, 512, 7, 2048, 1, 1, 1, 0, 0},
    {"resnet50_1x1_2048_to_512_at_7", 16, 2048, 7, 512, 1, 1, 1, 0, 0},
    {"resnet50_1x1_stride_2_to_28", 16, 256, 56, 512, 1, 1, 2, 0, 0},
    {"resnet50_1x1_stride_2_to_7", 16, 1024, 14, 2048, 1, 1, 2, 0, 0},
    {"resnet50_3x3_stride_2_to_28", 16, 128, 56, 128, 3, 3, 2, 1, 1},
    {"resnet50_3x3_stride_2_to_7", 16, 512, 14, 512, 3, 3, 2, 1, 1},
    {"resnet50_3x3_at_56", 16, 64, 56, 64, 3, 3, 1, 1, 1},
    {"resnet50_3x3_at_14", 16, 256, 14, 256, 3, 3, 1, 1, 1},
    {"inception3_1x7", 8, 160, 17, 160, 1, 7, 1, 0, 3},
    {"inception3_7x1", 8, 192, 17, 192, 7, 1, 1, 3, 0},
    {"inception3_5x5", 8, 48, 35, 64, 5, 5, 1, 2, 2},
    {"alexnet_5x5", 64, 64, 27, 192, 5, 5, 1, 2, 2},
    {"tiny_rows", 1, 3, 9, 16, 3, 3, 2, 1, 1},
    {"resnet50_first_7x7", 16, 3, 224, 64, 7, 7, 2, 3, 3},
    {"inception3_first_3x3", 8, 3, 299, 32, 3, 3, 2, 0, 0},
    {"vgg16_first_3x3", 8, 3, 224, 64, 3, 3, 1, 1, 1},
    {"alexnet_first_11x11", 64, 3, 227, 64, 11, 11, 4, 0, 0},
    {"resnet20_first_3x3", 128, 3, 32, 16, 3, 3, 1, 1, 1},
};

// Operands with the channels last; the library chooses how the gradient is stored.
class Bf16GradientCase {
 public:
  explicit Bf16GradientCase(const GradientShape& shape);

  const char* problem() const {
    return cpu::Bf16WeightsGradient::suits(own_) || cpu::Bf16RowGradient::suits(own_)
               ? nullptr
               : "no bf16 products, or the system or oneDNN's limit forbids them";
  }
  void library();
  void own();

 private:
  dnnl::memory filled(const dnnl::memory::desc& desc);
  template <typename Gradient>
  void run_own(const Gradient& gradient);

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::convolution_backward_weights::primitive_desc description_;
  dnnl::memory source_, result_, weights_;
  cpu::ConvolutionShape own_{};
  std::vector<float> own_weights_;
  std::vector<std::byte> scratch_;
};

Bf16GradientCase::Bf16GradientCase(const GradientShape& shape) {
  const auto direct = dnnl::algorithm::convolution_direct;
  const dnnl::memory::dims strides = {shape.stride, shape.stride};
  const dnnl::memory::dims padding = {shape.pad_height, shape.pad_width};
  const dnnl::memory::dims filter = {shape.out, shape.in, shape.kernel_height, shape.kernel_width};
  const dnnl::memory::desc source({shape.batch, shape.in, shape.side, shape.side}, Type::bf16,
                                  Tag::nhwc);
  const dnnl::memory::desc result({shape.batch, shape.out, shape.out_height(), shape.out_width()},
                                  Type::bf16, Tag::nhwc);
  const auto forward = cpu::describe<dnnl::convolution_forward>(
      engine_, {}, dnnl::prop_kind::forward_training, direct, source,
      cpu::Desc(filter, Type::bf16, Tag::any), result, strides, padding, padding);
  description_ = cpu::describe_gradient<dnnl::convolution_backward_weights>(
      engine_, {}, forward, direct, source, cpu::Desc(filter, Type::f32, Tag::any), result, strides,
      padding, padding);
  source_ = filled(source);
  result_ = filled(result);
  weights_ = dnnl::memory(description_.diff_weights_desc(), engine_);
  own_ = shape.own(0);
  own_weights_.resize(
      static_cast<std::size_t>(shape.in * shape.out * shape.kernel_height * shape.kernel_width));
  if (problem() != nullptr) return;
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  scratch_.resize(cpu::Bf16RowGradient::suits(own_)
                      ? cpu::Bf16RowGradient(own_).scratch_bytes(threads)
                      : cpu::Bf16WeightsGradient(own_).scratch_bytes(threads));
}

// Numbers of both signs between 1/32 and 2.
dnnl::memory Bf16GradientCase::filled(const dnnl::memory::desc& desc) {
  dnnl::memory memory(desc, engine_);
  auto* values = static_cast<cpu::Bf16*>(memory.get_data_handle());
  for (std::size_t i = 0; i < desc.get_size() / sizeof(cpu::Bf16); ++i) {
    const std::uint64_t mixed = i * 0x9E3779B97F4A7C15u;
    const std::uint64_t exponent = 122 + (mixed >> 40) % 6;
    values[i] = static_cast<cpu::Bf16>(mixed >> 63 << 15 | exponent << 7 | (mixed >> 20) % 128);
  }
  return memory;
}

void Bf16GradientCase::library() {
  dnnl::convolution_backward_weights(description_)
      .execute(stream_, {{DNNL_ARG_SRC, source_},
                         {DNNL_ARG_DIFF_DST, result_},
                         {DNNL_ARG_DIFF_WEIGHTS, weights_}});
}

template <typename Gradient>
void Bf16GradientCase::run_own(const Gradient& gradient) {
  gradient.run({static_cast<const cpu::Bf16*>(source_.get_data_handle()),
                static_cast<const cpu::Bf16*>(result_.get_data_handle()), own_weights_.data(),
                nullptr, scratch_.data()},
               static_cast<std::size_t>(omp_get_max_threads()));
}

void Bf16GradientCase::own() {
  if (cpu::Bf16RowGradient::suits(own_)) {
    run_own(cpu::Bf16RowGradient(own_));
  } else {
    run_own(cpu::Bf16WeightsGradient(own_));
  }
}

}  // namespace
}  // namespace convoy

int main(int argc, char** argv) {
  convoy::run_gradient_benchmarks<convoy::Bf16GradientCase>(convoy::kBf16Shapes, argc, argv);
}
