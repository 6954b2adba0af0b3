#include "core/plan/check/recurrence/field_matrix.hpp"

#include <algorithm>
#include <utility>

namespace convoy::plan::check {
namespace {

// Turns the matrix into reduced row echelon form. Returns the pivot columns, one per non-zero row.
std::vector<std::size_t> reduce(FieldMatrix& matrix) {
  std::vector<std::size_t> pivots;
  for (std::size_t column = 0; column < matrix.columns(); ++column) {
    const std::size_t row = pivots.size();
    std::size_t found = row;
    while (found < matrix.rows() && matrix.at(found, column) == 0) ++found;
    if (found >= matrix.rows()) continue;
    for (std::size_t c = 0; c < matrix.columns(); ++c)
      std::swap(matrix.at(row, c), matrix.at(found, c));
    const std::uint64_t scale = field_inverse(matrix.at(row, column));
    for (std::size_t c = 0; c < matrix.columns(); ++c)
      matrix.at(row, c) = field_multiply(matrix.at(row, c), scale);
    for (std::size_t r = 0; r < matrix.rows(); ++r) {
      const std::uint64_t factor = field_negative(matrix.at(r, column));
      if (r == row || factor == 0) continue;
      for (std::size_t c = column; c < matrix.columns(); ++c)
        matrix.at(r, c) = field_add(matrix.at(r, c), field_multiply(factor, matrix.at(row, c)));
    }
    pivots.push_back(column);
  }
  return pivots;
}

}  // namespace

FieldMatrix null_space(FieldMatrix matrix) {
  const std::vector<std::size_t> pivots = reduce(matrix);
  FieldMatrix result(matrix.columns() - pivots.size(), matrix.columns());
  std::size_t row = 0;
  for (std::size_t column = 0; column < matrix.columns(); ++column) {
    if (std::binary_search(pivots.begin(), pivots.end(), column)) continue;
    result.at(row, column) = 1;
    for (std::size_t p = 0; p < pivots.size(); ++p)
      result.at(row, pivots[p]) = field_negative(matrix.at(p, column));
    ++row;
  }
  return result;
}

std::optional<FieldMatrix> inverse(const FieldMatrix& matrix) {
  const std::size_t n = matrix.rows();
  FieldMatrix both(n, 2 * n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) both.at(r, c) = matrix.at(r, c);
    both.at(r, n + r) = 1;
  }
  const std::vector<std::size_t> pivots = reduce(both);
  if (n > 0 && (pivots.size() < n || pivots[n - 1] != n - 1)) return std::nullopt;
  FieldMatrix result(n, n);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) result.at(r, c) = both.at(r, n + c);
  return result;
}

FieldMatrix multiply(const FieldMatrix& a, const FieldMatrix& b) {
  FieldMatrix result(a.rows(), b.columns());
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (std::size_t k = 0; k < a.columns(); ++k) {
      const std::uint64_t by = a.at(r, k);
      for (std::size_t c = 0; by != 0 && c < b.columns(); ++c)
        result.at(r, c) = field_add(result.at(r, c), field_multiply(by, b.at(k, c)));
    }
  return result;
}

FieldMatrix transpose(const FieldMatrix& matrix) {
  FieldMatrix result(matrix.columns(), matrix.rows());
  for (std::size_t r = 0; r < matrix.rows(); ++r)
    for (std::size_t c = 0; c < matrix.columns(); ++c) result.at(c, r) = matrix.at(r, c);
  return result;
}

FieldMatrix to_matrix(const std::vector<LinearRow>& rows, std::size_t columns) {
  FieldMatrix result(rows.size(), columns);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const Addend& it : rows[r]) result.at(r, it.index) = it.weight.field;
  return result;
}

}  // namespace convoy::plan::check
