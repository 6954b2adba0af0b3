#include "tests/fingerprints/plan_digest.hpp"

#include "core/plan/digest.hpp"

namespace convoy::testing {
namespace {

void add(plan::Digest& digest, const std::vector<std::uint32_t>& numbers) {
  digest.add(numbers.size());
  for (const std::uint32_t number : numbers) digest.add(number);
}

}  // namespace

std::uint64_t schedule_hash(const plan::Schedule& schedule) {
  plan::Digest digest;
  digest.add(schedule.lanes.size());
  for (const plan::Lane& lane : schedule.lanes) {
    digest.add(lane.place);
    digest.add(lane.lane);
    add(digest, lane.operations);
  }
  for (const plan::ScheduledOperation& operation : schedule.operations) {
    add(digest, {operation.lane, operation.position, operation.urgency});
    digest.add(operation.waits.size());
    for (const plan::LaneWait& wait : operation.waits)
      add(digest, {wait.lane, wait.position, wait.distance});
  }
  add(digest, schedule.submission);
  add(digest, schedule.phase_end);
  return digest.value();
}

}  // namespace convoy::testing
