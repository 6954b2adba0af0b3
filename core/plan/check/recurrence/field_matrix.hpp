#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/process/large_pages.hpp"
#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// A dense matrix over the field of the weights.
class FieldMatrix {
 public:
  FieldMatrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns) {
    reserve_large(words_, rows * columns);
    words_.resize(rows * columns);
  }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::uint64_t& at(std::size_t row, std::size_t column) { return words_[row * columns_ + column]; }
  std::uint64_t at(std::size_t row, std::size_t column) const {
    return words_[row * columns_ + column];
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<std::uint64_t> words_;
};

// Returns a matrix whose rows are a basis of all x with matrix * x = 0.
FieldMatrix null_space(FieldMatrix matrix);
// Returns nothing if the matrix is singular.
std::optional<FieldMatrix> inverse(const FieldMatrix& matrix);
FieldMatrix multiply(const FieldMatrix& a, const FieldMatrix& b);
FieldMatrix transpose(const FieldMatrix& matrix);
// Returns the rows as a matrix with this number of columns.
FieldMatrix to_matrix(const std::vector<LinearRow>& rows, std::size_t columns);

}  // namespace convoy::plan::check
