#include "plugins/devices/cuda/gpu/measured_rate.hpp"

#include <convoy/abi.h>

#include <functional>
#include <stdexcept>

#include "plugins/devices/cuda/gpu/device_memory.hpp"
#include "plugins/devices/cuda/gpu/stopwatch.hpp"
#include "plugins/devices/cuda/kernels/arithmetic.hpp"
#include "plugins/devices/cuda/libraries/matrix_product.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {
namespace {

constexpr int kRepetitions = 20;

// Seconds of one repetition. The first one loads code and is not measured.
double seconds_of(cudaStream_t stream, const std::function<void()>& work) {
  work();
  Stopwatch watch(stream);
  watch.start();
  for (int i = 0; i < kRepetitions; ++i) work();
  return watch.stop() / kRepetitions;
}

double multiply_rate(cudaStream_t stream, Type factors, bool tf32) {
  // Enough work for all multiprocessors, but memory that even a nearly full GPU has.
  const std::uint64_t side = factors == Type::kFloat ? 4096 : 8192;
  const std::uint64_t bytes = side * side * bytes_of(factors);
  const DeviceMemory a(bytes), b(bytes), c(bytes);
  const DeviceMemory workspace(MatrixProduct::kWorkspace);
  ProductShape shape{};
  shape.m = shape.n = shape.k = side;
  shape.factors = shape.result = factors;
  shape.tf32 = tf32;
  shape.aligned = true;
  const MatrixProduct product(make_matrix_handle(), shape);
  const double seconds = seconds_of(
      stream, [&] { product.run(stream, a.get(), b.get(), c.get(), nullptr, workspace.get()); });
  return 2.0 * static_cast<double>(side * side * side) / seconds;
}

double stream_rate(cudaStream_t stream) {
  constexpr std::uint64_t kElements = std::uint64_t{1} << 25;  // 128 MB, larger than all caches
  const DeviceMemory a(kElements * 4), b(kElements * 4), c(kElements * 4);
  const double seconds = seconds_of(stream, [&] {
    add(stream, static_cast<float*>(c.get()), static_cast<const float*>(a.get()),
        static_cast<const float*>(b.get()), kElements);
  });
  return 12.0 * static_cast<double>(kElements) / seconds;
}

}  // namespace

double measured_rate(std::uint32_t what, cudaStream_t stream, Type half, bool tf32) {
  if (what == CONVOY_MEASURE_MULTIPLY) return multiply_rate(stream, Type::kFloat, tf32);
  if (what == CONVOY_MEASURE_MULTIPLY_HALF) return multiply_rate(stream, half, false);
  if (what == CONVOY_MEASURE_STREAM) return stream_rate(stream);
  throw std::invalid_argument("CUDA devices do not know measurement " + std::to_string(what));
}

}  // namespace convoy::cuda
