#pragma once

// Supports oneDNN 2.6 and 3. Only this file and onednn.cpp contain the differences between their
// interfaces. The functions have the form of version 3.

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <vector>

namespace convoy::cpu {

static_assert(
    DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP,
    "a CPU device gives each of its threads' teams to oneDNN by OpenMP: use a oneDNN that "
    "was built with DNNL_CPU_RUNTIME=OMP");

using Desc = dnnl::memory::desc;

// The memory layout of a desc's elements. `strides` are those of whole blocks. Inner blocks are
// listed from the outermost to the innermost.
struct BlockedLayout {
  dnnl::memory::dims padded, strides;
  std::vector<dnnl::memory::dim> inner_dimensions, inner_sizes;

  bool operator==(const BlockedLayout&) const = default;
};

// Returns nothing for layouts that only the library can read, and for parts of a larger memory.
std::optional<BlockedLayout> blocked_layout(const Desc& desc);

// Returns the desc of float32 elements with that layout. Throws std::invalid_argument when the
// library has no such layout.
Desc blocked_desc(const dnnl::memory::dims& dims, const BlockedLayout& layout);

// The desc of float32 elements in the order of their dimensions.
Desc plain_desc(const dnnl::memory::dims& dims);

// The number of elements along a dimension, including the padding of blocks.
std::size_t padded_size(const Desc& desc, int dimension);

#if DNNL_VERSION_MAJOR >= 3

inline dnnl::memory::dims dims_of(const Desc& desc) {
  return desc.get_dims();
}

inline dnnl::memory::data_type type_of(const Desc& desc) {
  return desc.get_data_type();
}

// Returns the description of a primitive; `shape` has the arguments of version 3 after the engine.
template <typename Primitive, typename... Shape>
typename Primitive::primitive_desc describe(const dnnl::engine& engine,
                                            const dnnl::primitive_attr& attributes,
                                            const Shape&... shape) {
  return {engine, shape..., attributes};
}

// The same for a gradient, which belongs to a forward pass.
template <typename Primitive, typename Forward, typename... Shape>
typename Primitive::primitive_desc describe_gradient(const dnnl::engine& engine,
                                                     const dnnl::primitive_attr& attributes,
                                                     const Forward& forward,
                                                     const Shape&... shape) {
  return {engine, shape..., forward, attributes};
}

// Whether the gradient of a batch norm requires beta as an input, although it does not use it.
inline constexpr bool kGradientReadsShift = false;

inline void append_eltwise(dnnl::post_ops& operations, dnnl::algorithm algorithm, float alpha,
                           float beta) {
  operations.append_eltwise(algorithm, alpha, beta);
}

#else

inline dnnl::memory::dims dims_of(const Desc& desc) {
  return desc.dims();
}

inline dnnl::memory::data_type type_of(const Desc& desc) {
  return desc.data_type();
}

// Converts the arguments of version 3 to those of a version 2 description, if they differ.
template <typename Primitive>
struct Shapes {
  template <typename... Shape>
  static auto desc(const Shape&... shape) {
    return typename Primitive::desc(shape...);
  }
};

// Drops the dilation.
template <>
struct Shapes<dnnl::pooling_forward> {
  template <typename Dims>
  static auto desc(dnnl::prop_kind kind, dnnl::algorithm algorithm, const Desc& source,
                   const Desc& result, const Dims& strides, const Dims& kernel, const Dims&,
                   const Dims& before, const Dims& after) {
    return dnnl::pooling_forward::desc(kind, algorithm, source, result, strides, kernel, before,
                                       after);
  }
};

template <>
struct Shapes<dnnl::pooling_backward> {
  template <typename Dims>
  static auto desc(dnnl::algorithm algorithm, const Desc& source, const Desc& result,
                   const Dims& strides, const Dims& kernel, const Dims&, const Dims& before,
                   const Dims& after) {
    return dnnl::pooling_backward::desc(algorithm, source, result, strides, kernel, before, after);
  }
};

// Uses one desc for source and result.
template <>
struct Shapes<dnnl::batch_normalization_forward> {
  static auto desc(dnnl::prop_kind kind, const Desc& source, const Desc&, float epsilon,
                   dnnl::normalization_flags flags) {
    return dnnl::batch_normalization_forward::desc(kind, source, epsilon, flags);
  }
};

template <>
struct Shapes<dnnl::batch_normalization_backward> {
  static auto desc(dnnl::prop_kind kind, const Desc& source_gradient, const Desc&,
                   const Desc& source, float epsilon, dnnl::normalization_flags flags) {
    return dnnl::batch_normalization_backward::desc(kind, source_gradient, source, epsilon, flags);
  }
};

template <>
struct Shapes<dnnl::lrn_forward> {
  static auto desc(dnnl::prop_kind kind, dnnl::algorithm algorithm, const Desc& source, const Desc&,
                   dnnl::memory::dim size, float alpha, float beta, float offset) {
    return dnnl::lrn_forward::desc(kind, algorithm, source, size, alpha, beta, offset);
  }
};

template <>
struct Shapes<dnnl::lrn_backward> {
  static auto desc(dnnl::algorithm algorithm, const Desc& source_gradient, const Desc&,
                   const Desc& source, dnnl::memory::dim size, float alpha, float beta,
                   float offset) {
    return dnnl::lrn_backward::desc(algorithm, source, source_gradient, size, alpha, beta, offset);
  }
};

template <>
struct Shapes<dnnl::softmax_forward> {
  static auto desc(dnnl::prop_kind kind, dnnl::algorithm, const Desc& source, const Desc&,
                   int axis) {
    return dnnl::softmax_forward::desc(kind, source, axis);
  }
};

template <>
struct Shapes<dnnl::softmax_backward> {
  static auto desc(dnnl::algorithm, const Desc& source_gradient, const Desc&, const Desc& result,
                   int axis) {
    return dnnl::softmax_backward::desc(source_gradient, result, axis);
  }
};

template <>
struct Shapes<dnnl::eltwise_forward> {
  static auto desc(dnnl::prop_kind kind, dnnl::algorithm algorithm, const Desc& source, const Desc&,
                   float alpha, float beta) {
    return dnnl::eltwise_forward::desc(kind, algorithm, source, alpha, beta);
  }
};

template <>
struct Shapes<dnnl::eltwise_backward> {
  static auto desc(dnnl::algorithm algorithm, const Desc& source_gradient, const Desc&,
                   const Desc& source, float alpha, float beta) {
    return dnnl::eltwise_backward::desc(algorithm, source_gradient, source, alpha, beta);
  }
};

template <typename Primitive, typename... Shape>
typename Primitive::primitive_desc describe(const dnnl::engine& engine,
                                            const dnnl::primitive_attr& attributes,
                                            const Shape&... shape) {
  return {Shapes<Primitive>::desc(shape...), attributes, engine};
}

template <typename Primitive, typename Forward, typename... Shape>
typename Primitive::primitive_desc describe_gradient(const dnnl::engine& engine,
                                                     const dnnl::primitive_attr& attributes,
                                                     const Forward& forward,
                                                     const Shape&... shape) {
  return {Shapes<Primitive>::desc(shape...), attributes, engine, forward};
}

inline constexpr bool kGradientReadsShift = true;

inline void append_eltwise(dnnl::post_ops& operations, dnnl::algorithm algorithm, float alpha,
                           float beta) {
  operations.append_eltwise(1.0f, algorithm, alpha, beta);
}

#endif

}  // namespace convoy::cpu
