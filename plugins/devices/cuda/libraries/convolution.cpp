#include "plugins/devices/cuda/libraries/convolution.hpp"

#include <stdexcept>

#include "plugins/devices/cuda/gpu/stopwatch.hpp"
#include "plugins/devices/cuda/libraries/algorithm_choice.hpp"

namespace convoy::cuda {
namespace {

constexpr std::size_t kMostMeasured = 10;  // candidates, the library's best guesses first
constexpr int kMeasuredRuns = 3;

std::vector<std::int64_t> usable_ones(const std::vector<BackendDescriptor>& configurations,
                                      const ConvolutionShape& shape) {
  std::vector<std::int64_t> usable;
  for (std::size_t i = 0; i < configurations.size(); ++i)
    if (is_usable(configurations[i], shape)) usable.push_back(static_cast<std::int64_t>(i));
  return usable;
}

BackendDescriptor variant_pack(const ConvolutionMemory& memory, void* workspace) {
  BackendDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  const void* pointers[] = {memory.input, memory.filter, memory.output};
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
           {ConvolutionGraph::kInput, ConvolutionGraph::kFilter, ConvolutionGraph::kOutput});
  pack.set_all(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, pointers);
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
  pack.finalize();
  return pack;
}

}  // namespace

Convolution::Convolution(CudnnHandle handle, cudaStream_t stream, const ConvolutionShape& shape,
                         ConvolutionPass pass, const ConvolutionMemory& memory, void* workspace,
                         std::uint64_t workspace_limit, const std::string& gpu,
                         AlgorithmCache& cache)
    : handle_(std::move(handle)) {
  graph_.emplace(CudnnTarget{.handle = handle_.get()}, shape, pass);
  std::vector<BackendDescriptor> configurations = graph_->configurations();
  const std::string key = gpu + " cudnn " + std::to_string(cudnn().version()) + " workspace " +
                          std::to_string(workspace_limit >> 20) + " " + key_of(shape, pass);
  AlgorithmTrials trials;
  trials.candidates = usable_ones(configurations, shape);
  trials.most = kMostMeasured;
  trials.prepare = [&](std::int64_t candidate) {
    return build(configurations[static_cast<std::size_t>(candidate)]) &&
           workspace_bytes_ <= workspace_limit;
  };
  trials.seconds = [&] { return seconds(memory, workspace, stream); };
  const std::optional<std::int64_t> chosen = choose_algorithm(trials, key, cache);
  if (!chosen)
    throw std::runtime_error("cuDNN has no deterministic algorithm for the convolution '" +
                             key_of(shape, pass) + "' (" + std::to_string(configurations.size()) +
                             " candidates looked at)");
  configuration_ = std::move(configurations[static_cast<std::size_t>(*chosen)]);
}

bool Convolution::build(const BackendDescriptor& configuration) {
  BackendDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle_.get());
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  if (!plan.try_finalize()) return false;
  workspace_bytes_ =
      static_cast<std::uint64_t>(plan.integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  plan_ = std::move(plan);
  return true;
}

// Returns nothing when the plan does not run after all.
std::optional<double> Convolution::seconds(const ConvolutionMemory& memory, void* workspace,
                                           cudaStream_t stream) const {
  const BackendDescriptor pack = variant_pack(memory, workspace);
  if (cudnn().execute(handle_.get(), plan_->get(), pack.get()) != CUDNN_STATUS_SUCCESS)
    return std::nullopt;
  Stopwatch watch(stream);
  watch.start();
  for (int i = 0; i < kMeasuredRuns; ++i)
    cudnn().require(cudnn().execute(handle_.get(), plan_->get(), pack.get()),
                    "measuring a convolution");
  return watch.stop();
}

void Convolution::run(const ConvolutionMemory& memory, void* workspace) const {
  const BackendDescriptor pack = variant_pack(memory, workspace);
  cudnn().require(cudnn().execute(handle_.get(), plan_->get(), pack.get()),
                  "running a convolution");
}

AlgorithmCache& shared_algorithm_cache() {
  static AlgorithmCache cache(cache_folder().empty() ? std::filesystem::path()
                                                     : cache_folder() / "cudnn_algorithms.txt");
  return cache;
}

}  // namespace convoy::cuda
