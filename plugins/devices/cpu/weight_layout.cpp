#include "plugins/devices/cpu/weight_layout.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace convoy::cpu {
namespace {

constexpr std::uint32_t kMaxInnerBlocks = 4;  // of convoy_layout

bool expressible(const dnnl::memory::desc& desc, const convoy_graph_variable& variable) {
  const dnnl_memory_desc_t& raw = desc.data;
  return raw.format_kind == dnnl_blocked && raw.ndims == static_cast<int>(variable.rank) &&
         raw.format_desc.blocking.inner_nblks <= static_cast<int>(kMaxInnerBlocks) &&
         raw.offset0 == 0 && raw.extra.flags == dnnl_memory_extra_flag_none;
}

}  // namespace

dnnl::memory::desc plain_desc(const convoy_graph_variable& variable) {
  dnnl::memory::dims dimensions(variable.dimensions, variable.dimensions + variable.rank);
  dnnl::memory::dims strides(variable.rank, 1);
  for (std::uint32_t i = variable.rank; i-- > 1;) strides[i - 1] = strides[i] * dimensions[i];
  return {dimensions, dnnl::memory::data_type::f32, strides};
}

dnnl::memory::desc storage_desc(const convoy_graph_variable& variable) {
  const convoy_layout& layout = variable.layout;
  if (layout.rank != variable.rank) {
    throw std::invalid_argument(std::string("the layout of ") + variable.name +
                                " has another rank than the variable");
  }
  dnnl::memory::desc desc = plain_desc(variable);
  dnnl_memory_desc_t& raw = desc.data;
  for (std::uint32_t i = 0; i < layout.rank; ++i) {
    raw.padded_dims[i] = static_cast<dnnl_dim_t>(layout.padded[i]);
    raw.format_desc.blocking.strides[i] = static_cast<dnnl_dim_t>(layout.strides[i]);
  }
  raw.format_desc.blocking.inner_nblks = static_cast<int>(layout.inner_blocks);
  for (std::uint32_t i = 0; i < layout.inner_blocks; ++i) {
    raw.format_desc.blocking.inner_idxs[i] = layout.inner_dimension[i];
    raw.format_desc.blocking.inner_blks[i] = layout.inner_size[i];
  }
  return desc;
}

convoy_layout layout_of(const dnnl::memory::desc& desc, const convoy_graph_variable& variable) {
  const dnnl::memory::desc stored = expressible(desc, variable) ? desc : plain_desc(variable);
  const dnnl_memory_desc_t& raw = stored.data;
  const dnnl_blocking_desc_t& blocking = raw.format_desc.blocking;
  convoy_layout layout{};
  layout.rank = variable.rank;
  layout.inner_blocks = static_cast<std::uint32_t>(blocking.inner_nblks);
  for (std::uint32_t i = 0; i < layout.inner_blocks; ++i) {
    layout.inner_dimension[i] = static_cast<std::uint32_t>(blocking.inner_idxs[i]);
    layout.inner_size[i] = static_cast<std::uint32_t>(blocking.inner_blks[i]);
  }
  for (std::uint32_t i = 0; i < layout.rank; ++i) {
    layout.padded[i] = static_cast<std::uint64_t>(raw.padded_dims[i]);
    layout.strides[i] = static_cast<std::uint64_t>(blocking.strides[i]);
  }
  layout.elements = stored.get_size() / sizeof(float);
  return layout;
}

}  // namespace convoy::cpu
