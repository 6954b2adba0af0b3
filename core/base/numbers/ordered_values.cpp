#include "core/base/numbers/ordered_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"

namespace convoy {
namespace {

constexpr std::size_t kMostInBlock = 512;

// Numbers count from 1.
constexpr std::size_t lowest_bit(std::size_t number) {
  return number & (~number + 1);
}

std::vector<std::size_t> partial_sums(const std::vector<std::vector<double>>& blocks) {
  std::vector<std::size_t> sums(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    sums[i] += blocks[i].size();
    const std::size_t above = i + lowest_bit(i + 1);
    if (above < blocks.size()) sums[above] += sums[i];
  }
  return sums;
}

}  // namespace

void OrderedValues::insert(double value) {
  CONVOY_CHECK(std::isfinite(value));
  if (blocks_.empty()) {
    blocks_.emplace_back();
    sums_.push_back(0);
  }
  // The last block that begins below the value, or the first block.
  const auto above = std::ranges::lower_bound(blocks_.begin() + 1, blocks_.end(), value, {},
                                              [](const auto& block) { return block.front(); });
  const auto number = static_cast<std::size_t>(above - blocks_.begin()) - 1;
  std::vector<double>& block = blocks_[number];
  block.insert(std::ranges::upper_bound(block, value), value);
  ++size_;
  for (std::size_t i = number; i < sums_.size(); i += lowest_bit(i + 1)) ++sums_[i];
  if (block.size() > kMostInBlock) split(number);
}

void OrderedValues::split(std::size_t block) {
  std::vector<double>& lower = blocks_[block];
  const auto middle = lower.begin() + static_cast<std::ptrdiff_t>(lower.size() / 2);
  std::vector<double> upper(middle, lower.end());
  lower.erase(middle, lower.end());
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(block) + 1, std::move(upper));
  sums_ = partial_sums(blocks_);
}

double OrderedValues::at(std::size_t rank) const {
  CONVOY_CHECK_LT(rank, size_);
  std::size_t before = 0;  // number of blocks before the value
  for (std::size_t step = std::bit_floor(blocks_.size()); step > 0; step /= 2) {
    if (before + step > blocks_.size() || sums_[before + step - 1] > rank) continue;
    before += step;
    rank -= sums_[before - 1];
  }
  return blocks_[before][rank];
}

}  // namespace convoy
