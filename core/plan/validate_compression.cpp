#include "core/plan/validate_rules.hpp"

#include <convoy/compression.hpp>

#include "core/base/error.hpp"

namespace convoy::plan {
namespace {

constexpr std::uint64_t kMostIndexed = INT32_MAX;

void require_dtype(const PlanSpan& span, std::uint32_t dtype, const char* what) {
  if (span.dtype != dtype)
    fail(ExitCode::kFailed, "its {} are {}; they have to be {}", what, dtype_name(span.dtype),
         dtype_name(dtype));
}

void require_elements(const PlanSpan& span, std::uint64_t count, const char* what) {
  if (span.count != count)
    fail(ExitCode::kFailed, "{} {} where {} are needed", span.count, what, count);
}

// Requires values and indices that fit the whole span. A third span may be as long as the whole.
void require_selection(const SpanList& message, const PlanSpan& whole, std::uint64_t messages) {
  require_dtype(message[0], CONVOY_F32, "values");
  require_dtype(message[1], CONVOY_I32, "indices");
  require_elements(message[1], message[0].count, "indices");
  if (messages == 0 || message[0].count % messages != 0)
    fail(ExitCode::kFailed, "{} values are not {} messages of equal length", message[0].count,
         messages);
  if (message[0].count / messages > whole.count)
    fail(ExitCode::kFailed, "{} values of {} elements; there cannot be more of them",
         message[0].count / messages, whole.count);
  if (whole.count > kMostIndexed)
    fail(ExitCode::kFailed, "{} elements; an index reaches {}: work on smaller ranges", whole.count,
         kMostIndexed);
}

void require_codes(const Operation& operation, const SpanList& message, const PlanSpan& whole,
                   std::uint64_t messages) {
  const std::uint64_t code = operation.details->sizes[0];
  const std::uint64_t block = operation.details->sizes[1];
  if (code != CONVOY_CODE_SIGN && code != CONVOY_CODE_4_BITS && code != CONVOY_CODE_8_BITS)
    fail(ExitCode::kFailed, "code {} is not known to this convoy (ABI 1.0)", code);
  const Coding coding{static_cast<Code>(code), block};
  if (block == 0) fail(ExitCode::kFailed, "a scale for every 0 elements; at least 1 is possible");
  if (messages == 0 || messages > message[0].count)
    fail(ExitCode::kFailed, "{} messages in {} bytes of codes", messages, message[0].count);
  require_dtype(message[0], CONVOY_U8, "codes");
  require_dtype(message[1], CONVOY_F32, "scales");
  require_elements(message[0], messages * coding.code_bytes(whole.count), "bytes of codes");
  require_elements(message[1], messages * coding.scales(whole.count), "scales");
}

}  // namespace

void require_messages(const Operation& operation) {
  const bool packs =
      operation.kind == OperationKind::kTopK || operation.kind == OperationKind::kQuantise;
  const SpanList& message = packs ? operation.writes : operation.reads;
  const PlanSpan& whole = (packs ? operation.reads : operation.writes).front();
  require_dtype(whole, CONVOY_F32, "elements");
  for (const std::size_t i : {0u, 1u})
    if (same_span(message[i], whole))
      fail(ExitCode::kFailed, "a message where the elements are; only the third span may be there");
  if (message.size() == 3) {
    require_dtype(message[2], CONVOY_F32, "elements");
    require_elements(message[2], whole.count, "elements");
  }
  if (operation.kind == OperationKind::kTopK || operation.kind == OperationKind::kScatter)
    return require_selection(message, whole, packs ? 1 : operation.details->sizes[0]);
  require_codes(operation, message, whole, packs ? 1 : operation.details->sizes[2]);
}

}  // namespace convoy::plan
