// Gradients of weights by the plug-in's own direct kernels beside oneDNN's, by shape, on all cores.
#include <cstddef>
#include <vector>

#include "plugins/devices/cpu/convolutions/weights_gradient.hpp"
#include "plugins/devices/cpu/onednn.hpp"
#include "tests/benchmarks/gradient_cases.hpp"

namespace convoy {
namespace {

using Tag = dnnl::memory::format_tag;

constexpr GradientShape kGradientShapes[] = {
    {"tiny", 1, 16, 8, 16, 3, 3, 2, 1, 1},
    {"resnet50_3x3_stride_2_to_28", 16, 128, 56, 128, 3, 3, 2, 1, 1},
    {"resnet50_3x3_stride_2_to_14", 16, 256, 28, 256, 3, 3, 2, 1, 1},
    {"resnet50_3x3_stride_2_to_7", 16, 512, 14, 512, 3, 3, 2, 1, 1},
    {"resnet50_1x1_stride_2_to_28", 16, 256, 56, 512, 1, 1, 2, 0, 0},
    {"resnet50_1x1_56", 16, 64, 56, 256, 1, 1, 1, 0, 0},
    {"inception3_1x7", 8, 160, 17, 160, 1, 7, 1, 0, 3},
    {"inception3_7x1", 8, 192, 17, 192, 7, 1, 1, 3, 0},
    {"inception3_1x3", 8, 384, 8, 384, 1, 3, 1, 0, 1},
    {"inception3_5x5", 8, 48, 35, 64, 5, 5, 1, 2, 2},
    {"inception3_3x3_valid", 8, 80, 73, 192, 3, 3, 1, 0, 0},
    {"alexnet_5x5", 64, 64, 27, 192, 5, 5, 1, 2, 2},
};

// Operands in the layouts that oneDNN's forward pass chooses.
class GradientCase {
 public:
  explicit GradientCase(const GradientShape& shape);

  void library();
  void own();
  const char* problem() const { return nullptr; }

 private:
  dnnl::memory filled(const dnnl::memory::desc& desc);

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::convolution_backward_weights::primitive_desc description_;
  dnnl::memory source_, result_, weights_;
  cpu::ConvolutionShape own_{};
  std::vector<float> scratch_;
};

GradientCase::GradientCase(const GradientShape& shape) {
  const auto any = [](const dnnl::memory::dims& dims) {
    return dnnl::memory::desc(dims, dnnl::memory::data_type::f32, Tag::any);
  };
  const auto direct = dnnl::algorithm::convolution_direct;
  const dnnl::memory::dims strides = {shape.stride, shape.stride};
  const dnnl::memory::dims padding = {shape.pad_height, shape.pad_width};
  const auto forward = cpu::describe<dnnl::convolution_forward>(
      engine_, {}, dnnl::prop_kind::forward_training, direct,
      any({shape.batch, shape.in, shape.side, shape.side}),
      any({shape.out, shape.in, shape.kernel_height, shape.kernel_width}),
      any({shape.batch, shape.out, shape.out_height(), shape.out_width()}), strides, padding,
      padding);
  description_ = cpu::describe_gradient<dnnl::convolution_backward_weights>(
      engine_, {}, forward, direct, forward.src_desc(), forward.weights_desc(), forward.dst_desc(),
      strides, padding, padding);
  source_ = filled(forward.src_desc());
  result_ = filled(forward.dst_desc());
  weights_ = filled(forward.weights_desc());
  own_ = shape.own(
      static_cast<std::size_t>(cpu::blocked_layout(forward.src_desc())->inner_sizes.at(0)));
  scratch_.resize(cpu::WeightsGradient(own_).scratch_floats());
}

dnnl::memory GradientCase::filled(const dnnl::memory::desc& desc) {
  dnnl::memory memory(desc, engine_);
  auto* values = static_cast<float*>(memory.get_data_handle());
  for (std::size_t i = 0; i < desc.get_size() / sizeof(float); ++i) {
    values[i] = static_cast<float>(i * 2654435761u % 1000) / 1000.0f - 0.5f;
  }
  return memory;
}

void GradientCase::library() {
  dnnl::convolution_backward_weights(description_)
      .execute(stream_, {{DNNL_ARG_SRC, source_},
                         {DNNL_ARG_DIFF_DST, result_},
                         {DNNL_ARG_DIFF_WEIGHTS, weights_}});
}

void GradientCase::own() {
  const auto floats = [](const dnnl::memory& memory) {
    return static_cast<float*>(memory.get_data_handle());
  };
  cpu::WeightsGradient(own_).run(
      {floats(source_), floats(result_), floats(weights_), nullptr, 0, scratch_.data()});
}

}  // namespace
}  // namespace convoy

int main(int argc, char** argv) {
  convoy::run_gradient_benchmarks<convoy::GradientCase>(convoy::kGradientShapes, argc, argv);
}
