#include "core/runtime/supported.hpp"

#include <optional>
#include <set>
#include <tuple>

#include "core/base/error.hpp"
#include "core/plan/abi_operation.hpp"
#include "core/plan/stages.hpp"

namespace convoy::runtime {
namespace {

constexpr std::uint32_t kNoDtype = CONVOY_NONE;

std::uint32_t first_dtype(std::span<const plan::PlanSpan> spans) {
  return spans.empty() ? kNoDtype : spans.front().dtype;
}

}  // namespace

void require_supported(const plan::Plan& lowered, const Engines& engines) {
  using Question = std::tuple<std::uint32_t, plan::OperationKind, std::uint32_t, std::uint32_t,
                              std::uint32_t, std::uint32_t, bool>;
  std::set<Question> asked;
  for (const std::vector<plan::Operation>* section : plan::sections_of(lowered))
    for (const plan::Operation& operation : *section) {
      if (operation.lane == plan::kNetworkLane || engines.at(operation.place) == nullptr) continue;
      if (operation.kind == plan::OperationKind::kCall &&
          !engines.at(operation.place)->kernel_forms().has(CONVOY_KERNEL_HOST))
        continue;
      const bool several =
          operation.kind == plan::OperationKind::kMatmul && operation.details->sizes[3] > 1;
      const auto key =
          std::make_tuple(operation.place, operation.kind, operation.flags, operation.reduction,
                          first_dtype(operation.reads), first_dtype(operation.writes), several);
      if (!asked.insert(key).second) continue;
      const convoy_operation question = plan::to_abi(operation);
      const std::optional<std::string> reason = engines.at(operation.place)->refusal(question);
      if (!reason) continue;
      fail(ExitCode::kUnavailable,
           "operation {} ({}) of the plan cannot run on {}: {}; choose another strategy or option",
           operation.id, plan::operation_name(operation.kind),
           lowered.cluster->places.at(operation.place).name, *reason);
    }
}

void require_deterministic(std::string_view strategy, const plan::check::CheckReport& check,
                           const std::vector<convoy_device_description>& devices) {
  // An approximate plan is as asynchronous as it would be without its roundings. Reads and updates
  // whose order the plan fixes give the same bits, however old the parameters are.
  const bool is_asynchronous = check.verdict == plan::check::Verdict::kAsynchronous ||
                               check.exact == plan::check::Verdict::kAsynchronous;
  if (is_asynchronous && !check.in_order) {
    fail(ExitCode::kUsage,
         "--deterministic does not go with --variable_update={}: its plan is {} with these "
         "options, so that parameters depend on which device is faster; leave out "
         "--deterministic or take a synchronous strategy",
         strategy, check.verdict_text());
  }
  for (const convoy_device_description& device : devices) {
    if ((device.flags & CONVOY_DEVICE_DETERMINISTIC) != 0) continue;
    fail(ExitCode::kUsage,
         "--deterministic: device {} ({}) does not promise the same bits for the same operations; "
         "leave out --deterministic or take another --device",
         device.name, device.model);
  }
}

}  // namespace convoy::runtime
