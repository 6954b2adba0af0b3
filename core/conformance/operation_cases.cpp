// Copies and arithmetic on spans, compared with the interpreter's arithmetic.
#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "core/conformance/comparison.hpp"
#include "core/conformance/conformance.hpp"
#include "core/conformance/operands.hpp"

namespace convoy::conformance {
namespace {

struct Shape {
  plan::OperationKind kind;
  std::uint32_t read_dtype = CONVOY_F32;
  std::uint32_t write_dtype = CONVOY_F32;
  std::uint32_t reads = 1;
  std::uint32_t writes = 1;
  std::uint32_t reduction = CONVOY_REDUCE_SUM;
  bool in_place = false;  // the first write has the memory of the last read
  double scalar = 0;
  bool exact = false;  // requires the same bits, not only numbers as close as rounding allows
};

// Fills a span with numbers of its type. Integers get arbitrary bits.
void fill(Operands& it, const plan::PlanSpan& span, std::uint32_t seed) {
  const std::vector<float> values = noise(span.count, seed);
  if (span.dtype == CONVOY_I32 || span.dtype == CONVOY_U8) {
    for (std::size_t i = 0; i < it.buffers[span.buffer].size(); ++i)
      it.buffers[span.buffer][i] = static_cast<std::byte>(i * 37 + seed);
    return;
  }
  Operands cast;
  cast.operation.kind = plan::OperationKind::kCast;
  cast.operation.reads = {add_span(cast, CONVOY_F32, span.count)};
  cast.operation.writes = {add_span(cast, span.dtype, span.count)};
  std::memcpy(cast.buffers[0].data(), values.data(), cast.buffers[0].size());
  cast.compute();
  it.buffers[span.buffer] = cast.buffers[1];
}

Operands make_operands(const Shape& shape, std::uint64_t count) {
  Operands it;
  it.operation.kind = shape.kind;
  it.operation.reduction = static_cast<std::uint8_t>(shape.reduction);
  it.operation.scalar = shape.scalar;
  for (std::uint32_t r = 0; r < shape.reads; ++r) {
    const plan::PlanSpan span = add_span(it, shape.read_dtype, count);
    fill(it, span, r + 1);
    it.operation.reads.push_back(span);
  }
  for (std::uint32_t w = 0; w < shape.writes; ++w)
    it.operation.writes.push_back(shape.in_place && w == 0
                                      ? it.operation.reads.back()
                                      : add_span(it, shape.write_dtype, count));
  return it;
}

std::vector<float> as_floats(Operands& it, const plan::PlanSpan& span) {
  Operands cast;
  cast.operation.kind = plan::OperationKind::kCast;
  cast.buffers = {it.buffers[span.buffer]};
  cast.operation.reads = {{0, span.dtype, 0, span.count}};
  cast.operation.writes = {add_span(cast, CONVOY_F32, span.count)};
  cast.compute();
  std::vector<float> values(span.count);
  std::memcpy(values.data(), cast.buffers[1].data(), cast.buffers[1].size());
  return values;
}

// Returns the rounding errors of all parts, in units of the result's type. The magnitudes of the
// parts are below 1.
double allowed_difference(const Shape& shape) {
  const bool half = shape.write_dtype == CONVOY_F16 || shape.write_dtype == CONVOY_BF16;
  const double unit = half ? 0x1p-7 : 0x1p-22;
  return unit * (shape.reads + 1);
}

std::string compare(const Shape& shape, Operands& measured, Operands& right, std::uint64_t count) {
  for (std::size_t w = 0; w < shape.writes; ++w) {
    const plan::PlanSpan span = right.operation.writes[w];
    const std::string name = fmt::format("write {}", w);
    if (shape.exact) {
      std::string wrong = first_difference(name, measured.buffers[span.buffer],
                                           right.buffers[span.buffer], span.dtype);
      if (!wrong.empty()) return fmt::format("{} elements: {}", count, wrong);
      continue;
    }
    Comparison comparison;
    comparison.tensor(name, as_floats(measured, span), as_floats(right, span), 0,
                      allowed_difference(shape));
    if (!comparison.right()) return comparison.text();
  }
  return {};
}

std::string check_shape(TestedDevice& device, const Shape& shape) {
  for (const std::uint64_t count : kElementCounts) {
    Operands right = make_operands(shape, count);
    Operands measured = right;
    run_on(device, measured);
    right.compute();
    std::string wrong = compare(shape, measured, right, count);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

// Tests numbers around the limits of the 16-bit types: overflow, ties, subnormal and infinite
// numbers.
std::string check_special_casts(TestedDevice& device, std::uint32_t half) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values = {0.0f,           1.0f,    65504.0f, 65519.0f, 65520.0f,
                               6e-8f,          3e-8f,   6.1e-5f,  1e-40f,   1.0009765f,
                               1.00048828125f, 3.3e38f, kInfinity};
  for (std::size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  Shape shape{.kind = plan::OperationKind::kCast, .write_dtype = half, .exact = true};
  Operands right = make_operands(shape, values.size());
  std::memcpy(right.buffers[0].data(), values.data(), right.buffers[0].size());
  Operands measured = right;
  run_on(device, measured);
  right.compute();
  const plan::PlanSpan span = right.operation.writes[0];
  Comparison comparison;
  const std::vector<float> there = as_floats(measured, span);
  const std::vector<float> here = as_floats(right, span);
  for (std::size_t i = 0; i < values.size(); ++i)
    comparison.element(static_cast<double>(there[i]), static_cast<double>(here[i]), 0,
                       [&] { return fmt::format("{}, converted,", values[i]); });
  return comparison.text();
}

std::int32_t ten_times(const convoy_region* reads, std::uint64_t, const convoy_region* writes,
                       std::uint64_t) {
  for (std::uint64_t i = 0; i < reads[0].count; ++i)
    static_cast<float*>(writes[0].data)[i] = 10 * static_cast<const float*>(reads[0].data)[i];
  return 0;
}

std::int32_t times_all_it_is_told(const convoy_kernel_call* call) {
  const double factor = *static_cast<const float*>(call->state) * call->scalar *
                        call->learning_rate * static_cast<double>(call->step * call->sizes[3]);
  for (std::uint64_t i = 0; i < call->writes->count; ++i)
    static_cast<float*>(call->writes->data)[i] =
        static_cast<float>(factor) * static_cast<const float*>(call->reads->data)[i];
  return 0;
}

std::string check_call(const plugin::DevicePlugin&, TestedDevice& device) {
  std::vector<float> from = {1, 2, 3};
  std::vector<float> to(3);
  const convoy_region read = region(from);
  const convoy_region write = region(to);
  convoy_submission submission = operation(CONVOY_OP_CALL, {&read, 1}, {&write, 1});
  submission.host_kernel = ten_times;
  require_supported(device, submission);
  device.run(submission);
  Comparison comparison;
  comparison.tensor("what the kernel writes", to, std::vector<float>{10, 20, 30}, 0, 0);
  // This call has a context, whose parts differ.
  const std::uint64_t sizes[4] = {0, 0, 0, 6};
  float factor = 7;
  submission.host_kernel = nullptr;
  submission.kernel = times_all_it_is_told;
  submission.kernel_state = &factor;
  submission.step = 5;
  submission.learning_rate = 3;
  submission.scalar = 2;
  submission.sizes = sizes;
  device.run(submission);
  comparison.tensor("what a kernel with a context writes", to, std::vector<float>{1260, 2520, 3780},
                    0, 0);
  return comparison.text();
}

void add_shape(std::vector<ConformanceCase>& cases, const std::string& name, const Shape& shape) {
  cases.push_back({"operations", name, [shape](const plugin::DevicePlugin&, TestedDevice& device) {
                     return check_shape(device, shape);
                   }});
}

void add_copies(std::vector<ConformanceCase>& cases) {
  for (const std::uint32_t dtype : {CONVOY_F32, CONVOY_F16, CONVOY_BF16, CONVOY_I32, CONVOY_U8}) {
    const std::string of{plan::dtype_name(dtype)};
    add_shape(cases, "copy of " + of,
              {.kind = plan::OperationKind::kCopy,
               .read_dtype = dtype,
               .write_dtype = dtype,
               .exact = true});
    add_shape(cases, "fill with 3, " + of,
              {.kind = plan::OperationKind::kFill,
               .write_dtype = dtype,
               .reads = 0,
               .scalar = 3,
               .exact = true});
  }
  for (const std::uint32_t half : {CONVOY_F16, CONVOY_BF16}) {
    const std::string name{plan::dtype_name(half)};
    add_shape(cases, "cast of f32 to " + name,
              {.kind = plan::OperationKind::kCast, .write_dtype = half, .exact = true});
    add_shape(cases, "cast of " + name + " to f32",
              {.kind = plan::OperationKind::kCast, .read_dtype = half, .exact = true});
    cases.push_back({"operations", "cast of extreme numbers to " + name,
                     [half](const plugin::DevicePlugin&, TestedDevice& device) {
                       return check_special_casts(device, half);
                     }});
  }
}

void add_arithmetic(std::vector<ConformanceCase>& cases) {
  add_shape(cases, "add", {.kind = plan::OperationKind::kAdd, .reads = 2});
  add_shape(cases, "add onto one of its reads",
            {.kind = plan::OperationKind::kAdd, .reads = 2, .in_place = true});
  add_shape(cases, "scale", {.kind = plan::OperationKind::kScale, .scalar = 0.3});
  add_shape(cases, "axpy", {.kind = plan::OperationKind::kAxpy, .reads = 2, .scalar = -0.3});
  for (const std::uint32_t reads : {1u, 2u, 5u})
    add_shape(cases, fmt::format("sum of {} into 2, one of them read", reads),
              {.kind = plan::OperationKind::kSum, .reads = reads, .writes = 2, .in_place = true});
  add_shape(cases, "minimum of 3",
            {.kind = plan::OperationKind::kSum,
             .reads = 3,
             .reduction = CONVOY_REDUCE_MIN,
             .exact = true});
  add_shape(cases, "maximum of 3",
            {.kind = plan::OperationKind::kSum,
             .reads = 3,
             .reduction = CONVOY_REDUCE_MAX,
             .exact = true});
  for (const std::uint32_t half : {CONVOY_F16, CONVOY_BF16})
    add_shape(
        cases, fmt::format("sum of 2, {}", plan::dtype_name(half)),
        {.kind = plan::OperationKind::kSum, .read_dtype = half, .write_dtype = half, .reads = 2});
}

}  // namespace

void add_operation_cases(std::vector<ConformanceCase>& cases) {
  add_copies(cases);
  add_arithmetic(cases);
  cases.push_back({"operations", "call of a host kernel", check_call});
}

}  // namespace convoy::conformance
