#include "tests/plan/check/sample_rests.hpp"

namespace convoy::testing {
namespace {

Buffer lasting(Planner& p, ReplicaId r) {
  return p.persistent(p.replica_place(r), p.arena_elements());
}
Buffer for_now(Planner& p, ReplicaId r) {
  return p.scratch(p.replica_place(r), p.arena_elements());
}

// What `from` is in 16 bits.
Span in_few_bits(Planner& p, ReplicaId r, Span from) {
  const Buffer half = p.scratch(p.replica_place(r), p.arena_elements(), Dtype::kBf16);
  const Buffer wide = for_now(p, r);
  p.cast(half, from);
  p.cast(wide, half);
  return wide;
}

// As NEOLITHIC (Huang et al., 2022): each round sends what the rounds before left out, and a
// residual keeps what the last one does.
struct Rounds {
  int rounds = 2;
  double of_last = 1;      // in what is sent
  double subtracted = 1;   // of the last one, from what is kept
  double kept = 1;         // of that
  bool one_loses = false;  // the second replica does not send the last round
};
WritePlan in_rounds(const Rounds& how) {
  return [how](Planner& p) {
    p.compute();
    std::vector<Span> sent;
    for (const auto r : p.replicas()) {
      const Buffer residual = lasting(p, r), rest = for_now(p, r), sum = for_now(p, r);
      p.add(rest, residual, p.gradient(r));
      p.fill(sum, 0);
      for (int round = 1; round <= how.rounds; ++round) {
        const bool is_last = round == how.rounds;
        const Span message = in_few_bits(p, r, rest);
        if (!(is_last && how.one_loses && r.index() == 1))
          p.axpy(sum, is_last ? how.of_last : 1, message, sum);
        p.axpy(rest, is_last ? -how.subtracted : -1, message, rest);
      }
      p.scale(residual, rest, how.kept);
      sent.push_back(sum);
    }
    p.all_reduce(sent);
    for (const auto r : p.replicas()) p.apply(p.parameters(r), sent[r.index()]);
  };
}

// Without a residual: messages and rests of top_k, or of rounding, so many times each.
WritePlan sent_with_rest(double message, double rest, bool rounds = false) {
  return [=](Planner& p) {
    p.compute();
    std::vector<Span> sent;
    for (const auto r : p.replicas()) {
      const Buffer left = for_now(p, r), sum = for_now(p, r);
      Span known = for_now(p, r);
      if (rounds) {
        known = in_few_bits(p, r, p.gradient(r));
        p.axpy(left, -1, known, p.gradient(r));
      } else {
        const std::uint64_t count = p.arena_elements() / 4;
        const Buffer values = p.scratch(p.replica_place(r), count);
        const Buffer indices = p.scratch(p.replica_place(r), count, Dtype::kI32);
        p.top_k(values, indices, p.gradient(r), left);
        p.scatter(known, values, indices);
      }
      p.scale(sum, known, message);
      p.axpy(sum, rest, left, sum);
      sent.push_back(sum);
    }
    p.all_reduce(sent);
    for (const auto r : p.replicas()) p.apply(p.parameters(r), sent[r.index()]);
  };
}

// The gradients of the step before, or a momentum of them, are rounded while this step computes.
struct Waiting {
  double momentum = 0;
  double kept = 1;              // of what rounding leaves out
  std::uint32_t replicas = 64;  // of which that holds; the others keep it as it is
  bool alone = false;           // nothing is exchanged
};
WritePlan rounded_later(const Waiting& how) {
  return [how](Planner& p) {
    std::vector<Span> sent;
    std::vector<Buffer> waiting;
    for (const auto r : p.replicas()) {
      waiting.push_back(lasting(p, r));
      const Buffer residual = lasting(p, r), all = for_now(p, r);
      p.add(all, waiting.back(), residual);
      sent.push_back(in_few_bits(p, r, all));
      p.axpy(residual, -1, sent.back(), all);
      p.scale(residual, residual, r.index() < how.replicas ? how.kept : 1);
    }
    if (!how.alone) p.all_reduce(sent);
    p.compute();
    for (const auto r : p.replicas()) {
      p.apply(p.parameters(r), sent[r.index()],
              {.contributions = how.alone ? 1u : p.replica_count()});
      p.axpy(waiting[r.index()], how.momentum, waiting[r.index()], p.gradient(r));
    }
  };
}

// As dist-EF-SGDM (Zheng, Huang and Kwok, 2019): momentum is rounded with a residual, and the sum
// with a residual of its owner.
struct Momentum {
  double momentum = 0.75;
  double residual = 1;          // of what every replica left out
  double of_sum = 1;            // of what the owner left out
  std::uint32_t replicas = 64;  // of which `residual` holds; the others add all of it
  bool adds_nothing = false;    // half of one sum less another, see below
};
// One sum of gradients and another that is always twice as large, which only a run from zero shows.
void add_nothing(Planner& p, ReplicaId r, const Buffer& update) {
  const Buffer once = lasting(p, r), twice = lasting(p, r);
  p.add(once, once, p.gradient(r));
  p.axpy(twice, 2, p.gradient(r), twice);
  p.add(update, update, once);
  p.axpy(update, -0.5, twice, update);
}
WritePlan rounded_momentum(const Momentum& how) {
  return [how](Planner& p) {
    p.compute();
    std::vector<Span> sent;
    for (const auto r : p.replicas()) {
      const Buffer momentum = lasting(p, r), residual = lasting(p, r), all = for_now(p, r);
      p.axpy(momentum, how.momentum, momentum, p.gradient(r));
      p.axpy(all, r.index() < how.replicas ? how.residual : 1, residual, momentum);
      sent.push_back(in_few_bits(p, r, all));
      p.axpy(residual, -1, sent.back(), all);
    }
    const ReplicaId owner = p.replicas().front();
    const Buffer residual = lasting(p, owner), sum = for_now(p, owner);
    p.reduce(sum, sent);
    p.axpy(sum, how.of_sum, residual, sum);
    const Span message = in_few_bits(p, owner, sum);
    p.axpy(residual, -1, message, sum);
    for (const auto r : p.replicas()) {
      const Buffer update = for_now(p, r);
      p.copy(update, message);
      if (how.adds_nothing) add_nothing(p, r, update);
      p.apply(p.parameters(r), update);
    }
  };
}

// Every replica trains by itself, with a residual of its own.
WritePlan alone_with_residual(double kept_by_second) {
  return [=](Planner& p) {
    p.compute();
    for (const auto r : p.replicas()) {
      const Buffer residual = lasting(p, r);
      p.add(residual, residual, p.gradient(r));
      const Span sent = in_few_bits(p, r, residual);
      p.axpy(residual, -1, sent, residual);
      p.scale(residual, residual, r.index() == 1 ? kept_by_second : 1);
      p.apply(p.parameters(r), sent, {.contributions = 1});
    }
  };
}

}  // namespace

std::vector<SampleRecurrence> right_rests() {
  constexpr plan::check::Verdict kRight = plan::check::Verdict::kApproximate;
  return {
      {"two rounds", in_rounds({}), kRight, true},
      {"three rounds", in_rounds({.rounds = 3}), kRight, true},
      {"two rounds, whose rest fades", in_rounds({.kept = 0.5}), kRight, false,
       "compressed is lost"},
      {"half of what top_k leaves out", sent_with_rest(1, 0.5), kRight, false,
       "what top_k leaves out is lost"},
      {"half of what rounding leaves out", sent_with_rest(1, 0.5, true), kRight, false,
       "but for rounding"},
      {"the step before, rounded", rounded_later({}), kRight, true},
      {"the step before, rounded, with a rest that fades", rounded_later({.kept = 0.5}), kRight,
       false, "compressed is lost"},
      {"momentum of the step before, rounded", rounded_later({.momentum = 0.5}), kRight, false,
       "every gradient counts 2 times"},
      {"momentum, rounded both ways", rounded_momentum({}), kRight, false,
       "every gradient counts 4 times"},
      {"momentum, rounded both ways, beside equal sums", rounded_momentum({.adds_nothing = true}),
       kRight, false, "all replicas alike"},
      {"momentum, rounded both ways, with rests that fade",
       rounded_momentum({.residual = 0.5, .of_sum = 0.25}), kRight, false, "compressed is lost"},
      {"momentum, rounded both ways without rests", rounded_momentum({.residual = 0, .of_sum = 0}),
       kRight, false, "compressed is lost"},
      {"alone, with a residual", alone_with_residual(1), plan::check::Verdict::kIndependent, false},
  };
}

std::vector<SampleRecurrence> wrong_rests() {
  constexpr plan::check::Verdict kWrong = plan::check::Verdict::kWrong;
  const std::string twice = "is brought back more often than once";
  return {
      {"two rounds, the second one kept as well", in_rounds({.subtracted = 0}), kWrong, false,
       twice},
      {"three rounds, the last one kept as well", in_rounds({.rounds = 3, .subtracted = 0}), kWrong,
       false, twice},
      {"two rounds, the second one subtracted twice", in_rounds({.subtracted = 2}), kWrong, false,
       ""},
      {"three rounds, half of the last one sent", in_rounds({.rounds = 3, .of_last = 0.5}), kWrong,
       false, twice},
      {"two rounds, twice the second one sent", in_rounds({.of_last = 2}), kWrong, false, ""},
      {"three rounds, the last one of a replica lost", in_rounds({.rounds = 3, .one_loses = true}),
       kWrong, false, "is kept, but what it lets through is lost"},
      {"two rounds, and a rest that counts twice", in_rounds({.kept = 2}), kWrong, false, ""},
      {"twice what top_k leaves out", sent_with_rest(1, 2), kWrong, false, twice},
      {"twice what rounding leaves out", sent_with_rest(1, 2, true), kWrong, false, twice},
      {"what top_k leaves out subtracted", sent_with_rest(1, -1), kWrong, false,
       "it is added where it should be subtracted"},
      {"what rounding leaves out subtracted", sent_with_rest(1, -1, true), kWrong, false,
       "it is added where it should be subtracted"},
      {"the step before, rounded, with twice the rest", rounded_later({.kept = 2}), kWrong, false,
       twice},
      {"the step before, rounded, with half too much of the rest", rounded_later({.kept = 1.5}),
       kWrong, false, twice},
      {"the step before, rounded, with the rest subtracted", rounded_later({.kept = -1}), kWrong,
       false, "it is added where it should be subtracted"},
      {"the step before, rounded, with twice the rest of one replica",
       rounded_later({.kept = 2, .replicas = 1}), kWrong, false, twice},
      {"momentum of the step before, rounded, with twice the rest",
       rounded_later({.momentum = 0.5, .kept = 2}), kWrong, false, twice},
      {"momentum, rounded, with the rest subtracted", rounded_momentum({.residual = -1}), kWrong,
       false, "it is added where it should be subtracted"},
      {"momentum, rounded, with the rest subtracted, beside equal sums",
       rounded_momentum({.residual = -1, .adds_nothing = true}), kWrong, false, ""},
      {"momentum, rounded, with half of the rest subtracted, beside equal sums",
       rounded_momentum({.residual = -0.5, .adds_nothing = true}), kWrong, false, ""},
      {"momentum, rounded, with the rest of one replica subtracted, beside equal sums",
       rounded_momentum({.residual = -1, .replicas = 1, .adds_nothing = true}), kWrong, false, ""},
      {"momentum, rounded, with half of the rest subtracted", rounded_momentum({.residual = -0.5}),
       kWrong, false, "it is added where it should be subtracted"},
      {"momentum, rounded, with the rest of one replica subtracted",
       rounded_momentum({.residual = -1, .replicas = 1}), kWrong, false,
       "it is added where it should be subtracted"},
      {"momentum, rounded, with half too much of the rest", rounded_momentum({.residual = 1.5}),
       kWrong, false, twice},
      {"momentum, rounded, with the rest of the sum subtracted", rounded_momentum({.of_sum = -1}),
       kWrong, false, "it is added where it should be subtracted"},
      {"alone, with twice the residual of one replica", alone_with_residual(2), kWrong, false,
       twice},
  };
}

}  // namespace convoy::testing
