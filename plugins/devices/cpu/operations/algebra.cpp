#include "plugins/devices/cpu/operations/operations.hpp"

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plugins/devices/cpu/chunked_sum.hpp"
#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

float* data_of(const convoy_region& region) {
  return static_cast<float*>(region.data);
}

// Whether read 1 is one number for all elements.
bool has_one_factor(const convoy_submission& operation) {
  return operation.reads[1].count == 1;
}

// A row-major matrix whose columns become orthonormal. It computes in double, apart from stored
// values.
class OrthonormalColumns {
 public:
  OrthonormalColumns(float* values, std::size_t rows, std::size_t columns)
      : values_(values), rows_(rows), columns_(columns) {}

  void make() {
    constexpr double kDependent = 1e-5;  // see CONVOY_OP_ORTHOGONALISE
    for (std::size_t c = 0; c < columns_; ++c) {
      const double length = std::sqrt(inner(c, c));
      leave_out_earlier(c);
      double left = std::sqrt(inner(c, c));
      if (left <= kDependent * length) {
        become_unit(c);
        leave_out_earlier(c);
        left = std::sqrt(inner(c, c));
      }
      for (std::size_t r = 0; r < rows_; ++r)
        at(r, c) = static_cast<float>(static_cast<double>(at(r, c)) / left);
    }
  }

 private:
  float& at(std::size_t row, std::size_t column) { return values_[row * columns_ + column]; }

  double inner(std::size_t a, std::size_t b) {
    double sum = 0.0;
    for (std::size_t r = 0; r < rows_; ++r)
      sum += static_cast<double>(at(r, a)) * static_cast<double>(at(r, b));
    return sum;
  }

  // Subtracts twice, because the first time leaves rounding errors of large parts.
  void leave_out_earlier(std::size_t column) {
    for (int time = 0; time < 2; ++time) {
      for (std::size_t b = 0; b < column; ++b) {
        const double share = inner(b, column);
        for (std::size_t r = 0; r < rows_; ++r) {
          const double left = static_cast<double>(at(r, column));
          at(r, column) = static_cast<float>(left - share * static_cast<double>(at(r, b)));
        }
      }
    }
  }

  // Uses the row in which the earlier columns are smallest. Nothing is left of a unit vector only
  // if they span the whole space.
  void become_unit(std::size_t column) {
    std::size_t least = 0;
    double fewest = HUGE_VAL;
    for (std::size_t r = 0; r < rows_; ++r) {
      double squares = 0.0;
      for (std::size_t b = 0; b < column; ++b) {
        const double value = static_cast<double>(at(r, b));
        squares += value * value;
      }
      if (squares < fewest) least = r;
      fewest = std::min(fewest, squares);
    }
    for (std::size_t r = 0; r < rows_; ++r) at(r, column) = r == least ? 1.0f : 0.0f;
  }

  float* values_;
  std::size_t rows_;
  std::size_t columns_;
};

}  // namespace

void multiply(const convoy_submission& operation) {
  float* write = data_of(operation.writes[0]);
  const float* values = data_of(operation.reads[0]);
  const float* factors = data_of(operation.reads[1]);
  const float factor = factors[0];
  const bool one = has_one_factor(operation);
  parallel_stretches(operation.writes[0].count, [&](std::size_t first, std::size_t size) {
    if (one) {
      kernels().scale(write + first, factor, values + first, size);
    } else {
      kernels().multiply(write + first, values + first, factors + first, size);
    }
  });
}

void divide(const convoy_submission& operation) {
  float* write = data_of(operation.writes[0]);
  const float* values = data_of(operation.reads[0]);
  const float* divisors = data_of(operation.reads[1]);
  const auto where_zero = static_cast<float>(operation.scalar);
  const float divisor = divisors[0];
  const bool one = has_one_factor(operation);
  parallel_stretches(operation.writes[0].count, [&](std::size_t first, std::size_t size) {
    for (std::size_t i = first; i < first + size; ++i) {
      const float by = one ? divisor : divisors[i];
      write[i] = by == 0.0f ? where_zero : values[i] / by;
    }
  });
}

void square_root(const convoy_submission& operation) {
  float* write = data_of(operation.writes[0]);
  const float* values = data_of(operation.reads[0]);
  parallel_stretches(operation.writes[0].count, [&](std::size_t first, std::size_t size) {
    for (std::size_t i = first; i < first + size; ++i) write[i] = std::sqrt(values[i]);
  });
}

void dot(const convoy_submission& operation) {
  const float* a = data_of(operation.reads[0]);
  const float* b = data_of(operation.reads[1]);
  const double sum = chunked_sum(operation.reads[0].count, [&](std::size_t first, std::size_t end) {
    return kernels().dot(a + first, b + first, end - first);
  });
  *data_of(operation.writes[0]) = static_cast<float>(sum);
}

void matmul(const convoy_submission& operation) {
  const auto m = static_cast<dnnl_dim_t>(operation.sizes[0]);
  const auto n = static_cast<dnnl_dim_t>(operation.sizes[1]);
  const auto k = static_cast<dnnl_dim_t>(operation.sizes[2]);
  const bool flips_a = (operation.flags & CONVOY_OP_TRANSPOSES_A) != 0;
  const bool flips_b = (operation.flags & CONVOY_OP_TRANSPOSES_B) != 0;
  const auto batch = static_cast<dnnl_dim_t>(std::max<std::uint64_t>(operation.sizes[3], 1));
  for (dnnl_dim_t t = 0; t < batch; ++t) {
    const dnnl_status_t status =
        dnnl_sgemm(flips_a ? 'T' : 'N', flips_b ? 'T' : 'N', m, n, k, 1.0f,
                   data_of(operation.reads[0]) + t * m * k, flips_a ? m : k,
                   data_of(operation.reads[1]) + t * k * n, flips_b ? k : n, 0.0f,
                   data_of(operation.writes[0]) + t * m * n, n);
    if (status != dnnl_success) throw std::runtime_error("oneDNN refused a matrix product");
  }
}

void orthogonalise(const convoy_submission& operation) {
  const convoy_region& write = operation.writes[0];
  const float* from = data_of(operation.reads[0]);
  if (from != data_of(write)) std::copy_n(from, write.count, data_of(write));
  OrthonormalColumns(data_of(write), operation.sizes[0], operation.sizes[1]).make();
}

}  // namespace convoy::cpu
