#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace convoy::data {

// Larger files and longer programs are refused. A file of CIFAR-10 has 31 MB (62 MB if Python 3
// writes its bytes as text) and fewer than a hundred thousand operations.
inline constexpr std::uint64_t kLargestPickle = std::uint64_t{1} << 27;
inline constexpr std::int64_t kMostPickleOperations = 2'000'000;

// A value of a pickle, by its index in the document. Values may be shared and, in hostile files,
// contain themselves, so every traversal needs a bound of its own.
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
    kCall,        // items: function, tuple of arguments and, if there is one, the state
  };
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;
  std::string_view text = {};
  std::vector<PickleId> items = {};
};

// The content of a Python pickle of protocol 2, 3 or 4, read without running anything. Calls stay
// symbols, and only the functions with which NumPy describes arrays, and Python describes bytes,
// are accepted. Throws Error (kFailed) naming file, byte and opcode for everything else. Texts are
// views of the given bytes, which must outlive the document.
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
