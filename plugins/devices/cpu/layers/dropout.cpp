#include "plugins/devices/cpu/layers/layers.hpp"

#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"
#include "plugins/devices/shared/dropout_mask.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kChunk = 1024;  // elements that stay in the first-level cache

struct Mask {
  explicit Mask(double keep)
      : threshold(dropout_threshold(keep)), factor(static_cast<float>(1.0 / keep)) {}
  void operator()(float* write, const float* read, std::uint64_t key, std::size_t first,
                  std::size_t count) const {
    kernels().dropout(write, read, key, threshold, factor, first, count);
  }
  std::uint32_t threshold;
  float factor;
};

// The storage of NCHW activations with at most one block of channels.
struct Storage {
  explicit Storage(const Desc& desc) : dims(dims_of(desc)) {
    const BlockedLayout layout = *blocked_layout(desc);
    std::copy_n(layout.strides.begin(), 4, strides);
    block = layout.inner_sizes.empty() ? 1 : layout.inner_sizes[0];
    padded = layout.padded[1] != dims[1];
  }
  bool in_logical_order() const {
    const bool one_cell = dims[2] * dims[3] == 1 && !padded;
    return one_cell || (block == 1 && strides[3] == 1 && strides[2] == dims[3] &&
                        strides[1] == dims[2] * dims[3]);
  }
  std::size_t plane(dnnl::memory::dim image, dnnl::memory::dim channel) const {
    return static_cast<std::size_t>(image * strides[0] + channel / block * strides[1] +
                                    channel % block);
  }
  std::size_t planes() const { return static_cast<std::size_t>(dims[0] * dims[1]); }
  std::size_t cells() const { return static_cast<std::size_t>(dims[2] * dims[3]); }

  dnnl::memory::dims dims;
  dnnl::memory::dim strides[4];
  dnnl::memory::dim block;
  bool padded;
};

// Processes consecutive elements from the logical index `first` on; at most kChunk of bf16.
void drop_neighbours(const Mask& mask, std::uint64_t key, std::size_t first, std::size_t count,
                     const float* from, float* to) {
  mask(to, from, key, first, count);
}
void drop_neighbours(const Mask& mask, std::uint64_t key, std::size_t first, std::size_t count,
                     const Bf16* from, Bf16* to) {
  float values[kChunk];
  kernels().bf16_to_f32(values, from, count);
  mask(values, values, key, first, count);
  kernels().f32_to_bf16(to, values, count);
}

// Processes one channel of one image, whose cells are not consecutive in storage.
template <typename Element>
void drop_plane(const Storage& storage, std::size_t index, const Mask& mask, std::uint64_t key,
                const Element* from, Element* to) {
  const auto channels = static_cast<std::size_t>(storage.dims[1]);
  const std::size_t plane = storage.plane(static_cast<dnnl::memory::dim>(index / channels),
                                          static_cast<dnnl::memory::dim>(index % channels));
  const auto stride = static_cast<std::size_t>(storage.strides[3]);
  Element values[kChunk];
  for (std::size_t done = 0; done < storage.cells(); done += kChunk) {
    const std::size_t size = std::min(kChunk, storage.cells() - done);
    for (std::size_t i = 0; i < size; ++i) values[i] = from[plane + (done + i) * stride];
    drop_neighbours(mask, key, index * storage.cells() + done, size, values, values);
    for (std::size_t i = 0; i < size; ++i) to[plane + (done + i) * stride] = values[i];
  }
}

// The mask belongs to the logical index (NCHW) of an element, however it is stored.
template <typename Element>
void drop(const Storage& storage, std::size_t count, const Mask& mask, std::uint64_t key,
          const Element* from, Element* to) {
  if (!storage.in_logical_order()) {
    return parallel_indices(storage.planes(), [&](std::size_t plane) {
      drop_plane(storage, plane, mask, key, from, to);
    });
  }
  parallel_stretches(count, [&](std::size_t first, std::size_t size) {
    for (std::size_t done = first; done < first + size; done += kChunk) {
      const std::size_t part = std::min(kChunk, first + size - done);
      drop_neighbours(mask, key, done, part, from + done, to + done);
    }
  });
}

void scale_elements(const float* from, float* to, float factor, std::size_t count) {
  kernels().scale(to, factor, from, count);
}
void scale_elements(const Bf16* from, Bf16* to, float factor, std::size_t count) {
  float values[kChunk];
  for (std::size_t done = 0; done < count; done += kChunk) {
    const std::size_t size = std::min(kChunk, count - done);
    kernels().bf16_to_f32(values, from + done, size);
    kernels().scale(values, factor, values, size);
    kernels().f32_to_bf16(to + done, values, size);
  }
}

// Processes whole, consecutive images: the mask belongs to the image's number.
template <typename Element>
void drop_images(std::size_t images, std::size_t count, const Mask& mask, std::uint64_t key,
                 const Element* from, Element* to) {
  const std::size_t size = count / images;
  parallel_stretches(count, [&](std::size_t first, std::size_t stretch) {
    const std::size_t end = first + stretch;
    for (std::size_t at = first; at < end;) {
      const std::size_t image = at / size;
      const std::size_t part = std::min(end, (image + 1) * size) - at;
      const float one = 1.0f;
      float factor = 0.0f;
      mask(&factor, &one, key, image, 1);
      if (factor == 0.0f) {
        std::fill_n(to + at, part, Element{});
      } else {
        scale_elements(from + at, to + at, factor, part);
      }
      at += part;
    }
  });
}

Task image_dropout_task(const dnnl::memory& write, const dnnl::memory& read, double keep,
                        std::uint64_t key) {
  const auto images = static_cast<std::size_t>(dims_of(write.get_desc())[0]);
  return [write, read, mask = Mask(keep), key, images,
          count = element_count(write)](const TaskContext& context) {
    const std::uint64_t step_key = mix_key(key, context.step);
    if (is_bf16(write.get_desc())) {
      drop_images(images, count, mask, step_key, halves_of(read), halves_of(write));
    } else {
      drop_images(images, count, mask, step_key, floats_of(read), floats_of(write));
    }
  };
}

Task dropout_task(const dnnl::memory& write, const dnnl::memory& read, double keep,
                  std::uint64_t key) {
  const Storage storage(write.get_desc());
  return [write, read, storage, mask = Mask(keep), key,
          count = element_count(write)](const TaskContext& context) {
    const std::uint64_t step_key = mix_key(key, context.step);
    if (is_bf16(write.get_desc())) {
      drop(storage, count, mask, step_key, halves_of(read), halves_of(write));
    } else {
      drop(storage, count, mask, step_key, floats_of(read), floats_of(write));
    }
  };
}

std::uint64_t key_of(const ProgramBuilder& builder, std::size_t node) {
  const convoy_compilation& what = builder.compilation();
  return dropout_key(what.seed, what.replica, node);
}

// Returns the task for the layer's kind: single elements, or stochastic depth.
Task drop_task(const ProgramBuilder& builder, std::size_t node, const dnnl::memory& write,
               const dnnl::memory& read) {
  const convoy_layer& layer = *builder.plan(node).node->layer;
  const std::uint64_t key = key_of(builder, node);
  return layer.kind == CONVOY_LAYER_DROPOUT ? dropout_task(write, read, layer.keep, key)
                                            : image_dropout_task(write, read, layer.keep, key);
}

bool drops(const ProgramBuilder& builder, const convoy_layer& layer) {
  return builder.dropout() && layer.keep < 1.0;
}

}  // namespace

void Dropout::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const convoy_layer& layer = *plan.node->layer;
  const dnnl::memory read = builder.read(plan.inputs[0]);
  const dnnl::memory write =
      plan.in_place ? read : builder.define(node, builder.desc(plan.inputs[0]));
  if (drops(builder, layer)) {
    builder.then(drop_task(builder, node, write, read));
  } else if (!plan.in_place) {
    builder.reorder(read, write);
  }
}

void Dropout::build_backward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const convoy_layer& layer = *plan.node->layer;
  const dnnl::memory own = builder.gradient(node);
  if (drops(builder, layer)) {
    builder.then(drop_task(builder, node, own, own));
    builder.round(own);
  }
  const std::size_t input = plan.inputs[0];
  if (!plan.in_place && builder.plan(input).needs_gradient) builder.pass_gradient(input, node);
}

}  // namespace convoy::cpu
