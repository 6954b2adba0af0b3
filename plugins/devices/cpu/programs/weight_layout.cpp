#include "plugins/devices/cpu/programs/weight_layout.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace convoy::cpu {
namespace {

constexpr std::uint32_t kMaxInnerBlocks = 4;  // of convoy_layout

// Returns the desc's layout if convoy_layout can express it.
std::optional<BlockedLayout> expressible(const Desc& desc, const convoy_graph_variable& variable) {
  std::optional<BlockedLayout> layout = blocked_layout(desc);
  const bool fits = layout && layout->padded.size() == variable.rank &&
                    layout->inner_sizes.size() <= kMaxInnerBlocks;
  return fits ? layout : std::nullopt;
}

}  // namespace

Desc plain_desc(const convoy_graph_variable& variable) {
  return plain_desc({variable.dimensions, variable.dimensions + variable.rank});
}

Desc storage_desc(const convoy_graph_variable& variable) {
  const convoy_layout& layout = variable.layout;
  if (layout.rank != variable.rank) {
    throw std::invalid_argument(std::string("the layout of ") + variable.name +
                                " has another rank than the variable");
  }
  const auto vector = [](const auto* values, std::uint32_t count) {
    return std::vector<dnnl::memory::dim>(values, values + count);
  };
  return blocked_desc(vector(variable.dimensions, variable.rank),
                      {vector(layout.padded, layout.rank), vector(layout.strides, layout.rank),
                       vector(layout.inner_dimension, layout.inner_blocks),
                       vector(layout.inner_size, layout.inner_blocks)});
}

convoy_layout layout_of(const Desc& desc, const convoy_graph_variable& variable) {
  const std::optional<BlockedLayout> expressed = expressible(desc, variable);
  const Desc stored = expressed ? desc : plain_desc(variable);
  const BlockedLayout from = expressed ? *expressed : *blocked_layout(stored);
  convoy_layout layout{};
  layout.rank = variable.rank;
  layout.inner_blocks = static_cast<std::uint32_t>(from.inner_sizes.size());
  for (std::uint32_t i = 0; i < layout.inner_blocks; ++i) {
    layout.inner_dimension[i] = static_cast<std::uint32_t>(from.inner_dimensions[i]);
    layout.inner_size[i] = static_cast<std::uint32_t>(from.inner_sizes[i]);
  }
  for (std::uint32_t i = 0; i < layout.rank; ++i) {
    layout.padded[i] = static_cast<std::uint64_t>(from.padded[i]);
    layout.strides[i] = static_cast<std::uint64_t>(from.strides[i]);
  }
  layout.elements = stored.get_size() / sizeof(float);
  return layout;
}

}  // namespace convoy::cpu
