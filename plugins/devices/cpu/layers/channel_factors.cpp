#include "plugins/devices/cpu/layers/layers.hpp"

#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/cpu/layers/activation_cells.hpp"
#include "plugins/devices/cpu/layers/elementwise_tasks.hpp"
#include "plugins/devices/cpu/layers/library_batch_norm.hpp"

namespace convoy::cpu {
namespace {

// f32, [channel]; either separate factors for every image, in order, or the same for all.
struct Factors {
  dnnl::memory memory;
  std::size_t image;  // elements from one image's factors to the next; 0 = the same factors

  const float* of(std::size_t index) const { return floats_of(memory) + index * image; }
};

// One factor per image and channel, or their gradients, consecutively.
Desc factor_desc(const ProgramBuilder& builder, std::size_t node) {
  return {builder.dims(node), dnnl::memory::data_type::f32, dnnl::memory::format_tag::nhwc};
}

void append_scale(ProgramBuilder& builder, std::size_t node, const Factors& factors) {
  const std::size_t input = builder.plan(node).inputs[0];
  const Desc desc = cell_desc(builder, input);
  const dnnl::memory read = builder.read_as(input, desc);
  const dnnl::memory write = builder.define(node, desc);
  builder.then([=, cells = activation_cells(desc)](const TaskContext&) {
    const auto run = [&]<typename Element>(Element* to, const Element* from) {
      parallel_indices(cells.images * cells.grid.vectors, [&](std::size_t index) {
        const std::size_t image = index / cells.grid.vectors;
        cell_kernels<Element>().scale(cells.grid, index % cells.grid.vectors,
                                      from + image * cells.image, factors.of(image),
                                      to + image * cells.image);
      });
    };
    with_elements(run, write, read);
  });
}

// sums: gradients of the factors, f32, [image][channel]. part: empty memory if the input needs no
// gradient.
void append_scale_backward(ProgramBuilder& builder, std::size_t node, const Factors& factors,
                           const GradientPart& part, const dnnl::memory& sums) {
  const std::size_t input = builder.plan(node).inputs[0];
  const Desc desc = cell_desc(builder, input);
  const dnnl::memory read = builder.read_as(input, desc);
  const dnnl::memory gradient = builder.gradient_as(node, desc);
  builder.then([=, cells = activation_cells(desc)](const TaskContext&) {
    const auto run = [&]<typename Element>(Element* g, const Element* x, Element* write) {
      parallel_indices(cells.images * cells.grid.vectors, [&](std::size_t index) {
        const std::size_t image = index / cells.grid.vectors;
        const std::size_t first = image * cells.image;
        cell_kernels<Element>().scale_backward(
            cells.grid, index % cells.grid.vectors, x + first, g + first, factors.of(image),
            write == nullptr ? nullptr : write + first, part.adds,
            floats_of(sums) + image * cells.grid.channels);
      });
    };
    with_elements(run, gradient, read, part.memory);
  });
}

// Returns the part of the input's gradient that append_scale_backward() writes, if the input needs
// one.
GradientPart begin_input_gradient(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  return builder.plan(input).needs_gradient ? begin_cell_gradient(builder, input) : GradientPart{};
}

void finish_input_gradient(ProgramBuilder& builder, std::size_t node, const GradientPart& part) {
  if (part.memory) builder.finish_gradient(builder.plan(node).inputs[0], part);
}

bool has_factor_per_channel(const ProgramBuilder& builder, std::size_t node) {
  const std::vector<std::size_t>& inputs = builder.plan(node).inputs;
  return builder.dims(inputs[0]) != builder.dims(inputs[1]);
}

// Returns the factors. The forward pass has converted them already if necessary.
Factors factors_of_images(ProgramBuilder& builder, std::size_t node) {
  const std::size_t from = builder.plan(node).inputs[1];
  return {builder.read_as(from, factor_desc(builder, from)), builder.plan(from).node->channels};
}

Factors gamma_of(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  return {builder.variable(plan.node->variables[0], channel_vector(plan)), 0};
}

// Computes the gradient of one of two inputs of equal shape: the gradient of the product times the
// other input.
void differentiate_factor(ProgramBuilder& builder, std::size_t node, std::size_t input,
                          std::size_t other) {
  if (!builder.plan(input).needs_gradient) return;
  const Desc desc = builder.desc(node);
  const dnnl::memory gradient = builder.gradient(node);
  const GradientPart part = builder.begin_gradient(input, desc);
  builder.then(multiply_task(part.memory, gradient, builder.read_as(other, desc)));
  builder.finish_gradient(input, part);
}

}  // namespace

void Multiply::build_forward(ProgramBuilder& builder, std::size_t node) {
  if (has_factor_per_channel(builder, node))
    return append_scale(builder, node, factors_of_images(builder, node));
  const std::vector<std::size_t>& inputs = builder.plan(node).inputs;
  const Desc desc = builder.desc(inputs[0]);
  const dnnl::memory a = builder.read(inputs[0]), b = builder.read_as(inputs[1], desc);
  builder.then(multiply_task(builder.define(node, desc), a, b));
}

void Multiply::build_backward(ProgramBuilder& builder, std::size_t node) {
  const std::vector<std::size_t>& inputs = builder.plan(node).inputs;
  if (!has_factor_per_channel(builder, node)) {
    differentiate_factor(builder, node, inputs[0], inputs[1]);
    return differentiate_factor(builder, node, inputs[1], inputs[0]);
  }
  const Desc desc = factor_desc(builder, inputs[1]);
  const bool wanted = builder.plan(inputs[1]).needs_gradient;
  const GradientPart factors =
      wanted ? builder.begin_gradient(inputs[1], desc) : GradientPart{builder.temporary(desc)};
  const GradientPart part = begin_input_gradient(builder, node);
  append_scale_backward(builder, node, factors_of_images(builder, node), part, factors.memory);
  finish_input_gradient(builder, node, part);
  if (wanted) builder.finish_gradient(inputs[1], factors);
}

void Scale::build_forward(ProgramBuilder& builder, std::size_t node) {
  append_scale(builder, node, gamma_of(builder, node));
}

void Scale::build_backward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::uint32_t gamma = plan.node->variables[0];
  const std::size_t channels = plan.node->channels, images = builder.compilation().batch;
  const dnnl::memory sums = builder.temporary({{static_cast<dnnl::memory::dim>(images * channels)},
                                               dnnl::memory::data_type::f32,
                                               dnnl::memory::format_tag::x});
  const GradientPart part = begin_input_gradient(builder, node);
  append_scale_backward(builder, node, gamma_of(builder, node), part, sums);
  finish_input_gradient(builder, node, part);
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  const GradientPart whole = builder.begin_variable_gradient(gamma, channel_vector(plan));
  builder.then([=](const TaskContext&) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
      double sum = 0.0;
      for (std::size_t image = 0; image < images; ++image)
        sum += static_cast<double>(floats_of(sums)[image * channels + channel]);
      floats_of(whole.memory)[channel] = static_cast<float>(sum);
    }
  });
  builder.finish_variable_gradient(gamma, whole);
}

}  // namespace convoy::cpu
