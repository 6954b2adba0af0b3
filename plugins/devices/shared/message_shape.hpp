#pragma once

#include <convoy/abi.h>
#include <convoy/compression.hpp>
#include <convoy/operation_traits.hpp>

#include <cstdint>

namespace convoy {

inline bool is_compression(std::uint32_t kind) {
  const OperationTraits* const traits = find_operation_traits(kind);
  return traits != nullptr && traits->work == OperationWork::kMessages;
}

// Whether these are the types of the first read and the first write of such an operation.
inline bool is_compressed_dtype(std::uint32_t kind, std::uint32_t read, std::uint32_t write) {
  const bool codes_written = kind == CONVOY_OP_QUANTISE;
  const bool codes_read = kind == CONVOY_OP_DEQUANTISE;
  return read == (codes_read ? std::uint32_t{CONVOY_U8} : std::uint32_t{CONVOY_F32}) &&
         write == (codes_written ? std::uint32_t{CONVOY_U8} : std::uint32_t{CONVOY_F32});
}

// The regions of top_k, scatter, quantise or dequantise by their meaning.
struct MessageRegions {
  convoy_region message[2];    // values and indices, or codes and scales
  convoy_region whole;         // the span to compress, or to make from messages
  const convoy_region* third;  // the rest, or the summand of messages; null: none
  std::uint64_t messages;
  Coding coding;  // for quantise and dequantise

  std::uint64_t per_message(std::uint32_t part) const { return message[part].count / messages; }
};

// Requires two or three regions on the side of the message, one on the other, and sizes.
inline MessageRegions message_regions(const convoy_submission& it) {
  const bool packs = it.kind == CONVOY_OP_TOP_K || it.kind == CONVOY_OP_QUANTISE;
  const convoy_region* message = packs ? it.writes : it.reads;
  const std::uint64_t count = packs ? it.write_count : it.read_count;
  MessageRegions result{{message[0], message[1]},
                        packs ? it.reads[0] : it.writes[0],
                        count > 2 ? message + 2 : nullptr,
                        1,
                        {}};
  if (it.kind == CONVOY_OP_SCATTER) result.messages = it.sizes[0];
  if (it.kind == CONVOY_OP_DEQUANTISE) result.messages = it.sizes[2];
  if (it.kind == CONVOY_OP_QUANTISE || it.kind == CONVOY_OP_DEQUANTISE)
    result.coding = {static_cast<Code>(it.sizes[0]), it.sizes[1]};
  return result;
}

inline bool messages_fit(const convoy_submission& it) {
  const bool packs = it.kind == CONVOY_OP_TOP_K || it.kind == CONVOY_OP_QUANTISE;
  const std::uint64_t spans = packs ? it.write_count : it.read_count;
  if (it.sizes == nullptr || spans < 2 || spans > 3) return false;
  if ((packs ? it.read_count : it.write_count) != 1) return false;
  const MessageRegions all = message_regions(it);
  const std::uint64_t count = all.whole.count;
  if (all.messages == 0 || (all.third != nullptr && all.third->count != count)) return false;
  if (it.kind == CONVOY_OP_TOP_K || it.kind == CONVOY_OP_SCATTER)
    return all.message[0].count == all.message[1].count &&
           all.message[0].count % all.messages == 0 && all.per_message(0) <= count &&
           all.message[1].dtype == CONVOY_I32;
  return all.coding.block > 0 && all.message[1].dtype == CONVOY_F32 &&
         all.message[0].count == all.messages * all.coding.code_bytes(count) &&
         all.message[1].count == all.messages * all.coding.scales(count);
}

}  // namespace convoy
