#include "core/plan/check/recurrence/equal_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/plan/check/recurrence/count_patterns.hpp"
#include "core/plan/check/recurrence/impulse_response.hpp"
#include "core/plan/check/recurrence/local_steps.hpp"

namespace convoy::plan::check {
namespace {

class EqualWeightsJudge : public SystemProof {
 public:
  explicit EqualWeightsJudge(const SystemProof& proof) : SystemProof(proof) {}

  // Requires that every gradient has the same final weight in everything that is read.
  void require(const FieldMatrix& weights) {
    if (all_equal(weights)) return;
    const std::vector<std::uint64_t> by_compute = counts_by_compute(weights);
    if (const auto factor = restarted_momentum(by_compute)) {
      report_.restarts = by_compute;
      return add_finding(
          FindingKind::kUnknown, system_.reads.front(), CONVOY_NONE,
          fmt::format("gradients of the first of {} steps count {:.6g} times and those of the "
                      "last one {:.6g} times, as with a momentum of {:.6g} that begins anew "
                      "every {} steps: it is not known whether that is meant",
                      plan_.computes, number_of(by_compute.front()), number_of(by_compute.back()),
                      *factor, plan_.computes));
    }
    report_.uneven_means = updates_.uneven_means(by_compute);
    if (report_.uneven_means.empty() && !judge_proximal_pull(by_compute) &&
        !judge_averaged_iterates(by_compute) && !leave_mixed_open(by_compute))
      report_unequal(weights);
  }

 private:
  // Whether every gradient of the period is in everything that is read, always with the same
  // weight.
  bool all_equal(const FieldMatrix& weights) const {
    if (gradients_.size() != plan_.cluster->replicas() * plan_.computes) return false;
    const std::uint64_t first = weights.at(0, 0);
    for (std::size_t r = 0; r < weights.rows(); ++r)
      for (std::size_t g = 0; g < gradients_.size(); ++g)
        if (weights.at(r, g) != first) return false;
    return first != 0;
  }

  // Returns how often the gradients of each compute of the period count. Empty unless the gradients
  // of all replicas count alike in everything that is read.
  std::vector<std::uint64_t> counts_by_compute(const FieldMatrix& weights) const {
    const std::uint64_t replicas = plan_.cluster->replicas();
    if (gradients_.size() != replicas * plan_.computes) return {};
    std::vector<std::uint64_t> counts(plan_.computes, 0);
    for (std::size_t r = 0; r < weights.rows(); ++r)
      for (std::size_t g = 0; g < gradients_.size(); ++g) {
        const std::uint64_t times = counted(weights.at(r, g), replicas);
        std::uint64_t& known = counts[gradients_[g].compute];
        if (times == 0 || (known != 0 && known != times)) return {};
        known = times;
      }
    return counts;
  }

  // If every step pulls the parameters back, the plan itself shows the intention. Gradients that
  // are scaled could have such counts, too. A momentum or a rate of the means applies to all steps.
  bool judge_proximal_pull(const std::vector<std::uint64_t>& by_compute) {
    if (by_compute.size() < 2) return false;
    const std::uint64_t last = by_compute.back();
    const std::uint64_t kept = field_divide(by_compute[by_compute.size() - 2], last);
    const LocalSteps steps(system_, values_);
    for (const std::uint64_t of_all : {last, field_divide(last, kept)}) {
      std::vector<std::uint64_t> counts = by_compute;
      for (std::uint64_t& it : counts) it = field_divide(it, of_all);
      const std::optional<double> leaves = proximal_pull(counts);
      if (!leaves || !is_fair_total(of_all) || !steps.pulls_back(kept, counts)) continue;
      accept_uneven(by_compute, fmt::format("steps pull parameters back by {:.6g} of the way to "
                                            "where the period began",
                                            1 - *leaves));
      return true;
    }
    return leave_proximal_pull_open(by_compute);
  }

  bool leave_proximal_pull_open(const std::vector<std::uint64_t>& by_compute) {
    const std::optional<double> kept = proximal_pull(by_compute);
    if (!kept || !averages_parameters(system_)) return false;
    add_finding(
        FindingKind::kUnknown, system_.reads.front(), CONVOY_NONE,
        fmt::format(
            "gradients of the first of {} steps count {:.6g} times and those of the last one "
            "{:.6g} times, as where steps pull parameters back by {:.6g} of the way from "
            "where the period began: it is not known whether that is meant",
            plan_.computes, number_of(by_compute.front()), number_of(by_compute.back()),
            1 - *kept));
    return true;
  }

  // Whether all gradients may count this often: once, less if parameters are averaged, or more
  // through a momentum between periods.
  bool is_fair_total(std::uint64_t total) const {
    const double counts = number_of(total);
    return total == 1 || (counts > 0 && counts < 1 && averages_parameters(system_)) ||
           (counts > 1 && counts_by_momentum(system_, total, 1));
  }

  // The same if training continues from the mean of the weights, as in stochastic weight averaging
  // (Izmailov et al., 2018). Every step takes a plain mean, or every replica its own gradient, and
  // every forward contains all of them in full.
  bool judge_averaged_iterates(const std::vector<std::uint64_t>& by_compute) {
    const std::uint64_t replicas = plan_.cluster->replicas();
    const std::optional<std::uint64_t> points = averaged_iterates(by_compute);
    if (!points) return false;
    const LocalSteps steps(system_, values_);
    const bool takes_means = updates_.are_plain_means(replicas);
    if ((takes_means && steps.has_all_alike(replicas)) ||
        (updates_.are_plain_means(1) && steps.has_own_in_full())) {
      report_.averaged_over = *points;
      accept_uneven(by_compute, fmt::format("every {} steps end with the mean of the parameters at "
                                            "{} points on the way",
                                            plan_.computes, *points));
      return true;
    }
    if (!takes_means) return false;
    report_.averaged_over = *points;
    add_finding(
        FindingKind::kUnknown, system_.reads.front(), CONVOY_NONE,
        fmt::format(
            "gradients of the first of {} steps count once and those of the last one {:.6g} "
            "times, as where the period ends with the mean of the parameters at {} points on "
            "the way: it is not known whether that is meant",
            plan_.computes, number_of(by_compute.back()), *points));
    return true;
  }

  // The updates are whole means, so it is the parameters of which a part is lost. Leaves open
  // whether that is intended.
  bool leave_mixed_open(const std::vector<std::uint64_t>& by_compute) {
    const std::optional<double> between = delayed_mixing(by_compute);
    if (!between || !updates_.are_means_of_some()) return false;
    add_finding(
        FindingKind::kUnknown, system_.reads.front(), CONVOY_NONE,
        fmt::format(
            "gradients of some of {} steps count {:.6g} times and those of the others once, "
            "as where parameters are replaced by {:.6g} of themselves and {:.6g} of those of "
            "some steps before: it is not known whether that is meant",
            plan_.computes, *between, *between, 1 - *between));
    return true;
  }

  void accept_uneven(const std::vector<std::uint64_t>& by_compute, const std::string& because) {
    report_.uneven_because = because;
    report_.total = 0;
    report_.least = report_.counts = number_of(by_compute.front());
    for (const std::uint64_t counts : by_compute) {
      report_.total = field_hash(counts, report_.total);
      report_.least = std::min(report_.least, number_of(counts));
      report_.counts = std::max(report_.counts, number_of(counts));
    }
  }

  // Reports the first gradient that is missing or has another weight.
  void report_unequal(const FieldMatrix& weights) {
    const std::uint64_t replicas = plan_.cluster->replicas();
    const auto named = [&](const GradientKey& it) {
      return fmt::format("replica {}{}", it.replica,
                         plan_.computes == 1
                             ? ""
                             : fmt::format(" in step {} of {}", it.compute + 1, plan_.computes));
    };
    std::map<GradientKey, std::size_t> columns;
    for (std::size_t g = 0; g < gradients_.size(); ++g) columns.emplace(gradients_[g], g);
    for (std::size_t r = 0; r < weights.rows(); ++r) {
      const PeriodRead& read = system_.reads[r];
      for (std::uint32_t source = 0; source < replicas; ++source)
        for (std::uint64_t compute = 0; compute < plan_.computes; ++compute) {
          const auto at = columns.find({source, compute});
          if (at == columns.end() || weights.at(r, at->second) == 0)
            return add_finding(
                FindingKind::kMissing, read, source,
                fmt::format("the gradient of replica {} is missing from what replica {} reads",
                            source, read.replica));
        }
      for (std::size_t g = 0; g < gradients_.size(); ++g) {
        if (weights.at(r, g) == weights.at(0, 0)) continue;
        return add_finding(
            FindingKind::kScaled, read, gradients_[g].replica,
            fmt::format("in what replica {} reads, the gradient of {} counts {:.6g} times in the "
                        "end, and that of {} in what replica {} reads {:.6g} times",
                        read.replica, named(gradients_[g]),
                        number_of(counted(weights.at(r, g), replicas)), named(gradients_[0]),
                        system_.reads[0].replica, number_of(counted(weights.at(0, 0), replicas))));
      }
    }
  }
};

}  // namespace

void require_equal_weights(const SystemProof& proof, const FieldMatrix& weights) {
  EqualWeightsJudge(proof).require(weights);
}

}  // namespace convoy::plan::check
