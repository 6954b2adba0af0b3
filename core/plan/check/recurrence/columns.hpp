#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace convoy::plan::check {

// The meaning of a matrix's columns, in order of first use.
template <typename Key>
class Columns {
 public:
  std::uint32_t of(const Key& key) {
    const auto [it, inserted] = numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (inserted) keys_.push_back(key);
    return it->second;
  }
  std::vector<Key> take() { return std::move(keys_); }

 private:
  std::vector<Key> keys_;
  std::map<Key, std::uint32_t> numbers_;
};

}  // namespace convoy::plan::check
