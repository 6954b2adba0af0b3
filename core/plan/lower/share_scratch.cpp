#include "core/plan/lower/share_scratch.hpp"

#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace convoy::plan {
namespace {

auto description(const PlanBuffer& it) {
  return std::make_tuple(it.kind, it.owner, it.set, it.dtype, it.count, it.place);
}

void rename(std::vector<Operation>& operations, const std::vector<std::uint32_t>& names) {
  for (Operation& operation : operations)
    for (SpanList* spans : {&operation.reads, &operation.writes})
      for (PlanSpan& span : *spans) span.buffer = names[span.buffer];
}

}  // namespace

Plan share_scratch(const Plan& whole, Plan stage, std::size_t common) {
  std::multimap<decltype(description({})), std::uint32_t> there;
  for (std::size_t i = common; i < whole.buffers.size(); ++i)
    there.emplace(description(whole.buffers[i]), static_cast<std::uint32_t>(i));
  std::vector<PlanBuffer> buffers = whole.buffers;
  std::vector<std::uint32_t> names(stage.buffers.size());
  std::iota(names.begin(), names.end(), 0u);
  for (std::size_t i = common; i < stage.buffers.size(); ++i) {
    CONVOY_CHECK_EQ(stage.buffers[i].kind, std::uint32_t{CONVOY_BUFFER_SCRATCH});
    if (auto free = there.extract(description(stage.buffers[i]))) {
      names[i] = free.mapped();
      continue;
    }
    names[i] = static_cast<std::uint32_t>(buffers.size());
    buffers.push_back(stage.buffers[i]);
  }
  rename(stage.prologue, names);
  rename(stage.body, names);
  stage.buffers = std::move(buffers);
  return stage;
}

}  // namespace convoy::plan
