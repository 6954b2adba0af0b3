#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace convoy::data {

// Larger files and longer programs are refused: a file of CIFAR-10 has 31 MB (62 MB where Python 3
// spells its bytes as text) and fewer than a hundred thousand operations.
inline constexpr std::uint64_t kLargestPickle = std::uint64_t{1} << 27;
inline constexpr std::int64_t kMostPickleOperations = 2'000'000;

// A value of a pickle, by its place in the document: values may be shared and, in hostile files,
// contain themselves, so nothing may walk through them without a bound of its own.
using PickleId = std::uint32_t;

struct PickleValue {
  enum class Kind {
    kNone,
    kInteger,  // also False and True
    kBytes,
    kText,        // UTF-8, not verified
    kTuple,       // items
    kList,        // items
    kDictionary,  // items: key, value, key, value ...
    kFunction,    // text: "module name"
    kCall,        // items: function, tuple of arguments and, where there is one, the state
  };
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;
  std::string_view text = {};
  std::vector<PickleId> items = {};
};

// What a Python pickle of protocol 2, 3 or 4 describes, read without running anything: calls stay
// symbols, and only of the functions with which NumPy describes arrays and Python bytes. Throws
// Error (kFailed) naming file, byte and opcode for everything else. Texts are views of the bytes
// that were given, which must outlive the document.
class Pickle {
 public:
  // `path` is for messages.
  Pickle(std::string_view bytes, const std::filesystem::path& path);

  const PickleValue& root() const { return at(root_); }
  const PickleValue& at(PickleId id) const { return values_.at(id); }

 private:
  friend class PickleMachine;

  std::vector<PickleValue> values_;
  PickleId root_ = 0;
};

}  // namespace convoy::data
