// The own kernels of 3x3 and 5x5 convolutions beside oneDNN's, by shape, pass and number of
// threads. Both figures are rates of the direct algorithm's multiplications and additions, so their
// ratio is that of the times; an own rate may lie above the machine's peak.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <string>
#include <unordered_map>

#include "plugins/devices/cpu/convolutions/winograd.hpp"
#include "plugins/devices/cpu/onednn.hpp"

namespace convoy {
namespace {

using Tag = dnnl::memory::format_tag;
using Arguments = std::unordered_map<int, dnnl::memory>;

struct Shape {
  const char* name;
  dnnl::memory::dim batch, in, out, side;
  dnnl::memory::dim taps = 3;
};

constexpr Shape kShapes[] = {
    {"tiny", 1, 16, 16, 8},
    {"resnet50_56", 16, 64, 64, 56},
    {"resnet50_28", 16, 128, 128, 28},
    {"resnet50_14", 16, 256, 256, 14},
    {"resnet50_7", 16, 512, 512, 7},
    {"vgg16_224", 8, 64, 64, 224},
    {"vgg16_112", 8, 128, 128, 112},
    {"vgg16_56", 8, 256, 256, 56},
    {"vgg16_28", 8, 512, 512, 28},
    {"vgg16_14", 8, 512, 512, 14},
    {"inception3_147", 8, 32, 64, 147},
    {"inception3_35", 8, 96, 96, 35},
    {"alexnet_13", 32, 384, 384, 13},
    {"resnet20_32", 128, 16, 16, 32},
    {"resnet20_16", 128, 32, 32, 16},
    {"resnet20_8", 128, 64, 64, 8},
    {"alexnet_27", 32, 64, 192, 27, 5},
    {"inception3_5x5", 8, 48, 64, 35, 5},
};

// Operands in the layouts that oneDNN's forward pass chooses, and what runs on them.
class Convolution {
 public:
  explicit Convolution(const Shape& shape);

  void library_forward();
  void library_backward_data();
  void library_backward_weights();
  void own_forward();
  void own_backward_data();
  void own_backward_weights();

 private:
  using Forward = dnnl::convolution_forward;
  using Data = dnnl::convolution_backward_data;
  using Weights = dnnl::convolution_backward_weights;

  dnnl::memory filled(const dnnl::memory::desc& desc);
  float* scratch(std::size_t floats);

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  Forward::primitive_desc forward_;
  Data::primitive_desc data_;
  Weights::primitive_desc gradient_;
  dnnl::memory source_, weights_, data_weights_, result_, weights_gradient_, scratch_;
  cpu::WinogradShape own_;
};

Convolution::Convolution(const Shape& shape) {
  const auto any = [](const dnnl::memory::dims& dims) {
    return dnnl::memory::desc(dims, dnnl::memory::data_type::f32, Tag::any);
  };
  const auto source = any({shape.batch, shape.in, shape.side, shape.side});
  const auto weights = any({shape.out, shape.in, shape.taps, shape.taps});
  const auto result = any({shape.batch, shape.out, shape.side, shape.side});
  const dnnl::memory::dims ones = {1, 1};
  const dnnl::memory::dims padding = {shape.taps / 2, shape.taps / 2};
  const auto direct = dnnl::algorithm::convolution_direct;
  forward_ = cpu::describe<Forward>(engine_, {}, dnnl::prop_kind::forward_training, direct, source,
                                    weights, result, ones, padding, padding);
  source_ = filled(forward_.src_desc());
  weights_ = filled(forward_.weights_desc());
  result_ = filled(forward_.dst_desc());
  data_ = cpu::describe_gradient<Data>(engine_, {}, forward_, direct, source_.get_desc(), weights,
                                       result_.get_desc(), ones, padding, padding);
  data_weights_ = filled(data_.weights_desc());
  gradient_ = cpu::describe_gradient<Weights>(engine_, {}, forward_, direct, source_.get_desc(),
                                              weights, result_.get_desc(), ones, padding, padding);
  weights_gradient_ = filled(gradient_.diff_weights_desc());
  const auto size = [](dnnl::memory::dim value) { return static_cast<std::size_t>(value); };
  own_.batch = size(shape.batch);
  own_.block = size(cpu::blocked_layout(forward_.src_desc())->inner_sizes.at(0));
  own_.in_channels = size(shape.in);
  own_.out_channels = size(shape.out);
  own_.in_height = own_.in_width = own_.out_height = own_.out_width = size(shape.side);
  own_.pad_top = own_.pad_left = size(shape.taps / 2);
  own_.taps = size(shape.taps);
}

dnnl::memory Convolution::filled(const dnnl::memory::desc& desc) {
  dnnl::memory memory(desc, engine_);
  auto* values = static_cast<float*>(memory.get_data_handle());
  for (std::size_t i = 0; i < desc.get_size() / sizeof(float); ++i) {
    values[i] = static_cast<float>(i * 2654435761u % 1000) / 1000.0f - 0.5f;
  }
  return memory;
}

float* Convolution::scratch(std::size_t floats) {
  const auto count = static_cast<dnnl::memory::dim>(floats);
  if (!scratch_ || cpu::dims_of(scratch_.get_desc())[0] != count) {
    scratch_ = dnnl::memory({{count}, dnnl::memory::data_type::f32, Tag::a}, engine_);
  }
  return static_cast<float*>(scratch_.get_data_handle());
}

std::size_t team() {
  return static_cast<std::size_t>(omp_get_max_threads());
}

float* floats(const dnnl::memory& memory) {
  return static_cast<float*>(memory.get_data_handle());
}

void Convolution::library_forward() {
  dnnl::convolution_forward(forward_).execute(
      stream_, {{DNNL_ARG_SRC, source_}, {DNNL_ARG_WEIGHTS, weights_}, {DNNL_ARG_DST, result_}});
}

void Convolution::library_backward_data() {
  dnnl::convolution_backward_data(data_).execute(stream_, {{DNNL_ARG_DIFF_DST, result_},
                                                           {DNNL_ARG_WEIGHTS, data_weights_},
                                                           {DNNL_ARG_DIFF_SRC, source_}});
}

void Convolution::library_backward_weights() {
  dnnl::convolution_backward_weights(gradient_).execute(
      stream_, {{DNNL_ARG_SRC, source_},
                {DNNL_ARG_DIFF_DST, result_},
                {DNNL_ARG_DIFF_WEIGHTS, weights_gradient_}});
}

void Convolution::own_forward() {
  cpu::winograd_forward(own_, floats(source_), floats(weights_), {}, floats(result_),
                        scratch(cpu::winograd_forward_scratch(own_, team())), team());
}

void Convolution::own_backward_data() {
  cpu::winograd_backward_data(own_, floats(result_), floats(weights_), floats(source_),
                              scratch(cpu::winograd_backward_data_scratch(own_, team())), team());
}

void Convolution::own_backward_weights() {
  cpu::winograd_backward_weights(own_, floats(source_), floats(result_), floats(weights_gradient_),
                                 scratch(cpu::winograd_backward_weights_scratch(own_, team())),
                                 team());
}

struct Pass {
  const char* name;
  void (Convolution::*run)();
};

constexpr Pass kPasses[] = {
    {"forward/library", &Convolution::library_forward},
    {"forward/own", &Convolution::own_forward},
    {"backward_data/library", &Convolution::library_backward_data},
    {"backward_data/own", &Convolution::own_backward_data},
    {"backward_weights/library", &Convolution::library_backward_weights},
    {"backward_weights/own", &Convolution::own_backward_weights},
};

void measure(benchmark::State& state, const Shape& shape, const Pass& pass, int threads) {
  omp_set_num_threads(threads);
  Convolution convolution(shape);
  (convolution.*pass.run)();
  for (auto _ : state) (convolution.*pass.run)();
  const double operations = 2.0 * static_cast<double>(shape.taps * shape.taps) *
                            static_cast<double>(shape.batch * shape.in * shape.out) *
                            static_cast<double>(shape.side * shape.side);
  state.counters["GFLOP/s"] =
      benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void add_cases() {
  for (const Shape& shape : kShapes) {
    for (const Pass& pass : kPasses) {
      for (const int threads : {1, omp_get_num_procs()}) {
        const std::string name =
            std::string(shape.name) + "/" + pass.name + "/threads:" + std::to_string(threads);
        benchmark::RegisterBenchmark(name.c_str(), measure, shape, pass, threads)
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
      }
    }
  }
}

}  // namespace
}  // namespace convoy

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  convoy::add_cases();
  benchmark::RunSpecifiedBenchmarks();
}
