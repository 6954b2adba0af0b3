#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

namespace convoy::cuda::fake_cublas {

// What a description was told, by the number of the attribute.
class Attributes {
 public:
  void set(int attribute, const void* value, std::size_t bytes) {
    const auto* first = static_cast<const unsigned char*>(value);
    values_[attribute].assign(first, first + bytes);
  }
  // `unset` where it was told nothing.
  template <typename Value>
  Value get(int attribute, Value unset) const {
    const auto found = values_.find(attribute);
    if (found == values_.end() || found->second.size() != sizeof unset) return unset;
    std::memcpy(&unset, found->second.data(), sizeof unset);
    return unset;
  }

 private:
  std::map<int, std::vector<unsigned char>> values_;
};

// The matrices of one call: how many, and the first of a, b and d.
struct Batch {
  std::int32_t count;
  const void* a;
  const void* b;
  const void* d;
};

// cuBLASLt that computes nothing and notes what it is asked. Batches of more than 65535 matrices
// are refused. One per process.
struct World {
  Attributes proposed_for;     // the operation that the heuristic saw last
  Attributes preference;       // and what was preferred
  Attributes multiplied;       // the operation of the last product
  std::vector<Batch> batches;  // of all products
};

World& world();

}  // namespace convoy::cuda::fake_cublas
