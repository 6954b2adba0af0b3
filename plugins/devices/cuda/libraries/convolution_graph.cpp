#include "plugins/devices/cuda/libraries/convolution_graph.hpp"

#include <algorithm>
#include <optional>

namespace convoy::cuda {
namespace {

// For one mode: more than any has. Configurations that round f32 come before the others.
constexpr std::int64_t kMostConfigurations = 64;

cudnnDataType_t tensor_type(Type type) {
  switch (type) {
    case Type::kHalf:
      return CUDNN_DATA_HALF;
    case Type::kBfloat:
      return CUDNN_DATA_BFLOAT16;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

// Dimensions are named N, C, H, W. Their order in memory is N, H, W, C.
BackendDescriptor tensor(Type type, std::int64_t id, std::int64_t n, std::int64_t c, std::int64_t h,
                         std::int64_t w) {
  BackendDescriptor result(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  result.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, tensor_type(type));
  result.set(CUDNN_ATTR_TENSOR_DIMENSIONS, {n, c, h, w});
  result.set(CUDNN_ATTR_TENSOR_STRIDES, {h * w * c, 1, w * c, c});
  result.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, {id});
  result.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {16});
  result.finalize();
  return result;
}

BackendDescriptor convolution_of(const ConvolutionShape& s) {
  BackendDescriptor result(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  result.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {2});
  result.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  result.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
             CUDNN_CROSS_CORRELATION);
  result.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {s.pad_top, s.pad_left});
  result.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {s.pad_bottom, s.pad_right});
  result.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {s.stride_height, s.stride_width});
  result.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, {s.dilation_height, s.dilation_width});
  result.finalize();
  return result;
}

// The names of a pass, of its tensors and of its factors in cuDNN.
struct PassNames {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t input, filter, output, convolution, alpha, beta;
};

PassNames names_of(ConvolutionPass pass) {
  switch (pass) {
    case ConvolutionPass::kForward:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    case ConvolutionPass::kData:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    default:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  }
}

using NumericalNotes = std::vector<cudnnBackendNumericalNote_t>;

// Returns the numerical notes of a configuration's engine; empty if cuDNN does not report them.
std::optional<NumericalNotes> notes_of(const BackendDescriptor& configuration) {
  const BackendDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t pointer = engine.get();
  std::int64_t count = 0;
  if (cudnn().get_attribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                            CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count,
                            &pointer) != CUDNN_STATUS_SUCCESS)
    return std::nullopt;
  NumericalNotes notes(CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  const auto most = static_cast<std::int64_t>(notes.size());
  if (cudnn().get_attribute(engine.get(), CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                            CUDNN_TYPE_NUMERICAL_NOTE, most, &count,
                            notes.data()) != CUDNN_STATUS_SUCCESS)
    return std::nullopt;
  notes.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, most)));
  return notes;
}

}  // namespace

// Groups affect only the filter's second dimension.
ConvolutionGraph::ConvolutionGraph(const CudnnTarget& target, const ConvolutionShape& s,
                                   ConvolutionPass pass)
    : target_(target), graph_(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
  const PassNames names = names_of(pass);
  parts_.push_back(tensor(s.type, kInput, s.images, s.in_channels, s.in_height, s.in_width));
  parts_.push_back(tensor(s.type, kFilter, s.out_channels, s.in_channels / s.groups,
                          s.kernel_height, s.kernel_width));
  parts_.push_back(tensor(s.type, kOutput, s.images, s.out_channels, s.out_height, s.out_width));
  parts_.push_back(convolution_of(s));
  BackendDescriptor operation(names.operation);
  operation.set(names.input, parts_[0]);
  operation.set(names.filter, parts_[1]);
  operation.set(names.output, parts_[2]);
  operation.set(names.convolution, parts_[3]);
  operation.set(names.alpha, CUDNN_TYPE_FLOAT, 1.0f);
  operation.set(names.beta, CUDNN_TYPE_FLOAT, 0.0f);
  operation.finalize();
  graph_.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  if (target.handle != nullptr)
    graph_.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, target.handle);
  graph_.finalize();
  parts_.push_back(std::move(operation));
}

void ConvolutionGraph::add_configurations(cudnnBackendHeurMode_t mode,
                                          std::vector<BackendDescriptor>& all) const {
  BackendDescriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
#if CUDNN_VERSION >= CONVOY_CUDNN_DESCRIBES_GPUS
  if (target_.properties != nullptr)
    heuristic.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *target_.properties);
#endif
  if (!heuristic.try_finalize()) return;
  std::vector<BackendDescriptor> found;
  std::vector<cudnnBackendDescriptor_t> pointers;
  for (std::int64_t i = 0; i < kMostConfigurations; ++i) {
    found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    pointers.push_back(found.back().get());
  }
  std::int64_t count = 0;
  if (cudnn().get_attribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                            CUDNN_TYPE_BACKEND_DESCRIPTOR, kMostConfigurations, &count,
                            pointers.data()) != CUDNN_STATUS_SUCCESS)
    return;
  for (std::int64_t i = 0; i < std::min(count, kMostConfigurations); ++i)
    all.push_back(std::move(found[static_cast<std::size_t>(i)]));
}

std::vector<BackendDescriptor> ConvolutionGraph::configurations() const {
  std::vector<BackendDescriptor> all;
  add_configurations(CUDNN_HEUR_MODE_A, all);
  add_configurations(CUDNN_HEUR_MODE_FALLBACK, all);
  return all;
}

bool is_usable(const BackendDescriptor& configuration, const ConvolutionShape& shape) {
  const std::optional<NumericalNotes> notes = notes_of(configuration);
  if (!notes) return false;
  const auto has = [&](cudnnBackendNumericalNote_t note) {
    return std::find(notes->begin(), notes->end(), note) != notes->end();
  };
  if (has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)) return false;
  if (shape.direct && (has(CUDNN_NUMERICAL_NOTE_WINOGRAD) || has(CUDNN_NUMERICAL_NOTE_FFT)))
    return false;
  if (shape.type != Type::kFloat) return true;
  // Tensor cores compute f32 only as TF32. Other narrower types were not requested.
  return !has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) &&
         (shape.tf32 || !has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
}

}  // namespace convoy::cuda
