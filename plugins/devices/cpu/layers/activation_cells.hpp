#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/cell_grid.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {

// The images of an activation as grids of cells.
struct ActivationCells {
  std::size_t images, image;  // number of images; elements from one to the next
  CellGrid grid;
};

// The description with which a node's activation is read or written as cells: its own description
// if that has such a form, else that of plain planes.
Desc cell_desc(const ProgramBuilder& builder, std::size_t node);

ActivationCells activation_cells(const Desc& desc);

// The description of an activation of other dimensions or of another type in the same form: planes,
// channels last or blocks of channels.
Desc in_form_of(const Desc& desc, const dnnl::memory::dims& dims, dnnl::memory::data_type type);

// The memory to which a consumer that works on cells adds its part of a gradient.
GradientPart begin_cell_gradient(ProgramBuilder& builder, std::size_t node);

// Calls use(elements, elements, ...) with the addresses of memories, all of f32 or all of bf16;
// null for empty memories. The first memory determines the type.
template <typename Use, typename... Memories>
void with_elements(const Use& use, const dnnl::memory& first, const Memories&... others) {
  if (is_bf16(first.get_desc())) {
    use(halves_of(first), (others ? halves_of(others) : nullptr)...);
  } else {
    use(floats_of(first), (others ? floats_of(others) : nullptr)...);
  }
}

}  // namespace convoy::cpu
