#include "core/simulate/chakra/chakra_node.hpp"

#include <algorithm>
#include <cmath>

namespace convoy::simulate {
namespace {

// The numbers of the fields of Node, AttributeProto and GlobalMetadata in MLCommons' et_def.proto.
namespace node_field {
constexpr std::uint32_t kId = 1;
constexpr std::uint32_t kName = 2;
constexpr std::uint32_t kType = 3;
constexpr std::uint32_t kControlDependencies = 4;
constexpr std::uint32_t kDataDependencies = 5;
constexpr std::uint32_t kStartMicroseconds = 6;
constexpr std::uint32_t kMicroseconds = 7;
constexpr std::uint32_t kAttribute = 10;
}  // namespace node_field

namespace attribute_field {
constexpr std::uint32_t kName = 1;
constexpr std::uint32_t kInt32 = 7;
constexpr std::uint32_t kInt64 = 9;
constexpr std::uint32_t kUint64 = 13;
constexpr std::uint32_t kBool = 27;
constexpr std::uint32_t kString = 29;
}  // namespace attribute_field

constexpr std::uint32_t kMetadataVersion = 1;
constexpr const char* kVersion = "0.0.4";

class Attributes {
 public:
  explicit Attributes(MessageWriter& node) : node_(node) {}

  void number(const char* name, std::uint32_t type, std::uint64_t value) {
    MessageWriter attribute;
    attribute.text(attribute_field::kName, name);
    attribute.number(type, value);
    node_.text(node_field::kAttribute, attribute.bytes());
  }

  void text(const char* name, const std::string& value) {
    MessageWriter attribute;
    attribute.text(attribute_field::kName, name);
    attribute.text(attribute_field::kString, value);
    node_.text(node_field::kAttribute, attribute.bytes());
  }

 private:
  MessageWriter& node_;
};

void add_attributes(const ChakraNode& node, Attributes attributes) {
  attributes.number("is_cpu_op", attribute_field::kBool, 0);
  if (node.kind == ChakraKind::kCompute) {
    attributes.number("num_ops", attribute_field::kInt64, node.operations);
    attributes.number("tensor_size", attribute_field::kUint64, node.bytes);
    return;
  }
  attributes.number("comm_size", attribute_field::kInt64, node.bytes);
  if (node.kind == ChakraKind::kCollective) {
    attributes.number("comm_type", attribute_field::kInt64, node.collective);
    if (!node.group.empty()) attributes.text("pg_name", node.group);
    return;
  }
  attributes.number("comm_src", attribute_field::kInt32, node.source);
  attributes.number("comm_dst", attribute_field::kInt32, node.target);
  attributes.number("comm_tag", attribute_field::kInt32, node.tag);
}

std::uint64_t microseconds(double seconds) {
  return seconds > 0 ? static_cast<std::uint64_t>(std::llround(1e6 * seconds)) : 0;
}

}  // namespace

MessageWriter chakra_message(const ChakraNode& node) {
  MessageWriter message;
  message.number(node_field::kId, node.id);
  message.text(node_field::kName, node.name);
  message.number(node_field::kType, static_cast<std::uint64_t>(node.kind));
  message.numbers(node_field::kControlDependencies, node.queue_dependencies);
  message.numbers(node_field::kDataDependencies, node.data_dependencies);
  message.number(node_field::kStartMicroseconds, microseconds(node.start_seconds));
  // Readers refuse a node without a duration.
  message.number(node_field::kMicroseconds, std::max<std::uint64_t>(1, microseconds(node.seconds)));
  add_attributes(node, Attributes(message));
  return message;
}

MessageWriter chakra_metadata() {
  MessageWriter message;
  message.text(kMetadataVersion, kVersion);
  return message;
}

}  // namespace convoy::simulate
