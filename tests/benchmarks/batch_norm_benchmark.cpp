// Batch norm in training, both passes with a relu: the CPU device's own kernels beside oneDNN's, on
// all cores. "B/s" counts what must come from or go to main memory once: two arrays forward, three
// backward, without what the caches fetch in order to write.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "plugins/devices/cpu/norms/fused_batch_norm.hpp"
#include "plugins/devices/cpu/onednn.hpp"

namespace {

using benchmark::Counter;
using dnnl::memory;
using Flags = dnnl::normalization_flags;

constexpr std::int64_t kImages = 16;
constexpr float kEpsilon = 1e-5f;

struct Arrays {
  explicit Arrays(const benchmark::State& state)
      : channels(state.range(0)),
        side(state.range(1)),
        count(static_cast<std::size_t>(kImages * channels * side * side)),
        read(count, 0.5f),
        write(count),
        gradient(count, 0.25f),
        read_gradient(count),
        vectors(static_cast<std::size_t>(6 * channels), 1.0f) {
    for (std::size_t i = 0; i < count; ++i) read[i] = static_cast<float>(i % 17);
  }
  float* vector(std::int64_t which) { return vectors.data() + which * channels; }
  convoy::cpu::BlockedShape shape() const {
    return {static_cast<std::size_t>(kImages), static_cast<std::size_t>(channels),
            static_cast<std::size_t>(side * side), 8};
  }

  std::int64_t channels, side;
  std::size_t count;
  std::vector<float> read, write, gradient, read_gradient, vectors;
};

void report(benchmark::State& state, const Arrays& arrays, int passes) {
  state.counters["B/s"] = Counter(static_cast<double>(arrays.count * sizeof(float)) * passes,
                                  Counter::kIsIterationInvariantRate);
}

void run_own_forward(Arrays& a, std::vector<double>& scratch) {
  convoy::cpu::batch_norm_forward(
      a.shape(),
      {a.read.data(), nullptr, a.write.data(), a.vector(0), a.vector(1), a.vector(2), a.vector(3),
       false, static_cast<double>(kEpsilon), true, 0.0},
      scratch.data());
}

void own_forward(benchmark::State& state) {
  Arrays a(state);
  std::vector<double> scratch(convoy::cpu::batch_norm_scratch(a.shape()));
  for (auto _ : state) run_own_forward(a, scratch);
  report(state, a, 2);
}

void own_backward(benchmark::State& state) {
  Arrays a(state);
  std::vector<double> scratch(convoy::cpu::batch_norm_scratch(a.shape()));
  run_own_forward(a, scratch);
  for (auto _ : state) {
    convoy::cpu::batch_norm_backward(
        a.shape(),
        {a.read.data(), a.gradient.data(), nullptr, nullptr, a.read_gradient.data(), false,
         a.vector(0), a.vector(1), a.vector(2), a.vector(3), a.vector(4), a.vector(5),
         static_cast<double>(kEpsilon), true, 0.0},
        scratch.data());
  }
  report(state, a, 3);
}

// oneDNN's primitives over the same arrays.
class Library {
 public:
  explicit Library(Arrays& a) : a_(a) {
    const memory::desc data({kImages, a.channels, a.side, a.side}, memory::data_type::f32,
                            memory::format_tag::nChw8c);
    const Flags flags = Flags::use_scale | Flags::use_shift | Flags::fuse_norm_relu;
    const auto forward = convoy::cpu::describe<dnnl::batch_normalization_forward>(
        engine_, {}, dnnl::prop_kind::forward_training, data, data, kEpsilon, flags);
    const auto backward = convoy::cpu::describe_gradient<dnnl::batch_normalization_backward>(
        engine_, {}, forward, dnnl::prop_kind::backward, data, data, data, kEpsilon, flags);
    forward_ = dnnl::batch_normalization_forward(forward);
    backward_ = dnnl::batch_normalization_backward(backward);
    const memory record(forward.workspace_desc(), engine_);
    const memory::desc row({a.channels}, memory::data_type::f32, memory::format_tag::x);
    const auto vector = [&](std::int64_t which) { return memory(row, engine_, a_.vector(which)); };
    arguments_ = {{DNNL_ARG_SRC, {data, engine_, a.read.data()}},
                  {DNNL_ARG_SCALE, vector(0)},
                  {DNNL_ARG_SHIFT, vector(1)},
                  {DNNL_ARG_MEAN, vector(2)},
                  {DNNL_ARG_VARIANCE, vector(3)},
                  {DNNL_ARG_WORKSPACE, record}};
    backward_arguments_ = arguments_;
    arguments_[DNNL_ARG_DST] = {data, engine_, a.write.data()};
    backward_arguments_[DNNL_ARG_DIFF_DST] = {data, engine_, a.gradient.data()};
    backward_arguments_[DNNL_ARG_DIFF_SRC] = {data, engine_, a.read_gradient.data()};
    backward_arguments_[DNNL_ARG_DIFF_SCALE] = vector(4);
    backward_arguments_[DNNL_ARG_DIFF_SHIFT] = vector(5);
  }
  void forward() { forward_.execute(stream_, arguments_); }
  void backward() { backward_.execute(stream_, backward_arguments_); }

 private:
  Arrays& a_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::primitive forward_, backward_;
  std::unordered_map<int, memory> arguments_, backward_arguments_;
};

void library_forward(benchmark::State& state) {
  Arrays a(state);
  Library library(a);
  for (auto _ : state) library.forward();
  report(state, a, 2);
}

void library_backward(benchmark::State& state) {
  Arrays a(state);
  Library library(a);
  library.forward();
  for (auto _ : state) library.backward();
  report(state, a, 3);
}

// Shapes of resnet50, and a small one.
void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"channels", "side"})->Args({8, 4});
  benchmark->Args({64, 112})->Args({64, 56})->Args({256, 56});
  benchmark->Args({128, 28})->Args({256, 14})->Args({2048, 7});
  benchmark->UseRealTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK(own_forward)->Apply(shapes);
BENCHMARK(library_forward)->Apply(shapes);
BENCHMARK(own_backward)->Apply(shapes);
BENCHMARK(library_backward)->Apply(shapes);

}  // namespace
