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
  bool goes_there = true;     // or the second gradient is that of the same point
  bool last_is_lost = false;  // the last replica's second gradient
};
WritePlan uphill(const Uphill& how) {
  return [how](Planner& p) {
    const SetId there(how.goes_there ? 1 : 0), second(1);
    p.compute();
    for (const auto r : p.replicas()) {
      if (!how.goes_there) continue;
      const Span length = p.scratch(p.replica_place(r), 1);
      const Buffer way = p.scratch(p.replica_place(r), p.arena_elements());
      p.dot(length, p.gradient(r), p.gradient(r));
      p.square_root(length, length);
      p.divide(way, p.gradient(r), length);
      p.axpy(p.parameters(r, there), 0.125, way, p.parameters(r));
    }
    p.compute({.parameters_set = there, .gradient_set = second});
    std::vector<Span> sums = p.all_gradients(p.arena(), second);
    if (how.last_is_lost) sums.pop_back();
    if (sums.size() > 1) p.all_reduce(sums);
    for (const auto r : p.replicas()) p.apply(p.parameters(r), sums.front());
  };
}

}  // namespace

std::vector<SampleRecurrence> detours() {
  constexpr Verdict kWrong = Verdict::kWrong;
  constexpr Verdict kOpen = Verdict::kUnproved;
  return {
      {"a mean that arrives late", late_mean({}), kOpen, false,
       "gradients of some of 4 steps count 0.75 times and those of the others once"},
      {"a late mean that adds up to more", late_mean({.of_mean = 0.5}), kWrong, false, ""},
      {"a late mean that one replica mixes otherwise", late_mean({.of_last = 0.5}), kWrong, false,
       ""},
      {"no mean, and smaller gradients",
       late_mean({.of_own = 1, .of_mean = 0, .of_last = 1, .gradient = 0.75}), kWrong, false, ""},
      {"a late mean, and smaller gradients", late_mean({.gradient = 0.75}), kWrong, false, ""},
      {"gradients of a point uphill", uphill({}), kOpen, false,
       "move what a later forward reads, and are not applied"},
      {"gradients of a point uphill, without one replica", uphill({.last_is_lost = true}), kWrong,
       false, "is missing"},
      {"every second gradient is skipped", uphill({.goes_there = false}), kWrong, false,
       "are skipped"},
  };
}

}  // namespace convoy::testing
