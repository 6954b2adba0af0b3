#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace convoy::simulate {

// Sorts lists of distinct numbers below a bound. A list that holds a large part of the numbers
// below the bound is sorted faster by marking them.
class NumberSorter {
 public:
  void sort(std::vector<std::uint32_t>& numbers, std::size_t bound) {
    const std::size_t words = bound / kBits + 1;
    if (numbers.size() < std::max(kMany, words / 4))
      return std::sort(numbers.begin(), numbers.end());
    marked_.resize(std::max(marked_.size(), words), 0);
    for (const std::uint32_t number : numbers)
      marked_[number / kBits] |= std::uint64_t{1} << number % kBits;
    numbers.clear();
    for (std::size_t i = 0; i < words; ++i)
      for (std::uint64_t rest = std::exchange(marked_[i], 0); rest != 0; rest &= rest - 1)
        numbers.push_back(static_cast<std::uint32_t>(
            kBits * i + static_cast<std::size_t>(std::countr_zero(rest))));
  }

 private:
  static constexpr std::size_t kBits = 64;
  static constexpr std::size_t kMany = 24;
  std::vector<std::uint64_t> marked_;  // bits of numbers, all 0 between calls
};

}  // namespace convoy::simulate
