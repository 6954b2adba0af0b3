#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/simulate/chakra/message_writer.hpp"

namespace convoy::simulate {

// The kinds of nodes of a Chakra execution trace that plans come to, with the schema's numbers.
enum class ChakraKind : std::uint8_t { kCompute = 4, kSend = 5, kReceive = 6, kCollective = 7 };

// What one rank does, as a Chakra execution trace has it. Dependencies are nodes of the same rank.
struct ChakraNode {
  std::uint64_t id = 0;
  ChakraKind kind = ChakraKind::kCompute;
  std::string name;
  std::vector<std::uint64_t> data_dependencies;
  std::vector<std::uint64_t> queue_dependencies;  // what its lane does before it
  double start_seconds = 0;
  double seconds = 0;

  std::uint64_t operations = 0;  // compute: two per multiply-add
  std::uint64_t bytes = 0;       // that it reads and writes, or sends
  std::uint32_t collective = 0;  // the schema's number of its kind
  std::uint32_t source = 0;      // ranks of a message
  std::uint32_t target = 0;
  std::uint32_t tag = 0;
  std::string group;  // of a collective that not all ranks take part in
};

// The node as a message of the schema. Types are those that readers ask for: sizes of messages are
// int64, ranks and tags int32, and every node says that it is no processor's.
MessageWriter chakra_message(const ChakraNode& node);

// What a trace begins with.
MessageWriter chakra_metadata();

}  // namespace convoy::simulate
