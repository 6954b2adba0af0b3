#include "core/network/plan_agreement.hpp"

#include <algorithm>

#include "core/base/numbers/fnv.hpp"
#include "core/base/text/sent_number.hpp"

namespace convoy::network {
namespace {

// Compares the operations of one task with the chief's. Every task goes through the same rounds,
// because all see the blobs of all.
class PlanComparison {
 public:
  PlanComparison(ControlPlane& control, const std::vector<std::string>& operations)
      : control_(control), operations_(operations) {
    Fnv1a64 hash;
    prefixes_.push_back(hash.value());
    for (const std::string& operation : operations) {
      hash.add_bytes(operation);
      hash.add_word(operation.size());
      prefixes_.push_back(hash.value());
    }
  }

  void run() {
    const auto plans =
        control_.exchange("plan", fmt::format("{} {:016x}", operations_.size(), prefixes_.back()));
    const auto other =
        std::ranges::find_if(plans, [&](const std::string& plan) { return plan != plans.front(); });
    if (other == plans.end()) return;
    const auto rank = static_cast<std::size_t>(other - plans.begin());
    const std::size_t first =
        first_difference(rank, std::min(operations_in(plans.front()), operations_in(*other)));
    const auto texts = control_.exchange(
        "plan/operation", first < operations_.size() ? operations_[first] : "nothing more");
    const std::vector<Member> members = control_.roster().members;
    fail(
        ExitCode::kUnavailable,
        "{} would run another step than {}: operation {} is '{}' there and '{}' on the chief; give "
        "both the same flags and plug-ins and devices of one kind",
        to_string(members[rank].name), to_string(members.front().name), first, texts[rank],
        texts.front());
  }

 private:
  static std::size_t operations_in(const std::string& plan) {
    return sent_number<std::size_t>(plan.substr(0, plan.find(' ')), "number of operations");
  }

  // The number of equal operations before the first one that differs, at most `most`.
  std::size_t first_difference(std::size_t rank, std::size_t most) {
    std::size_t same = 0;
    while (same < most) {
      const std::size_t middle = same + (most - same + 1) / 2;
      const std::size_t mine = std::min(middle, operations_.size());
      const auto hashes = control_.exchange(fmt::format("plan/{}", middle),
                                            fmt::format("{:016x}", prefixes_[mine]));
      if (hashes.front() == hashes[rank])
        same = middle;
      else
        most = middle - 1;
    }
    return same;
  }

  ControlPlane& control_;
  const std::vector<std::string>& operations_;
  std::vector<std::uint64_t> prefixes_;  // hash of the first i operations
};

}  // namespace

void agree_on_plan(ControlPlane& control, const std::vector<std::string>& operations) {
  PlanComparison(control, operations).run();
}

}  // namespace convoy::network
