#include "plugins/devices/cpu/layers/layers.hpp"

#include <algorithm>

#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/cpu/layers/activation_cells.hpp"
#include "plugins/devices/cpu/layers/library_batch_norm.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kChunkOfPositions = 1024;  // elements that stay in the first-level cache

// Convert one value of a token to its stored type, and back.
void store_value(float value, float& to) {
  to = value;
}
void store_value(float value, Bf16& to) {
  kernels().f32_to_bf16(&to, &value, 1);
}
float value_at(const float& from) {
  return from;
}
float value_at(const Bf16& from) {
  float value = 0.0f;
  kernels().bf16_to_f32(&value, &from, 1);
  return value;
}

std::size_t channel_place(const CellGrid& grid, std::size_t channel) {
  return channel / grid.width * grid.vector_step + channel % grid.width;
}

// Copies all cells of one image to those of another, from given cells on, with the padding behind
// the last channel. whole, part: the grids of the two, one cell apart.
template <typename Element>
void copy_image_cells(const CellGrid& to_grid, std::size_t to_first, const CellGrid& from_grid,
                      std::size_t from_first, std::size_t cells, const Element* from, Element* to) {
  for (std::size_t vector = 0; vector < to_grid.vectors; ++vector) {
    const std::size_t lanes =
        to_grid.pads ? to_grid.width
                     : std::min(to_grid.width, to_grid.channels - vector * to_grid.width);
    for (std::size_t cell = 0; cell < cells; ++cell)
      std::copy_n(from + vector * from_grid.vector_step + (from_first + cell) * from_grid.cell_step,
                  lanes, to + vector * to_grid.vector_step + (to_first + cell) * to_grid.cell_step);
  }
}

template <typename Element>
void write_token(const CellGrid& grid, const float* token, Element* image) {
  for (std::size_t vector = 0; grid.pads && vector < grid.vectors; ++vector)
    std::fill_n(image + vector * grid.vector_step, grid.width, Element{});
  for (std::size_t channel = 0; channel < grid.channels; ++channel)
    store_value(token[channel], image[channel_place(grid, channel)]);
}

void differentiate_token(ProgramBuilder& builder, std::size_t node, const dnnl::memory& gradient) {
  const NodePlan& plan = builder.plan(node);
  const std::uint32_t token = plan.node->variables[0];
  const GradientPart part = builder.begin_variable_gradient(token, channel_vector(plan));
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  builder.then([=, cells = activation_cells(gradient.get_desc())](const TaskContext&) {
    with_elements(
        [&]<typename Element>(const Element* from) {
          for (std::size_t channel = 0; channel < cells.grid.channels; ++channel) {
            double sum = 0.0;
            for (std::size_t image = 0; image < cells.images; ++image)
              sum += static_cast<double>(
                  value_at(from[image * cells.image + channel_place(cells.grid, channel)]));
            floats_of(part.memory)[channel] = static_cast<float>(sum);
          }
        },
        gradient);
  });
  builder.finish_variable_gradient(token, part);
}

// The positions, cell by cell, are an image with channels last, in f32 in the form of the
// activation.
Desc position_desc(const ProgramBuilder& builder, std::size_t node) {
  dnnl::memory::dims dims = builder.dims(node);
  dims[0] = 1;
  return in_form_of(builder.desc(node), dims, dnnl::memory::data_type::f32);
}

Desc position_variable(const ProgramBuilder& builder, std::size_t node) {
  dnnl::memory::dims dims = builder.dims(node);
  dims[0] = 1;
  return {dims, dnnl::memory::data_type::f32, dnnl::memory::format_tag::nhwc};
}

void add_positions(const float* positions, const float* from, float* to, std::size_t count) {
  kernels().add(to, from, positions, count);
}
void add_positions(const float* positions, const Bf16* from, Bf16* to, std::size_t count) {
  float values[kChunkOfPositions];
  for (std::size_t done = 0; done < count; done += kChunkOfPositions) {
    const std::size_t size = std::min(kChunkOfPositions, count - done);
    kernels().bf16_to_f32(values, from + done, size);
    kernels().add(values, values, positions + done, size);
    kernels().f32_to_bf16(to + done, values, size);
  }
}

void add_gradients(const float* from, float* sums, std::size_t count) {
  kernels().add(sums, sums, from, count);
}
void add_gradients(const Bf16* from, float* sums, std::size_t count) {
  float values[kChunkOfPositions];
  for (std::size_t done = 0; done < count; done += kChunkOfPositions) {
    const std::size_t size = std::min(kChunkOfPositions, count - done);
    kernels().bf16_to_f32(values, from + done, size);
    kernels().add(sums + done, sums + done, values, size);
  }
}

}  // namespace

void ClassToken::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const Desc desc = cell_desc(builder, plan.inputs[0]);
  const dnnl::memory token = builder.variable(plan.node->variables[0], channel_vector(plan));
  const dnnl::memory read = builder.read_as(plan.inputs[0], desc);
  const dnnl::memory write =
      builder.define(node, in_form_of(desc, builder.dims(node), type_of(desc)));
  builder.then([=, from_cells = activation_cells(desc),
                to_cells = activation_cells(write.get_desc())](const TaskContext&) {
    const auto run = [&]<typename Element>(Element* to, const Element* from) {
      parallel_indices(to_cells.images, [&](std::size_t image) {
        write_token(to_cells.grid, floats_of(token), to + image * to_cells.image);
        copy_image_cells(to_cells.grid, 1, from_cells.grid, 0, from_cells.grid.cells,
                         from + image * from_cells.image, to + image * to_cells.image);
      });
    };
    with_elements(run, write, read);
  });
}

void ClassToken::build_backward(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  const dnnl::memory gradient = builder.gradient(node);
  differentiate_token(builder, node, gradient);
  if (!builder.plan(input).needs_gradient) return;
  builder.part(CONVOY_PASS_BACKWARD_DATA);
  const Desc desc = cell_desc(builder, input);
  const GradientPart part = builder.begin_gradient(input, desc);
  builder.then([=, to_cells = activation_cells(desc),
                from_cells = activation_cells(gradient.get_desc())](const TaskContext&) {
    const auto run = [&]<typename Element>(Element* to, const Element* from) {
      parallel_indices(to_cells.images, [&](std::size_t image) {
        copy_image_cells(to_cells.grid, 0, from_cells.grid, 1, to_cells.grid.cells,
                         from + image * from_cells.image, to + image * to_cells.image);
      });
    };
    with_elements(run, part.memory, gradient);
  });
  builder.finish_gradient(input, part);
}

void Position::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::uint32_t variable = plan.node->variables[0];
  const Desc desc = cell_desc(builder, plan.inputs[0]);
  const dnnl::memory read = builder.read_as(plan.inputs[0], desc);
  const dnnl::memory write = builder.define(node, desc);
  const dnnl::memory learned = builder.view(builder.variable(variable, builder.stored(variable)),
                                            position_variable(builder, node));
  const dnnl::memory positions = builder.temporary(position_desc(builder, node));
  builder.reorder(learned, positions);
  const std::size_t size = element_count(positions);
  builder.then([=, images = builder.compilation().batch](const TaskContext&) {
    const auto run = [&]<typename Element>(Element* to, const Element* from) {
      parallel_stretches(size, [&](std::size_t first, std::size_t count) {
        for (std::size_t image = 0; image < images; ++image)
          add_positions(floats_of(positions) + first, from + image * size + first,
                        to + image * size + first, count);
      });
    };
    with_elements(run, write, read);
  });
}

void Position::build_backward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::uint32_t variable = plan.node->variables[0];
  const dnnl::memory gradient = builder.gradient(node);
  const dnnl::memory sums = builder.temporary(position_desc(builder, node));
  const std::size_t size = element_count(sums);
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  builder.then([=, images = builder.compilation().batch](const TaskContext&) {
    const auto run = [&]<typename Element>(const Element* from) {
      parallel_stretches(size, [&](std::size_t first, std::size_t count) {
        std::fill_n(floats_of(sums) + first, count, 0.0f);
        for (std::size_t image = 0; image < images; ++image)
          add_gradients(from + image * size + first, floats_of(sums) + first, count);
      });
    };
    with_elements(run, gradient);
  });
  const GradientPart part = builder.begin_variable_gradient(variable, builder.stored(variable));
  builder.reorder(sums, builder.view(part.memory, position_variable(builder, node)));
  builder.finish_variable_gradient(variable, part);
  builder.part(CONVOY_PASS_BACKWARD_DATA);
  if (builder.plan(plan.inputs[0]).needs_gradient) builder.pass_gradient(plan.inputs[0], node);
}

}  // namespace convoy::cpu
