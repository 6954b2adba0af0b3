#include "tests/plan/check/sample_detours.hpp"

namespace convoy::testing {
namespace {

bool is_last(const Planner& p, ReplicaId r) {
  return r.index() + 1 == p.replica_count();
}

// As DASO (Coquelin et al., 2021): the mean of what all had after the first of four steps arrives
// after the third one.
struct LateMean {
  double of_own = 0.75;
  double of_mean = 0.25;
  double of_last = 0.75;  // what the last replica keeps of its own
  double gradient = 1;    // of the steps in between
};
WritePlan late_mean(const LateMean& how) {
  return [how](Planner& p) {
    std::vector<Span> means;
    for (const auto r : p.replicas())
      means.push_back(p.scratch(p.replica_place(r), p.arena_elements()));
    for (int step = 0; step < 4; ++step) {
      p.compute();
      for (const auto r : p.replicas()) {
        if (step == 1 || step == 2) p.scale(p.gradient(r), p.gradient(r), how.gradient);
        p.apply(p.parameters(r), p.gradient(r), {.contributions = 1});
      }
      if (step == 0) {
        for (const auto r : p.replicas()) p.copy(means[r.index()], p.parameters(r));
        p.all_reduce(means);
      }
      for (const auto r : p.replicas()) {
        if (step != 2) continue;
        const double own = is_last(p, r) ? how.of_last : how.of_own;
        p.scale(p.parameters(r), p.parameters(r), own);
        p.axpy(p.parameters(r), how.of_mean / p.replica_count(), means[r.index()], p.parameters(r));
      }
    }
  };
}

// Sharpness-aware minimisation (Foret et al., 2021): the gradient of a point uphill is applied.
struct Uphill {
  bool goes_there = true;      // or the second gradient is that of the same point
  bool last_is_lost = false;   // the last replica's second gradient
  double by = 0.125;           // the way's length
  double last_by = 0.125;      // that of the last replica
  bool by_sum = false;         // in the direction of the sum of all gradients
  bool by_neighbour = false;   // in that of another replica's gradient
  bool by_elements = false;    // every element goes as far
  bool last_goes_on = false;   // the last replica goes on from there
  bool all_go_on = false;      // all do
  double last_gradient = 1;    // times the second gradient of the last replica
  bool applies_first = false;  // the first gradients instead
  bool last_applies_first = false;
};

class UphillWriter {
 public:
  UphillWriter(Planner& p, const Uphill& how) : p_(p), how_(how), there_(how.goes_there ? 1 : 0) {}

  void write() {
    p_.compute();
    const std::vector<Buffer> directions = copies();
    if (how_.by_sum) p_.all_reduce({directions.begin(), directions.end()});
    for (const auto r : p_.replicas())
      if (how_.goes_there)
        go(r, directions[(r.index() + (how_.by_neighbour ? 1 : 0)) % directions.size()]);
    p_.compute({.parameters_set = there_, .gradient_set = SetId(1)});
    update();
  }

 private:
  std::vector<Buffer> copies() {
    std::vector<Buffer> result;
    for (const auto r : p_.replicas()) {
      result.push_back(p_.scratch(p_.replica_place(r), p_.arena_elements()));
      p_.copy(result.back(), p_.gradient(r));
    }
    return result;
  }

  void go(ReplicaId r, const Buffer& direction) {
    const PlaceId here = p_.replica_place(r);
    const Buffer way = p_.scratch(here, p_.arena_elements()),
                 own = p_.scratch(here, p_.arena_elements());
    const Span length = p_.scratch(here, how_.by_elements ? p_.arena_elements() : 1);
    p_.copy(own, direction);
    if (how_.by_elements)
      p_.multiply(length, own, own);
    else
      p_.dot(length, own, own);
    p_.square_root(length, length);
    p_.divide(way, own, length);
    p_.axpy(p_.parameters(r, there_), is_last(p_, r) ? how_.last_by : how_.by, way,
            p_.parameters(r));
  }

  void update() {
    std::vector<Span> sums = p_.all_gradients(p_.arena(), SetId(how_.applies_first ? 0 : 1));
    if (how_.last_applies_first) sums.back() = p_.gradient(p_.replicas().back());
    if (how_.last_gradient != 1) p_.scale(sums.back(), sums.back(), how_.last_gradient);
    if (how_.last_is_lost) sums.pop_back();
    if (sums.size() > 1) p_.all_reduce(sums);
    for (const auto r : p_.replicas()) {
      if (how_.all_go_on || (how_.last_goes_on && is_last(p_, r)))
        p_.copy(p_.parameters(r), p_.parameters(r, there_));
      p_.apply(p_.parameters(r), sums.front());
    }
  }

  Planner& p_;
  Uphill how_;
  SetId there_;
};

WritePlan uphill(const Uphill& how) {
  return [how](Planner& p) { UphillWriter(p, how).write(); };
}

// Training goes on from what is kept of the parameters: nothing brings back the rest.
enum class Kept { kLargest, kOnlySigns, kMinimum };
WritePlan kept_parameters(Kept what) {
  return [what](Planner& p) {
    const Coding coding{Code::kSign, 16};
    const std::uint64_t count = p.arena_elements();
    p.compute();
    for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r), {.contributions = 1});
    for (const auto r : p.replicas()) {
      const PlaceId here = p.replica_place(r);
      const Span codes = p.scratch(here, coding.code_bytes(count), Dtype::kU8);
      const Span scales = p.scratch(here, coding.scales(count));
      const Span values = p.scratch(here, 5), indices = p.scratch(here, 5, Dtype::kI32);
      if (what == Kept::kLargest) {
        p.top_k(values, indices, p.parameters(r));
        p.scatter(p.parameters(r), values, indices);
      } else if (what == Kept::kOnlySigns) {
        p.quantise(codes, scales, p.parameters(r), coding);
        p.dequantise(p.parameters(r), codes, scales, coding);
      }
    }
    const bool is_least = what == Kept::kMinimum;
    p.all_reduce(p.all_parameters(p.arena()),
                 {.reduction = is_least ? Reduction::kMin : Reduction::kSum});
    for (const auto r : p.replicas())
      if (!is_least) p.scale(p.parameters(r), p.parameters(r), 1.0 / p.replica_count());
  };
}

}  // namespace

std::vector<SampleRecurrence> detours() {
  constexpr plan::check::Verdict kWrong = plan::check::Verdict::kWrong;
  constexpr plan::check::Verdict kOpen = plan::check::Verdict::kUnproved;
  constexpr plan::check::Verdict kRight = plan::check::Verdict::kApproximate;
  return {
      {"a mean that arrives late", late_mean({}), kOpen, false,
       "gradients of some of 4 steps count 0.75 times and those of the others once"},
      {"a late mean that adds up to more", late_mean({.of_mean = 0.5}), kWrong, false, ""},
      {"a late mean that one replica mixes otherwise", late_mean({.of_last = 0.5}), kWrong, false,
       ""},
      {"no mean, and smaller gradients",
       late_mean({.of_own = 1, .of_mean = 0, .of_last = 1, .gradient = 0.75}), kWrong, false, ""},
      {"a late mean, and smaller gradients", late_mean({.gradient = 0.75}), kWrong, false, ""},
      {"gradients of a point uphill", uphill({}), kRight, false, "lead uphill"},
      {"gradients of one point uphill for all", uphill({.by_sum = true}), kRight, false,
       "lead uphill"},
      {"gradients of a point uphill, without one replica", uphill({.last_is_lost = true}), kWrong,
       false, "is missing"},
      {"gradients of a point downhill", uphill({.by = -0.125, .last_by = -0.125}), kOpen, false,
       "move what a later forward reads, and are not applied"},
      {"the last one goes downhill", uphill({.last_by = -0.125}), kOpen, false, ""},
      {"the last one stays", uphill({.last_by = 0}), kWrong, false, "are skipped"},
      {"uphill for another replica", uphill({.by_neighbour = true}), kOpen, false, ""},
      {"every element goes uphill", uphill({.by_elements = true}), kOpen, false, ""},
      {"the last one goes on from uphill", uphill({.last_goes_on = true}), kOpen, false, ""},
      {"all go on from uphill", uphill({.all_go_on = true}), kOpen, false, ""},
      {"uphill, and twice the last gradient", uphill({.last_gradient = 2}), kWrong, false, ""},
      {"uphill for nothing", uphill({.applies_first = true}), kWrong, false, "are skipped"},
      {"the last one goes uphill for nothing", uphill({.last_applies_first = true}), kOpen, false,
       ""},
      {"means of the largest parameters", kept_parameters(Kept::kLargest), kOpen, false,
       "nothing brings back what that leaves out"},
      {"means of the signs of parameters", kept_parameters(Kept::kOnlySigns), kOpen, false,
       "nothing brings back what that leaves out"},
      {"the least parameters of all", kept_parameters(Kept::kMinimum), kOpen, false,
       "whose result only the run knows"},
      {"every second gradient is skipped", uphill({.goes_there = false}), kWrong, false,
       "are skipped"},
  };
}

}  // namespace convoy::testing
