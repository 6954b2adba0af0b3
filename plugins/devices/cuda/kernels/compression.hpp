#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"
#include "plugins/devices/shared/magnitude.hpp"

namespace convoy::cuda {

// Messages of selected and of quantised elements, bit for bit as core/plan/reference defines them:
// see CONVOY_OP_TOP_K and the operations after it.

// Device memory that the selection of the largest elements uses between its kernels. Its contents
// are not needed after the selection.
inline constexpr std::uint32_t kMostChunks = 1024;
struct SelectionMemory {
  std::uint32_t counts[kMostDigits];
  std::uint32_t limit;               // the magnitude of the last element that is taken
  std::uint32_t wanted;              // elements of that magnitude that are taken
  std::uint32_t above[kMostChunks];  // per chunk: elements above the limit, then those before it
  std::uint32_t equal[kMostChunks];
};

struct Selection {
  const float* from;
  std::uint64_t count;
  float* values;
  std::int32_t* indices;
  std::uint32_t taken;
  float* rest;  // may be null, or from
};
void top_k(Stream stream, const Selection& what, SelectionMemory* memory);

// write <- onto, or zero if that is null; write may be onto.
void start_sum(Stream stream, float* write, const float* onto, std::uint64_t count);
// write[indices[i]] += values[i]
void scatter(Stream stream, float* write, std::uint64_t size, const float* values,
             const std::int32_t* indices, std::uint64_t count);

struct Quantised {
  std::uint32_t code;  // convoy_code
  std::uint64_t block;
  std::uint64_t count;  // elements
  std::uint8_t* codes;
  float* scales;
};
// Writes a message with code_bytes bytes of codes and scale_count scales; rest may be null, or
// from.
void quantise(Stream stream, const Quantised& to, std::uint64_t code_bytes,
              std::uint64_t scale_count, const float* from, float* rest);
// write = onto (or 0) + the sum of the decoded messages. Message m starts at m * code_bytes and m *
// scale_count. write may be onto.
void dequantise(Stream stream, const Quantised& from, std::uint64_t messages,
                std::uint64_t code_bytes, std::uint64_t scale_count, float* write,
                const float* onto);

}  // namespace convoy::cuda
