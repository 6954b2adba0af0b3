#include "tests/plan/check/sample_moments.hpp"

#include <functional>

namespace convoy::testing {
namespace {

Span moment(Planner& p, ReplicaId r) {
  return p.persistent(p.replica_place(r), p.arena_elements());
}
Span passing(Planner& p, ReplicaId r, std::uint64_t count) {
  return p.scratch(p.replica_place(r), count);
}
bool is_first(ReplicaId r) {
  return r.index() == 0;
}

// What a replica does after the sum, and what can be got wrong.
struct Moments {
  double enters = 0.1;           // of the gradient, into the first moment
  bool has_second = true;        // the momentum is divided by the second moment's root
  bool multiplies = false;       // or multiplied by it
  bool takes_root = true;        // of the second moment
  bool has_ratio = true;         // lengths of parameters over lengths of updates
  bool keeps_rest = false;       // of what the ratio leaves out, for the next step
  bool written_ratio = false;    // that the prologue puts into memory
  bool adds_parameters = false;  // to what the ratio multiplies
  double first_momentum = 0.9;   // of replica 0
};

// The second moment's root.
Span root_of(Planner& p, ReplicaId r, Span gradient, const Moments& how) {
  const Span second = moment(p, r), square = passing(p, r, gradient.count);
  p.multiply(square, gradient, gradient);
  p.scale(second, second, 0.99);
  p.axpy(second, 0.01, square, second);
  if (!how.takes_root) return second;
  p.square_root(square, second);
  return square;
}

Span ratio_of(Planner& p, ReplicaId r, Span update, const Moments& how) {
  const Span ratio =
      how.written_ratio ? Span(p.persistent(p.replica_place(r), 1)) : passing(p, r, 1);
  const Span length = passing(p, r, 1);
  if (how.written_ratio) {
    p.prologue([&] { p.fill(ratio, 2); });
    return ratio;
  }
  p.dot(ratio, p.parameters(r), p.parameters(r));
  p.dot(length, update, update);
  p.divide(ratio, ratio, length, 1);
  p.square_root(ratio, ratio);
  return ratio;
}

void update_by_moments(Planner& p, ReplicaId r, Span gradient, const Moments& how) {
  const Span first = moment(p, r), update = passing(p, r, gradient.count);
  p.scale(first, first, is_first(r) ? how.first_momentum : 0.9);
  p.axpy(first, how.enters, gradient, first);
  p.copy(update, first);
  if (how.has_second && how.multiplies) p.multiply(update, update, root_of(p, r, gradient, how));
  if (how.has_second && !how.multiplies) p.divide(update, update, root_of(p, r, gradient, how));
  if (how.adds_parameters) p.axpy(update, 0.01, p.parameters(r), update);
  if (how.has_ratio) {
    const Span whole = passing(p, r, gradient.count), rest = moment(p, r);
    if (how.keeps_rest) p.add(update, update, rest);
    p.copy(whole, update);
    p.multiply(update, update, ratio_of(p, r, whole, how));
    if (how.keeps_rest) p.axpy(rest, -1, update, whole);
  }
  p.apply(p.parameters(r), update);
}

WritePlan with_moments(const Moments& how) {
  return [how](Planner& p) {
    p.compute();
    p.all_reduce(p.all_gradients(p.arena()));
    for (const auto r : p.replicas()) update_by_moments(p, r, p.gradient(r), how);
  };
}

// Moments in one memory, with the sum that `add_up` makes there, and the gradient whose square the
// second one takes.
WritePlan at_a_server(const std::function<void(Planner&, Span)>& add_up, bool squares_one) {
  return [=](Planner& p) {
    const PlaceId server = p.host_place(ReplicaId(0));
    const Span sum = p.scratch(server, p.arena_elements());
    const Span first = p.persistent(server, p.arena_elements());
    const Span second = p.persistent(server, p.arena_elements());
    const Span square = p.scratch(server, p.arena_elements());
    p.compute();
    add_up(p, sum);
    p.axpy(first, 0.5, first, sum);
    p.copy(square, squares_one ? Span(p.gradient(ReplicaId(1))) : sum);
    p.multiply(square, square, square);
    p.axpy(second, 0.9, second, square);
    p.square_root(square, second);
    p.divide(sum, first, square);
    p.apply(p.master(server), sum);
    for (const auto r : p.replicas()) p.copy(p.parameters(r), p.master(server));
  };
}

void add_up_all(Planner& p, Span sum) {
  p.sum(sum, p.all_gradients(p.arena()));
}

void add_up_the_first_twice(Planner& p, Span sum) {
  std::vector<Span> gradients = p.all_gradients(p.arena());
  gradients.push_back(gradients.front());
  p.sum(sum, gradients);
}

void add_up_without_the_last(Planner& p, Span sum) {
  std::vector<Span> gradients = p.all_gradients(p.arena());
  gradients.pop_back();
  p.sum(sum, gradients);
}

// Every worker divides its own momentum before the sum, so that each has another factor.
void write_moments_of_each(Planner& p) {
  p.compute();
  for (const auto r : p.replicas()) {
    const Span first = moment(p, r), gradient = p.gradient(r);
    p.axpy(first, 0.5, first, gradient);
    p.divide(gradient, first, root_of(p, r, gradient, {}));
  }
  p.all_reduce(p.all_gradients(p.arena()));
  for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
}

// The ratio of every replica is of its own gradient before the sum, so that each applies another
// multiple of the same momentum.
void write_ratio_of_each(Planner& p) {
  p.compute();
  std::vector<Span> ratios;
  for (const auto r : p.replicas()) {
    ratios.push_back(passing(p, r, 1));
    p.dot(ratios.back(), p.gradient(r), p.gradient(r));
  }
  p.all_reduce(p.all_gradients(p.arena()));
  for (const auto r : p.replicas()) {
    const Span first = moment(p, r), update = passing(p, r, p.arena_elements());
    p.axpy(first, 0.5, first, p.gradient(r));
    p.multiply(update, first, ratios[r.index()]);
    p.apply(p.parameters(r), update);
  }
}

// FedAdam (Reddi et al., 2021): replicas train by themselves; what all have moved since then goes
// through moments, which every replica keeps alike.
struct Server {
  bool hears_all = true;        // what the last replica moved, too
  bool keeps_point = true;      // from which replica 0 begins
  double enters = 0.1;          // of the movement, into the momentum of replica 0
  bool squares_own = false;     // movement, for the second moment
  bool remembers_start = true;  // in replica 0; otherwise it begins at zero
};
WritePlan moments_of_movement(const Server& how) {
  return [how](Planner& p) {
    std::vector<Span> points, moved;
    for (const auto r : p.replicas()) points.push_back(moment(p, r));
    p.prologue([&] {
      for (const auto r : p.replicas())
        if (how.remembers_start || !is_first(r)) p.copy(points[r.index()], p.parameters(r));
    });
    for (int step = 0; step < 2; ++step) {
      p.compute();
      for (const auto r : p.replicas())
        p.apply(p.parameters(r), p.gradient(r), {.contributions = 1});
    }
    std::vector<Span> own;
    for (const auto r : p.replicas()) {
      moved.push_back(passing(p, r, p.arena_elements()));
      own.push_back(passing(p, r, p.arena_elements()));
      p.axpy(moved.back(), -1, points[r.index()], p.parameters(r));
      if (!how.hears_all && r.index() + 1 == p.replica_count()) p.fill(moved.back(), 0);
      p.copy(own.back(), moved.back());
    }
    p.all_reduce(moved);
    for (const auto r : p.replicas()) {
      const Span sum = moved[r.index()], first = moment(p, r), point = points[r.index()];
      p.scale(sum, sum, 1.0 / p.replica_count());
      p.scale(first, first, 0.9);
      p.axpy(first, is_first(r) ? how.enters : 0.1, sum, first);
      p.divide(sum, first, root_of(p, r, how.squares_own ? own[r.index()] : sum, {}));
      p.add(p.parameters(r), point, sum);
      if (how.keeps_point || !is_first(r)) p.copy(point, p.parameters(r));
    }
  };
}

// Muon (Jordan, 2024): the momentum of a matrix is orthogonalised.
struct Orthogonal {
  bool sums = true;         // the gradients of all replicas
  double enters = 0.5;      // of the gradient, into the momentum of replica 0
  bool keeps_rest = false;  // of what is left out, for the next step
  bool squares = false;     // the momentum first
};
WritePlan orthogonal(const Orthogonal& how) {
  return [how](Planner& p) {
    constexpr std::uint64_t kRows = 16, kColumns = 8;
    const Range matrix{0, kRows * kColumns};
    p.compute();
    if (how.sums) p.all_reduce(p.all_gradients(p.arena()));
    for (const auto r : p.replicas()) {
      const Span velocity = moment(p, r), update = passing(p, r, p.arena_elements());
      p.scale(velocity, velocity, 0.5);
      p.axpy(velocity, is_first(r) ? how.enters : 0.5, p.gradient(r), velocity);
      p.copy(update, velocity);
      const Span from = passing(p, r, matrix.count), rest = moment(p, r);
      p.copy(from, part(update, 0, matrix.count));
      if (how.keeps_rest) p.add(from, from, part(rest, 0, matrix.count));
      if (how.squares) p.multiply(from, from, from);
      p.orthogonalise(part(update, 0, matrix.count), from, kRows, kColumns);
      if (how.keeps_rest)
        p.axpy(part(rest, 0, matrix.count), -1, part(update, 0, matrix.count), from);
      p.apply(p.parameters(r), update);
    }
  };
}

}  // namespace

std::vector<SampleRecurrence> right_moments() {
  constexpr plan::check::Verdict kRight = plan::check::Verdict::kApproximate;
  const char* const once = "counts once in the end beside factors that only the run knows";
  return {
      {"LAMB", with_moments({}), kRight, false, once},
      {"Adam with moments of its own", with_moments({.has_ratio = false}), kRight, false, once},
      {"a ratio behind a momentum", with_moments({.enters = 1, .has_second = false}), kRight, false,
       "counts 10 times in the end, all replicas alike beside factors that only the run knows"},
      {"moments at a server", at_a_server(add_up_all, false), kRight, false,
       "counts 2 times in the end, all replicas alike beside factors"},
      {"FedAdam", moments_of_movement({}), kRight, false, once},
      {"Muon", orthogonal({}), kRight, false, once},
  };
}

std::vector<SampleRecurrence> wrong_moments() {
  constexpr plan::check::Verdict kWrong = plan::check::Verdict::kWrong;
  constexpr plan::check::Verdict kOpen = plan::check::Verdict::kUnproved;
  return {
      {"multiplied by the root", with_moments({.multiplies = true}), kOpen, false,
       "only the run knows"},
      {"without the root", with_moments({.takes_root = false}), kOpen, false, "only the run knows"},
      {"a ratio from the prologue", with_moments({.has_second = false, .written_ratio = true}),
       kOpen, false, ""},
      {"a ratio of parameters", with_moments({.adds_parameters = true}), kOpen, false,
       "only the run knows"},
      {"the rest is kept", with_moments({.keeps_rest = true}), kOpen, false, "only the run knows"},
      {"another momentum for one replica", with_moments({.first_momentum = 0.5}), kWrong, false,
       ""},
      {"a momentum that grows", with_moments({.first_momentum = 1.1}), kWrong, false, ""},
      {"the square of one gradient", at_a_server(add_up_all, true), kOpen, false,
       "only the run knows"},
      {"a gradient twice", at_a_server(add_up_the_first_twice, false), kOpen, false, ""},
      {"a gradient lost", at_a_server(add_up_without_the_last, false), kOpen, false, ""},
      {"moments of each", write_moments_of_each, kOpen, false, ""},
      {"a ratio of each", write_ratio_of_each, kOpen, false, "only the run knows"},
      {"FedAdam without the last movement", moments_of_movement({.hears_all = false}), kOpen, false,
       ""},
      {"FedAdam from an old point", moments_of_movement({.keeps_point = false}), kWrong, false, ""},
      {"FedAdam with another momentum for one replica", moments_of_movement({.enters = 0.2}),
       kWrong, false, ""},
      {"FedAdam with the squares of each", moments_of_movement({.squares_own = true}), kOpen, false,
       ""},
      {"FedAdam from zero", moments_of_movement({.remembers_start = false}), kOpen, false, ""},
      {"Muon of each", orthogonal({.sums = false}), kWrong, false, ""},
      {"Muon with another momentum for one replica", orthogonal({.enters = 1}), kWrong, false, ""},
      {"Muon that keeps the rest", orthogonal({.keeps_rest = true}), kOpen, false,
       "only the run knows"},
      {"Muon of the square", orthogonal({.squares = true}), kOpen, false, "only the run knows"},
  };
}

}  // namespace convoy::testing
