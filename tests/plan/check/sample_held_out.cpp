#include "tests/plan/check/sample_held_out.hpp"

#include <functional>

#include "tests/plan/check/sample_stages.hpp"

namespace convoy::testing {
namespace {

Buffer held(Planner& p, ReplicaId r) {
  return p.persistent(p.replica_place(r), p.arena_elements());
}
Buffer passing(Planner& p, ReplicaId r) {
  return p.scratch(p.replica_place(r), p.arena_elements());
}
bool is_second(ReplicaId r) {
  return r.index() == 1;
}
void rounded(Planner& p, ReplicaId r, Span to, Span from) {
  const Buffer half = p.scratch(p.replica_place(r), p.arena_elements(), Dtype::kBf16);
  p.cast(half, from);
  p.cast(to, half);
}

// What neighbours on a ring hold, half of one's own and half of the next one's.
void mix(Planner& p, const std::vector<Span>& all) {
  std::vector<Buffer> before;
  for (const auto r : p.replicas()) {
    before.push_back(passing(p, r));
    p.copy(before.back(), all[r.index()]);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    p.scale(all[i], before[i], 0.5);
    p.axpy(all[i], 0.5, before[(i + 1) % all.size()], all[i]);
  }
}

// Gradient tracking (Nedic, Olshevsky and Shi, 2017): every replica follows the mean gradient, by
// what its own has changed. That the sums of both are equal is true from the start only.
WritePlan gradient_tracking(double sign) {
  return [=](Planner& p) {
    std::vector<Span> tracked;
    std::vector<Buffer> last;
    for (const auto r : p.replicas()) {
      tracked.push_back(held(p, r));
      last.push_back(held(p, r));
    }
    p.compute();
    mix(p, tracked);
    for (const auto r : p.replicas()) {
      const Span mine = tracked[r.index()];
      p.add(mine, mine, p.gradient(r));
      p.axpy(mine, sign, last[r.index()], mine);
      p.copy(last[r.index()], p.gradient(r));
    }
    mix(p, p.all_parameters(p.arena()));
    for (const auto r : p.replicas())
      p.apply(p.parameters(r), tracked[r.index()], {.contributions = 1});
  };
}

// EAMSGD (Zhang, Choromanska and LeCun, 2015): elastic averaging of replicas that have momentum.
// What a center takes from a step fades nearly as fast as what momentum adds to it.
WritePlan elastic_momentum(double momentum, double gradient) {
  return [=](Planner& p) {
    const Buffer center = p.persistent(p.host_place(ReplicaId(0)), p.arena_elements());
    p.prologue([&] { p.copy(center, p.parameters(ReplicaId(0))); });
    p.compute();
    std::vector<Span> pulls{center};
    for (const auto r : p.replicas()) {
      const Buffer velocity = held(p, r);
      const Buffer pulled = passing(p, r);
      p.scale(velocity, velocity, momentum);
      p.axpy(velocity, gradient, p.gradient(r), velocity);
      p.apply(p.parameters(r), velocity, {.contributions = 1});
      p.axpy(pulled, -1, center, p.parameters(r));
      p.scale(pulled, pulled, 0.4 / p.replica_count());
      p.axpy(p.parameters(r), -1, pulled, p.parameters(r));
      pulls.push_back(pulled);
    }
    p.sum(center, pulls);
  };
}

// EF21 (Richtarik, Sokolov and Fatkhullin, 2021): differences to an estimate of each gradient are
// sent, and a server adds them to the sum of all estimates.
void write_estimates(Planner& p) {
  p.compute();
  const PlaceId server = p.host_place(ReplicaId(0));
  const Buffer sum = p.persistent(server, p.arena_elements());
  std::vector<Span> parts{sum};
  for (const auto r : p.replicas()) {
    const Buffer estimate = held(p, r);
    const Buffer change = passing(p, r);
    p.axpy(change, -1, estimate, p.gradient(r));
    rounded(p, r, change, change);
    p.add(estimate, estimate, change);
    parts.push_back(change);
  }
  p.sum(sum, parts);
  for (const auto r : p.replicas()) p.apply(p.parameters(r), sum);
}

// Each half of the arena is exchanged in every other step, with the gradients of both.
WritePlan staggered(std::uint64_t contributions_of_each) {
  return [=](Planner& p) {
    std::vector<Buffer> sums;
    for (const auto r : p.replicas()) sums.push_back(held(p, r));
    for (const Range half : split(p.arena(), 2)) {
      p.compute();
      std::vector<Span> exchanged;
      for (const auto r : p.replicas()) {
        p.add(sums[r.index()], sums[r.index()], p.gradient(r));
        exchanged.push_back(sums[r.index()][half]);
      }
      p.all_reduce(exchanged);
      for (const auto r : p.replicas()) {
        p.apply(p.parameters(r)[half], exchanged[r.index()],
                {.contributions = contributions_of_each * p.replica_count()});
        p.fill(exchanged[r.index()], 0);
      }
    }
  };
}

// One replica after the other sends nothing in a step, and what it would have sent in a later one.
WritePlan in_turns_without(double times_kept) {
  return [=](Planner& p) {
    std::vector<Buffer> kept;
    for (const auto r : p.replicas()) kept.push_back(held(p, r));
    for (const auto silent : p.replicas()) {
      p.compute();
      std::vector<Span> sent;
      for (const auto r : p.replicas()) {
        const Buffer mine = kept[r.index()];
        p.axpy(mine, times_kept, mine, p.gradient(r));
        if (r.index() == silent.index()) continue;
        sent.push_back(passing(p, r));
        p.copy(sent.back(), mine);
        p.fill(mine, 0);
      }
      const Buffer sum = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
      p.sum(sum, sent);
      for (const auto r : p.replicas()) p.apply(p.parameters(r), sum);
    }
  };
}

// The gradients of so many steps in turn, rounded once, and what that leaves out. Sums are divided
// either before they are rounded or by the update.
struct Accumulation {
  std::vector<std::uint64_t> steps = {1, 2, 3};
  bool divides_before = true;
  double divisor = 0;   // instead of the steps
  double momentum = 0;  // of all replicas, behind the sum
  bool rounds = true;
};
WritePlan accumulated_feedback(const Accumulation& how) {
  return [how](Planner& p) {
    std::vector<Buffer> wanted, velocities;
    for (const auto r : p.replicas()) {
      wanted.push_back(held(p, r));
      if (how.momentum > 0) velocities.push_back(held(p, r));
    }
    for (const std::uint64_t steps : how.steps) {
      const double divisor = how.divisor > 0 ? how.divisor : static_cast<double>(steps);
      for (std::uint64_t i = 0; i < steps; ++i) {
        p.compute();
        for (const auto r : p.replicas())
          p.axpy(wanted[r.index()], how.divides_before ? 1 / divisor : 1, p.gradient(r),
                 wanted[r.index()]);
      }
      std::vector<Span> sent;
      for (const auto r : p.replicas()) {
        sent.push_back(passing(p, r));
        if (how.rounds)
          rounded(p, r, sent.back(), wanted[r.index()]);
        else
          p.copy(sent.back(), wanted[r.index()]);
        p.axpy(wanted[r.index()], -1, sent.back(), wanted[r.index()]);
      }
      p.all_reduce(sent);
      for (const auto r : p.replicas()) {
        Span update = sent[r.index()];
        if (how.momentum > 0) {
          p.axpy(velocities[r.index()], how.momentum, velocities[r.index()], update);
          update = velocities[r.index()];
        }
        const std::uint64_t divided = how.divides_before ? 1 : static_cast<std::uint64_t>(divisor);
        p.apply(p.parameters(r), update, {.contributions = divided * p.replica_count()});
      }
    }
  };
}

// Every replica has a momentum of its own for the sum of all gradients.
void write_lost_momentum(Planner& p) {
  p.compute();
  p.all_reduce(p.all_gradients(p.arena()));
  for (const auto r : p.replicas()) {
    const Buffer velocity = held(p, r);
    p.axpy(velocity, is_second(r) ? 0.0 : 0.5, velocity, p.gradient(r));
    p.apply(p.parameters(r), velocity);
  }
}

// The same, lost behind the first half of the arena only.
void write_half_lost_momentum(Planner& p) {
  p.compute();
  p.all_reduce(p.all_gradients(p.arena()));
  const std::vector<Range> halves = split(p.arena(), 2);
  for (const auto r : p.replicas()) {
    const Buffer velocity = held(p, r);
    for (std::size_t i = 0; i < halves.size(); ++i) {
      const bool lost = i == 1 && is_second(r);
      p.axpy(velocity[halves[i]], lost ? 0.0 : 0.5, velocity[halves[i]], p.gradient(r)[halves[i]]);
    }
    p.apply(p.parameters(r), velocity);
  }
}

// Slow weights, which `start` sets, go half the way of the mean. All go on from there, or all but
// the second replica.
void look_ahead(Planner& p, bool forgets,
                const std::function<void(Span slow, Span parameters)>& start) {
  const PlaceId home = p.host_place(ReplicaId(0));
  const Buffer slow = p.persistent(home, p.arena_elements());
  p.prologue([&] { start(slow, p.parameters(ReplicaId(0))); });
  p.compute();
  p.all_reduce(p.all_gradients(p.arena()));
  for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
  const Buffer moved = p.scratch(home, p.arena_elements());
  p.axpy(moved, -1, slow, p.parameters(ReplicaId(0)));
  p.axpy(slow, 0.5, moved, slow);
  for (const auto r : p.replicas())
    if (!forgets || !is_second(r)) p.copy(p.parameters(r), slow);
}

void write_lookahead_without_one(Planner& p) {
  look_ahead(p, true, [&](Span slow, Span parameters) { p.copy(slow, parameters); });
}

void write_lookahead_one_element_off(Planner& p) {
  look_ahead(p, false, [&](Span slow, Span parameters) {
    const std::uint64_t last = slow.count - 1;
    p.copy(part(slow, 0, last), part(parameters, 1, last));
    p.copy(part(slow, last, 1), part(parameters, 0, 1));
  });
}

void write_ones_at_first(Planner& p) {
  const SetId sets[] = {SetId(0), SetId(1)};
  p.prologue([&] {
    for (const auto r : p.replicas()) p.fill(p.gradient(r, sets[1]), 1);
  });
  for (int i = 0; i < 2; ++i) {
    p.compute({.gradient_set = sets[i]});
    p.all_reduce(p.all_gradients(p.arena(), sets[1 - i]));
    for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r, sets[1 - i]));
  }
}

// Nothing is learned, and what fades beside the parameters never gets into them.
void write_nothing_but_fading(Planner& p) {
  std::vector<Buffer> fading;
  for (const auto r : p.replicas()) fading.push_back(held(p, r));
  p.prologue([&] {
    for (const auto r : p.replicas()) p.copy(fading[r.index()], p.parameters(r));
  });
  p.compute();
  for (const auto r : p.replicas()) {
    p.scale(fading[r.index()], fading[r.index()], 0.5);
    p.axpy(p.parameters(r), 0, fading[r.index()], p.parameters(r));
  }
}

void write_residual_twice(Planner& p) {
  p.compute();
  std::vector<Span> sent;
  for (const auto r : p.replicas()) {
    const Buffer residual = held(p, r);
    p.add(residual, residual, p.gradient(r));
    sent.push_back(passing(p, r));
    rounded(p, r, sent.back(), residual);
    p.axpy(residual, -1, sent.back(), residual);
    p.scale(residual, residual, 2);
  }
  p.all_reduce(sent);
  for (const auto r : p.replicas()) p.apply(p.parameters(r), sent[r.index()]);
}

// Stochastic gradient push (Assran et al., 2019): every replica passes fractions of a sum and of
// its weight on to some others, so that columns add up to one and rows do not. Parameters are
// quotients.
struct Push {
  double of_sums = 1;          // times the fraction that replica 0 keeps
  double of_weights = 1;       // the same for its weight
  double first_weight = 1;     // of replica 0
  double gradient = 1;         // times that of replica 0
  bool reads_sum = false;      // replica 0 reads its sum, not the quotient
  bool masters = false;        // sums are masters, which apply updates
  bool rounds = false;         // what is passed on
  bool whole_weights = false;  // a weight for every element
  bool letters = false;        // what is passed on arrives one step later
};
// What replica i passes on, and to whom.
void pass_on(Planner& p, ReplicaId r, const Push& how, double of_own, Span sent,
             const std::vector<Buffer>& all, const std::vector<Buffer>& boxes) {
  const auto count = static_cast<std::uint32_t>(all.size());
  const std::uint32_t i = r.index();
  std::vector<std::uint32_t> to{i, (i + 1) % count};
  if (i == 0) to.push_back((i + 2) % count);
  for (const std::uint32_t other : to) {
    const bool is_own = other == i;
    Span letter = sent;
    if (how.rounds && !is_own && sent.count == p.arena_elements()) {
      letter = passing(p, r);
      rounded(p, r, letter, sent);
    }
    const Span into = is_own ? all[i] : boxes[other];
    p.axpy(into, (i == 0 && is_own ? of_own : 1.0) / static_cast<double>(to.size()), letter, into);
  }
}
void push(Planner& p, const std::vector<Buffer>& all, const Push& how, double of_own) {
  std::vector<Buffer> before;
  std::vector<Buffer> boxes = all;
  for (const auto r : p.replicas()) {
    const Buffer& mine = all[r.index()];
    before.push_back(p.scratch(p.replica_place(r), mine.count));
    p.copy(before.back(), mine);
    p.fill(mine, 0);
    if (!how.letters) continue;
    boxes[r.index()] = p.persistent(p.replica_place(r), mine.count);
    p.copy(mine, boxes[r.index()]);
    p.fill(boxes[r.index()], 0);
  }
  for (const auto r : p.replicas()) pass_on(p, r, how, of_own, before[r.index()], all, boxes);
}
WritePlan push_sum(const Push& how) {
  return [=](Planner& p) {
    std::vector<Buffer> sums;
    std::vector<Buffer> weights;
    for (const auto r : p.replicas()) {
      const PlaceId place = p.replica_place(r);
      sums.push_back(how.masters ? p.master(place) : held(p, r));
      weights.push_back(p.persistent(place, how.whole_weights ? p.arena_elements() : 1));
    }
    p.prologue([&] {
      for (const auto r : p.replicas()) {
        p.fill(weights[r.index()], r.index() == 0 ? how.first_weight : 1);
        if (!how.masters) p.copy(sums[r.index()], p.parameters(r));
      }
    });
    const auto divide = [&] {
      for (const auto r : p.replicas())
        if (how.reads_sum && r.index() == 0)
          p.copy(p.parameters(r), sums[0]);
        else
          p.divide(p.parameters(r), sums[r.index()], weights[r.index()], 1);
    };
    if (how.masters) divide();
    p.compute();
    for (const auto r : p.replicas()) {
      const Span sum = sums[r.index()], mine = p.parameters(r);
      if (r.index() == 0) p.scale(p.gradient(r), p.gradient(r), how.gradient);
      if (how.masters) {
        p.apply(sum, p.gradient(r), {.contributions = 1});
        continue;
      }
      const Buffer step = passing(p, r);
      p.copy(step, mine);
      p.apply(mine, p.gradient(r), {.contributions = 1});
      p.axpy(step, -1, step, mine);
      p.add(sum, sum, step);
    }
    push(p, sums, how, how.of_sums);
    push(p, weights, how, how.of_weights);
    if (!how.masters) divide();
  };
}

void write_largest_gradients(Planner& p) {
  p.compute();
  p.all_reduce(p.all_gradients(p.arena()), {.reduction = Reduction::kMax});
  for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
}

// Rates in proportion to the weights' length, and to something else for one replica.
void write_other_rates(Planner& p) {
  p.compute();
  p.all_reduce(p.all_gradients(p.arena()));
  for (const auto r : p.replicas()) {
    const Buffer rate = p.scratch(p.replica_place(r), 1);
    const Buffer weights = p.parameters(r);
    const Buffer gradient = p.gradient(r);
    p.dot(rate, weights, is_second(r) ? gradient : weights);
    p.multiply(gradient, gradient, rate);
    p.apply(weights, gradient);
  }
}

// A server applies every gradient by itself, through the momentum of the worker that sends it.
WritePlan served_momentum(double of_gradient) {
  return [of_gradient](Planner& p) {
    const PlaceId server = p.host_place(ReplicaId(0));
    const Buffer master = p.master(server);
    for (const auto r : p.replicas()) p.copy(p.parameters(r), master);
    p.compute();
    for (const auto r : p.replicas()) {
      const Buffer velocity = held(p, r);
      p.scale(velocity, velocity, 0.5);
      p.axpy(velocity, of_gradient, p.gradient(r), velocity);
      const Buffer sent = p.scratch(server, p.arena_elements());
      p.copy(sent, velocity);
      p.apply(master, sent, {.contributions = 1});
    }
  };
}

// The server has one momentum for all workers, as an optimizer has.
void write_shared_momentum(Planner& p) {
  const PlaceId server = p.host_place(ReplicaId(0));
  const Buffer master = p.master(server);
  const Buffer velocity = p.persistent(server, p.arena_elements());
  for (const auto r : p.replicas()) p.copy(p.parameters(r), master, {.relaxed = true});
  p.compute();
  for (const auto r : p.replicas()) {
    const Buffer arrived = p.scratch(server, p.arena_elements());
    p.copy(arrived, p.gradient(r));
    p.axpy(velocity, 0.5, velocity, arrived);
    p.apply(master, velocity, {.contributions = 1});
  }
}

// Momentum of each worker for the first half of the arena, and a mean of all momenta for the other
// half.
void write_half_served_momentum(Planner& p) {
  const PlaceId server = p.host_place(ReplicaId(0));
  const Buffer master = p.master(server);
  const std::vector<Range> halves = split(p.arena(), 2);
  for (const auto r : p.replicas()) p.copy(p.parameters(r), master);
  p.compute();
  std::vector<Span> all;
  for (const auto r : p.replicas()) {
    const Buffer velocity = held(p, r);
    p.axpy(velocity, 0.5, velocity, p.gradient(r));
    const Buffer sent = p.scratch(server, p.arena_elements());
    p.copy(sent, velocity);
    p.apply(master[halves[0]], sent[halves[0]], {.contributions = 1});
    all.push_back(sent[halves[1]]);
  }
  const Buffer sum = p.scratch(server, halves[1].count);
  p.sum(sum, all);
  p.apply(master[halves[1]], sum);
}

// The first of these, where workers may read old parameters and their momenta are applied in any
// order.
WritePlan unordered_momentum(double of_gradient) {
  return [of_gradient](Planner& p) {
    const PlaceId server = p.host_place(ReplicaId(0));
    const Buffer master = p.master(server);
    for (const auto r : p.replicas()) {
      p.copy(p.parameters(r), master, {.relaxed = true});
      p.compute_replica(r);
      const Buffer velocity = held(p, r);
      p.scale(velocity, velocity, 0.5);
      p.axpy(velocity, of_gradient, p.gradient(r), velocity);
      const Buffer sent = p.scratch(server, p.arena_elements());
      p.copy(sent, velocity);
      p.apply(master, sent, {.contributions = 1, .any_order = true});
    }
  };
}

// A momentum of the mean, applied by itself once for every replica.
void write_mean_for_each(Planner& p) {
  const PlaceId server = p.host_place(ReplicaId(0));
  const Buffer master = p.master(server);
  for (const auto r : p.replicas()) p.copy(p.parameters(r), master);
  p.compute();
  p.all_reduce(p.all_gradients(p.arena()));
  const Buffer velocity = p.persistent(server, p.arena_elements());
  const Buffer gradient = p.scratch(server, p.arena_elements());
  p.copy(gradient, p.gradient(ReplicaId(0)));
  p.scale(velocity, velocity, 0.5);
  p.axpy(velocity, 1.0 / p.replica_count(), gradient, velocity);
  for ([[maybe_unused]] const auto r : p.replicas())
    p.apply(master, velocity, {.contributions = 1});
}

// FedProx (Li et al., 2020): between two means, replicas are pulled back to the last one.
struct Proximal {
  std::vector<double> pulls = {0.5, 0.5, 0};  // of the way, after each step
  bool by_gradient = false;                   // the pull is added to the gradient instead
  std::vector<double> gradients = {1, 1, 1};  // factors of the gradients of each step
  std::vector<double> steps = {1, 1, 1};      // factors of what each step changes
  std::uint32_t pulled_replicas = CONVOY_NONE;
  bool begins_anew = true;    // where pulls go to moves to the mean
  double outer_momentum = 0;  // of the means
  bool copies = false;        // the period begins with a copy of it
};
void step_with_pull(Planner& p, const Proximal& how, ReplicaId r, std::size_t step, Span begin) {
  const Span mine = p.parameters(r), gradient = p.gradient(r);
  const double pull = r.index() < how.pulled_replicas ? how.pulls[step] : 0;
  p.scale(gradient, gradient, how.gradients[step]);
  if (how.by_gradient) {
    const Buffer away = passing(p, r);
    p.axpy(away, -1, begin, mine);
    p.axpy(gradient, pull, away, gradient);
  }
  const Buffer before = passing(p, r);
  p.copy(before, mine);
  p.apply(mine, gradient, {.contributions = 1});
  if (how.steps[step] != 1) {
    p.scale(mine, mine, how.steps[step]);
    p.axpy(mine, 1 - how.steps[step], before, mine);
  }
  if (how.by_gradient || pull == 0) return;
  p.scale(mine, mine, 1 - pull);
  p.axpy(mine, pull, begin, mine);
}
WritePlan proximal(const Proximal& how) {
  return [=](Planner& p) {
    std::vector<Buffer> begins;
    for (const auto r : p.replicas()) begins.push_back(how.copies ? passing(p, r) : held(p, r));
    const auto begin = [&] {
      for (const auto r : p.replicas()) p.copy(begins[r.index()], p.parameters(r));
    };
    if (how.copies)
      begin();
    else
      p.prologue(begin);
    for (std::size_t i = 0; i < how.pulls.size(); ++i) {
      p.compute();
      for (const auto r : p.replicas()) step_with_pull(p, how, r, i, begins[r.index()]);
    }
    p.all_reduce(p.all_parameters(p.arena()));
    for (const auto r : p.replicas()) {
      p.scale(p.parameters(r), p.parameters(r), 1.0 / p.replica_count());
      if (how.outer_momentum > 0) {
        const Buffer velocity = held(p, r);
        const Buffer moved = passing(p, r);
        p.axpy(moved, -1, begins[r.index()], p.parameters(r));
        p.axpy(velocity, how.outer_momentum, velocity, moved);
        p.add(p.parameters(r), begins[r.index()], velocity);
      }
      if (how.begins_anew && !how.copies) p.copy(begins[r.index()], p.parameters(r));
    }
  };
}

// Stochastic weight averaging (Izmailov et al., 2018) whose weights go on from their mean after
// four steps. A gradient may be scaled before it is applied, and a replica may not go on from the
// mean. Or every replica trains alone, and all go on from the mean of these means.
struct MeanOnTheWay {
  double last_gradient = 1;  // times what it should be
  std::uint32_t averaged_replicas = CONVOY_NONE;
  bool alone = false;
  double first_step = 1;  // times what it should be
};
void average_on_the_way(Planner& p, const MeanOnTheWay& how, ReplicaId r, int step, Span mean) {
  const Span mine = p.parameters(r);
  const Buffer before = passing(p, r);
  p.copy(before, mine);
  if (step == 3) p.scale(p.gradient(r), p.gradient(r), how.last_gradient);
  p.apply(mine, p.gradient(r), {.contributions = how.alone ? 1ull : 0ull});
  if (step == 0 && how.first_step != 1) {
    p.scale(mine, mine, how.first_step);
    p.axpy(mine, 1 - how.first_step, before, mine);
  }
  if (step == 0)
    p.scale(mean, mine, 0.25);
  else
    p.axpy(mean, 0.25, mine, mean);
}
WritePlan from_mean_on_the_way(const MeanOnTheWay& how) {
  return [=](Planner& p) {
    std::vector<Span> means;
    for (const auto r : p.replicas()) means.push_back(held(p, r));
    for (int i = 0; i < 4; ++i) {
      p.compute();
      if (!how.alone) p.all_reduce(p.all_gradients(p.arena()));
      for (const auto r : p.replicas()) average_on_the_way(p, how, r, i, means[r.index()]);
    }
    if (how.alone) p.all_reduce(means);
    for (const auto r : p.replicas())
      if (r.index() < how.averaged_replicas)
        p.scale(p.parameters(r), means[r.index()], how.alone ? 1.0 / p.replica_count() : 1);
  };
}

// However many replicas there are, they do not pull the center past their mean.
void write_gentle_elastic(Planner& p) {
  const Buffer center = p.persistent(p.host_place(ReplicaId(0)), p.arena_elements());
  p.prologue([&] { p.copy(center, p.parameters(ReplicaId(0))); });
  p.compute();
  std::vector<Span> pulls{center};
  for (const auto r : p.replicas()) {
    p.apply(p.parameters(r), p.gradient(r), {.contributions = 1});
    const Buffer pull = passing(p, r);
    p.axpy(pull, -1, center, p.parameters(r));
    p.scale(pull, pull, 0.5 / p.replica_count());
    p.axpy(p.parameters(r), -1, pull, p.parameters(r));
    pulls.push_back(pull);
  }
  p.sum(center, pulls);
}

// ZeRO, stage 1, with a momentum of the shards' own, over two steps: the replicas' parameters are
// the same, and each updates a piece of them.
WritePlan sharded_momentum(std::uint64_t steps_of_mean) {
  return [=](Planner& p) {
    const std::vector<Range> pieces = split(p.arena(), p.replica_count());
    std::vector<Span> sums, updated;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const ReplicaId owner = p.replicas()[i];
      sums.push_back(p.persistent(p.replica_place(owner), pieces[i].count));
      updated.push_back(p.parameters(owner)[pieces[i]]);
      p.scale(sums[i], sums[i], 0.5);
    }
    add_steps_to_shards(p, 2, pieces, sums);
    for (std::size_t i = 0; i < pieces.size(); ++i)
      p.apply(updated[i], sums[i], {.contributions = steps_of_mean * p.replica_count()});
    p.all_gather(p.all_parameters(p.arena()), updated);
  };
}

// SlowMo (Wang et al., 2020) of workers that have a momentum of the plan's own.
WritePlan momentum_inside(double gradient) {
  return [=](Planner& p) {
    const Buffer point = p.persistent(p.host_place(ReplicaId(0)), p.arena_elements());
    const Buffer outer = p.persistent(p.host_place(ReplicaId(0)), p.arena_elements());
    const Buffer mean = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
    std::vector<Buffer> inner;
    for (const auto r : p.replicas()) inner.push_back(held(p, r));
    p.prologue([&] { p.copy(point, p.parameters(ReplicaId(0))); });
    for (int step = 0; step < 2; ++step) {
      p.compute();
      for (const auto r : p.replicas()) {
        p.scale(inner[r.index()], inner[r.index()], 0.5);
        p.axpy(inner[r.index()], gradient, p.gradient(r), inner[r.index()]);
        p.apply(p.parameters(r), inner[r.index()], {.contributions = 1});
      }
    }
    p.sum(mean, p.all_parameters(p.arena()));
    p.scale(mean, mean, 1.0 / p.replica_count());
    p.axpy(mean, -1, point, mean);
    p.axpy(outer, 0.75, outer, mean);
    p.add(point, point, outer);
    for (const auto r : p.replicas()) p.copy(p.parameters(r), point);
  };
}

// Momentum of sums over so many steps each, which are multiplied by `factor`.
WritePlan momentum_of_sums(const std::vector<int>& steps, double factor) {
  return [=](Planner& p) {
    const PlaceId host = p.host_place(ReplicaId(0));
    const Buffer velocity = p.persistent(host, p.arena_elements());
    const Buffer sum = p.scratch(host, p.arena_elements());
    for (const int count : steps) {
      p.scale(velocity, velocity, 0.5);
      for (int step = 0; step < count; ++step) {
        p.compute();
        p.sum(sum, p.all_gradients(p.arena()));
        p.axpy(velocity, factor, sum, velocity);
      }
      for (const auto r : p.replicas()) p.apply(p.parameters(r), velocity);
    }
  };
}

// Workers with momentum, which update with the mean of two velocities.
WritePlan momentum_of_every_step(double factor) {
  return [=](Planner& p) {
    std::vector<Buffer> velocities;
    std::vector<Span> sums;
    for (const auto r : p.replicas()) velocities.push_back(held(p, r));
    for (int step = 0; step < 2; ++step) {
      p.compute();
      for (const auto r : p.replicas()) {
        const Span velocity = velocities[r.index()];
        p.scale(velocity, velocity, 0.5);
        p.axpy(velocity, factor, p.gradient(r), velocity);
        if (step == 0) sums.push_back(passing(p, r));
        if (step == 0) p.copy(sums.back(), velocity);
        if (step == 1) p.add(sums[r.index()], sums[r.index()], velocity);
      }
    }
    p.all_reduce(sums);
    for (const auto r : p.replicas())
      p.apply(p.parameters(r), sums[r.index()], {.contributions = 2ull * p.replica_count()});
  };
}

}  // namespace

std::vector<SampleRecurrence> right_held_out() {
  constexpr plan::check::Verdict kRight = plan::check::Verdict::kApproximate;
  return {
      {"gradient tracking", gradient_tracking(-1), kRight, true},
      {"elastic averaging with momentum", elastic_momentum(0.5, 1), kRight, false,
       "all replicas alike"},
      {"estimates of gradients", write_estimates, kRight, false, "compressed is lost"},
      {"elastic, gently", write_gentle_elastic, kRight, false, "all replicas alike"},
      {"halves in turns", staggered(2), kRight, true, "in means over 2 steps"},
      {"halves in turns, summed", staggered(1), kRight, true},
      {"two steps and a residual", accumulated_feedback({{2}, false}), kRight, true,
       "in means over 2 steps"},
      {"a mean of two steps and a residual", accumulated_feedback({{2}}), kRight, true,
       "in means over 2 steps"},
      {"all but one in turns", in_turns_without(1), kRight, true,
       "every gradient counts once in the end, nothing is lost"},
      {"one to three steps and a residual", accumulated_feedback({}), kRight, true,
       "in means over 1 to 3 steps"},
      {"two steps twice, with momentum", accumulated_feedback({{2, 2}, false, 0, 0.5}), kRight,
       false, "every gradient counts 2 times"},
      {"one to three steps, with momentum", accumulated_feedback({{1, 2, 3}, true, 0, 0.5}), kRight,
       false, "every gradient counts 2 times"},
      {"momentum of each worker", served_momentum(1), kRight, false,
       "every gradient counts 2 times in the end, all replicas alike, in an update of its own"},
      {"one momentum for all workers", write_shared_momentum, plan::check::Verdict::kAsynchronous,
       false,
       "every gradient counts 2 times in the end, all replicas alike, in an update of its own"},
      {"momentum of each worker, in any order", unordered_momentum(1),
       plan::check::Verdict::kAsynchronous, false,
       "asynchronous (every gradient counts 2 times in the end, all replicas alike, in an update "
       "of its own)"},
      {"push-sum", push_sum({}), kRight, true},
      {"push-sum of masters", push_sum({.masters = true}), kRight, true},
      {"push-sum with a weight for every element", push_sum({.whole_weights = true}), kRight, true},
      {"push-sum of rounded messages", push_sum({.rounds = true}), kRight, false,
       "compressed is lost"},
      {"pulled back", proximal({}), kRight, false,
       "counts 0.25 to 1 times in the end, all replicas alike, because steps pull parameters back "
       "by 0.5 of the way to where the period began"},
      {"pulled back to a copy", proximal({.copies = true}), kRight, false,
       "counts 0.25 to 1 times in the end"},
      {"pulled back, with momentum of the means", proximal({.outer_momentum = 0.5}), kRight, false,
       "counts 0.5 to 2 times in the end"},
      {"pulled back in every step", proximal({.pulls = {0.5, 0.5, 0.5}}), kRight, false,
       "counts 0.125 to 0.5 times in the end"},
      {"pulled back twice", proximal({.pulls = {0.5, 0.5}}), kRight, false,
       "counts 0.25 to 0.5 times in the end"},
      {"pulled back by the gradient", proximal({.pulls = {0.25, 0.25, 0.25}, .by_gradient = true}),
       kRight, false, "because steps pull parameters back by 0.25 of the way"},
      {"from the mean on the way", from_mean_on_the_way({}), kRight, false,
       "counts 0.25 to 1 times in the end, all replicas alike, because every 4 steps end with the "
       "mean of the parameters at 4 points on the way"},
      {"from the mean of every replica's way", from_mean_on_the_way({.alone = true}), kRight, false,
       "because every 4 steps end with the mean of the parameters at 4 points on the way"},
      {"push-sum with letters", push_sum({.letters = true}), kRight, true},
      {"momentum of sums over one and two steps", momentum_of_sums({1, 2}, 1), kRight, false,
       "every gradient counts 2 times in the end, all replicas alike)"},
      {"momentum of two sums over two steps", momentum_of_sums({2, 2}, 1), kRight, false,
       "every gradient counts 2 times in the end, all replicas alike)"},
      {"momentum of every step, means of two", momentum_of_every_step(1), kRight, false,
       "every gradient counts 2 times in the end, all replicas alike, in means over 2 steps"},
      {"momentum of shards over two steps", sharded_momentum(2), kRight, false,
       "every gradient counts 2 times in the end, all replicas alike, in means over 2 steps"},
      {"momentum of shards over two steps, summed", sharded_momentum(1), kRight, false,
       "every gradient counts 2 times in the end, all replicas alike)"},
  };
}

std::vector<SampleRecurrence> wrong_held_out() {
  constexpr plan::check::Verdict kWrong = plan::check::Verdict::kWrong;
  constexpr plan::check::Verdict kOpen = plan::check::Verdict::kUnproved;
  return {
      {"elastic averaging with twice the gradient", elastic_momentum(0, 2), kWrong, false, ""},
      {"momentum of larger sums over one and two steps", momentum_of_sums({1, 2}, 1.75), kWrong,
       false, "counts 3.5 times in the end, not once"},
      {"momentum of two larger sums over two steps", momentum_of_sums({2, 2}, 1.75), kWrong, false,
       "counts 3.5 times in the end, not once"},
      {"momentum of every larger step, means of two", momentum_of_every_step(1.75), kWrong, false,
       "counts 3.5 times in the end, not once"},
      {"momentum inside of a momentum", momentum_inside(1), kOpen, false,
       "counts 8 times in the end, not once, as with a momentum inside of another"},
      {"twice the gradient inside of two momenta", momentum_inside(2), kWrong, false,
       "counts 16 times in the end, not once"},
      {"tracking that adds the last gradient", gradient_tracking(1), kWrong, false, "grows"},
      {"all but one in turns, whose gradient is dropped", in_turns_without(0), kWrong, false, ""},
      {"all but one in turns, whose gradient counts twice", in_turns_without(2), kWrong, false, ""},
      {"one to three steps and a residual, all divided by two",
       accumulated_feedback({{1, 2, 3}, true, 2}), kWrong, false, ""},
      {"one to three steps and a residual of sums", accumulated_feedback({{1, 2, 3}, false}),
       kWrong, false, "brought back more often than once"},
      {"halves in turns, divided by three", staggered(3), kWrong, false, ""},
      {"momentum lost for one replica", write_lost_momentum, kWrong, false,
       "in what replica 1 reads"},
      {"momentum lost for half a replica", write_half_lost_momentum, kWrong, false,
       "in what replica 1 reads"},
      {"lookahead that forgets a replica", write_lookahead_without_one, kWrong, false,
       "in what replica 1 reads"},
      {"lookahead that begins one element off", write_lookahead_one_element_off, kWrong, false,
       "elements further on"},
      {"ones before the first gradient", write_ones_at_first, kWrong, false, "the constant"},
      {"nothing but what fades", write_nothing_but_fading, kWrong, false, "counts 0 times"},
      {"residual added twice", write_residual_twice, kWrong, false, ""},
      {"momentum of each worker, with twice the gradient", served_momentum(2), kWrong, false, ""},
      {"momentum of each worker, in any order, with twice the gradient", unordered_momentum(2),
       kWrong, false, ""},
      {"momentum of each worker, for half of the variables", write_half_served_momentum, kOpen,
       false, "in an update of its own"},
      {"momentum of the mean, once for every replica", write_mean_for_each, kWrong, false, ""},
      {"pulled back, the first gradient halved", proximal({.gradients = {0.5, 1, 1}}), kWrong,
       false, ""},
      {"pulled back but for one replica", proximal({.pulled_replicas = 1}), kWrong, false, ""},
      {"pulled back more in one step", proximal({.pulls = {0.5, 0.25, 0}}), kWrong, false, ""},
      {"pulled back to the first parameters", proximal({.begins_anew = false}), kWrong, false, ""},
      {"gradients that grow as if steps pulled back",
       proximal({.pulls = {0, 0, 0}, .gradients = {0.25, 0.5, 1}}), kWrong, false, ""},
      {"steps that grow as if they pulled back",
       proximal({.pulls = {0, 0, 0}, .steps = {0.25, 0.5, 1}}), kWrong, false, ""},
      {"steps that grow to one half as if they pulled back",
       proximal({.pulls = {0, 0, 0}, .steps = {0.125, 0.25, 0.5}}), kWrong, false, ""},
      {"pulled back once, or the first gradient halved", proximal({.pulls = {0.5, 0}}), kOpen,
       false, "it is not known whether that is meant"},
      {"pulled back, with gradients that grow",
       proximal({.pulls = {0.5, 0.5, 0.5}, .gradients = {0.5, 0.5, 1}}), kWrong, false, ""},
      {"from the mean on the way, the last gradient halved",
       from_mean_on_the_way({.last_gradient = 0.5}), kWrong, false, ""},
      {"from the mean on the way, the first step halved", from_mean_on_the_way({.first_step = 0.5}),
       kWrong, false, ""},
      {"from the mean of every replica's way but for one replica",
       from_mean_on_the_way({.averaged_replicas = 1, .alone = true}), kWrong, false, ""},
      {"from the mean of every replica's way, the last gradient halved",
       from_mean_on_the_way({.last_gradient = 0.5, .alone = true}), kWrong, false, ""},
      {"from the mean on the way but for one replica",
       from_mean_on_the_way({.averaged_replicas = 1}), kWrong, false, ""},
      {"push-sum with more of a sum", push_sum({.of_sums = 1.5}), kOpen, false, ""},
      {"push-sum with less of a weight", push_sum({.of_weights = 0.5}), kOpen, false,
       "only the run knows what divide"},
      {"push-sum with less of both", push_sum({.of_sums = 0.5, .of_weights = 0.5}), kOpen, false,
       ""},
      {"push-sum that begins with another weight", push_sum({.first_weight = 2}), kOpen, false, ""},
      {"push-sum with a doubled gradient", push_sum({.gradient = 2}), kWrong, false, ""},
      {"push-sum, and one reads its sum", push_sum({.reads_sum = true}), kWrong, false,
       "without any gradient"},
      {"largest of all gradients", write_largest_gradients, kOpen, false, "smallest or largest"},
      {"another rate for one replica", write_other_rates, kOpen, false, "drift apart"},
  };
}

}  // namespace convoy::testing
