#include "core/data/cifar10/pickle_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.hpp"

namespace convoy::data {
namespace {

using Kind = PickleValue::Kind;

// NumPy (before and since version 2) describes an array with these functions, and Python 3
// describes bytes, for which protocol 2 has no opcode.
constexpr std::array<std::string_view, 5> kFunctions = {
    "numpy.core.multiarray _reconstruct", "numpy._core.multiarray _reconstruct", "numpy ndarray",
    "numpy dtype", "_codecs encode"};

constexpr std::uint8_t kStop = '.';

}  // namespace

PickleId PickleMachine::run() {
  for (std::int64_t count = 0; count < kMostPickleOperations; ++count) {
    const std::uint8_t opcode = cursor_.next_opcode();
    if (opcode == kStop) return pop();
    const bool known = push_scalar(opcode) || use_memo(opcode) || push_text(opcode) ||
                       push_tuple(opcode) || push_collection(opcode) || extend_collection(opcode) ||
                       use_stack(opcode) || call(opcode) || skip_framing(opcode);
    if (!known) cursor_.reject("not one that arrays and lists of numbers need");
  }
  cursor_.reject("more than {} operations", std::int64_t{kMostPickleOperations});
}

bool PickleMachine::push_scalar(std::uint8_t opcode) {
  PickleValue value{.kind = Kind::kInteger};
  switch (opcode) {
    case 'N':
      value.kind = Kind::kNone;
      break;
    case 0x88:
    case 0x89:
      value.integer = 0x89 - opcode;  // True and False, from the opcode
      break;
    case 'K':
      value.integer = static_cast<std::int64_t>(cursor_.take_unsigned(1));
      break;
    case 'M':
      value.integer = static_cast<std::int64_t>(cursor_.take_unsigned(2));
      break;
    case 'J':
      value.integer = cursor_.take_signed(4);
      break;
    case 0x8a: {  // an integer of any length
      const std::uint64_t length = cursor_.take_unsigned(1);
      if (length > 8) cursor_.reject("an integer of {} bytes", length);
      value.integer = cursor_.take_signed(static_cast<int>(length));
      break;
    }
    default:
      return false;
  }
  push_new(std::move(value));
  return true;
}

// Strings of Python 2 are bytes.
bool PickleMachine::push_text(std::uint8_t opcode) {
  Kind kind = Kind::kBytes;
  int length_bytes = 4;
  switch (opcode) {
    case 'U':
    case 'C':
      length_bytes = 1;
      break;
    case 'T':
    case 'B':
      break;
    case 'X':
      kind = Kind::kText;
      break;
    case 0x8c:
      kind = Kind::kText;
      length_bytes = 1;
      break;
    default:
      return false;
  }
  const std::string_view text = cursor_.take(cursor_.take_unsigned(length_bytes));
  push_new({.kind = kind, .text = text});
  return true;
}

bool PickleMachine::push_tuple(std::uint8_t opcode) {
  switch (opcode) {
    case ')':
      push_items(Kind::kTuple, {});
      return true;
    case 't':
      push_items(Kind::kTuple, pop_to_mark());
      return true;
    case 0x85:
    case 0x86:
    case 0x87:
      break;
    default:
      return false;
  }
  std::vector<PickleId> items(opcode - std::size_t{0x84});
  for (std::size_t i = items.size(); i-- > 0;) items[i] = pop();
  push_items(Kind::kTuple, std::move(items));
  return true;
}

bool PickleMachine::push_collection(std::uint8_t opcode) {
  switch (opcode) {
    case ']':
      push_items(Kind::kList, {});
      return true;
    case 'l':
      push_items(Kind::kList, pop_to_mark());
      return true;
    case '}':
      push_items(Kind::kDictionary, {});
      return true;
    default:
      return false;
  }
}

bool PickleMachine::extend_collection(std::uint8_t opcode) {
  std::vector<PickleId> items;
  switch (opcode) {
    case 'a':
      items = {pop()};
      break;
    case 's':
      items = {pop(), pop()};
      std::swap(items[0], items[1]);
      break;
    case 'e':
    case 'u':
      items = pop_to_mark();
      break;
    default:
      return false;
  }
  const bool list = opcode == 'a' || opcode == 'e';
  PickleValue& collection =
      list ? top_of(Kind::kList, "a list") : top_of(Kind::kDictionary, "a dictionary");
  if (!list && items.size() % 2 != 0) cursor_.reject("a key without a value");
  collection.items.insert(collection.items.end(), items.begin(), items.end());
  return true;
}

bool PickleMachine::use_stack(std::uint8_t opcode) {
  switch (opcode) {
    case '(':
      marks_.push_back(stack_.size());
      return true;
    case '0':
      pop();
      return true;
    case '1':
      pop_to_mark();
      return true;
    default:
      return false;
  }
}

bool PickleMachine::use_memo(std::uint8_t opcode) {
  const auto remember = [this](std::uint64_t name) {
    top();  // checks that there is a value
    memo_[name] = stack_.back();
  };
  const auto recall = [this](std::uint64_t name) {
    const auto found = memo_.find(name);
    if (found == memo_.end()) cursor_.reject("value {} was never stored", name);
    push(found->second);
  };
  switch (opcode) {
    case 'q':
      remember(cursor_.take_unsigned(1));
      return true;
    case 'r':
      remember(cursor_.take_unsigned(4));
      return true;
    case 0x94:
      remember(memo_.size());
      return true;
    case 'h':
      recall(cursor_.take_unsigned(1));
      return true;
    case 'j':
      recall(cursor_.take_unsigned(4));
      return true;
    default:
      return false;
  }
}

bool PickleMachine::call(std::uint8_t opcode) {
  switch (opcode) {
    case 'c': {
      const std::string_view module = cursor_.take_line();
      push_function(module, cursor_.take_line());
      return true;
    }
    case 0x93: {
      const PickleId name = pop();
      const PickleId module = pop();
      push_function(values_[module].text, values_[name].text);
      return true;
    }
    case 'R': {
      top_of(Kind::kTuple, "a tuple of arguments");
      const PickleId arguments = pop();
      top_of(Kind::kFunction, "a function");
      push_items(Kind::kCall, {pop(), arguments});
      return true;
    }
    case 'b': {
      const PickleId state = pop();
      PickleValue& object = top_of(Kind::kCall, "an object");
      if (object.items.size() != 2) cursor_.reject("an object's state is set twice");
      object.items.push_back(state);
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::skip_framing(std::uint8_t opcode) {
  if (opcode == 0x80) {
    const std::uint64_t protocol = cursor_.take_unsigned(1);
    if (protocol < 2 || protocol > 4) {
      cursor_.reject("protocol {}; write the file with protocol 2, 3 or 4", protocol);
    }
    return true;
  }
  if (opcode != 0x95) return false;
  const std::uint64_t length = cursor_.take_unsigned(8);
  if (length > cursor_.left()) cursor_.reject("a frame of {} bytes does not fit", length);
  return true;
}

PickleId PickleMachine::push_new(PickleValue value) {
  const auto id = static_cast<PickleId>(values_.size());
  values_.push_back(std::move(value));
  push(id);
  return id;
}

void PickleMachine::push_function(std::string_view module, std::string_view name) {
  const std::string text = fmt::format("{:.80} {:.80}", module, name);
  const auto* const known = std::find(kFunctions.begin(), kFunctions.end(), text);
  if (known == kFunctions.end())
    cursor_.reject("asks for '{}'; only arrays and lists of numbers are read, nothing is run",
                   text);
  push_new({.kind = Kind::kFunction, .text = *known});
}

void PickleMachine::push_items(Kind kind, std::vector<PickleId> items) {
  push_new({.kind = kind, .items = std::move(items)});
}

PickleId PickleMachine::pop() {
  top();
  const PickleId id = stack_.back();
  stack_.pop_back();
  return id;
}

// Values below the last mark belong to an unfinished collection, so they are not accessible.
PickleValue& PickleMachine::top() {
  if (stack_.size() == (marks_.empty() ? 0 : marks_.back())) cursor_.reject("the stack is empty");
  return values_[stack_.back()];
}

PickleValue& PickleMachine::top_of(Kind kind, std::string_view what) {
  PickleValue& value = top();
  if (value.kind != kind) cursor_.reject("needs {} on the stack", what);
  return value;
}

std::vector<PickleId> PickleMachine::pop_to_mark() {
  if (marks_.empty()) cursor_.reject("there is no mark on the stack");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<PickleId> items(first, stack_.end());
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return items;
}

}  // namespace convoy::data
