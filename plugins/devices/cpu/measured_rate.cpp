#include "plugins/devices/cpu/measured_rate.hpp"

#include <convoy/abi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <stdexcept>
#include <string>

#include "plugins/devices/cpu/doorbell.hpp"
#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/team.hpp"

namespace convoy::cpu {
namespace {

// Three matrices of 9 MB: far more work per byte than memory bandwidth matters for.
constexpr std::int64_t kOrder = 1536;
// Three vectors of 64 MB: more than the last-level caches of one socket.
constexpr std::size_t kStreamElements = std::size_t{1} << 24;
constexpr int kMultiplications = 8;
constexpr int kStreams = 6;
constexpr std::size_t kAlignment = 64;

struct Free {
  void operator()(float* memory) const { std::free(memory); }
};
using Floats = std::unique_ptr<float, Free>;

// Written first by the threads that will use it.
Floats make_floats(std::size_t count) {
  Floats floats(static_cast<float*>(std::aligned_alloc(kAlignment, count * sizeof(float))));
  if (!floats) throw std::bad_alloc();
  parallel_stretches(count, [&](std::size_t first, std::size_t size) {
    std::fill_n(floats.get() + first, size, 0.5f);
  });
  return floats;
}

// Seconds of the fastest of several runs.
template <typename Work>
double best_time(int runs, const Work& work) {
  double best = 0;
  for (int run = 0; run < runs; ++run) {
    const double start = monotonic_seconds();
    work();
    const double seconds = monotonic_seconds() - start;
    best = run == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

double multiply_rate() {
  const Floats a = make_floats(kOrder * kOrder);
  const Floats b = make_floats(kOrder * kOrder);
  const Floats c = make_floats(kOrder * kOrder);
  const double seconds = best_time(kMultiplications, [&] {
    const dnnl_status_t status = dnnl_sgemm('N', 'N', kOrder, kOrder, kOrder, 1.0f, a.get(), kOrder,
                                            b.get(), kOrder, 0.0f, c.get(), kOrder);
    if (status != dnnl_success) throw std::runtime_error("oneDNN's sgemm failed");
  });
  return 2.0 * kOrder * kOrder * kOrder / seconds;
}

double stream_rate() {
  const Floats a = make_floats(kStreamElements);
  const Floats b = make_floats(kStreamElements);
  const Floats c = make_floats(kStreamElements);
  const double seconds = best_time(kStreams, [&] {
    parallel_stretches(kStreamElements, [&](std::size_t first, std::size_t size) {
      kernels().add(c.get() + first, a.get() + first, b.get() + first, size);
    });
  });
  return 3.0 * kStreamElements * sizeof(float) / seconds;
}

}  // namespace

double measured_rate(std::uint32_t what) {
  if (what == CONVOY_MEASURE_MULTIPLY) return multiply_rate();
  if (what == CONVOY_MEASURE_STREAM) return stream_rate();
  throw std::invalid_argument("the CPU device does not know measurement " + std::to_string(what));
}

}  // namespace convoy::cpu
