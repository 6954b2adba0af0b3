#include "core/conformance/training_case.hpp"

#include <convoy/sized.hpp>

#include <algorithm>
#include <cmath>

#include "core/graph/layout.hpp"

namespace convoy::conformance {
namespace {

convoy_compilation compilation(const graph::GraphView& view, const TrainingOptions& options) {
  auto what = make_sized<convoy_compilation>();
  what.graph = view.c_graph();
  what.batch = options.batch;
  what.flags = options.flags;
  what.replica = options.replica;
  what.replicas = options.replica + 1;
  what.seed = options.seed;
  what.dtype = options.dtype;
  return what;
}

}  // namespace

TrainingCase::TrainingCase(TestedDevice& device, const graph::Graph& graph,
                           const TrainingOptions& options)
    : device_(device),
      graph_(graph),
      options_(options),
      arena_(std::make_unique<graph::Arena>(graph)) {
  if (options.layouts == Layouts::kProposed) {
    const graph::GraphView plain(graph, *arena_);
    arena_ =
        std::make_unique<graph::Arena>(graph, device.propose_layout(compilation(plain, options)));
  }
  view_ = std::make_unique<graph::GraphView>(graph, *arena_);
  program_ = device.compile(compilation(*view_, options));
  fill();
}

TrainingCase::~TrainingCase() {
  device_.open().release(program_);
}

// Weights of about 1/sqrt(inputs) keep activations near one. Scales stay away from zero.
void TrainingCase::fill() {
  for (std::size_t i = 0; i < graph_.variables().size(); ++i) {
    const graph::GraphVariable& variable = graph_.variables()[i];
    std::vector<float> values = noise(variable.elements, static_cast<std::uint32_t>(i + 1));
    const bool gamma = variable.name.ends_with("gamma");
    const double fan_in = static_cast<double>(std::max<std::uint64_t>(variable.fan_in, 1));
    const double scale = variable.fan_in > 0 ? std::sqrt(3.0 / fan_in) : 0.3;
    for (float& value : values) {
      value = static_cast<float>((gamma ? 1.0 : 0.0) + scale * static_cast<double>(value));
    }
    parameters.push_back(std::move(values));
  }
  const graph::TensorShape shape = graph_.nodes().front().output;
  images = noise(options_.batch * shape.elements(), 77);
  for (std::uint32_t image = 0; image < options_.batch; ++image) {
    labels.push_back(static_cast<std::int32_t>((image * 5 + 2) % graph_.classes()));
  }
  state.assign(graph_.state_elements(), 0.5f);
  parameter_arena_.assign(arena_->elements(), 0.0f);
  gradient_arena_.assign(arena_->elements(), 0.0f);
}

convoy_compute TrainingCase::compute(std::uint64_t segment) {
  auto compute = make_sized<convoy_compute>();
  compute.program = program_;
  compute.segment = segment;
  compute.parameters = parameter_arena_.data();
  compute.gradients = gradient_arena_.data();
  compute.state = state.data();
  compute.images = images.data();
  compute.labels = labels.data();
  compute.loss = &loss;
  compute.hits = hits;
  compute.loss_scale = &loss_scale;
  device_.know(parameter_arena_.data(), parameter_arena_.size() * sizeof(float));
  device_.know(gradient_arena_.data(), gradient_arena_.size() * sizeof(float));
  device_.know(state.data(), state.size() * sizeof(float));
  return compute;
}

void TrainingCase::forward(std::uint64_t step) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    graph::pack(arena_->layout(i), graph_.variables()[i].dimensions, parameters[i].data(),
                parameter_arena_.data() + arena_->range(i).first);
  }
  forward_again(step);
}

void TrainingCase::forward_again(std::uint64_t step) {
  for (std::uint64_t segment = 0; segment < graph_.segment_count(); ++segment) {
    convoy_compute part = compute(segment);
    part.gradients = nullptr;
    convoy_submission submission = operation(CONVOY_OP_FORWARD, CONVOY_LANE_COMPUTE);
    submission.compute = &part;
    submission.step = step;
    device_.run(submission);
  }
}

void TrainingCase::backward(std::uint64_t step) {
  for (std::uint64_t segment = graph_.segment_count(); segment-- > 0;) {
    const convoy_compute part = compute(segment);
    convoy_submission submission = operation(CONVOY_OP_BACKWARD, CONVOY_LANE_COMPUTE);
    submission.compute = &part;
    submission.step = step;
    device_.run(submission);
  }
}

std::vector<float> TrainingCase::gradient(std::uint64_t variable) const {
  std::vector<float> plain(graph_.variables()[variable].elements);
  graph::unpack(arena_->layout(variable), graph_.variables()[variable].dimensions,
                gradient_arena_.data() + arena_->range(variable).first, plain.data());
  return plain;
}

float TrainingCase::gradient_padding() const {
  std::vector<float> rest = gradient_arena_;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::vector<float> plain = gradient(i);
    std::vector<float> stored(arena_->layout(i).elements);
    graph::pack(arena_->layout(i), graph_.variables()[i].dimensions, plain.data(), stored.data());
    float* own = rest.data() + arena_->range(i).first;
    for (std::size_t k = 0; k < stored.size(); ++k) own[k] -= stored[k];
  }
  float largest = 0.0f;
  for (float value : rest) largest = std::max(largest, std::fabs(value));
  return largest;
}

}  // namespace convoy::conformance
