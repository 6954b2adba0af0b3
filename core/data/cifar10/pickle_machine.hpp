#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/data/cifar10/pickle.hpp"
#include "core/data/cifar10/pickle_cursor.hpp"

namespace convoy::data {

// Runs a pickle's program, which builds values on a stack, into a Pickle. An object is used once.
class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, const std::filesystem::path& path, Pickle& document)
      : cursor_(bytes, path), values_(document.values_) {}

  // Returns the value on top of the stack when the program ends.
  PickleId run();

 private:
  // Each of these handles a family of opcodes and returns false if `opcode` does not belong to it.
  bool push_scalar(std::uint8_t opcode);
  bool push_text(std::uint8_t opcode);
  bool push_tuple(std::uint8_t opcode);
  bool push_collection(std::uint8_t opcode);
  bool extend_collection(std::uint8_t opcode);
  bool use_stack(std::uint8_t opcode);
  bool use_memo(std::uint8_t opcode);
  bool call(std::uint8_t opcode);
  bool skip_framing(std::uint8_t opcode);

  void push(PickleId id) { stack_.push_back(id); }
  PickleId push_new(PickleValue value);
  void push_function(std::string_view module, std::string_view name);
  PickleId pop();
  PickleValue& top();
  PickleValue& top_of(PickleValue::Kind kind, std::string_view what);
  std::vector<PickleId> pop_to_mark();
  void push_items(PickleValue::Kind kind, std::vector<PickleId> items);

  PickleCursor cursor_;
  std::vector<PickleValue>& values_;
  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::unordered_map<std::uint64_t, PickleId> memo_;
};

}  // namespace convoy::data
