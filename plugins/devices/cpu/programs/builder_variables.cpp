// The part of ProgramBuilder for variables and their gradients.

#include "plugins/devices/cpu/layers/elementwise_tasks.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"
#include "plugins/devices/cpu/programs/weight_layout.hpp"

namespace convoy::cpu {
namespace {

std::size_t rank(const Desc& desc) {
  return dims_of(desc).size();
}

Desc plain_like(const Desc& desc) {
  return plain_desc(dims_of(desc));
}

}  // namespace

Desc ProgramBuilder::stored(std::uint32_t index) const {
  return storage_desc(*what_.graph->variables[index]);
}

dnnl::memory ProgramBuilder::variable(std::uint32_t index, const Desc& wanted) {
  const std::size_t first = what_.graph->variables[index]->arena_first;
  return arranged(index, external(External::kParameters, stored(index), first), wanted);
}

dnnl::memory ProgramBuilder::weights(std::uint32_t index, const Desc& wanted) {
  const bool converts = stores_bf16() && is_bf16(wanted);
  if (converts || precision_ == Precision::kF32) return variable(index, wanted);
  const dnnl::memory rounded = temporary(stored(index));
  help(round_task(rounded, variable(index, stored(index))), "round");
  return arranged(index, rounded, wanted);
}

dnnl::memory ProgramBuilder::transposed_weights(std::uint32_t index, const Desc& wanted) {
  const Desc transposed = stored(index).permute_axes({1, 0, 2, 3});
  const std::size_t first = what_.graph->variables[index]->arena_first;
  const dnnl::memory source = external(External::kParameters, transposed, first);
  const dnnl::memory::dims dims = dims_of(wanted);
  const dnnl::memory::dim height = dims[2];
  const dnnl::memory::dim width = dims[3];
  if (height * width == 1) return arranged(index, source, wanted);
  dnnl::memory turned = temporary(wanted);
  if (pair_weights(source, turned, true)) return turned;
  const dnnl::memory::dims tap = {dims[0], dims[1], 1, 1};
  for (dnnl::memory::dim y = 0; y < height; ++y) {
    for (dnnl::memory::dim x = 0; x < width; ++x) {
      const Desc from = transposed.submemory_desc(tap, {0, 0, y, x});
      const Desc to = wanted.submemory_desc(tap, {0, 0, height - 1 - y, width - 1 - x});
      reorder(view(source, from), view(turned, to));
    }
  }
  return turned;
}

bool ProgramBuilder::fills_blocks(const Desc& desc) {
  return dims_of(desc) == blocked_layout(desc)->padded;
}

// Converts from the storage to the layout that a primitive wants.
dnnl::memory ProgramBuilder::arranged(std::uint32_t index, const dnnl::memory& source,
                                      const Desc& wanted) {
  const Desc own = source.get_desc();
  if (own == wanted) return source;
  if (rank(own) == rank(wanted)) {
    dnnl::memory converted = temporary(wanted);
    reorder(source, converted);
    return converted;
  }
  const Desc flat = plain_desc(*what_.graph->variables[index]);
  const dnnl::memory plain_memory = arranged(index, source, flat);
  dnnl::memory split = view(plain_memory, plain_like(wanted));
  if (plain_like(wanted) == wanted) return split;
  dnnl::memory converted = temporary(wanted);
  reorder(split, converted);
  return converted;
}

GradientPart ProgramBuilder::begin_variable_gradient(std::uint32_t index, const Desc& wanted) {
  const convoy_graph_variable& description = *what_.graph->variables[index];
  const Desc own = storage_desc(description);
  const bool splits_plain =
      rank(own) != rank(wanted) && own == plain_desc(description) && wanted == plain_like(wanted);
  if (own == wanted || splits_plain) {
    return {external(External::kGradients, wanted, description.arena_first), true};
  }
  return {temporary(wanted), false};
}

void ProgramBuilder::finish_variable_gradient(std::uint32_t index, const GradientPart& part) {
  if (part.final) return;
  const convoy_graph_variable& description = *what_.graph->variables[index];
  const Desc own = storage_desc(description);
  const dnnl::memory target = external(External::kGradients, own, description.arena_first);
  dnnl::memory source = part.memory;
  if (rank(own) != rank(source.get_desc())) {
    const Desc split = plain_like(source.get_desc());
    if (source.get_desc() != split) {
      const dnnl::memory converted = temporary(split);
      reorder(source, converted);
      source = converted;
    }
    source = view(source, plain_desc(description));
  }
  reorder(source, target);
}

}  // namespace convoy::cpu
