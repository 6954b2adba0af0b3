#pragma once

#include <cstddef>
#include <vector>

namespace convoy {

// Values in ascending order while more of them come. Both inserting one of n values and reading the
// one of a rank take O(log n) time beside a constant; a value takes 8 to 16 bytes.
class OrderedValues {
 public:
  // The value must be finite.
  void insert(double value);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // The value that `rank` others stand before. rank is below size().
  double at(std::size_t rank) const;

 private:
  void split(std::size_t block);

  // Ascending, each and one after the other; none is empty.
  std::vector<std::vector<double>> blocks_;
  // Partial sums of the blocks' sizes (Fenwick): number i has those of the last (i + 1) & -(i + 1)
  // blocks up to block i.
  std::vector<std::size_t> sums_;
  std::size_t size_ = 0;
};

}  // namespace convoy
