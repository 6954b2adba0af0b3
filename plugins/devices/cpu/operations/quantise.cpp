#include "plugins/devices/cpu/operations/operations.hpp"

#include <array>
#include <bit>
#include <limits>

#include "plugins/devices/cpu/kernels/compression.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/shared/magnitude.hpp"
#include "plugins/devices/shared/message_shape.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kPiece = 1280;  // elements; they fill whole bytes of every code

float largest_code(Code code) {
  return code == Code::k4Bits ? 7.0f : 127.0f;
}

float scale_of(Code code, const float* block, std::size_t count) {
  const std::uint32_t largest = compression_kernels().largest_magnitude(block, count);
  if (largest >= kInfinite) return std::numeric_limits<float>::quiet_NaN();
  if (code == Code::kSign) return compression_kernels().mean_magnitude(block, count);
  return std::bit_cast<float>(largest) / largest_code(code);
}

// Calls body(first, count, block) for the elements that [first, first + count) has in each block.
template <typename Body>
void for_each_block(std::size_t first, std::size_t count, std::uint64_t block, const Body& body) {
  const std::size_t end = first + count;
  while (first < end) {
    const std::size_t index = first / block;
    const std::size_t left = block - first % block;
    const std::size_t size = std::min(left, end - first);
    body(first, size, index);
    first += size;
  }
}

// Calls body(byte, first, count) for pieces of all elements; `byte` is the first byte of a piece's
// codes.
template <typename Body>
void for_each_piece(const Coding& coding, std::size_t count, const Body& body) {
  const std::size_t per_byte = coding.per_byte();
  parallel_stretches(
      coding.code_bytes(count),
      [&](std::size_t byte, std::size_t bytes) {
        const std::size_t end = std::min(count, (byte + bytes) * per_byte);
        for (std::size_t first = byte * per_byte; first < end; first += kPiece)
          body(first / per_byte, first, std::min(kPiece, end - first));
      },
      kParallelGrain / per_byte);
}

// `codes` must be zero behind the last element, up to a whole byte.
void pack(Code code, const std::int8_t* codes, std::uint8_t* bytes, std::size_t count) {
  if (code == Code::k8Bits) {
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(codes[i]);
  } else if (code == Code::k4Bits) {
    for (std::size_t i = 0; 2 * i < count; ++i)
      bytes[i] = static_cast<std::uint8_t>((codes[2 * i] & 15) | (codes[2 * i + 1] & 15) << 4);
  } else {
    for (std::size_t i = 0; 5 * i < count; ++i) {
      const std::int8_t* it = codes + 5 * i;
      bytes[i] = static_cast<std::uint8_t>((1 + it[0]) + 3 * (1 + it[1]) + 9 * (1 + it[2]) +
                                           27 * (1 + it[3]) + 81 * (1 + it[4]));
    }
  }
}

// The five signs that every byte encodes.
using SignTable = std::array<std::array<std::int8_t, 5>, 256>;
constexpr SignTable make_sign_table() {
  SignTable table{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::size_t digits = byte;
    for (std::int8_t& sign : table[byte]) {
      sign = static_cast<std::int8_t>(static_cast<int>(digits % 3) - 1);
      digits /= 3;
    }
  }
  return table;
}
constexpr SignTable kSigns = make_sign_table();

// Unpacks whole bytes, which may contain a few more elements than there are.
void unpack(Code code, const std::uint8_t* bytes, std::int8_t* codes, std::size_t count) {
  if (code == Code::k8Bits) {
    for (std::size_t i = 0; i < count; ++i) codes[i] = static_cast<std::int8_t>(bytes[i]);
  } else if (code == Code::k4Bits) {
    for (std::size_t i = 0; 2 * i < count; ++i) {
      codes[2 * i] = static_cast<std::int8_t>(((bytes[i] & 15) ^ 8) - 8);
      codes[2 * i + 1] = static_cast<std::int8_t>(((bytes[i] >> 4) ^ 8) - 8);
    }
  } else {
    for (std::size_t i = 0; 5 * i < count; ++i)
      for (std::size_t k = 0; k < 5; ++k) codes[5 * i + k] = kSigns[bytes[i]][k];
  }
}

void make_codes(Code code, const float* from, float scale, std::int8_t* codes, std::size_t count) {
  if (!(scale > 0))
    std::fill(codes, codes + count, std::int8_t{0});
  else if (code == Code::kSign)
    compression_kernels().signs(codes, from, count);
  else
    compression_kernels().round_codes(codes, from, scale, largest_code(code), count);
}

}  // namespace

void quantise(const convoy_submission& operation) {
  const MessageRegions it = message_regions(operation);
  const auto* from = static_cast<const float*>(it.whole.data);
  auto* scales = static_cast<float*>(it.message[1].data);
  const std::size_t count = it.whole.count;
  const std::uint64_t block = it.coding.block;
  parallel_indices(it.message[1].count, [&](std::size_t i) {
    scales[i] = scale_of(it.coding.code, from + i * block, std::min(block, count - i * block));
  });
  for_each_piece(it.coding, count, [&](std::size_t byte, std::size_t first, std::size_t size) {
    alignas(64) std::int8_t codes[kPiece + 8] = {};
    for_each_block(first, size, block, [&](std::size_t begin, std::size_t part, std::size_t index) {
      std::int8_t* own = codes + (begin - first);
      make_codes(it.coding.code, from + begin, scales[index], own, part);
      if (it.third != nullptr)
        compression_kernels().leave_rest(static_cast<float*>(it.third->data) + begin, from + begin,
                                         own, scales[index], part);
    });
    pack(it.coding.code, codes, static_cast<std::uint8_t*>(it.message[0].data) + byte, size);
  });
}

void dequantise(const convoy_submission& operation) {
  const MessageRegions it = message_regions(operation);
  auto* to = static_cast<float*>(it.whole.data);
  const auto* onto = it.third == nullptr ? nullptr : static_cast<const float*>(it.third->data);
  const auto add = [&](std::uint64_t message, std::size_t byte, std::size_t first,
                       std::size_t size) {
    alignas(64) std::int8_t codes[kPiece + 8];
    const auto* bytes = static_cast<const std::uint8_t*>(it.message[0].data);
    unpack(it.coding.code, bytes + message * it.per_message(0) + byte, codes, size);
    const float* scales =
        static_cast<const float*>(it.message[1].data) + message * it.per_message(1);
    for_each_block(
        first, size, it.coding.block, [&](std::size_t begin, std::size_t part, std::size_t index) {
          compression_kernels().add_codes(to + begin, codes + (begin - first), scales[index], part);
        });
  };
  for_each_piece(it.coding, it.whole.count,
                 [&](std::size_t byte, std::size_t first, std::size_t size) {
                   if (onto == nullptr)
                     std::fill(to + first, to + first + size, 0.0f);
                   else if (onto != to)
                     std::copy(onto + first, onto + first + size, to + first);
                   for (std::uint64_t message = 0; message < it.messages; ++message)
                     add(message, byte, first, size);
                 });
}

}  // namespace convoy::cpu
