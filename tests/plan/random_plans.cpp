#include "tests/plan/random_plans.hpp"

#include <random>

namespace convoy::testing {
namespace {

class Author {
 public:
  Author(Planner& planner, std::uint32_t seed, bool collectives)
      : p_(planner), random_(seed), collectives_(collectives) {
    for (const auto place : p_.places()) {
      buffers_.push_back(p_.scratch(place, 60));
      buffers_.push_back(p_.persistent(place, 90));
    }
    for (const auto r : p_.replicas()) {
      buffers_.push_back(p_.gradient(r));
      buffers_.push_back(p_.parameters(r));
      buffers_.push_back(p_.gradient(r, SetId(1)));
    }
  }

  void write() {
    p_.prologue([&] {
      for (const auto r : p_.replicas()) p_.fill(p_.gradient(r, SetId(1)), 0.5);
      for (const auto r : p_.replicas()) p_.fill(p_.gradient(r, SetId(0)), 0.25);
    });
    const std::size_t computes = 1 + pick(2);
    for (std::size_t c = 0; c < computes; ++c) {
      few_operations();
      p_.compute({.gradient_set = SetId(static_cast<std::uint32_t>(c))});
      few_operations();
    }
  }

 private:
  std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  Span span(std::uint64_t count) {
    const Buffer& buffer = buffers_[pick(buffers_.size())];
    return buffer[{pick(buffer.count - count + 1), count}];
  }
  // A span that is free to be written: reads in other buffers only.
  Span apart_from(const std::vector<Span>& reads, std::uint64_t count) {
    for (;;) {
      const Span candidate = span(count);
      bool free = true;
      for (const Span& read : reads) free = free && read.buffer != candidate.buffer;
      if (free) return candidate;
    }
  }

  void few_operations() {
    const std::size_t count = 3 + pick(8);
    for (std::size_t i = 0; i < count; ++i) operation();
  }

  void operation() {
    const std::uint64_t count = 1 + pick(50);
    const Span a = span(count);
    const Span b = span(count);
    switch (pick(collectives_ ? 9 : 7)) {
      case 0:
        return p_.copy(apart_from({a}, count), a);
      case 1:
        return p_.fill(a, 0.125);
      case 2:
        return p_.add(apart_from({a, b}, count), a, b);
      case 3:
        return p_.scale(a, a, 0.5);
      case 4:
        return p_.axpy(apart_from({a, b}, count), -0.5, a, b);
      case 5: {
        const Span c = span(count);
        return p_.sum(apart_from({a, b, c}, count), {a, b, c});
      }
      case 6: {
        const ReplicaId r(static_cast<std::uint32_t>(pick(p_.replica_count())));
        const Span target = p_.parameters(r)[{pick(80), count}];
        if (a.buffer != target.buffer) p_.apply(target, a);
        return;
      }
      case 7:
        return p_.all_reduce(p_.all_gradients({pick(80), count}));
      default:
        return p_.broadcast(p_.all_parameters({40, count}),
                            p_.gradient(ReplicaId(0), SetId(1))[{3, count}]);
    }
  }

  Planner& p_;
  std::mt19937 random_;
  bool collectives_;
  std::vector<Buffer> buffers_;
};

}  // namespace

WritePlan random_plan(std::uint32_t seed, bool collectives) {
  return [=](Planner& planner) { Author(planner, seed, collectives).write(); };
}

plan::Plan with_random_priorities(plan::Plan plan, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (plan::Operation& operation : plan.body)
    if (!plan::is_compute(operation.kind))
      operation.priority = static_cast<std::uint8_t>(random() % CONVOY_PRIORITIES);
  return plan;
}

}  // namespace convoy::testing
