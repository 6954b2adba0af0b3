// What the machine can do, as the measure of everything else: float32 matrix products with oneDNN
// (FLOP/s) and STREAM (bytes per second of main memory), on one core and on all of them.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

namespace {

using benchmark::Counter;

// Three matrices of 9 MB: far more work per byte than memory bandwidth matters for.
constexpr std::int64_t kOrder = 1536;
// Four times the largest last-level caches of a socket in use (32 MB), as STREAM's rules ask.
constexpr std::int64_t kStreamElements = std::int64_t{1} << 24;

// One thread, and all cores when there are more.
void thread_counts(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("threads")->Arg(1);
  if (omp_get_num_procs() > 1) benchmark->Arg(omp_get_num_procs());
  benchmark->UseRealTime()->Unit(benchmark::kMillisecond);
}

Counter rate(double per_iteration) {
  return {per_iteration, Counter::kIsIterationInvariantRate};
}

void matrix_multiply(benchmark::State& state) {
  omp_set_num_threads(static_cast<int>(state.range(0)));
  const std::vector<float> a(kOrder * kOrder, 0.5f);
  const std::vector<float> b(kOrder * kOrder, 0.25f);
  std::vector<float> c(kOrder * kOrder);
  for (auto _ : state) {
    const dnnl::status status = dnnl::sgemm('N', 'N', kOrder, kOrder, kOrder, 1.0f, a.data(),
                                            kOrder, b.data(), kOrder, 0.0f, c.data(), kOrder);
    if (status != dnnl::status::success) state.SkipWithError("sgemm failed");
    benchmark::ClobberMemory();
  }
  state.counters["FLOP/s"] = rate(2.0 * kOrder * kOrder * kOrder);
}
BENCHMARK(matrix_multiply)->Apply(thread_counts);

// The arrays of STREAM, written first by the threads that use them.
class StreamArrays {
 public:
  StreamArrays()
      : a_(new double[kStreamElements]),
        b_(new double[kStreamElements]),
        c_(new double[kStreamElements]) {
    each([](double& a, double& b, double& c) {
      a = 1.0;
      b = 2.0;
      c = 0.0;
    });
  }

  template <typename Kernel>
  void each(Kernel kernel) {
    double* a = a_.get();
    double* b = b_.get();
    double* c = c_.get();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < kStreamElements; ++i) kernel(a[i], b[i], c[i]);
  }

 private:
  std::unique_ptr<double[]> a_;
  std::unique_ptr<double[]> b_;
  std::unique_ptr<double[]> c_;
};

// As STREAM counts: each array read or written once, not what the caches fetch in order to write.
template <typename Kernel>
void stream(benchmark::State& state, int arrays, Kernel kernel) {
  omp_set_num_threads(static_cast<int>(state.range(0)));
  StreamArrays streams;
  for (auto _ : state) {
    streams.each(kernel);
    benchmark::ClobberMemory();
  }
  state.counters["B/s"] = rate(static_cast<double>(arrays * kStreamElements * sizeof(double)));
}

void stream_copy(benchmark::State& state) {
  stream(state, 2, [](double& a, double&, double& c) { c = a; });
}
BENCHMARK(stream_copy)->Apply(thread_counts);

void stream_scale(benchmark::State& state) {
  stream(state, 2, [](double&, double& b, double& c) { b = 3.0 * c; });
}
BENCHMARK(stream_scale)->Apply(thread_counts);

void stream_add(benchmark::State& state) {
  stream(state, 3, [](double& a, double& b, double& c) { c = a + b; });
}
BENCHMARK(stream_add)->Apply(thread_counts);

void stream_triad(benchmark::State& state) {
  stream(state, 3, [](double& a, double& b, double& c) { a = b + 3.0 * c; });
}
BENCHMARK(stream_triad)->Apply(thread_counts);

}  // namespace
