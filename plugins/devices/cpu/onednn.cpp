#include "plugins/devices/cpu/onednn.hpp"

#include <algorithm>
#include <stdexcept>

namespace convoy::cpu {

Desc plain_desc(const dnnl::memory::dims& dims) {
  dnnl::memory::dims strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return {dims, dnnl::memory::data_type::f32, strides};
}

std::size_t padded_size(const Desc& desc, int dimension) {
  const std::optional<BlockedLayout> layout = blocked_layout(desc);
  if (!layout) throw std::invalid_argument("the padding of an opaque layout is not known");
  return static_cast<std::size_t>(layout->padded[static_cast<std::size_t>(dimension)]);
}

#if DNNL_VERSION_MAJOR >= 3

namespace {

constexpr std::size_t kMaxRank = 4;  // for stored variables

// Version 3 makes blocked layouts only from named tags. These are the tags with the given inner
// blocks, in any order of the dimensions. They are found once for each number of dimensions.
struct TaggedLayout {
  dnnl::memory::format_tag tag;
  BlockedLayout layout;
};

std::vector<TaggedLayout> tagged_layouts(std::size_t rank) {
  // Every inner block divides these sizes.
  const dnnl::memory::dims dims(rank, 64);
  std::vector<TaggedLayout> layouts;
  for (int value = dnnl_format_tag_any + 1; value < dnnl_format_tag_last; ++value) {
    const auto tag = static_cast<dnnl::memory::format_tag>(value);
    const Desc desc(dims, dnnl::memory::data_type::f32, tag, true);
    if (desc.get(true) == nullptr) continue;  // no layout of this many dimensions
    if (auto layout = blocked_layout(desc)) layouts.push_back({tag, *std::move(layout)});
  }
  return layouts;
}

const std::vector<TaggedLayout>& known_layouts(std::size_t rank) {
  static const std::vector<std::vector<TaggedLayout>> kLayouts = [] {
    std::vector<std::vector<TaggedLayout>> made;
    for (std::size_t dimensions = 0; dimensions <= kMaxRank; ++dimensions) {
      made.push_back(tagged_layouts(dimensions));
    }
    return made;
  }();
  return kLayouts.at(rank);
}

}  // namespace

std::optional<BlockedLayout> blocked_layout(const Desc& desc) {
  if (desc.get_format_kind() != dnnl::memory::format_kind::blocked ||
      desc.get_submemory_offset() != 0) {
    return std::nullopt;
  }
  return BlockedLayout{desc.get_padded_dims(), desc.get_strides(), desc.get_inner_idxs(),
                       desc.get_inner_blks()};
}

Desc blocked_desc(const dnnl::memory::dims& dims, const BlockedLayout& layout) {
  if (layout.inner_sizes.empty()) return {dims, dnnl::memory::data_type::f32, layout.strides};
  for (const TaggedLayout& known : known_layouts(dims.size())) {
    if (known.layout.inner_sizes != layout.inner_sizes ||
        known.layout.inner_dimensions != layout.inner_dimensions) {
      continue;
    }
    const Desc desc(dims, dnnl::memory::data_type::f32, known.tag);
    if (blocked_layout(desc) == layout) return desc;
  }
  throw std::invalid_argument("oneDNN has no layout with these blocks and strides");
}

#else

std::optional<BlockedLayout> blocked_layout(const Desc& desc) {
  const dnnl_memory_desc_t& raw = desc.data;
  if (raw.format_kind != dnnl_blocked || raw.offset0 != 0 ||
      raw.extra.flags != dnnl_memory_extra_flag_none) {
    return std::nullopt;
  }
  const dnnl_blocking_desc_t& blocking = raw.format_desc.blocking;
  return BlockedLayout{{raw.padded_dims, raw.padded_dims + raw.ndims},
                       {blocking.strides, blocking.strides + raw.ndims},
                       {blocking.inner_idxs, blocking.inner_idxs + blocking.inner_nblks},
                       {blocking.inner_blks, blocking.inner_blks + blocking.inner_nblks}};
}

Desc blocked_desc(const dnnl::memory::dims& dims, const BlockedLayout& layout) {
  Desc desc = plain_desc(dims);
  dnnl_memory_desc_t& raw = desc.data;
  dnnl_blocking_desc_t& blocking = raw.format_desc.blocking;
  std::copy(layout.padded.begin(), layout.padded.end(), raw.padded_dims);
  std::copy(layout.strides.begin(), layout.strides.end(), blocking.strides);
  std::copy(layout.inner_dimensions.begin(), layout.inner_dimensions.end(), blocking.inner_idxs);
  std::copy(layout.inner_sizes.begin(), layout.inner_sizes.end(), blocking.inner_blks);
  blocking.inner_nblks = static_cast<int>(layout.inner_sizes.size());
  return desc;
}

#endif

}  // namespace convoy::cpu
