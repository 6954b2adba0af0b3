#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/simulate/chakra/message_writer.hpp"

namespace convoy::simulate {

// The kinds of nodes that the Chakra execution trace of a plan has, with the schema's numbers.
enum class ChakraKind : std::uint8_t { kCompute = 4, kSend = 5, kReceive = 6, kCollective = 7 };

// One node of a rank's Chakra execution trace. Its dependencies are nodes of the same rank.
struct ChakraNode {
  std::uint64_t id = 0;
  ChakraKind kind = ChakraKind::kCompute;
  std::string name;
  std::vector<std::uint64_t> data_dependencies;
  std::vector<std::uint64_t> queue_dependencies;  // nodes that come before it in its lane
  double start_seconds = 0;
  double seconds = 0;

  std::uint64_t operations = 0;  // compute: two per multiply-add
  std::uint64_t bytes = 0;       // that the node reads and writes, or sends
  std::uint32_t collective = 0;  // the schema's number of its kind
  std::uint32_t source = 0;      // the ranks that a message goes between
  std::uint32_t target = 0;
  std::uint32_t tag = 0;
  std::string group;  // of a collective; empty if all ranks take part
};

// Encodes the node as a message of the schema, with the types that readers expect: sizes of
// messages are int64, ranks and tags are int32, and every node states that it does not run on the
// host processor.
MessageWriter chakra_message(const ChakraNode& node);

// The message at the start of a trace.
MessageWriter chakra_metadata();

}  // namespace convoy::simulate
