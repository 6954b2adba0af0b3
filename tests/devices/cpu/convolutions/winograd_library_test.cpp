#include <gtest/gtest.h>

#include <algorithm>

#include "plugins/devices/cpu/onednn.hpp"
#include "tests/devices/cpu/convolutions/winograd_case.hpp"

namespace convoy::test {
namespace {

using Tag = dnnl::memory::format_tag;
constexpr auto kFloat = dnnl::memory::data_type::f32;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

dnnl::memory::dim dim(std::size_t value) {
  return static_cast<dnnl::memory::dim>(value);
}

// The same convolution with oneDNN's direct algorithm, on plain storage.
class LibraryConvolution {
 public:
  explicit LibraryConvolution(const ConvolutionReference& data) : data_(data) {
    const ConvolutionSizes& s = data.sizes;
    source_ = {{dim(s.batch), dim(s.in), dim(s.height), dim(s.width)}, kFloat, Tag::nchw};
    weights_ = {{dim(s.out), dim(s.in), dim(s.taps), dim(s.taps)}, kFloat, Tag::oihw};
    result_ = {
        {dim(s.batch), dim(s.out), dim(s.out_height()), dim(s.out_width())}, kFloat, Tag::nchw};
    before_ = {dim(s.top), dim(s.left)};
    after_ = {dim(s.bottom), dim(s.right)};
    forward_ = cpu::describe<dnnl::convolution_forward>(
        engine_, {}, dnnl::prop_kind::forward_training, kDirect, source_, weights_, result_, ones_,
        before_, after_);
  }

  std::vector<float> result() {
    return run(dnnl::convolution_forward(forward_),
               {{DNNL_ARG_SRC, memory(source_, data_.source)},
                {DNNL_ARG_WEIGHTS, memory(weights_, data_.weights)}},
               DNNL_ARG_DST, result_);
  }

  std::vector<float> source_gradient() {
    const auto backward = cpu::describe_gradient<dnnl::convolution_backward_data>(
        engine_, {}, forward_, kDirect, source_, weights_, result_, ones_, before_, after_);
    return run(dnnl::convolution_backward_data(backward),
               {{DNNL_ARG_DIFF_DST, memory(result_, data_.gradient)},
                {DNNL_ARG_WEIGHTS, memory(weights_, data_.weights)}},
               DNNL_ARG_DIFF_SRC, source_);
  }

  std::vector<float> weights_gradient() {
    const auto backward = cpu::describe_gradient<dnnl::convolution_backward_weights>(
        engine_, {}, forward_, kDirect, source_, weights_, result_, ones_, before_, after_);
    return run(dnnl::convolution_backward_weights(backward),
               {{DNNL_ARG_SRC, memory(source_, data_.source)},
                {DNNL_ARG_DIFF_DST, memory(result_, data_.gradient)}},
               DNNL_ARG_DIFF_WEIGHTS, weights_);
  }

 private:
  dnnl::memory memory(const dnnl::memory::desc& desc, const std::vector<float>& values) {
    dnnl::memory memory(desc, engine_);
    std::copy(values.begin(), values.end(), static_cast<float*>(memory.get_data_handle()));
    return memory;
  }

  std::vector<float> run(const dnnl::primitive& primitive,
                         std::unordered_map<int, dnnl::memory> arguments, int output,
                         const dnnl::memory::desc& desc) {
    const dnnl::memory written(desc, engine_);
    arguments[output] = written;
    dnnl::stream stream(engine_);
    primitive.execute(stream, arguments);
    stream.wait();
    const auto* first = static_cast<const float*>(written.get_data_handle());
    return {first, first + desc.get_size() / sizeof(float)};
  }

  const ConvolutionReference& data_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::memory::desc source_, weights_, result_;
  dnnl::memory::dims ones_ = {1, 1}, before_, after_;
  dnnl::convolution_forward::primitive_desc forward_;
};

// Both errors are taken against the same float64 results, so the two algorithms are compared where
// they are right and not where they are wrong alike. Seen with AVX2: 1.4e-7 to 2.3e-7 for the
// direct one, 2.2 to 5 times that for Winograd's.
class WinogradBesideTheLibrary : public testing::TestWithParam<ConvolutionSizes> {};

TEST_P(WinogradBesideTheLibrary, IsNearlyAsExactAsTheDirectAlgorithm) {
  const ConvolutionReference reference(GetParam());
  LibraryConvolution library(reference);
  const WinogradResults own = compute_winograd(reference, 2);
  const auto compare = [](const std::vector<float>& values, const std::vector<float>& direct,
                          const std::vector<double>& exact, const char* pass) {
    EXPECT_LT(relative_error(direct, exact), 5e-7) << pass << ", oneDNN";
    EXPECT_LT(relative_error(values, exact), 8 * relative_error(direct, exact)) << pass;
    EXPECT_LT(relative_error(values, std::vector<double>(direct.begin(), direct.end())), 2e-6)
        << pass;
  };
  compare(own.result, library.result(), reference.result, "forward");
  compare(own.source_gradient, library.source_gradient(), reference.source_gradient,
          "backward data");
  compare(own.weights_gradient, library.weights_gradient(), reference.weights_gradient,
          "backward weights");
}

INSTANTIATE_TEST_SUITE_P(Filters, WinogradBesideTheLibrary,
                         testing::Values(ConvolutionSizes{1, 8, 32, 48, 14, 13, 1, 1, 1, 1},
                                         ConvolutionSizes{1, 8, 32, 48, 14, 13, 2, 2, 2, 2, 5}));

}  // namespace
}  // namespace convoy::test
