#include "tests/plan/check/sample_bases.hpp"

#include <functional>

namespace convoy::testing {
namespace {

constexpr std::uint64_t kBasisRows = 8, kBasisColumns = 17, kBasisRank = 2;
constexpr Range kProjected{0, kBasisRows* kBasisColumns};

PlaceId place_of(Planner& p, ReplicaId r) {
  return p.replica_place(r);
}

// ACP-SGD (Zhang et al., 2023): every step makes the basis of the next one, in turns from the left
// and from the right.
struct InTurns {
  bool keeps_rest[2] = {true, true};  // in each of the two steps
  bool adds_rest[2] = {true, true};
  double rest = -1;          // so many times what was sent
  double of_last = 1;        // times the last replica's message
  bool turns_right = true;   // or the right basis stays as it was first
  bool of_first = false;     // the first replica's products make the basis
  bool leaves_out = false;   // the last replica's products
  bool of_gradient = false;  // products of the gradients without the rest
};

class InTurnsWriter {
 public:
  InTurnsWriter(Planner& p, const InTurns& how) : p_(p), how_(how) {
    for (const auto r : p.replicas()) {
      rests_.push_back(p.persistent(place_of(p, r), kProjected.count));
      left_.push_back(p.persistent(place_of(p, r), kBasisRows * kBasisRank));
      right_.push_back(p.persistent(place_of(p, r), kBasisColumns * kBasisRank));
    }
  }

  void write() {
    step(0);
    step(1);
  }

 private:
  void step(int number) {
    const Range others{kProjected.count, p_.arena_elements() - kProjected.count};
    const bool from_right = number == 0;
    p_.compute();
    std::vector<Span> made;
    for (const auto r : p_.replicas()) made.push_back(compress(r, number));
    if (how_.of_first && made.size() > 1)
      p_.broadcast({made.begin() + 1, made.end()}, made.front());
    else
      reduce(made);
    p_.all_reduce(p_.all_gradients(others));
    for (const auto r : p_.replicas()) {
      product(p_.gradient(r)[kProjected], r);
      p_.apply(p_.parameters(r), p_.gradient(r));
      if (from_right || how_.turns_right) continue;
      p_.copy(right_[r.index()], first_right(r));
    }
  }

  void reduce(std::vector<Span> made) {
    if (how_.leaves_out) made.pop_back();
    p_.all_reduce(made);
  }

  Span first_right(ReplicaId r) {
    const Span columns = p_.scratch(place_of(p_, r), kBasisColumns * kBasisRank);
    p_.fill(columns, 1);
    return columns;
  }

  // What this step sends of the replica; it becomes the other step's basis.
  Span compress(ReplicaId r, int number) {
    const std::size_t i = r.index();
    const bool from_right = number == 0;
    const Span whole = p_.scratch(place_of(p_, r), kProjected.count);
    if (how_.adds_rest[number])
      p_.add(whole, p_.gradient(r)[kProjected], rests_[i]);
    else
      p_.copy(whole, p_.gradient(r)[kProjected]);
    const Span basis = from_right ? right_[i] : left_[i], made = from_right ? left_[i] : right_[i];
    p_.orthogonalise(basis, basis, from_right ? kBasisColumns : kBasisRows, kBasisRank);
    const Span of = how_.of_gradient ? Span(p_.gradient(r)[kProjected]) : whole;
    if (from_right)
      p_.matmul(made, of, basis, kBasisRows, kBasisRank, kBasisColumns);
    else
      p_.matmul(made, of, basis, kBasisColumns, kBasisRank, kBasisRows, {.transposes_a = true});
    const Span sent = p_.scratch(place_of(p_, r), kProjected.count);
    product(sent, r);
    if (how_.keeps_rest[number]) p_.axpy(rests_[i], how_.rest, sent, whole);
    if (i + 1 == p_.replica_count() && how_.of_last != 1) p_.scale(made, made, how_.of_last);
    return made;
  }

  void product(Span to, ReplicaId r) {
    p_.matmul(to, left_[r.index()], right_[r.index()], kBasisRows, kBasisColumns, kBasisRank,
              {.transposes_b = true});
  }

  Planner& p_;
  InTurns how_;
  std::vector<Span> rests_, left_, right_;
};

WritePlan in_turns(const InTurns& how) {
  return [how](Planner& p) { InTurnsWriter(p, how).write(); };
}

// PowerSGD with new columns in every step.
struct Renewed {
  bool by_kernel = true;      // or the same columns in every step
  bool each_its_own = false;  // the kernel of every replica begins with other columns
  double rest = -1;
  bool leaves_out = false;  // the last replica's products
  bool doubles = false;     // the gradient of the last replica
};

class RenewedWriter {
 public:
  RenewedWriter(Planner& p, const Renewed& how) : p_(p), how_(how) {
    for (const auto r : p.replicas()) {
      rests_.push_back(p.persistent(place_of(p, r), kProjected.count));
      columns_.push_back(p.persistent(place_of(p, r), kBasisColumns * kBasisRank));
    }
    p.prologue([&] {
      for (const auto r : p.replicas())
        p.fill(columns_[r.index()], how.each_its_own ? 0.25 * (r.index() + 1) : 0.25);
    });
  }

  void write() {
    const Range others{kProjected.count, p_.arena_elements() - kProjected.count};
    p_.compute();
    for (const auto r : p_.replicas()) project(r);
    std::vector<Span> summed = bases_;
    if (how_.leaves_out) summed.pop_back();
    p_.all_reduce(summed);
    for (const auto r : p_.replicas()) send(r);
    p_.all_reduce(sent_);
    p_.all_reduce(p_.all_gradients(others));
    for (const auto r : p_.replicas()) {
      product(p_.gradient(r)[kProjected], r);
      p_.apply(p_.parameters(r), p_.gradient(r));
    }
  }

 private:
  void project(ReplicaId r) {
    const std::size_t i = r.index();
    const Span whole = rests_[i];
    p_.add(whole, p_.gradient(r)[kProjected], whole);
    if (how_.doubles && i + 1 == p_.replica_count())
      p_.add(whole, p_.gradient(r)[kProjected], whole);
    const Span columns = columns_[i];
    if (how_.by_kernel) p_.call("next_columns", place_of(p_, r), {columns}, {columns});
    bases_.push_back(p_.scratch(place_of(p_, r), kBasisRows * kBasisRank));
    p_.matmul(bases_.back(), whole, columns, kBasisRows, kBasisRank, kBasisColumns);
  }

  void send(ReplicaId r) {
    const std::size_t i = r.index();
    p_.orthogonalise(bases_[i], bases_[i], kBasisRows, kBasisRank);
    sent_.push_back(p_.scratch(place_of(p_, r), kBasisColumns * kBasisRank));
    p_.matmul(sent_.back(), rests_[i], bases_[i], kBasisColumns, kBasisRank, kBasisRows,
              {.transposes_a = true});
    const Span own = p_.scratch(place_of(p_, r), kProjected.count);
    product(own, r);
    p_.axpy(rests_[i], how_.rest, own, rests_[i]);
  }

  void product(Span to, ReplicaId r) {
    p_.matmul(to, bases_[r.index()], sent_[r.index()], kBasisRows, kBasisColumns, kBasisRank,
              {.transposes_b = true});
  }

  Planner& p_;
  Renewed how_;
  std::vector<Span> rests_, columns_, bases_, sent_;
};

WritePlan renewed(const Renewed& how) {
  return [how](Planner& p) { RenewedWriter(p, how).write(); };
}

}  // namespace

std::vector<SampleRecurrence> right_bases() {
  constexpr plan::check::Verdict kRight = plan::check::Verdict::kApproximate;
  return {
      {"bases in turns", in_turns({}), kRight, true, "nothing is lost"},
      {"new columns from a kernel", renewed({}), kRight, true,
       "if kernel next_columns makes other columns in every step"},
      {"new columns from a kernel, other ones for each", renewed({.each_its_own = true}), kRight,
       true, ""},
  };
}

std::vector<SampleRecurrence> wrong_bases() {
  constexpr plan::check::Verdict kWrong = plan::check::Verdict::kWrong;
  constexpr plan::check::Verdict kOpen = plan::check::Verdict::kUnproved;
  const std::string by_gradients = "multiplies gradients by gradients";
  const std::string stays = "stays the same from step to step";
  return {
      {"bases in turns, a rest that is not renewed", in_turns({.keeps_rest = {true, false}}), kOpen,
       false, ""},
      {"bases in turns, a rest that is not added", in_turns({.adds_rest = {true, false}}), kOpen,
       false, by_gradients},
      {"bases in turns, no rests", in_turns({.adds_rest = {false, false}}), kOpen, false,
       by_gradients},
      {"bases in turns, a rest with the wrong sign", in_turns({.rest = 1}), kOpen, false, ""},
      {"bases in turns, twice the last message", in_turns({.of_last = 2}), kWrong, false, ""},
      {"bases in turns, without the last message", in_turns({.leaves_out = true}), kWrong, false,
       ""},
      {"bases in turns, of the first replica", in_turns({.of_first = true}), kWrong, false, ""},
      {"bases in turns, one of which stays", in_turns({.turns_right = false}), kOpen, false, stays},
      {"bases in turns, of gradients alone", in_turns({.of_gradient = true}), kOpen, false, ""},
      {"the same columns", renewed({.by_kernel = false}), kOpen, false, stays},
      {"new columns, a rest with the wrong sign", renewed({.rest = 1}), kWrong, false, ""},
      {"new columns, without the last products", renewed({.leaves_out = true}), kOpen, false, ""},
      {"new columns, a doubled gradient", renewed({.doubles = true}), kWrong, false, ""},
  };
}

}  // namespace convoy::testing
