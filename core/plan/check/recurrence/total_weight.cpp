#include "core/plan/check/recurrence/total_weight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/plan/check/recurrence/impulse_response.hpp"

namespace convoy::plan::check {
namespace {

class TotalWeightJudge : public SystemProof {
 public:
  explicit TotalWeightJudge(const SystemProof& proof) : SystemProof(proof) {}

  // Every gradient counts `total` times its weight in a mean. More than once is right only for
  // momentum. Less than once is right if parameters are averaged.
  void judge(const FieldMatrix& weights) {
    if (!report_.uneven_because.empty()) return;
    std::size_t counting = 0;  // the first gradient that reaches a read
    while (counting < gradients_.size() && weights.at(0, counting) == 0) ++counting;
    const PeriodRead& any = system_.reads.front();
    if (counting == gradients_.size())
      return add_finding(
          FindingKind::kScaled, any, any.replica,
          fmt::format("every gradient counts 0 times in the end in what replica {} reads: no "
                      "update stays in its parameters",
                      any.replica));
    const std::uint64_t count = counted(weights.at(0, counting), sources_of_a_mean());
    report_.means_over = report_.uneven_means.empty()
                             ? updates_.computes_of_a_mean(sources_of_a_mean(), count)
                             : std::ranges::max(report_.uneven_means);
    const std::uint64_t divisor = divisor_of(gradients_[counting].compute);
    const std::uint64_t total = field_multiply(count, divisor);
    report_.total = total;
    take_counts(total);
    const double counts = report_.counts;
    if (report_.counts_once || (counts > 0 && counts < 1 && averages_parameters(system_))) return;
    const char* subject = report_.alone
                              ? "no replica's gradient reaches another replica, and at home each"
                              : "every gradient";
    if (counts < 1)
      return add_finding(
          FindingKind::kScaled, any, any.replica,
          fmt::format("{} counts {:.6g} times in the end, not once", subject, counts));
    judge_more_than_once(total, subject);
  }

 private:
  // `subject` names what counts, for the text: "every gradient".
  void judge_more_than_once(std::uint64_t total, const char* subject) {
    // An update with a sum is one update, whatever the number of steps in the sum. Momentum may
    // also act in every step.
    const std::uint64_t updates[] = {updates_of_period(), updates_.most_of_a_buffer(),
                                     plan_.computes};
    const auto is_momentum = [&](std::uint64_t of_period) {
      return counts_by_momentum(system_, total, of_period);
    };
    if (takes_each_by_itself(total) || std::ranges::any_of(updates, is_momentum)) return;
    const double counts = report_.counts;
    const bool in_full = std::fabs(counts - plan_.cluster->replicas()) < 1e-9;
    const bool twice = may_count_by_two_momenta(system_, total, updates_of_period());
    const char* as_if = "";
    if (twice)
      as_if = ", as with a momentum inside of another: it is not known whether that is meant";
    if (in_full) as_if = ", as if the replicas' updates were added where a mean is meant";
    const PeriodRead& any = system_.reads.front();
    add_finding(
        in_full || twice ? FindingKind::kUnknown : FindingKind::kDoubled, any, any.replica,
        fmt::format("{} counts {:.6g} times in the end, not once{}", subject, counts, as_if));
  }

  void take_counts(std::uint64_t counts) {
    report_.least = report_.counts = number_of(counts);
    report_.counts_once = counts == 1;
  }

  // If every gradient is applied by itself, an undivided gradient counts once.
  bool takes_each_by_itself(std::uint64_t total) {
    const std::uint64_t replicas = plan_.cluster->replicas();
    if (replicas < 2 || !updates_.are_for_each(gradients_.size())) return false;
    const std::uint64_t undivided = field_divide(total, replicas);
    // for a momentum of each replica's own, or for one that they share
    const auto fades = [&](std::uint64_t updates) {
      return counts_by_momentum(system_, undivided, updates);
    };
    if (undivided != 1 &&
        (number_of(undivided) < 1 || !(fades(plan_.computes) || fades(plan_.computes * replicas))))
      return false;
    take_counts(undivided);
    report_.by_itself = true;
    return true;
  }

  // Returns the number of replicas over whose gradients a mean is taken.
  std::uint64_t sources_of_a_mean() const { return report_.alone ? 1 : plan_.cluster->replicas(); }

  // Returns the number of computes by which the gradients of a compute are divided.
  std::uint64_t divisor_of(std::uint64_t compute) const {
    std::uint64_t end = 0;
    for (const std::uint64_t computes : report_.uneven_means)
      if (compute < (end += computes)) return computes;
    return report_.means_over;
  }

  std::uint64_t updates_of_period() const {
    return report_.uneven_means.empty() ? plan_.computes / report_.means_over
                                        : report_.uneven_means.size();
  }
};

}  // namespace

void judge_total_weight(const SystemProof& proof, const FieldMatrix& weights) {
  TotalWeightJudge(proof).judge(weights);
}

}  // namespace convoy::plan::check
