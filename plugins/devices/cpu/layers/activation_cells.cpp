#include "plugins/devices/cpu/layers/activation_cells.hpp"

#include <algorithm>

#include "plugins/devices/cpu/layers/channel_copy.hpp"

namespace convoy::cpu {

Desc cell_desc(const ProgramBuilder& builder, std::size_t node) {
  const Desc& own = builder.desc(node);
  return channel_storage(own) ? own : builder.flat(node);
}

ActivationCells activation_cells(const Desc& desc) {
  constexpr std::size_t kMostLanes = 16;
  const ChannelStorage storage = *channel_storage(desc);
  CellGrid grid{};
  grid.cells = storage.cells;
  grid.channels = storage.channels;
  grid.width = std::min(kMostLanes, storage.block);
  grid.vectors = (storage.channels + grid.width - 1) / grid.width;
  grid.cell_step = storage.step;
  grid.pads = storage.block <= kMostLanes;
  grid.vector_step = grid.pads ? storage.group : grid.width;
  return {storage.images, storage.image, grid};
}

Desc in_form_of(const Desc& desc, const dnnl::memory::dims& dims, dnnl::memory::data_type type) {
  const BlockedLayout layout = *blocked_layout(desc);
  auto form =
      layout.strides[1] == 1 ? dnnl::memory::format_tag::nhwc : dnnl::memory::format_tag::nchw;
  if (!layout.inner_sizes.empty())
    form = layout.inner_sizes[0] == 8 ? dnnl::memory::format_tag::nChw8c
                                      : dnnl::memory::format_tag::nChw16c;
  return {dims, type, form};
}

GradientPart begin_cell_gradient(ProgramBuilder& builder, std::size_t node) {
  const Desc wanted = cell_desc(builder, node);
  return wanted == builder.desc(node) ? builder.begin_gradient_addition(node)
                                      : builder.begin_gradient(node, wanted);
}

}  // namespace convoy::cpu
