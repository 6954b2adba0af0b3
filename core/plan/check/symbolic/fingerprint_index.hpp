#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace convoy::plan::check {

// A hash table with open addressing, from hashes to numbers of items. A check makes millions of
// lookups of items that are scattered in memory. A lookup here touches one cache line, and the item
// itself only if its hash is in the table.
class FingerprintIndex {
 public:
  // Returns the number of the item for which `equal` is true. If there is none, stores and returns
  // `fresh`.
  template <typename Equal>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t fresh, Equal equal) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[find(tag_of(hash), equal)];
    if (slot.number != kEmpty) return slot.number;
    slot = {tag_of(hash), fresh};
    ++used_;
    return fresh;
  }
  // Returns the number of an item that is in the table. The table must not be empty.
  template <typename Equal>
  std::uint32_t at(std::uint64_t hash, Equal equal) const {
    return slots_[find(tag_of(hash), equal)].number;
  }

 private:
  static constexpr std::uint32_t kEmpty = UINT32_MAX;
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t number = kEmpty;
  };

  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }

  template <typename Equal>
  std::size_t find(std::uint32_t tag, Equal equal) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = tag & mask;
    while (slots_[at].number != kEmpty && (slots_[at].tag != tag || !equal(slots_[at].number)))
      at = (at + 1) & mask;
    return at;
  }

  void grow() {
    const std::vector<Slot> old = std::exchange(
        slots_, std::vector<Slot>(slots_.empty() ? std::size_t{64} : 2 * slots_.size()));
    const auto nothing = [](std::uint32_t) { return false; };
    for (const Slot& slot : old)
      if (slot.number != kEmpty) slots_[find(slot.tag, nothing)] = slot;
  }

  std::vector<Slot> slots_;  // their number is a power of two, and at least half of them are empty
  std::size_t used_ = 0;
};

}  // namespace convoy::plan::check
