#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "core/plan/check/parts/part_items.hpp"
#include "core/plan/check/parts/part_reaches.hpp"

namespace convoy::check {

// What the lengths of stretches are called in the names of what kernels and compressors write, for
// one part after the other.
class PartLengths {
 public:
  PartLengths(const Plan& plan, const ScratchLives& lives, const Stretches& stretches,
              const PartReaches& reaches)
      : plan_(plan), lives_(lives), stretches_(stretches), reaches_(reaches) {}

  void enter(std::span<const PartItems::Item> items);
  std::uint64_t of(std::uint32_t stretch) {
    const std::uint64_t elements = stretches_.length(stretch);
    return scalable_ ? known_.try_emplace(elements, known_.size()).first->second : elements;
  }

 private:
  bool has_whole_messages(const Operation& operation) const;

  const Plan& plan_;
  const ScratchLives& lives_;
  const Stretches& stretches_;
  const PartReaches& reaches_;
  bool scalable_ = false;
  std::map<std::uint64_t, std::size_t> known_;  // by their appearance, where that is enough
};

}  // namespace convoy::check
