#include "plugins/devices/cpu/measured_rate.hpp"

#include <convoy/abi.h>
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/kernels/winograd.hpp"
#include "plugins/devices/cpu/lanes/doorbell.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/programs/precision.hpp"
#include "plugins/devices/cpu/stream_size.hpp"
#include "plugins/devices/cpu/zeroed_memory.hpp"

namespace convoy::cpu {
namespace {

// Orders of square matrices; the library's speed differs between them.
constexpr std::int64_t kOrders[] = {768, 1152, 1536};
constexpr int kMultiplications = 2;  // of every order, after one that is not measured
// A product that stays in a core's own caches: kRows x kDepth values by kDepth x 16.
constexpr std::size_t kRows = 24;
constexpr std::size_t kDepth = 256;
constexpr int kProducts = 1000;
constexpr int kProductRuns = 24;  // of two milliseconds each: some of them are undisturbed
constexpr int kStreams = 9;

using Floats = std::unique_ptr<float, FreeMemory>;

// Memory in the same way as steps use it, with numbers that are neither zero nor slow.
Floats make_floats(std::size_t count) {
  Floats floats(static_cast<float*>(zeroed_memory(count * sizeof(float)).release()));
  parallel_stretches(count, [&](std::size_t first, std::size_t size) {
    std::fill_n(floats.get() + first, size, 0.5f);
  });
  return floats;
}

// Seconds of several runs in ascending order, after one that warms up.
template <typename Work>
std::vector<double> times(int runs, const Work& work) {
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    const double start = monotonic_seconds();
    work();
    seconds.push_back(monotonic_seconds() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

double library_multiply_rate(std::int64_t order) {
  const auto elements = static_cast<std::size_t>(order * order);
  const Floats a = make_floats(elements);
  const Floats b = make_floats(elements);
  const Floats c = make_floats(elements);
  const std::vector<double> seconds = times(kMultiplications, [&] {
    const dnnl_status_t status = dnnl_sgemm('N', 'N', order, order, order, 1.0f, a.get(), order,
                                            b.get(), order, 0.0f, c.get(), order);
    if (status != dnnl_success) throw std::runtime_error("oneDNN's sgemm failed");
  });
  return 2.0 * static_cast<double>(elements) * static_cast<double>(order) / seconds.front();
}

// Every thread multiplies for itself.
double own_multiply_rate() {
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  const WinogradKernels& kernels = winograd_kernels(3);
  const std::size_t part = kRows * kDepth + (kDepth + kRows) * kernels.columns;
  const Floats memory = make_floats(threads * part);
  const std::vector<double> seconds = times(kProductRuns, [&] {
    parallel_indices(threads, [&](std::size_t thread) {
      float* const a = memory.get() + thread * part;
      float* const b = a + kRows * kDepth;
      float* const c = b + kDepth * kernels.columns;
      for (int i = 0; i < kProducts; ++i) {
        kernels.multiply({.a = a,
                          .a_stride = kDepth,
                          .b = b,
                          .c = c,
                          .columns = kernels.columns,
                          .rows = kRows,
                          .depth = kDepth,
                          .accumulate = false});
      }
    });
  });
  return 2.0 * kProducts * static_cast<double>(threads * kRows * kDepth * kernels.columns) /
         seconds.front();
}

double multiply_rate() {
  double best = own_multiply_rate();
  for (const std::int64_t order : kOrders) best = std::max(best, library_multiply_rate(order));
  return best;
}

// bf16 products with f32 sums; each operand has the order that the library prefers.
double bf16_multiply_rate(std::int64_t order) {
  constexpr auto kType = dnnl::memory::data_type::bf16;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const Desc plain({order, order}, kType, dnnl::memory::format_tag::ab);
  const Desc any({order, order}, kType, dnnl::memory::format_tag::any);
  const auto description = describe<dnnl::matmul>(engine, {}, plain, any, plain);
  const dnnl::matmul product(description);
  std::unordered_map<int, dnnl::memory> operands;
  for (const auto& [argument, desc] : {std::pair{DNNL_ARG_SRC, description.src_desc()},
                                       std::pair{DNNL_ARG_WEIGHTS, description.weights_desc()},
                                       std::pair{DNNL_ARG_DST, description.dst_desc()}}) {
    const dnnl::memory memory(desc, engine);
    std::memset(memory.get_data_handle(), 0, desc.get_size());
    operands[argument] = memory;
  }
  const std::vector<double> seconds = times(kMultiplications, [&] {
    product.execute(stream, operands);
    stream.wait();
  });
  const auto edge = static_cast<double>(order);
  return 2.0 * edge * edge * edge / seconds.front();
}

double half_multiply_rate() {
  if (!multiplies_bf16()) throw std::invalid_argument("this processor does not multiply bf16");
  double best = 0.0;
  for (const std::int64_t order : kOrders) best = std::max(best, bf16_multiply_rate(order));
  return best;
}

// Adds the cores on which the threads of the calling thread's team may run.
void add_cores_of_team(hwloc_topology_t topology, hwloc_bitmap_t cores) {
#pragma omp parallel
  {
    const hwloc_bitmap_t own = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(topology, own, HWLOC_CPUBIND_THREAD) == 0) {
#pragma omp critical(convoy_cores_of_team)
      hwloc_bitmap_or(cores, cores, own);
    }
    hwloc_bitmap_free(own);
  }
}

// Returns the team's part of the last-level caches, as the system describes them; 0 if it does not.
std::size_t cache_of_team() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return 0;
  std::size_t bytes = 0;
  if (hwloc_topology_load(topology) == 0) {
    const hwloc_bitmap_t cores = hwloc_bitmap_alloc();
    add_cores_of_team(topology, cores);
    bytes = cache_share(topology, cores);
    hwloc_bitmap_free(cores);
  }
  hwloc_topology_destroy(topology);
  return bytes;
}

double stream_rate() {
  const std::size_t bytes = stream_bytes(cache_of_team());
  const std::size_t elements = bytes / sizeof(float);
  const Floats a = make_floats(elements);
  const Floats b = make_floats(elements);
  const Floats c = make_floats(elements);
  const std::vector<double> seconds = times(kStreams, [&] {
    parallel_stretches(elements, [&](std::size_t first, std::size_t size) {
      kernels().add(c.get() + first, a.get() + first, b.get() + first, size);
    });
  });
  return 3.0 * static_cast<double>(bytes) / seconds[seconds.size() / 2];
}

}  // namespace

double measured_rate(std::uint32_t what) {
  if (what == CONVOY_MEASURE_MULTIPLY) return multiply_rate();
  if (what == CONVOY_MEASURE_MULTIPLY_HALF) return half_multiply_rate();
  if (what == CONVOY_MEASURE_STREAM) return stream_rate();
  throw std::invalid_argument("the CPU device does not know measurement " + std::to_string(what));
}

}  // namespace convoy::cpu
