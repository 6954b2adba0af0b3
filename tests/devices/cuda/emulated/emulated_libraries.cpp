// What the plug-in takes from cuDNN and cuBLASLt, by the definition of the operations, and a driver
// that is always there.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

#include "plugins/devices/cuda/gpu/driver_facts.hpp"
#include "plugins/devices/cuda/gpu/measured_rate.hpp"
#include "plugins/devices/cuda/libraries/convolution.hpp"
#include "plugins/devices/cuda/libraries/matrix_product.hpp"
#include "tests/devices/cuda/emulated/emulation.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): cuDNN's name.
struct cudnnContext {
  cudaStream_t stream;
};
// NOLINTNEXTLINE(readability-identifier-naming): cuBLASLt's name.
struct cublasLtContext {};

namespace convoy::cuda {
namespace {

// Elements of a tensor of any type as numbers.
class Elements {
 public:
  Elements(void* data, Type type) : data_(data), type_(type) {}
  Elements(const void* data, Type type) : data_(const_cast<void*>(data)), type_(type) {}

  double get(std::int64_t i) const {
    if (type_ == Type::kFloat) return static_cast<double>(static_cast<float*>(data_)[i]);
    if (type_ == Type::kHalf)
      return static_cast<double>(__half2float(static_cast<__half*>(data_)[i]));
    return static_cast<double>(__bfloat162float(static_cast<__nv_bfloat16*>(data_)[i]));
  }
  // The first so many of them. Conversions and the choice of the type take longer than a product.
  std::vector<double> numbers(std::size_t count) const {
    std::vector<double> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = get(static_cast<std::int64_t>(i));
    return all;
  }
  void set(std::int64_t i, double value) const {
    const auto narrow = static_cast<float>(value);
    if (type_ == Type::kFloat)
      static_cast<float*>(data_)[i] = narrow;
    else if (type_ == Type::kHalf)
      static_cast<__half*>(data_)[i] = __float2half_rn(narrow);
    else
      static_cast<__nv_bfloat16*>(data_)[i] = __float2bfloat16_rn(narrow);
  }

 private:
  void* data_;
  Type type_;
};

// Calls use(first input element, first filter element, output element) for every row of products of
// a convolution: one for each input channel of a group, which follow each other.
template <typename Use>
void for_rows(const ConvolutionShape& s, Use&& use) {
  const std::int64_t in_group = s.in_channels / s.groups;
  const std::int64_t out_group = s.out_channels / s.groups;
  for (std::int64_t n = 0; n < s.images; ++n)
    for (std::int64_t y = 0; y < s.out_height; ++y)
      for (std::int64_t x = 0; x < s.out_width; ++x)
        for (std::int64_t ky = 0; ky < s.kernel_height; ++ky)
          for (std::int64_t kx = 0; kx < s.kernel_width; ++kx) {
            const std::int64_t in_y = y * s.stride_height + ky * s.dilation_height - s.pad_top;
            const std::int64_t in_x = x * s.stride_width + kx * s.dilation_width - s.pad_left;
            if (in_y < 0 || in_y >= s.in_height || in_x < 0 || in_x >= s.in_width) continue;
            const std::int64_t in_cell = (n * s.in_height + in_y) * s.in_width + in_x;
            const std::int64_t out_cell = (n * s.out_height + y) * s.out_width + x;
            for (std::int64_t o = 0; o < s.out_channels; ++o) {
              const std::int64_t first_in = in_cell * s.in_channels + o / out_group * in_group;
              const std::int64_t first_filter =
                  ((o * s.kernel_height + ky) * s.kernel_width + kx) * in_group;
              use(static_cast<std::size_t>(first_in), static_cast<std::size_t>(first_filter),
                  static_cast<std::size_t>(out_cell * s.out_channels + o));
            }
          }
}

struct Computation {
  ConvolutionShape shape;
  ConvolutionPass pass;
  std::shared_ptr<emulation::LoadedKernel> kernel = std::make_shared<emulation::LoadedKernel>();
};
std::vector<Computation>& computations() {
  static std::vector<Computation> all;
  return all;
}

void store(const std::vector<double>& sums, const Elements& to) {
  for (std::size_t i = 0; i < sums.size(); ++i) to.set(static_cast<std::int64_t>(i), sums[i]);
}

// The libraries work on the calling thread's GPU.
void require_own_gpu(const CUstream_st* stream) {
  if (!emulation::takes_launch(1, 1, 0, stream))
    throw std::logic_error("a library is called for a stream of another GPU");
}

struct Product {
  ProductShape shape;
  std::shared_ptr<emulation::LoadedKernel> kernel = std::make_shared<emulation::LoadedKernel>();
};
std::vector<Product>& products() {
  static std::vector<Product> all;
  return all;
}

}  // namespace

CudnnHandle make_cudnn_handle(cudaStream_t stream) {
  return std::make_shared<cudnnContext>(cudnnContext{stream});
}
MatrixHandle make_matrix_handle() {
  return std::make_shared<cublasLtContext>();
}

const CudnnLibrary& cudnn() {
  throw std::logic_error("cuDNN is emulated");
}

DriverFacts look_at_driver() {
  DriverFacts facts;
  facts.driver_version = facts.runtime_version = CUDART_VERSION;
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) facts.visible_devices = visible;
  facts.error = static_cast<int>(cudaGetDeviceCount(&facts.devices));
  return facts;
}

// Any number will do: measuring would multiply large matrices by their definition.
double measured_rate(std::uint32_t, cudaStream_t, Type, bool) {
  return 1e12;
}

AlgorithmCache& shared_algorithm_cache() {
  static AlgorithmCache cache{std::filesystem::path()};
  return cache;
}

// The workspace's size tells which computation it is: everything else of the class is cuDNN's.
Convolution::Convolution(CudnnHandle handle, cudaStream_t, const ConvolutionShape& shape,
                         ConvolutionPass pass, const ConvolutionMemory&, void*, std::uint64_t,
                         const std::string&, AlgorithmCache&)
    : handle_(std::move(handle)), workspace_bytes_(computations().size()) {
  computations().push_back({shape, pass});
}

namespace {

void convolve(const Computation& computation, const ConvolutionMemory& memory) {
  const ConvolutionShape& shape = computation.shape;
  const ConvolutionPass pass = computation.pass;
  const Elements input(memory.input, shape.type), filter(memory.filter, shape.type),
      output(memory.output, shape.type);
  const auto numbers = [pass](const Elements& of, std::int64_t count, ConvolutionPass result) {
    const auto size = static_cast<std::size_t>(count);
    return pass == result ? std::vector<double>(size) : of.numbers(size);
  };
  std::vector<double> in =
      numbers(input, shape.images * shape.in_height * shape.in_width * shape.in_channels,
              ConvolutionPass::kData);
  std::vector<double> weights = numbers(filter, shape.filter_elements(), ConvolutionPass::kFilter);
  std::vector<double> out =
      numbers(output, shape.images * shape.out_height * shape.out_width * shape.out_channels,
              ConvolutionPass::kForward);
  const std::int64_t count = shape.in_channels / shape.groups;
  for_rows(shape, [&](std::size_t i, std::size_t f, std::size_t o) {
    double* const from = &in[i];
    double* const by = &weights[f];
    double sum = out[o];
    if (pass == ConvolutionPass::kForward)
      for (std::int64_t c = 0; c < count; ++c) sum += from[c] * by[c];
    else if (pass == ConvolutionPass::kData)
      for (std::int64_t c = 0; c < count; ++c) from[c] += sum * by[c];
    else
      for (std::int64_t c = 0; c < count; ++c) by[c] += sum * from[c];
    out[o] = sum;
  });
  if (pass == ConvolutionPass::kForward) return store(out, output);
  if (pass == ConvolutionPass::kData) return store(in, input);
  store(weights, filter);
}

}  // namespace

void Convolution::run(const ConvolutionMemory& memory, void*) const {
  require_own_gpu(handle_->stream);
  computations().at(workspace_bytes_).kernel->use();
  emulation::queue(handle_->stream, [computation = computations().at(workspace_bytes_), memory] {
    convolve(computation, memory);
  });
}

MatrixProduct::MatrixProduct(MatrixHandle handle, const ProductShape& shape, const ProductTrial*)
    : handle_(std::move(handle)), shape_(shape), calls_(1) {
  products().push_back({shape});
  algorithm_.data[0] = products().size() - 1;
}

MatrixProduct::~MatrixProduct() = default;

namespace {

// The matrices of one product of a batch.
struct Factors {
  const Elements a, b, d;
  std::int64_t a_first, b_first, d_first;
};

// Column-major, as the header says.
void multiply_one(const ProductShape& s, const Factors& of, const float* bias) {
  std::vector<double> columns(s.n * s.k), in_row(s.k);
  for (std::uint64_t column = 0; column < s.n; ++column)
    for (std::uint64_t i = 0; i < s.k; ++i) {
      const std::uint64_t at = s.transposes_b ? i * s.n + column : column * s.k + i;
      columns[column * s.k + i] = of.b.get(of.b_first + static_cast<std::int64_t>(at));
    }
  for (std::uint64_t row = 0; row < s.m; ++row) {
    for (std::uint64_t i = 0; i < s.k; ++i) {
      const std::uint64_t at = s.transposes_a ? row * s.k + i : i * s.m + row;
      in_row[i] = of.a.get(of.a_first + static_cast<std::int64_t>(at));
    }
    for (std::uint64_t column = 0; column < s.n; ++column) {
      double sum = 0;
      for (std::uint64_t i = 0; i < s.k; ++i) sum += in_row[i] * columns[column * s.k + i];
      if (s.has_bias) sum += static_cast<double>(bias[row]);
      if (s.relu && sum < 0) sum = 0;
      of.d.set(of.d_first + static_cast<std::int64_t>(column * s.m + row), sum);
    }
  }
}

void multiply_all(const ProductShape& s, const void* a, const void* b, void* d, const float* bias) {
  for (std::uint64_t i = 0; i < s.batch; ++i)
    multiply_one(
        s,
        {Elements(a, s.factors), Elements(b, s.factors), Elements(d, s.result),
         static_cast<std::int64_t>(i * s.m * s.k), static_cast<std::int64_t>(i * s.k * s.n),
         static_cast<std::int64_t>(i * s.m * s.n)},
        bias);
}

}  // namespace

void MatrixProduct::run(Stream stream, const void* a, const void* b, void* d, const float* bias,
                        void*) const {
  require_own_gpu(stream);
  const Product product = products().at(algorithm_.data[0]);
  product.kernel->use();
  emulation::queue(stream, [=, shape = product.shape] { multiply_all(shape, a, b, d, bias); });
}

}  // namespace convoy::cuda
