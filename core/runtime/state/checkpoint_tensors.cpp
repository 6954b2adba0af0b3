#include "core/runtime/state/checkpoint_tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/counted.hpp"
#include "core/plan/stages.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::runtime {
namespace {

constexpr const char* kOptimizerPrefix = "optimizer/";
constexpr const char* kRuntimePrefix = "runtime/";

// The element types that buffers of plans have, indexed by convoy_dtype.
checkpoint::TensorDtype stored_dtype(std::uint32_t dtype) {
  switch (dtype) {
    case CONVOY_F16:
      return checkpoint::TensorDtype::kF16;
    case CONVOY_BF16:
      return checkpoint::TensorDtype::kBf16;
    case CONVOY_I32:
      return checkpoint::TensorDtype::kI32;
    case CONVOY_U8:
      return checkpoint::TensorDtype::kU8;
    default:
      return checkpoint::TensorDtype::kF32;
  }
}

std::optional<std::uint32_t> plan_dtype(checkpoint::TensorDtype dtype) {
  for (const std::uint32_t candidate : {CONVOY_F32, CONVOY_F16, CONVOY_BF16, CONVOY_I32, CONVOY_U8})
    if (stored_dtype(candidate) == dtype) return candidate;
  return std::nullopt;
}

std::string optimizer_name_of(convoy_optimizer_kind kind, std::uint32_t slot,
                              const std::string& variable) {
  return fmt::format("{}{}/{}", kOptimizerPrefix, train::state_name(kind, slot), variable);
}

// Reads tensors by name and collects what does not fit.
class FittingReader {
 public:
  FittingReader(const checkpoint::SafetensorsFile& file, const graph::Graph& graph)
      : file_(file), graph_(graph) {}

  // Returns null if the tensor does not fit.
  const checkpoint::StoredTensor* find(const std::string& name,
                                       const std::vector<std::uint64_t>& shape) {
    expected_.insert(name);
    const checkpoint::StoredTensor* tensor = file_.find(name);
    if (tensor == nullptr) {
      missing_.push_back(name);
      return nullptr;
    }
    if (tensor->info.shape == shape && tensor->info.dtype == checkpoint::TensorDtype::kF32)
      return tensor;
    different_.push_back(fmt::format("{} is {} {}, the model has F32 {}", name,
                                     checkpoint::tensor_dtype_name(tensor->info.dtype),
                                     checkpoint::shape_text(tensor->info.shape),
                                     checkpoint::shape_text(shape)));
    return nullptr;
  }

  std::vector<float> read(const std::string& name, const std::vector<std::uint64_t>& shape) {
    const checkpoint::StoredTensor* const tensor = find(name, shape);
    return tensor == nullptr ? std::vector<float>() : file_.read_floats(*tensor);
  }

  ModelValues model() {
    return values_of(graph_, [this](const ModelTensor& it) { return read(it.name, it.shape); });
  }

  // Throws an Error unless every expected tensor was there and no other one is.
  void finish() {
    std::vector<std::string> extra;
    for (const checkpoint::StoredTensor& tensor : file_.tensors()) {
      const std::string& name = tensor.info.name;
      if (name.starts_with(kOptimizerPrefix) || name.starts_with(kRuntimePrefix)) continue;
      if (!expected_.contains(name)) extra.push_back(checkpoint::printable(name));
    }
    std::string text;
    text += list("missing", missing_);
    text += list("not in the model", extra);
    text += list("different", different_);
    if (text.empty()) return;
    fail(ExitCode::kFailed, "{} does not fit model {}:{}", file_.path().string(), graph_.model(),
         text);
  }

 private:
  static std::string list(const char* what, const std::vector<std::string>& names) {
    if (names.empty()) return {};
    return fmt::format("\n  {} {}: {}", names.size(), what, joined_some(names, 10, "; "));
  }

  const checkpoint::SafetensorsFile& file_;
  const graph::Graph& graph_;
  std::set<std::string> expected_;
  std::vector<std::string> missing_;
  std::vector<std::string> different_;
};

void read_parts(const checkpoint::SafetensorsFile& file, Restoration& result) {
  const std::string prefix(kRuntimePrefix);
  for (const checkpoint::StoredTensor& tensor : file.tensors()) {
    if (!tensor.info.name.starts_with(prefix)) continue;
    const auto dtype = plan_dtype(tensor.info.dtype);
    if (!dtype)
      fail(ExitCode::kFailed, "{}: tensor '{}': no buffer of a plan is of type {}",
           file.path().string(), checkpoint::printable(tensor.info.name),
           checkpoint::tensor_dtype_name(tensor.info.dtype));
    result.state.parts.push_back(
        {tensor.info.name.substr(prefix.size()), *dtype, file.read(tensor)});
  }
}

bool has_parts(const checkpoint::SafetensorsFile& file) {
  return std::ranges::any_of(file.tensors(), [](const checkpoint::StoredTensor& tensor) {
    return tensor.info.name.starts_with(kRuntimePrefix);
  });
}

void read_optimizer(FittingReader& reader, const CheckpointFacts& facts, const Session& session,
                    Restoration& result) {
  const auto kind = static_cast<convoy_optimizer_kind>(session.options().optimizer.kind);
  if (facts.optimizer != train::optimizer_name(kind)) {
    result.notices.push_back(
        fmt::format("the checkpoint was trained with {}: {} starts without the state it would have",
                    facts.optimizer, train::optimizer_name(kind)));
    return;
  }
  result.state.updates = facts.updates;
  for (std::uint32_t slot = 0; slot < train::state_slots(kind); ++slot) {
    auto& values = result.state.optimizer.emplace_back();
    for (const graph::GraphVariable& variable : session.graph().variables())
      values.push_back(
          reader.read(optimizer_name_of(kind, slot, variable.name), variable.dimensions));
  }
}

}  // namespace

std::uint64_t ModelTensor::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

std::vector<ModelTensor> model_tensors(const graph::Graph& graph) {
  std::vector<ModelTensor> tensors;
  for (std::size_t i = 0; i < graph.variables().size(); ++i)
    tensors.push_back({graph.variables()[i].name, graph.variables()[i].dimensions, false, i, 0});
  for (const graph::GraphNode& node : graph.nodes()) {
    if (node.layer.kind != CONVOY_LAYER_BATCH_NORM) continue;
    const std::uint64_t channels = node.output.channels;
    tensors.push_back({node.name + "/moving_mean", {channels}, true, 0, node.state_first});
    tensors.push_back(
        {node.name + "/moving_variance", {channels}, true, 0, node.state_first + channels});
  }
  return tensors;
}

ModelValues values_of(const graph::Graph& graph,
                      const std::function<std::vector<float>(const ModelTensor&)>& read) {
  ModelValues values;
  values.variables.resize(graph.variables().size());
  values.state.resize(graph.state_elements());
  for (const ModelTensor& tensor : model_tensors(graph)) {
    std::vector<float> floats = read(tensor);
    if (tensor.statistic)
      std::ranges::copy(floats,
                        values.state.begin() + static_cast<std::ptrdiff_t>(tensor.state_first));
    else
      values.variables[tensor.variable] = std::move(floats);
  }
  return values;
}

std::vector<checkpoint::Tensor> checkpoint_tensors(const graph::Graph& graph,
                                                   convoy_optimizer_kind optimizer,
                                                   TrainingState state) {
  std::vector<checkpoint::Tensor> tensors;
  for (const ModelTensor& tensor : model_tensors(graph)) {
    std::span<const float> values = std::span(state.values.state).subspan(tensor.state_first);
    std::vector<float> variable;  // freed as soon as its tensor is made
    if (!tensor.statistic) {
      variable = std::exchange(state.values.variables.at(tensor.variable), {});
      values = variable;
    }
    tensors.push_back(
        checkpoint::make_tensor(tensor.name, tensor.shape, values.first(tensor.elements())));
  }
  for (std::uint32_t slot = 0; slot < state.optimizer.size(); ++slot)
    for (std::size_t i = 0; i < graph.variables().size(); ++i) {
      const graph::GraphVariable& variable = graph.variables()[i];
      tensors.push_back(checkpoint::make_tensor(optimizer_name_of(optimizer, slot, variable.name),
                                                variable.dimensions,
                                                std::exchange(state.optimizer[slot][i], {})));
    }
  for (StatePart& part : state.parts) {
    const std::uint64_t elements = part.bytes.size() / plan::dtype_bytes(part.dtype);
    tensors.push_back({{kRuntimePrefix + part.name, stored_dtype(part.dtype), {elements}},
                       std::move(part.bytes)});
  }
  return tensors;
}

void require_fit(const checkpoint::SafetensorsFile& file, const graph::Graph& graph) {
  FittingReader reader(file, graph);
  for (const ModelTensor& tensor : model_tensors(graph)) reader.find(tensor.name, tensor.shape);
  reader.finish();
}

ModelValues read_model_values(const checkpoint::SafetensorsFile& file, const graph::Graph& graph) {
  FittingReader reader(file, graph);
  ModelValues values = reader.model();
  reader.finish();
  return values;
}

Restoration read_restoration(const checkpoint::SafetensorsFile& file, const CheckpointFacts& facts,
                             const Session& session) {
  Restoration result;
  FittingReader reader(file, session.graph());
  result.state.values = reader.model();
  read_optimizer(reader, facts, session, result);
  reader.finish();
  // A scale that did not adapt was chosen by the user, so this run's own choice counts.
  result.state.loss_scale =
      facts.loss_scale_adapts ? facts.loss_scale : session.values().loss_scale();
  const plan::Plan& plan = session.plan()->step.lowered();
  const std::size_t stage = plan::stage_at(plan, static_cast<std::uint64_t>(facts.step));
  const auto kind = static_cast<convoy_optimizer_kind>(session.options().optimizer.kind);
  // Several hosts save no parts, because no host has the memory for the parts of all.
  result.state.complete = facts.complete && session.task() == nullptr &&
                          facts.identity == identity_of(session) &&
                          facts.optimizer == train::optimizer_name(kind) &&
                          facts.phase < plan::computes_of(plan, stage) &&
                          result.state.optimizer.size() == session.options().optimizer.state_slots;
  if (result.state.complete) {
    result.state.phase = facts.phase;
    read_parts(file, result);
  } else if (has_parts(file)) {
    result.notices.push_back(fmt::format(
        "what {} on {} of batch {} keeps between steps besides the model (gradients that wait, "
        "parameters or statistics of other replicas, a loss scale) is left out, because this run "
        "has another plan: another strategy, precision, clipping, batch or number of devices",
        facts.strategy,
        facts.identity.replicas == 1 ? "1 device"
                                     : fmt::format("{} devices", facts.identity.replicas),
        facts.identity.batch));
  }
  return result;
}

}  // namespace convoy::runtime
