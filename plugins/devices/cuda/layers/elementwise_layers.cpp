#include "plugins/devices/cuda/kernels/pointwise.hpp"
#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"
#include "plugins/devices/shared/dropout_mask.hpp"

namespace convoy::cuda {
namespace {

constexpr Relu kNoRelu{false, 0.0f};

void append_join(ProgramBuilder& builder, std::size_t node, MemoryPlan::Id write, MemoryPlan::Id a,
                 std::optional<MemoryPlan::Id> b, Relu relu) {
  builder.then([=, type = builder.type(), count = builder.elements(node)](const Run& run) {
    join(run.stream, type, run.at(write), run.at(a), b ? run.at(*b) : nullptr, relu, count);
  });
}

bool drops(const ProgramBuilder& builder, std::size_t node) {
  return builder.drops() && builder.layer(node).keep < 1.0;
}

std::uint64_t mask_key_of(const ProgramBuilder& builder, std::size_t node) {
  const convoy_compilation& what = builder.compilation();
  return dropout_key(what.seed, what.replica, node);
}

// The mask is the same as on CPU devices: the same run drops the same units on either.
void append_dropout(ProgramBuilder& builder, std::size_t node, MemoryPlan::Id write,
                    MemoryPlan::Id read) {
  const double keep = builder.layer(node).keep;
  Dropout drop{};
  drop.key = mask_key_of(builder, node);
  drop.threshold = dropout_threshold(keep);
  drop.factor = static_cast<float>(1.0 / keep);
  drop.channels = builder.shape(node).channels;
  drop.cells = static_cast<std::uint32_t>(builder.cells(node));
  builder.then([=, type = builder.type(), count = builder.elements(node)](const Run& run) {
    Dropout now = drop;
    now.step = run.step;
    if (run.values != nullptr) now.step_at = &run.values->step;
    dropout(run.stream, type, run.at(write), run.at(read), now, count);
  });
}

// Stochastic depth, with the same mask as on CPU devices.
void append_image_dropout(ProgramBuilder& builder, std::size_t node, MemoryPlan::Id write,
                          MemoryPlan::Id read) {
  const double keep = builder.layer(node).keep;
  ImageDropout drop{};
  drop.key = mask_key_of(builder, node);
  drop.threshold = dropout_threshold(keep);
  drop.factor = static_cast<float>(1.0 / keep);
  drop.image_elements = builder.elements(node) / builder.batch();
  builder.then([=, type = builder.type(), count = builder.elements(node)](const Run& run) {
    ImageDropout now = drop;
    now.step = run.step;
    if (run.values != nullptr) now.step_at = &run.values->step;
    drop_images(run.stream, type, run.at(write), run.at(read), now, count);
  });
}

void append_drop(ProgramBuilder& builder, std::size_t node, MemoryPlan::Id write,
                 MemoryPlan::Id read) {
  if (builder.layer(node).kind == CONVOY_LAYER_DROPOUT)
    append_dropout(builder, node, write, read);
  else
    append_image_dropout(builder, node, write, read);
}

}  // namespace

void forward_relu(ProgramBuilder& builder, std::size_t node) {
  if (builder.node(node).done_by_producer) return;
  const MemoryPlan::Id read = builder.read(builder.node(node).inputs[0]);
  const MemoryPlan::Id write = builder.node(node).in_place ? read : builder.define(node);
  append_join(builder, node, write, read, std::nullopt, builder.relu_of(node));
}

// A batch norm that computes the relu also undoes it.
void backward_relu(ProgramBuilder& builder, std::size_t node) {
  if (builder.node(node).in_place && builder.graph_plan().part_of_batch_norm(node)) return;
  const MemoryPlan::Id own = builder.gradient(node);
  builder.then([=, output = builder.read(node), type = builder.type(),
                limit = builder.relu_of(node).limit,
                count = builder.elements(node)](const Run& run) {
    relu_backward(run.stream, type, run.at(own), run.at(output), limit, count);
  });
  if (!builder.node(node).in_place) builder.pass_gradient(builder.node(node).inputs, node);
}

void forward_add(ProgramBuilder& builder, std::size_t node) {
  if (builder.node(node).done_by_producer) return;
  const std::vector<std::size_t>& inputs = builder.node(node).inputs;
  const Relu relu = builder.fused_relu(node);
  MemoryPlan::Id sum = builder.read(inputs[0]);
  const MemoryPlan::Id write = builder.define(node);
  if (inputs.size() == 1) return append_join(builder, node, write, sum, std::nullopt, relu);
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const bool last = i + 1 == inputs.size();
    append_join(builder, node, write, sum, builder.read(inputs[i]), last ? relu : kNoRelu);
    sum = write;
  }
}

void backward_add(ProgramBuilder& builder, std::size_t node) {
  if (!builder.node(node).done_by_producer) builder.pass_gradient(builder.node(node).inputs, node);
}

void forward_dropout(ProgramBuilder& builder, std::size_t node) {
  const bool in_place = builder.node(node).in_place;
  const MemoryPlan::Id read = builder.read(builder.node(node).inputs[0]);
  const MemoryPlan::Id write = in_place ? read : builder.define(node);
  if (drops(builder, node))
    append_drop(builder, node, write, read);
  else if (!in_place)
    append_join(builder, node, write, read, std::nullopt, kNoRelu);
}

void backward_dropout(ProgramBuilder& builder, std::size_t node) {
  const MemoryPlan::Id own = builder.gradient(node);
  if (drops(builder, node)) append_drop(builder, node, own, own);
  if (!builder.node(node).in_place) builder.pass_gradient(builder.node(node).inputs, node);
}

}  // namespace convoy::cuda
