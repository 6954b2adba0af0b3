#include "core/checkpoint/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/error.hpp"

namespace convoy::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

struct DtypeRow {
  TensorDtype dtype;
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array<DtypeRow, 15> kDtypes = {{
    {TensorDtype::kBool, "BOOL", 1},
    {TensorDtype::kU8, "U8", 1},
    {TensorDtype::kI8, "I8", 1},
    {TensorDtype::kF8E5M2, "F8_E5M2", 1},
    {TensorDtype::kF8E4M3, "F8_E4M3", 1},
    {TensorDtype::kI16, "I16", 2},
    {TensorDtype::kU16, "U16", 2},
    {TensorDtype::kF16, "F16", 2},
    {TensorDtype::kBf16, "BF16", 2},
    {TensorDtype::kI32, "I32", 4},
    {TensorDtype::kU32, "U32", 4},
    {TensorDtype::kF32, "F32", 4},
    {TensorDtype::kF64, "F64", 8},
    {TensorDtype::kI64, "I64", 8},
    {TensorDtype::kU64, "U64", 8},
}};

const DtypeRow& row_of(TensorDtype dtype) {
  return kDtypes.at(static_cast<std::size_t>(dtype));
}

float from_half(std::uint16_t bits) {
  const float sign = (bits & 0x8000u) != 0 ? -1.0f : 1.0f;
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  if (exponent == 0x1f) return sign * (fraction == 0 ? INFINITY : NAN);
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
}

float from_bfloat(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

template <typename Stored, typename Convert>
std::vector<float> convert(std::span<const std::byte> data, Convert to_float) {
  std::vector<float> values(data.size() / sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, data.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = to_float(stored);
  }
  return values;
}

}  // namespace

std::string_view tensor_dtype_name(TensorDtype dtype) {
  return row_of(dtype).name;
}

std::optional<TensorDtype> parse_tensor_dtype(std::string_view name) {
  for (const DtypeRow& row : kDtypes)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

std::uint64_t tensor_dtype_bytes(TensorDtype dtype) {
  return row_of(dtype).bytes;
}

std::optional<std::uint64_t> TensorInfo::bytes() const {
  std::uint64_t total = tensor_dtype_bytes(dtype);
  bool empty = false;  // a 0 that follows does not excuse an overflow before it
  for (const std::uint64_t dimension : shape) {
    if (dimension == 0)
      empty = true;
    else if (__builtin_mul_overflow(total, dimension, &total))
      return std::nullopt;
  }
  return empty ? 0 : total;
}

std::string shape_text(std::span<const std::uint64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Tensor make_tensor(std::string name, std::vector<std::uint64_t> shape,
                   std::span<const float> values) {
  Tensor tensor{{std::move(name), TensorDtype::kF32, std::move(shape)}, {}};
  CONVOY_CHECK_EQ(tensor.info.bytes().value_or(1), values.size_bytes());
  const auto bytes = std::as_bytes(values);
  tensor.data.assign(bytes.begin(), bytes.end());
  return tensor;
}

std::vector<float> tensor_floats(const TensorInfo& info, std::span<const std::byte> data) {
  switch (info.dtype) {
    case TensorDtype::kF32:
      return convert<float>(data, [](float value) { return value; });
    case TensorDtype::kF64:
      return convert<double>(data, [](double value) { return static_cast<float>(value); });
    case TensorDtype::kF16:
      return convert<std::uint16_t>(data, from_half);
    case TensorDtype::kBf16:
      return convert<std::uint16_t>(data, from_bfloat);
    default:
      fail(ExitCode::kFailed, "tensor '{}' is of type {}, but floating-point numbers are expected",
           printable(info.name), tensor_dtype_name(info.dtype));
  }
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  std::string result;
  for (const char c : text.substr(0, kLongest)) {
    if (c >= 0x20 && c < 0x7f)
      result += c;
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (text.size() > kLongest) result += "...";
  return result;
}

}  // namespace convoy::checkpoint
