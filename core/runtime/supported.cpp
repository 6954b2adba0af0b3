#include "core/runtime/supported.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "core/base/error.hpp"

namespace convoy {
namespace {

constexpr std::uint32_t kNoDtype = CONVOY_NONE;

std::uint32_t first_dtype(const std::vector<PlanSpan>& spans) {
  return spans.empty() ? kNoDtype : spans.front().dtype;
}

convoy_operation to_abi(const Operation& operation) {
  convoy_operation result{};
  result.struct_size = sizeof(result);
  result.kind = static_cast<std::uint32_t>(operation.kind);
  result.flags = operation.flags;
  result.place = operation.place;
  result.reduction = operation.reduction;
  result.algorithm = operation.algorithm;
  result.replica = operation.replica;
  result.reads = operation.reads.data();
  result.read_count = operation.reads.size();
  result.writes = operation.writes.data();
  result.write_count = operation.writes.size();
  result.scalar = operation.scalar;
  result.contributions = operation.contributions;
  std::copy_n(operation.sizes, 4, result.sizes);
  result.kernel = operation.kernel.c_str();
  result.bytes = operation.bytes;
  result.flops = operation.flops;
  return result;
}

}  // namespace

void require_supported(const Plan& lowered, const Engines& engines) {
  std::set<std::tuple<std::uint32_t, OperationKind, std::uint32_t, std::uint32_t>> asked;
  for (const auto* section : {&lowered.prologue, &lowered.body})
    for (const Operation& operation : *section) {
      const auto key = std::make_tuple(operation.place, operation.kind,
                                       first_dtype(operation.reads), first_dtype(operation.writes));
      if (!asked.insert(key).second) continue;
      const convoy_operation question = to_abi(operation);
      const std::optional<std::string> reason = engines.at(operation.place)->refusal(question);
      if (!reason) continue;
      fail(ExitCode::kUnavailable,
           "operation {} ({}) of the plan cannot run on {}: {}; choose another strategy or option",
           operation.id, operation_name(operation.kind),
           lowered.cluster->places.at(operation.place).name, *reason);
    }
}

}  // namespace convoy
