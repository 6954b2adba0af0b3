#include "tests/plan/check/sample_recurrences.hpp"

#include <cmath>

namespace convoy::testing {
namespace {

// --- in small steps

Buffer kept(Planner& p, ReplicaId r) {
  return p.persistent(p.replica_place(r), p.arena_elements());
}
Buffer fresh(Planner& p, ReplicaId r, Dtype dtype = Dtype::kF32) {
  return p.scratch(p.replica_place(r), p.arena_elements(), dtype);
}
PlaceId home(Planner& p) {
  return p.host_place(ReplicaId(0));
}
void apply_all(Planner& p, Span sum, ApplyOptions options = {}) {
  for (const auto r : p.replicas()) p.apply(p.parameters(r), sum, options);
}
void apply_locally(Planner& p, std::uint64_t steps = 1) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    p.compute();
    for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r), {.contributions = 1});
  }
}
Buffer mean_of_parameters(Planner& p) {
  const Buffer mean = p.scratch(home(p), p.arena_elements());
  p.sum(mean, p.all_parameters(p.arena()));
  p.scale(mean, mean, 1.0 / p.replica_count());
  return mean;
}
void set_all(Planner& p, Span parameters) {
  for (const auto r : p.replicas()) p.copy(p.parameters(r), parameters);
}
// A copy of the first parameters, which strategies go on from.
Buffer anchor(Planner& p) {
  const Buffer result = p.persistent(home(p), p.arena_elements());
  p.prologue([&] { p.copy(result, p.parameters(ReplicaId(0))); });
  return result;
}

// --- what is exchanged is rounded, and the rest stays for the next step

void round_to_half(Planner& p, ReplicaId r, Span rounded, Span from) {
  const Buffer half = fresh(p, r, Dtype::kBf16);
  p.cast(half, from);
  p.cast(rounded, half);
}
// What was rounded goes on through a sum of either half, which is emptied then: between steps, both
// sums hold the same.
void round_through_sums(Planner& p, ReplicaId r, Span rounded, Span from) {
  round_to_half(p, r, rounded, from);
  const std::uint64_t half = p.arena_elements() / 2;
  for (const std::uint64_t first : {std::uint64_t{0}, half}) {
    const Buffer sum = p.persistent(p.replica_place(r), half);
    const Span piece = part(rounded, first, half);
    p.add(sum, sum, piece);
    p.copy(piece, sum);
    p.fill(sum, 0);
  }
}
void round_by_kernel(Planner& p, ReplicaId r, Span rounded, Span from, CallEffect effect) {
  p.call("round", p.replica_place(r), {from}, {rounded}, {.effect = effect});
}

using Round = std::function<void(Planner&, ReplicaId, Span rounded, Span from)>;

WritePlan error_feedback(const Round& round, double factor, double keeps = -1) {
  return [=](Planner& p) {
    p.compute();
    std::vector<Span> sent;
    for (const auto r : p.replicas()) {
      const Buffer residual = kept(p, r);
      const Buffer wanted = fresh(p, r);
      p.add(wanted, p.gradient(r), residual);
      sent.push_back(fresh(p, r));
      round(p, r, sent.back(), wanted);
      p.axpy(residual, keeps, sent.back(), wanted);
    }
    p.all_reduce(sent);
    if (factor != 1) p.scale(sent.front(), sent.front(), factor);
    apply_all(p, sent.front());
  };
}

void write_kernel_keeps_rest(Planner& p, CallEffect effect) {
  p.compute();
  for (const auto r : p.replicas()) {
    const Buffer residual = kept(p, r);
    p.call("round_and_keep", p.replica_place(r), {p.gradient(r), residual},
           {p.gradient(r), residual}, {.effect = effect});
  }
  p.all_reduce(p.all_gradients(p.arena()));
  for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
}

// Gradients through a kernel that is called on each, then `after` is done with what it wrote.
WritePlan through_kernel(CallEffect effect, const std::function<void(Planner&, Span)>& after,
                         int updates = 1) {
  return [=](Planner& p) {
    p.compute();
    std::vector<Span> sent;
    for (const auto r : p.replicas()) {
      sent.push_back(fresh(p, r));
      round_by_kernel(p, r, sent.back(), p.gradient(r), effect);
      after(p, sent.back());
    }
    p.all_reduce(sent);
    for (int i = 0; i < updates; ++i) apply_all(p, sent.front());
  };
}

void write_drifting_sums(Planner& p) {
  p.compute();
  std::vector<Buffer> rounded;
  for (const auto r : p.replicas()) {
    rounded.push_back(fresh(p, r));
    round_to_half(p, r, rounded.back(), p.gradient(r));
  }
  for (const auto r : p.replicas()) {
    std::vector<Span> parts{p.gradient(r)};
    for (const auto other : p.replicas())
      if (other != r) parts.push_back(rounded[other.index()]);
    const Buffer sum = fresh(p, r);
    p.sum(sum, parts);
    p.apply(p.parameters(r), sum);
  }
}

// --- momentum of one's own: v = keep v + enter g; lead g + follow v is applied

WritePlan momentum(double keep, double enter, double lead = 0, double follow = 1,
                   std::uint32_t left_out = CONVOY_NONE) {
  return [=](Planner& p) {
    p.compute();
    std::vector<Span> gradients;
    for (const auto r : p.replicas())
      if (r.index() != left_out) gradients.push_back(p.gradient(r));
    const Buffer sum = p.scratch(home(p), p.arena_elements());
    p.sum(sum, gradients);
    const Buffer velocity = p.persistent(home(p), p.arena_elements());
    p.scale(velocity, velocity, keep);
    p.axpy(velocity, enter, sum, velocity);
    const Buffer step = p.scratch(home(p), p.arena_elements());
    p.scale(step, velocity, follow);
    p.axpy(step, lead, sum, step);
    apply_all(p, step);
  };
}

// --- local steps, then something with all parameters

WritePlan averaging(double division_error = 1, std::uint64_t steps = 3) {
  return [=](Planner& p) {
    apply_locally(p, steps);
    const Buffer mean = mean_of_parameters(p);
    if (division_error != 1) p.scale(mean, mean, division_error);
    set_all(p, mean);
  };
}

// Every replica has a momentum of its own for so many local steps, then all take the mean of the
// parameters, and also that of the momentum, or all begin with none.
WritePlan local_momentum(double keep, double enter, std::uint64_t steps, bool begins_anew,
                         double last = 1) {
  return [=](Planner& p) {
    std::vector<Buffer> velocities;
    for (const auto r : p.replicas()) velocities.push_back(begins_anew ? fresh(p, r) : kept(p, r));
    for (std::uint64_t i = 0; i < steps; ++i) {
      p.compute();
      for (const auto r : p.replicas()) {
        const Span velocity = velocities[r.index()];
        if (begins_anew && i == 0) p.fill(velocity, 0);
        p.scale(velocity, velocity, keep);
        p.axpy(velocity, i + 1 == steps ? enter * last : enter, p.gradient(r), velocity);
        p.apply(p.parameters(r), velocity, {.contributions = 1});
      }
    }
    set_all(p, mean_of_parameters(p));
    if (begins_anew) return;
    const std::vector<Span> all(velocities.begin(), velocities.end());
    p.all_reduce(all);
    for (const Span& it : all) p.scale(it, it, 1.0 / p.replica_count());
  };
}

// Nesterov's momentum of the sum, which begins anew every two steps.
void write_restarted_nesterov(Planner& p) {
  const Buffer velocity = p.scratch(home(p), p.arena_elements());
  p.fill(velocity, 0);
  for (int i = 0; i < 2; ++i) {
    p.compute();
    const Buffer sum = p.scratch(home(p), p.arena_elements());
    p.sum(sum, p.all_gradients(p.arena()));
    p.axpy(velocity, 0.9, velocity, sum);
    p.axpy(sum, 0.9, velocity, sum);
    apply_all(p, sum);
  }
}

// Momentum that begins anew every two steps for the first elements of the first replicas; the other
// elements and replicas are updated `factor` times by the mean.
WritePlan partly_restarted_momentum(std::uint64_t elements, std::uint32_t replicas, double factor) {
  return [=](Planner& p) {
    const std::uint64_t rest = p.arena_elements() - elements;
    const Buffer velocity = p.scratch(home(p), elements);
    p.fill(velocity, 0);
    for (int i = 0; i < 2; ++i) {
      p.compute();
      const Buffer sum = p.scratch(home(p), p.arena_elements());
      p.sum(sum, p.all_gradients(p.arena()));
      p.axpy(velocity, 0.5, velocity, part(sum, 0, elements));
      if (factor != 1) p.scale(part(sum, elements, rest), part(sum, elements, rest), factor);
      for (const auto r : p.replicas()) {
        const Span first = r.index() < replicas ? Span(velocity) : part(sum, 0, elements);
        p.apply(part(p.parameters(r), 0, elements), first);
        p.apply(part(p.parameters(r), elements, rest), part(sum, elements, rest));
      }
    }
  };
}

// slow = slow - (rate + lead momentum) of what the mean moved; all go on from slow.
WritePlan outer_momentum(double rate, double keep, double lead) {
  return [=](Planner& p) {
    const Buffer slow = anchor(p);
    const Buffer velocity = p.persistent(home(p), p.arena_elements());
    apply_locally(p, 2);
    const Buffer moved = mean_of_parameters(p);
    p.axpy(moved, -1, moved, slow);  // slow - mean
    p.scale(velocity, velocity, keep);
    p.add(velocity, velocity, moved);
    p.axpy(slow, -rate * (lead == 0 ? 1 : lead), velocity, slow);
    if (lead != 0) p.axpy(slow, -rate, moved, slow);
    set_all(p, slow);
  };
}

void write_outer_apply(Planner& p) {
  const Buffer master = p.master(home(p));
  apply_locally(p, 2);
  const Buffer moved = mean_of_parameters(p);
  p.axpy(moved, -1, moved, master);
  p.apply(master, moved, {.contributions = 1});
  set_all(p, master);
}

WritePlan lookahead(double forward) {
  return [=](Planner& p) {
    const Buffer slow = anchor(p);
    apply_locally(p, 2);
    const Buffer moved = mean_of_parameters(p);
    p.axpy(moved, -1, slow, moved);
    p.axpy(slow, forward, moved, slow);
    set_all(p, slow);
  };
}

void write_sum_of_moves(Planner& p, double each) {
  const Buffer before = anchor(p);
  apply_locally(p);
  std::vector<Span> moves;
  for (const auto r : p.replicas()) {
    moves.push_back(fresh(p, r));
    p.axpy(moves.back(), -1, before, p.parameters(r));
  }
  const Buffer sum = p.scratch(home(p), p.arena_elements());
  p.sum(sum, moves);
  p.axpy(before, each, sum, before);
  set_all(p, before);
}

// The mean of before comes one step late, while the next one is computed.
void write_late_averaging(Planner& p) {
  const Buffer correction = p.persistent(home(p), p.arena_elements());
  std::vector<Buffer> corrections;
  for (const auto r : p.replicas()) corrections.push_back(kept(p, r));
  apply_locally(p);
  for (const auto r : p.replicas()) p.add(p.parameters(r), p.parameters(r), corrections[r.index()]);
  const Buffer mean = mean_of_parameters(p);
  for (const auto r : p.replicas()) p.axpy(corrections[r.index()], -1, p.parameters(r), mean);
  p.copy(correction, mean);
}

// --- elastic averaging: replicas and a center pull each other

WritePlan elastic(double pull, double center_pull, bool starts_right, std::uint32_t free_replica) {
  return [=](Planner& p) {
    const Buffer center = p.persistent(home(p), p.arena_elements());
    p.name(center, "center");
    if (starts_right) p.prologue([&] { p.copy(center, p.parameters(ReplicaId(0))); });
    apply_locally(p);
    std::vector<Span> pulls{center};
    for (const auto r : p.replicas()) {
      const Buffer difference = fresh(p, r);
      p.axpy(difference, -1, center, p.parameters(r));
      if (r.index() != free_replica) p.axpy(p.parameters(r), -pull, difference, p.parameters(r));
      p.scale(difference, difference, center_pull);
      if (r.index() != free_replica) pulls.push_back(difference);
    }
    p.sum(center, pulls);
  };
}

// --- gossip: every replica averages with its neighbours

WritePlan gossip(const std::vector<double>& weights, bool ring = true) {
  return [=](Planner& p) {
    apply_locally(p);
    const auto replicas = p.replicas();
    std::vector<Buffer> before;
    for (const auto r : replicas) {
      before.push_back(fresh(p, r));
      p.copy(before.back(), p.parameters(r));
    }
    for (std::size_t r = 0; r < replicas.size(); ++r) {
      if (!ring && r + 1 == replicas.size()) continue;
      p.scale(p.parameters(replicas[r]), before[r], weights[0]);
      for (std::size_t d = 1; d < weights.size(); ++d)
        p.axpy(p.parameters(replicas[r]), weights[d], before[(r + d) % replicas.size()],
               p.parameters(replicas[r]));
    }
  };
}

void write_uneven_average(Planner& p) {
  apply_locally(p);
  const Buffer mean = p.scratch(home(p), p.arena_elements());
  p.scale(mean, p.parameters(ReplicaId(0)), 0.5);
  for (std::uint32_t r = 1; r < p.replica_count(); ++r)
    p.axpy(mean, 0.5 / (p.replica_count() - 1), p.parameters(ReplicaId(r)), mean);
  set_all(p, mean);
}

// 1 / n, but only the run knows that of memory.
void write_average_by_kept_factor(Planner& p) {
  const Buffer factor = p.persistent(home(p), 1);
  p.prologue([&] { p.fill(factor, 1.0 / p.replica_count()); });
  apply_locally(p);
  const Buffer mean = p.scratch(home(p), p.arena_elements());
  p.sum(mean, p.all_parameters(p.arena()));
  p.multiply(mean, mean, factor);
  set_all(p, mean);
}

void write_overwritten_replica(Planner& p) {
  apply_locally(p);
  std::vector<Span> parts = p.all_parameters(p.arena());
  parts.pop_back();
  const Buffer mean = p.scratch(home(p), p.arena_elements());
  p.sum(mean, parts);
  p.scale(mean, mean, 1.0 / static_cast<double>(parts.size()));
  set_all(p, mean);
}

// Averages what `part` picks of the arena, read `shift` elements further on.
WritePlan partly_averaged(Range part, std::uint64_t shift) {
  return [=](Planner& p) {
    apply_locally(p);
    const Buffer mean = p.scratch(home(p), part.count);
    p.sum(mean, p.all_parameters({part.first + shift, part.count}));
    p.scale(mean, mean, 1.0 / p.replica_count());
    for (const auto r : p.replicas()) p.copy(p.parameters(r)[part], mean);
  };
}

void write_rounded_average(Planner& p) {
  apply_locally(p, 2);
  std::vector<Span> rounded;
  for (const auto r : p.replicas()) {
    rounded.push_back(fresh(p, r));
    round_to_half(p, r, rounded.back(), p.parameters(r));
  }
  p.all_reduce(rounded);
  p.scale(rounded.front(), rounded.front(), 1.0 / p.replica_count());
  set_all(p, rounded.front());
}

void write_alone_through_kernels(Planner& p) {
  p.compute();
  for (const auto r : p.replicas()) {
    const Buffer rounded = fresh(p, r);
    round_by_kernel(p, r, rounded, p.gradient(r), CallEffect::kUndeclared);
    p.apply(p.parameters(r), rounded, {.contributions = 1});
  }
}

// Every replica averages with the next one's parameters as they are at that moment, which it gives
// this weight, and applies its gradient.
WritePlan average_with_next(double weight) {
  return [weight](Planner& p) {
    for (const auto r : p.replicas()) {
      p.compute_replica(r);
      const ReplicaId next((r.index() + 1) % p.replica_count());
      const Buffer other = fresh(p, r);
      p.copy(other, p.parameters(next), {.relaxed = true, .max_lag = 2});
      p.scale(p.parameters(r), p.parameters(r), 1 - weight);
      p.axpy(p.parameters(r), weight, other, p.parameters(r));
      p.apply(p.parameters(r), p.gradient(r), {.contributions = 1});
    }
  };
}

void leave(Planner&, Span) {}
void add_to_itself(Planner& p, Span span) {
  p.add(span, span, span);
}

Round kernel(CallEffect effect) {
  return [=](Planner& p, ReplicaId r, Span rounded, Span from) {
    round_by_kernel(p, r, rounded, from, effect);
  };
}

constexpr float kUnit = 0.25f;

std::int32_t round_values(const convoy_region* reads, std::uint64_t, const convoy_region* writes,
                          std::uint64_t) {
  const auto* from = static_cast<const float*>(reads[0].data);
  auto* to = static_cast<float*>(writes[0].data);
  for (std::uint64_t i = 0; i < writes[0].count; ++i) to[i] = std::round(from[i] / kUnit) * kUnit;
  return 0;
}

std::int32_t round_and_keep(const convoy_region* reads, std::uint64_t, const convoy_region* writes,
                            std::uint64_t) {
  const auto* gradient = static_cast<const float*>(reads[0].data);
  const auto* residual = static_cast<const float*>(reads[1].data);
  for (std::uint64_t i = 0; i < writes[0].count; ++i) {
    const float wanted = gradient[i] + residual[i];
    const float sent = std::round(wanted / kUnit) * kUnit;
    static_cast<float*>(writes[0].data)[i] = sent;
    static_cast<float*>(writes[1].data)[i] = wanted - sent;
  }
  return 0;
}

// Other numbers from -1 to 1 in every call: it goes on from what it made before.
int32_t next_columns(const convoy_region* reads, std::size_t, const convoy_region* writes,
                     std::size_t) {
  const auto* before = static_cast<const float*>(reads[0].data);
  auto* values = static_cast<float*>(writes[0].data);
  for (std::uint64_t i = 0; i < writes[0].count; ++i)
    values[i] = std::sin(7 * before[i] + static_cast<float>(i));
  return CONVOY_OK;
}

}  // namespace

convoy_host_kernel sample_kernel(const std::string& name) {
  if (name == "round") return round_values;
  if (name == "next_columns") return next_columns;
  return name == "round_and_keep" ? round_and_keep : nullptr;
}

std::vector<SampleRecurrence> right_recurrences() {
  constexpr plan::check::Verdict kRight = plan::check::Verdict::kApproximate;
  const auto keeps_rest = [](CallEffect effect) {
    return [=](Planner& p) { write_kernel_keeps_rest(p, effect); };
  };
  return {
      {"error feedback by casts", error_feedback(round_to_half, 1), kRight, true},
      {"error feedback through sums", error_feedback(round_through_sums, 1), kRight, true},
      {"error feedback, declared", error_feedback(kernel(CallEffect::kCompresses), 1), kRight,
       true},
      {"kernel keeps rest", keeps_rest(CallEffect::kKeepsRest), kRight, true},
      {"kernel keeps rest, undeclared", keeps_rest(CallEffect::kUndeclared), kRight},
      {"compressed without feedback", through_kernel(CallEffect::kCompresses, leave), kRight},
      {"undeclared kernel", through_kernel(CallEffect::kUndeclared, leave), kRight},
      {"averages with relaxed reads", average_with_next(0.5), kRight, false, "asynchronously"},
      {"momentum", momentum(0.9, 1), kRight, false, "counts 10 times"},
      {"averaged momentum", momentum(0.9, 0.1), kRight, true},
      {"momentum over a period of two",
       [](Planner& p) {
         const Buffer velocity = p.persistent(home(p), p.arena_elements());
         for (int i = 0; i < 2; ++i) {
           p.compute();
           const Buffer sum = p.scratch(home(p), p.arena_elements());
           p.sum(sum, p.all_gradients(p.arena()));
           p.axpy(velocity, 0.9, velocity, sum);
           apply_all(p, velocity);
         }
       },
       kRight, false, "counts 10 times"},
      {"local momentum, averaged", local_momentum(0.9, 1, 4, false), kRight, false,
       "counts 10 times"},
      {"local momentum that fades quickly", local_momentum(0.25, 1, 4, false), kRight, false,
       "counts 1.333 times"},
      {"nesterov", momentum(0.9, 1, 1, 0.9), kRight, false, "counts 10 times"},
      {"local steps", averaging(), kRight, true},
      {"local steps, rounded", write_rounded_average, kRight, false, "is lost"},
      {"slow momentum", outer_momentum(1, 0.7, 0), kRight, false, "counts 3.333 times"},
      {"outer nesterov", outer_momentum(0.7, 0.9, 0.9), kRight, false, "counts 7 times"},
      {"outer optimizer", write_outer_apply, kRight, false, "times its learning rate"},
      {"lookahead", lookahead(0.5), kRight, false, "counts 0.5 times"},
      {"mean of moves", [](Planner& p) { write_sum_of_moves(p, 1.0 / p.replica_count()); }, kRight,
       true},
      {"late averaging", write_late_averaging, kRight, true},
      {"elastic", elastic(0.1, 0.1, true, CONVOY_NONE), kRight, false, "all replicas alike"},
      {"gossip", gossip({0.5, 0.5}), kRight, true},
      {"gossip with both", gossip({0.5, 0.25, 0.25}), kRight, true, "", 3},
  };
}

std::vector<SampleRecurrence> wrong_recurrences() {
  constexpr plan::check::Verdict kWrong = plan::check::Verdict::kWrong;
  constexpr plan::check::Verdict kOpen = plan::check::Verdict::kUnproved;
  const auto hundredfold = [](Planner& p, Span span) { p.scale(span, span, 100); };
  return {
      {"residual not reduced", error_feedback(round_to_half, 1, 0), kWrong, false, "grows"},
      {"residual with the wrong sign",
       [](Planner& p) {
         p.compute();
         std::vector<Span> sent;
         for (const auto r : p.replicas()) {
           const Buffer residual = kept(p, r);
           const Buffer wanted = fresh(p, r);
           p.add(wanted, p.gradient(r), residual);
           sent.push_back(fresh(p, r));
           round_to_half(p, r, sent.back(), wanted);
           p.axpy(residual, -1, wanted, sent.back());
         }
         p.all_reduce(sent);
         apply_all(p, sent.front());
       },
       kWrong, false, "counts 2 times"},
      {"error feedback, halved", error_feedback(round_to_half, 0.5), kWrong, false, "0.5 times"},
      {"undeclared error feedback, halved", error_feedback(kernel(CallEffect::kUndeclared), 0.5),
       kWrong, false, ""},
      {"undeclared, all kept", error_feedback(kernel(CallEffect::kUndeclared), 1), kOpen, false,
       "are kept until they are applied"},
      {"undeclared, nothing kept", error_feedback(kernel(CallEffect::kUndeclared), 1, 0), kOpen,
       false, "CallOptions::effect"},
      {"momentum that never fades", momentum(1, 1), kWrong, false, "grows"},
      {"momentum of twice the gradient", momentum(0.9, 2), kWrong, false, "counts 20 times"},
      {"local momentum that enters twice", local_momentum(0.9, 2, 4, false), kWrong, false,
       "counts 20 times"},
      {"local momentum that begins anew", local_momentum(0.9, 1, 4, true), kOpen, false,
       "as with a momentum of 0.9 that begins anew every 4 steps"},
      {"dampened momentum that begins anew", local_momentum(0.9, 0.1, 4, true), kOpen, false,
       "count 0.3439 times and those of the last one 0.1 times"},
      {"momentum of two steps that begins anew", local_momentum(0.5, 1, 2, true), kOpen, false,
       "count 1.5 times"},
      {"nesterov of two steps that begins anew", write_restarted_nesterov, kOpen, false,
       "as with a momentum of 0.9 that begins anew every 2 steps"},
      {"momentum that begins anew for some elements", partly_restarted_momentum(72, 99, 1), kOpen,
       false, "as with a momentum of 0.5 that begins anew every 2 steps"},
      {"momentum that begins anew, other elements doubled", partly_restarted_momentum(72, 99, 2),
       kWrong, false, ""},
      {"momentum that begins anew for one replica", partly_restarted_momentum(72, 1, 1), kWrong,
       false, ""},
      {"momentum that begins anew, the last gradient doubled", local_momentum(0.9, 1, 4, true, 2),
       kWrong, false, ""},
      {"momentum without a replica", momentum(0.9, 1, 0, 1, 1), kWrong, false, "replica 1"},
      {"sum instead of mean",
       [](Planner& p) {
         apply_locally(p);
         p.all_reduce(p.all_parameters(p.arena()));
       },
       kWrong, false, "multiplied by"},
      {"mean too small", averaging(0.99), kWrong, false, "multiplied by"},
      {"sum of moves", [](Planner& p) { write_sum_of_moves(p, 1); }, kOpen, false, "not once"},
      {"half the sum of moves", [](Planner& p) { write_sum_of_moves(p, 1.5 / p.replica_count()); },
       kWrong, false, "1.5 times"},
      {"center starts at zero", elastic(0.1, 0.1, false, CONVOY_NONE), kWrong, false,
       "center (host:0) starts at zero"},
      {"center pushed away", elastic(0.1, -0.1, true, CONVOY_NONE), kWrong, false, ""},
      {"a replica that nothing pulls", elastic(0.1, 0.1, true, 1), kWrong, false, "replica 1", 3},
      {"outer step of 1.8", outer_momentum(1.8, 0, 0), kWrong, false, "1.8 times"},
      {"average by a factor from memory", write_average_by_kept_factor, kOpen, false,
       "only the run knows what multiply"},
      {"uneven average", write_uneven_average, kWrong, false, "counts", 3},
      {"overwritten replica", write_overwritten_replica, kWrong, false, "is missing"},
      {"gossip that drops a replica", gossip({0.5, 0.5}, false), kWrong, false, ""},
      {"gossip that grows", gossip({0.6, 0.5}), kWrong, false, "multiplied by 1.1"},
      {"a part that is not averaged", partly_averaged({0, 72}, 0), kWrong, false,
       "is missing from what replica 0 reads"},
      {"averaged with other elements", partly_averaged({0, 72}, 3), kWrong, false,
       "elements further on"},
      {"hundredfold after a declared kernel", through_kernel(CallEffect::kCompresses, hundredfold),
       kWrong, false, "in the sum 100 times"},
      {"hundredfold after a kernel", through_kernel(CallEffect::kUndeclared, hundredfold), kOpen,
       false, "counts 100 times"},
      {"doubled after a kernel", through_kernel(CallEffect::kUndeclared, add_to_itself), kOpen,
       false, "counts 2 times"},
      {"applied again after a kernel", through_kernel(CallEffect::kUndeclared, leave, 2), kWrong,
       false, "again"},
      {"averages with relaxed reads that grow", average_with_next(3), kWrong, false, ""},
      {"alone through kernels", write_alone_through_kernels, plan::check::Verdict::kApproximate,
       false, "independent"},
      {"own gradient exact, others rounded", write_drifting_sums, kOpen, false, "drift apart"},
  };
}

}  // namespace convoy::testing
