#pragma once

#include <cstddef>
#include <vector>

namespace convoy {

// A growing set of values in ascending order. With n values, inserting one and reading one by rank
// take O(log n) time plus a constant. A value takes 8 to 16 bytes.
class OrderedValues {
 public:
  // The value must be finite.
  void insert(double value);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Returns the value that has `rank` values before it. `rank` must be below size().
  double at(std::size_t rank) const;

 private:
  void split(std::size_t block);

  // Each block is in ascending order, and so are the blocks. No block is empty.
  std::vector<std::vector<double>> blocks_;
  // A Fenwick tree of the blocks' sizes: element i is the sum over the last (i + 1) & -(i + 1)
  // blocks up to block i.
  std::vector<std::size_t> sums_;
  std::size_t size_ = 0;
};

}  // namespace convoy
