#include "plugins/devices/cpu/layers/layers.hpp"

#include <algorithm>

#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/cpu/layers/activation_cells.hpp"
#include "plugins/devices/cpu/layers/library_batch_norm.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kCellGrain = 16;  // least cells per part of the work

Desc statistics_desc(const ProgramBuilder& builder, std::size_t node) {
  const dnnl::memory::dims dims = builder.dims(node);
  return {
      {2 * dims[0] * dims[2] * dims[3]}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::x};
}

dnnl::memory gamma_or_none(ProgramBuilder& builder, const NodePlan& plan) {
  const std::uint32_t index = plan.node->variables[0];
  return index == CONVOY_NONE ? dnnl::memory() : builder.variable(index, channel_vector(plan));
}

const float* floats_or_null(const dnnl::memory& memory) {
  return memory ? floats_of(memory) : nullptr;
}

// Calls body(part, image, first cell, end) for the cells of all images, a stretch of one image at a
// time. One thread processes the stretches of one part, in order.
template <typename Body>
void each_stretch(const ActivationCells& cells, std::size_t parts, const Body& body) {
  const std::size_t count = cells.images * cells.grid.cells;
  parallel_indices(parts, [&](std::size_t part) {
    std::size_t cell = part * count / parts;
    const std::size_t end = (part + 1) * count / parts;
    while (cell < end) {
      const std::size_t image = cell / cells.grid.cells, first = image * cells.grid.cells;
      const std::size_t stop = std::min(end, first + cells.grid.cells);
      body(part, image, cell - first, stop - first);
      cell = stop;
    }
  });
}

std::size_t parts_of(const ActivationCells& cells) {
  return team_parts(cells.images * cells.grid.cells, kCellGrain);
}

// The memory of the passes. Its addresses are known only when they run.
struct NormMemory {
  ActivationCells cells;
  dnnl::memory read, gamma, statistics;

  float* mean(std::size_t image) const { return floats_of(statistics) + image * cells.grid.cells; }
  float* inverse(std::size_t image) const { return mean(cells.images + image); }
};

// Adds the sums of the parts, [part][gamma or beta][channel], in order.
void add_parts(const double* sums, std::size_t parts, std::size_t channels, float* write) {
  for (std::size_t channel = 0; channel < channels; ++channel) {
    double sum = 0.0;
    for (std::size_t part = 0; part < parts; ++part) sum += sums[2 * part * channels + channel];
    write[channel] = static_cast<float>(sum);
  }
}

double* sums_at(const dnnl::memory& memory) {
  return static_cast<double*>(memory.get_data_handle());
}

void append_backward(ProgramBuilder& builder, const NormMemory& of, const dnnl::memory& gradient,
                     const GradientPart& write, const dnnl::memory& sums) {
  builder.then([=](const TaskContext&) {
    const std::size_t channels = of.cells.grid.channels, parts = parts_of(of.cells);
    std::fill_n(sums_at(sums), 2 * parts * channels, 0.0);
    const auto run = [&]<typename Element>(Element* g, const Element* x, Element* to) {
      each_stretch(of.cells, parts, [&](auto part, auto image, auto first, auto end) {
        const std::size_t at = image * of.cells.image;
        double* const own = sums_at(sums) + 2 * part * channels;
        cell_kernels<Element>().norm_backward(
            of.cells.grid, floats_or_null(of.gamma), first, end, x + at, g + at, of.mean(image),
            of.inverse(image), to == nullptr ? nullptr : to + at, write.adds, own, own + channels);
      });
    };
    with_elements(run, gradient, of.read, write.memory);
  });
}

}  // namespace

void LayerNorm::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const Desc desc = cell_desc(builder, plan.inputs[0]);
  const Desc statistics = statistics_desc(builder, node);
  statistics_ = builder.keep(statistics);
  const NormMemory of = {activation_cells(desc), builder.read_as(plan.inputs[0], desc),
                         gamma_or_none(builder, plan), builder.kept(statistics, statistics_)};
  const dnnl::memory beta = builder.variable(plan.node->variables[1], channel_vector(plan));
  const dnnl::memory write = builder.define(node, desc);
  const auto epsilon = static_cast<float>(plan.node->layer->epsilon);
  builder.then([=](const TaskContext&) {
    const CellNorm norm = {floats_or_null(of.gamma), floats_of(beta), epsilon};
    const auto run = [&]<typename Element>(Element* to, const Element* from) {
      each_stretch(of.cells, parts_of(of.cells), [&](auto, auto image, auto first, auto end) {
        const std::size_t at = image * of.cells.image;
        cell_kernels<Element>().norm(of.cells.grid, norm, first, end, from + at, to + at,
                                     of.mean(image), of.inverse(image));
      });
    };
    with_elements(run, write, of.read);
  });
}

void LayerNorm::build_backward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const Desc desc = cell_desc(builder, input);
  const NormMemory of = {activation_cells(desc), builder.read_as(input, desc),
                         gamma_or_none(builder, plan),
                         builder.kept(statistics_desc(builder, node), statistics_)};
  const std::size_t channels = of.cells.grid.channels, parts = parts_of(of.cells);
  const dnnl::memory sums =
      builder.temporary({{static_cast<dnnl::memory::dim>(4 * parts * channels)},
                         dnnl::memory::data_type::f32,
                         dnnl::memory::format_tag::x});
  const dnnl::memory gradient = builder.gradient_as(node, desc);
  const bool wanted = builder.plan(input).needs_gradient;
  const GradientPart write = wanted ? begin_cell_gradient(builder, input) : GradientPart{};
  append_backward(builder, of, gradient, write, sums);
  if (wanted) builder.finish_gradient(input, write);
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  for (const std::size_t which : {0u, 1u}) {
    const std::uint32_t variable = plan.node->variables[which];
    if (variable == CONVOY_NONE) continue;
    const GradientPart part = builder.begin_variable_gradient(variable, channel_vector(plan));
    builder.then([=](const TaskContext&) {
      add_parts(sums_at(sums) + which * channels, parts, channels, floats_of(part.memory));
    });
    builder.finish_variable_gradient(variable, part);
  }
}

}  // namespace convoy::cpu
