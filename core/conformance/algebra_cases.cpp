// Products, quotients, roots and matrices, compared with the interpreter's.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/conformance/comparison.hpp"
#include "core/conformance/conformance.hpp"
#include "core/plan/reference/arithmetic.hpp"

namespace convoy::conformance {
namespace {

using Values = std::vector<float>;

struct Algebra {
  plan::OperationKind kind = plan::OperationKind::kMultiply;
  std::vector<Values> reads;
  std::size_t writes = 0;
  std::uint32_t flags = 0;
  std::uint64_t sizes[4] = {0, 0, 0, 0};
  double scalar = 0;
  double allowed = 1e-6;  // relative and absolute tolerance
  bool in_place = false;  // the write span is read span 0
};

Values run_on(TestedDevice& device, Algebra it) {
  Values write(it.writes);
  std::vector<convoy_region> reads;
  for (Values& read : it.reads) reads.push_back(region(read));
  const convoy_region to = it.in_place ? reads.front() : region(write);
  convoy_submission submission = operation(static_cast<std::uint32_t>(it.kind), reads, {&to, 1});
  submission.flags = it.flags;
  submission.sizes = it.sizes;
  submission.scalar = it.scalar;
  require_supported(device, submission);
  device.run(submission);
  return it.in_place ? it.reads.front() : write;
}

Values interpreted(const Algebra& it) {
  plan::Operation operation;
  operation.kind = it.kind;
  operation.flags = it.flags;
  operation.scalar = it.scalar;
  std::copy_n(it.sizes, 4, operation.details.edit().sizes);
  return plan::algebra_result(operation, it.reads);
}

std::string compare(TestedDevice& device, const Algebra& it) {
  Comparison comparison;
  comparison.tensor("the result", run_on(device, it), interpreted(it), it.allowed, it.allowed);
  return comparison.text();
}

void add(std::vector<ConformanceCase>& cases, const std::string& name,
         const std::function<std::vector<Algebra>()>& all) {
  cases.push_back({"operations", name, [all](const plugin::DevicePlugin&, TestedDevice& device) {
                     std::string wrong;
                     for (const Algebra& it : all())
                       if (wrong.empty()) wrong = compare(device, it);
                     return wrong;
                   }});
}

// The sizes are odd, and some are so large that a device divides the work.
std::vector<Algebra> of_sizes(const std::function<Algebra(std::uint64_t)>& make) {
  std::vector<Algebra> result;
  for (const std::uint64_t count : {1, 7, 1023, 100003}) result.push_back(make(count));
  return result;
}

void add_factors(std::vector<ConformanceCase>& cases) {
  for (const bool one : {false, true})
    for (const plan::OperationKind kind :
         {plan::OperationKind::kMultiply, plan::OperationKind::kDivide}) {
      const std::string name{plan::operation_name(kind)};
      add(cases, name + (one ? " by one number" : "") + ", in place", [=] {
        return of_sizes([&](std::uint64_t count) {
          Values factors = noise(one ? 1 : count, 12);
          for (std::size_t i = 3; i < factors.size(); i += 5) factors[i] = 0;
          return Algebra{.kind = kind,
                         .reads = {noise(count, 11), factors},
                         .writes = count,
                         .scalar = 0.75,
                         .in_place = true};
        });
      });
    }
  add(cases, "divide by zero", [] {
    return of_sizes([](std::uint64_t count) {
      return Algebra{.kind = plan::OperationKind::kDivide,
                     .reads = {noise(count, 11), {0.0f}},
                     .writes = count,
                     .scalar = -1.5};
    });
  });
}

void add_roots_and_dots(std::vector<ConformanceCase>& cases) {
  add(cases, "square_root", [] {
    return of_sizes([](std::uint64_t count) {
      Values values = noise(count, 13);
      for (float& value : values) value = std::fabs(value);
      return Algebra{
          .kind = plan::OperationKind::kSquareRoot, .reads = {std::move(values)}, .writes = count};
    });
  });
  add(cases, "dot", [] {
    return of_sizes([](std::uint64_t count) {
      return Algebra{.kind = plan::OperationKind::kDot,
                     .reads = {noise(count, 14), noise(count, 15)},
                     .writes = 1,
                     .allowed = 1e-5};
    });
  });
}

Algebra product(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint32_t flags,
                std::uint64_t batch) {
  return {.kind = plan::OperationKind::kMatmul,
          .reads = {noise(batch * m * k, 6), noise(batch * k * n, 7)},
          .writes = batch * m * n,
          .flags = flags,
          .sizes = {m, n, k, batch == 1 ? 0 : batch},
          .allowed = 2e-6 * static_cast<double>(k) + 1e-6};
}

void add_products(std::vector<ConformanceCase>& cases) {
  struct Size {
    std::uint64_t rows, columns, inner;
  };
  for (const Size size : {Size{1, 1, 1}, Size{5, 7, 11}, Size{33, 17, 64}})
    add(cases,
        fmt::format("matmul of {}x{} and {}x{}", size.rows, size.inner, size.inner, size.columns),
        [size] { return std::vector{product(size.rows, size.columns, size.inner, 0, 1)}; });
  add(cases, "matmul with transposes", [] {
    std::vector<Algebra> all;
    for (const std::uint32_t a : {0u, std::uint32_t{CONVOY_OP_TRANSPOSES_A}})
      for (const std::uint32_t b : {0u, std::uint32_t{CONVOY_OP_TRANSPOSES_B}}) {
        all.push_back(product(5, 7, 11, a | b, 1));
        all.push_back(product(2, 64, 300, a | b, 1));
      }
    return all;
  });
  add(cases, "matmul of several matrices", [] {
    return std::vector{product(3, 5, 4, 0, 6), product(3, 5, 4, CONVOY_OP_TRANSPOSES_A, 6),
                       product(3, 5, 4, CONVOY_OP_TRANSPOSES_B, 6)};
  });
}

Algebra columns(std::uint64_t rows, std::uint64_t count, Values values) {
  return {.kind = plan::OperationKind::kOrthogonalise,
          .reads = {std::move(values)},
          .writes = rows * count,
          .sizes = {rows, count, 0, 0},
          .allowed = 2e-5};
}

void add_orthogonalise(std::vector<ConformanceCase>& cases) {
  add(cases, "orthogonalise", [] {
    std::vector<Algebra> all{columns(1, 1, {-3}), columns(9, 9, noise(81, 21)),
                             columns(700, 3, noise(2100, 22))};
    all.back().in_place = true;
    return all;
  });
  add(cases, "orthogonalise columns that depend on each other", [] {
    Values doubled = noise(300, 23);  // 100 rows; the second column is twice the first one
    for (std::size_t row = 0; row < 100; ++row) doubled[3 * row + 1] = 2 * doubled[3 * row];
    return std::vector{columns(100, 3, doubled), columns(40, 4, Values(160, 0.0f))};
  });
}

}  // namespace

void add_algebra_cases(std::vector<ConformanceCase>& cases) {
  add_factors(cases);
  add_roots_and_dots(cases);
  add_products(cases);
  add_orthogonalise(cases);
}

}  // namespace convoy::conformance
