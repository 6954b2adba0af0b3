#include "core/plan/reference/arithmetic.hpp"

#include <algorithm>
#include <cmath>

#include "core/plan/reference/partial_sums.hpp"

namespace convoy::plan {
namespace {

using Values = std::vector<float>;

// Returns a factor. If there is only one factor, it applies to all elements.
float factor_at(const Values& factors, std::size_t i) {
  return factors[factors.size() == 1 ? 0 : i];
}

Values multiply(const Values& values, const Values& factors) {
  Values result(values.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = values[i] * factor_at(factors, i);
  return result;
}

Values divide(const Values& values, const Values& divisors, float where_zero) {
  Values result(values.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float by = factor_at(divisors, i);
    result[i] = by == 0 ? where_zero : values[i] / by;
  }
  return result;
}

Values square_root(Values values) {
  for (float& value : values) value = std::sqrt(value);
  return values;
}

Values dot(const Values& a, const Values& b) {
  const double sum = chunk_sum(a.size(), [&](std::uint64_t first, std::uint64_t end) {
    return lane_sum(end - first, [&](std::uint64_t i) {
      return static_cast<double>(a[first + i]) * static_cast<double>(b[first + i]);
    });
  });
  return {static_cast<float>(sum)};
}

Values matmul(const Operation& operation, const Values& a, const Values& b) {
  const auto& [m, n, k, batches] = operation.details->sizes;
  const bool flips_a = (operation.flags & CONVOY_OP_TRANSPOSES_A) != 0;
  const bool flips_b = (operation.flags & CONVOY_OP_TRANSPOSES_B) != 0;
  const std::uint64_t batch = std::max<std::uint64_t>(batches, 1);
  Values product(batch * m * n, 0.0f);
  for (std::uint64_t t = 0; t < batch; ++t)
    for (std::uint64_t i = 0; i < m; ++i)
      for (std::uint64_t l = 0; l < k; ++l)
        for (std::uint64_t j = 0; j < n; ++j)
          product[t * m * n + i * n + j] += a[t * m * k + (flips_a ? l * m + i : i * k + l)] *
                                            b[t * k * n + (flips_b ? j * k + l : l * n + j)];
  return product;
}

// A matrix by rows. Its columns become orthonormal one after the other.
class OrthonormalColumns {
 public:
  OrthonormalColumns(Values values, std::uint64_t rows, std::uint64_t columns)
      : values_(std::move(values)), rows_(rows), columns_(columns) {}

  Values orthonormal() {
    constexpr double kDependent = 1e-5;  // see CONVOY_OP_ORTHOGONALISE
    for (std::uint64_t c = 0; c < columns_; ++c) {
      const double length = std::sqrt(inner(c, c));
      leave_out_earlier(c);
      double left = std::sqrt(inner(c, c));
      if (left <= kDependent * length) {
        become_unit(c);
        leave_out_earlier(c);
        left = std::sqrt(inner(c, c));
      }
      for (std::uint64_t r = 0; r < rows_; ++r) at(r, c) = static_cast<float>(at(r, c) / left);
    }
    return std::move(values_);
  }

 private:
  float& at(std::uint64_t row, std::uint64_t column) { return values_[row * columns_ + column]; }

  double inner(std::uint64_t a, std::uint64_t b) {
    double sum = 0;
    for (std::uint64_t r = 0; r < rows_; ++r)
      sum += static_cast<double>(at(r, a)) * static_cast<double>(at(r, b));
    return sum;
  }

  // Removes the components along earlier columns. It runs twice, because the first pass leaves
  // rounding errors of large components.
  void leave_out_earlier(std::uint64_t column) {
    for (int time = 0; time < 2; ++time)
      for (std::uint64_t b = 0; b < column; ++b) {
        const double share = inner(b, column);
        for (std::uint64_t r = 0; r < rows_; ++r)
          at(r, column) = static_cast<float>(at(r, column) - share * at(r, b));
      }
  }

  void become_unit(std::uint64_t column) {
    std::uint64_t least = 0;
    double fewest = HUGE_VAL;
    for (std::uint64_t r = 0; r < rows_; ++r) {
      double squares = 0;
      for (std::uint64_t b = 0; b < column; ++b)
        squares += static_cast<double>(at(r, b)) * static_cast<double>(at(r, b));
      if (squares < fewest) least = r;
      fewest = std::min(fewest, squares);
    }
    for (std::uint64_t r = 0; r < rows_; ++r) at(r, column) = r == least ? 1.0f : 0.0f;
  }

  Values values_;
  std::uint64_t rows_;
  std::uint64_t columns_;
};

}  // namespace

bool is_algebra(OperationKind kind) {
  return kind == OperationKind::kMatmul ||
         (kind >= OperationKind::kMultiply && kind <= OperationKind::kOrthogonalise);
}

std::vector<float> algebra_result(const Operation& operation,
                                  const std::vector<std::vector<float>>& reads) {
  switch (operation.kind) {
    case OperationKind::kMultiply:
      return multiply(reads[0], reads[1]);
    case OperationKind::kDivide:
      return divide(reads[0], reads[1], static_cast<float>(operation.scalar));
    case OperationKind::kSquareRoot:
      return square_root(reads[0]);
    case OperationKind::kDot:
      return dot(reads[0], reads[1]);
    case OperationKind::kMatmul:
      return matmul(operation, reads[0], reads[1]);
    default:
      return OrthonormalColumns(reads[0], operation.details->sizes[0], operation.details->sizes[1])
          .orthonormal();
  }
}

}  // namespace convoy::plan
