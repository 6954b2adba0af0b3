#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::checkpoint {

// The element types of safetensors, in the order of increasing size.
enum class TensorDtype {
  kBool,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kI16,
  kU16,
  kF16,
  kBf16,
  kI32,
  kU32,
  kF32,
  kF64,
  kI64,
  kU64
};

// Returns the type's name in files, such as "F32".
std::string_view tensor_dtype_name(TensorDtype dtype);
std::optional<TensorDtype> parse_tensor_dtype(std::string_view name);
std::uint64_t tensor_dtype_bytes(TensorDtype dtype);  // size of an element

// A file's description of a tensor. Elements are row-major. A scalar has an empty shape.
struct TensorInfo {
  std::string name;
  TensorDtype dtype = TensorDtype::kF32;
  std::vector<std::uint64_t> shape;

  // Returns the bytes of all elements; empty if the number exceeds 64 bits.
  std::optional<std::uint64_t> bytes() const;
};

// Returns a text such as "[64, 3, 7, 7]".
std::string shape_text(std::span<const std::uint64_t> shape);

// A tensor in memory, little-endian like the file.
struct Tensor {
  TensorInfo info;
  std::vector<std::byte> data;
};

Tensor make_tensor(std::string name, std::vector<std::uint64_t> shape,
                   std::span<const float> values);

// Returns the values of a floating-point tensor (16, 32 or 64 bits) as f32. Error kFailed naming
// the tensor for any other dtype.
std::vector<float> tensor_floats(const TensorInfo& info, std::span<const std::byte> data);

// Makes text from a file fit for a message: escapes control characters and bytes outside ASCII, and
// cuts it at 200 characters.
std::string printable(std::string_view text);

}  // namespace convoy::checkpoint
