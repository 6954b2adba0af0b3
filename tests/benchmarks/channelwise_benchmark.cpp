// Pools and depthwise convolutions, which compute channel by channel: the plug-in's own kernels
// beside oneDNN's over the same blocked activations, on all cores. Bytes: what is read and written.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "plugins/devices/cpu/convolutions/depthwise.hpp"
#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/pools/blocked_pool.hpp"

namespace convoy {
namespace {

using Tag = dnnl::memory::format_tag;
using Dim = dnnl::memory::dim;
constexpr auto kElements = dnnl::memory::data_type::f32;
constexpr Dim kBlock = 8;

struct WindowShape {
  const char* name;
  Dim batch, channels, side, kernel, stride, pad;

  Dim result() const { return (side + 2 * pad - kernel) / stride + 1; }
  cpu::PlaneWindows windows() const {
    const auto size = [](Dim value) { return static_cast<std::size_t>(value); };
    return {size(side),   size(side),   size(result()), size(result()), size(kernel),
            size(kernel), size(stride), size(stride),   size(pad),      size(pad)};
  }
};

constexpr WindowShape kPools[] = {{"tiny", 1, 8, 8, 3, 2, 0},
                                  {"inception3_147", 8, 64, 147, 3, 2, 0},
                                  {"inception3_35", 8, 256, 35, 3, 1, 1},
                                  {"resnet50_112", 16, 64, 112, 3, 2, 1}};
constexpr WindowShape kDepthwise[] = {{"tiny", 1, 8, 8, 3, 1, 1},
                                      {"mobilenet_112", 16, 32, 112, 3, 1, 1},
                                      {"mobilenet_112_to_56", 16, 96, 112, 3, 2, 1},
                                      {"mobilenet_28", 16, 192, 28, 3, 1, 1},
                                      {"mobilenet_7", 16, 960, 7, 3, 1, 1}};

// Operands of both implementations.
struct Operands {
  explicit Operands(const WindowShape& shape)
      : source_desc({shape.batch, shape.channels, shape.side, shape.side}, kElements, Tag::nChw8c),
        result_desc({shape.batch, shape.channels, shape.result(), shape.result()}, kElements,
                    Tag::nChw8c),
        weights_desc({shape.channels, 1, 1, shape.kernel, shape.kernel}, kElements, Tag::Goihw8g),
        strides{shape.stride, shape.stride},
        kernel{shape.kernel, shape.kernel},
        padding{shape.pad, shape.pad},
        source(filled(source_desc)),
        result(filled(result_desc)),
        weights(filled(weights_desc)) {}

  dnnl::memory filled(const dnnl::memory::desc& desc) const {
    dnnl::memory memory(desc, engine);
    float* values = floats(memory);
    for (std::size_t i = 0; i < desc.get_size() / sizeof(float); ++i) {
      values[i] = static_cast<float>(i * 2654435761u % 1000) / 1000.0f - 0.5f;
    }
    return memory;
  }
  static float* floats(const dnnl::memory& memory) {
    return static_cast<float*>(memory.get_data_handle());
  }
  static cpu::Planes planes(const dnnl::memory& memory) {
    const auto cells = static_cast<std::size_t>(cpu::dims_of(memory.get_desc())[2] *
                                                cpu::dims_of(memory.get_desc())[3]);
    return {floats(memory), cells * kBlock};
  }
  double bytes() const {
    return static_cast<double>(source_desc.get_size() + result_desc.get_size());
  }

  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::memory::desc source_desc, result_desc, weights_desc;
  dnnl::memory::dims strides, kernel, padding;
  dnnl::memory source, result, weights;
};

template <typename Run>
void measure(benchmark::State& state, const Operands& operands, const Run& run) {
  run();
  for (auto _ : state) run();
  state.SetBytesProcessed(static_cast<std::int64_t>(operands.bytes()) * state.iterations());
}

void measure_library(benchmark::State& state, const Operands& operands,
                     const dnnl::primitive& primitive,
                     const std::unordered_map<int, dnnl::memory>& arguments) {
  dnnl::stream stream(operands.engine);
  measure(state, operands, [&] { primitive.execute(stream, arguments); });
}

void library_pool(benchmark::State& state, const WindowShape& shape, bool backward) {
  const Operands o(shape);
  const auto kind = dnnl::algorithm::pooling_max;
  const dnnl::memory::dims dilation = {0, 0};
  const auto forward = cpu::describe<dnnl::pooling_forward>(
      o.engine, {}, dnnl::prop_kind::forward_training, kind, o.source_desc, o.result_desc,
      o.strides, o.kernel, dilation, o.padding, o.padding);
  const dnnl::memory record(forward.workspace_desc(), o.engine);
  dnnl::stream stream(o.engine);
  const std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, o.source}, {DNNL_ARG_DST, o.result}, {DNNL_ARG_WORKSPACE, record}};
  dnnl::pooling_forward(forward).execute(stream, arguments);
  if (!backward) return measure_library(state, o, dnnl::pooling_forward(forward), arguments);
  const auto description = cpu::describe_gradient<dnnl::pooling_backward>(
      o.engine, {}, forward, kind, o.source_desc, o.result_desc, o.strides, o.kernel, dilation,
      o.padding, o.padding);
  measure_library(
      state, o, dnnl::pooling_backward(description),
      {{DNNL_ARG_DIFF_SRC, o.source}, {DNNL_ARG_DIFF_DST, o.result}, {DNNL_ARG_WORKSPACE, record}});
}

void own_pool(benchmark::State& state, const WindowShape& shape, bool backward) {
  const Operands o(shape);
  const auto planes = static_cast<std::size_t>(shape.batch * shape.channels / kBlock);
  const cpu::BlockedPool pool(shape.windows(), planes, kBlock);
  std::vector<std::uint8_t> record(o.result_desc.get_size() / sizeof(float));
  const auto forward = [&] {
    pool.max_forward(Operands::floats(o.source), Operands::floats(o.result), record.data());
  };
  forward();
  if (!backward) return measure(state, o, forward);
  measure(state, o, [&] {
    pool.max_backward(Operands::floats(o.result), record.data(), Operands::floats(o.source), false);
  });
}

enum class DepthwisePass { kForward, kData, kWeights };

void library_depthwise(benchmark::State& state, const WindowShape& shape, DepthwisePass pass) {
  const Operands o(shape);
  const auto direct = dnnl::algorithm::convolution_direct;
  const auto forward = cpu::describe<dnnl::convolution_forward>(
      o.engine, {}, dnnl::prop_kind::forward_training, direct, o.source_desc, o.weights_desc,
      o.result_desc, o.strides, o.padding, o.padding);
  if (pass == DepthwisePass::kForward) {
    return measure_library(
        state, o, dnnl::convolution_forward(forward),
        {{DNNL_ARG_SRC, o.source}, {DNNL_ARG_WEIGHTS, o.weights}, {DNNL_ARG_DST, o.result}});
  }
  if (pass == DepthwisePass::kData) {
    const auto data = cpu::describe_gradient<dnnl::convolution_backward_data>(
        o.engine, {}, forward, direct, o.source_desc, o.weights_desc, o.result_desc, o.strides,
        o.padding, o.padding);
    return measure_library(state, o, dnnl::convolution_backward_data(data),
                           {{DNNL_ARG_DIFF_SRC, o.source},
                            {DNNL_ARG_WEIGHTS, o.weights},
                            {DNNL_ARG_DIFF_DST, o.result}});
  }
  const auto weights = cpu::describe_gradient<dnnl::convolution_backward_weights>(
      o.engine, {}, forward, direct, o.source_desc, o.weights_desc, o.result_desc, o.strides,
      o.padding, o.padding);
  measure_library(state, o, dnnl::convolution_backward_weights(weights),
                  {{DNNL_ARG_SRC, o.source},
                   {DNNL_ARG_DIFF_WEIGHTS, o.weights},
                   {DNNL_ARG_DIFF_DST, o.result}});
}

void own_depthwise(benchmark::State& state, const WindowShape& shape, DepthwisePass pass) {
  const Operands o(shape);
  const cpu::DepthwiseConvolution convolution(shape.windows(),
                                              static_cast<std::size_t>(shape.batch),
                                              static_cast<std::size_t>(shape.channels), kBlock);
  std::vector<float> scratch(convolution.scratch_floats());
  float* const weights = Operands::floats(o.weights);
  const cpu::Planes source = o.planes(o.source);
  const cpu::Planes result = o.planes(o.result);
  switch (pass) {
    case DepthwisePass::kForward:
      return measure(state, o, [&] {
        convolution.forward(source, weights, {nullptr, false, 0.0, result});
      });
    case DepthwisePass::kData:
      return measure(state, o, [&] { convolution.backward_data(result, weights, source, false); });
    case DepthwisePass::kWeights:
      return measure(state, o, [&] {
        convolution.backward_weights(source, result, weights, nullptr, scratch.data());
      });
  }
}

template <typename Function, typename Pass>
void register_case(const std::string& name, Function function, const WindowShape& shape,
                   Pass pass) {
  benchmark::RegisterBenchmark(name.c_str(), function, shape, pass)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

void register_all() {
  for (const WindowShape& shape : kPools) {
    for (const bool backward : {false, true}) {
      const std::string name =
          std::string("max_pool/") + shape.name + (backward ? "/backward" : "/forward");
      register_case(name + "/library", library_pool, shape, backward);
      register_case(name + "/own", own_pool, shape, backward);
    }
  }
  constexpr const char* kPasses[] = {"/forward", "/backward_data", "/backward_weights"};
  for (const WindowShape& shape : kDepthwise) {
    for (int pass = 0; pass < 3; ++pass) {
      const std::string name = std::string("depthwise/") + shape.name + kPasses[pass];
      register_case(name + "/library", library_depthwise, shape, static_cast<DepthwisePass>(pass));
      register_case(name + "/own", own_depthwise, shape, static_cast<DepthwisePass>(pass));
    }
  }
}

}  // namespace
}  // namespace convoy

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  convoy::register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
