#include "core/plan/check/recurrence/reachable_subspace.hpp"

#include <cmath>
#include <deque>
#include <utility>

#include "core/plan/check/recurrence/impulse_response.hpp"

namespace convoy::plan::check {
namespace {

using Vector = std::vector<Weight>;

Weight sum_of(const Weight& a, const Weight& b) {
  const Weight sum = a + b;
  return sum.is_zero() ? Weight{0, 0} : sum;
}

// x += by * y
void add(Vector& x, const Weight& by, const Vector& y) {
  if (by.is_zero()) return;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!y[i].is_zero()) x[i] = sum_of(x[i], by * y[i]);
}

// Vectors that span the reachable states. Each vector is 1 at a place of its own, where the others
// are 0.
class Basis {
 public:
  // Returns false if the vector is a combination of those that are already there.
  bool add_vector(Vector vector) {
    for (std::size_t k = 0; k < vectors_.size(); ++k) add(vector, -vector[places_[k]], vectors_[k]);
    std::size_t place = vector.size();
    for (std::size_t i = 0; i < vector.size(); ++i)
      if (!vector[i].is_zero() &&
          (place == vector.size() || std::fabs(vector[i].value) > std::fabs(vector[place].value)))
        place = i;
    if (place == vector.size()) return false;
    const Weight by = inverse(vector[place]);
    for (Weight& it : vector) it = it * by;
    for (Vector& other : vectors_) add(other, -other[place], vector);
    vectors_.push_back(std::move(vector));
    places_.push_back(place);
    return true;
  }
  const std::vector<Vector>& vectors() const { return vectors_; }
  const std::vector<std::size_t>& places() const { return places_; }
  // Returns the result of the row for each of the vectors.
  LinearRow row(const LinearRow& of) const {
    LinearRow result;
    for (std::uint32_t k = 0; k < vectors_.size(); ++k)
      if (const Weight weight = times(of, vectors_[k]); !weight.is_zero())
        result.push_back({k, weight});
    return result;
  }

 private:
  std::vector<Vector> vectors_;
  std::vector<std::size_t> places_;
};

// Returns one vector per column.
std::vector<Vector> columns(const std::vector<LinearRow>& rows) {
  std::vector<Vector> result;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const Addend& it : rows[i]) {
      if (it.index >= result.size()) result.resize(it.index + 1, Vector(rows.size(), Weight{0, 0}));
      result[it.index][i] = it.weight;
    }
  return result;
}

// All initial vectors come before those of later periods. Vectors of many periods are nearly sums
// of each other, and dividing by a small remainder of one would magnify rounding.
Basis reachable_basis(const LinearSystem& it, const ValueTable& budget) {
  std::deque<Vector> open{it.start};
  for (const auto* rows : {&it.gradients, &it.errors, &it.start_errors, &it.start_gradients})
    for (Vector& column : columns(*rows)) open.push_back(std::move(column));
  Basis basis;
  while (!open.empty()) {
    const Vector next = std::move(open.front());
    open.pop_front();
    budget.spend(next.size() * (basis.vectors().size() + 1) / 16, it.reads.front().operation);
    if (!basis.add_vector(next)) continue;
    open.push_back(next_period(it, next));
  }
  return basis;
}

}  // namespace

std::optional<LinearSystem> reachable_subspace(const LinearSystem& it, const ValueTable& budget) {
  const Basis basis = reachable_basis(it, budget);
  if (basis.vectors().size() == it.states.size()) return std::nullopt;
  LinearSystem result;
  for (const std::size_t place : basis.places()) {
    result.states.push_back(it.states[place]);
    result.step.push_back(basis.row(it.step[place]));
    result.gradients.push_back(it.gradients[place]);
    result.errors.push_back(it.errors[place]);
    result.opaque.push_back(it.opaque[place]);
    result.start.push_back(it.start[place]);
    result.start_errors.push_back(it.start_errors[place]);
    result.start_gradients.push_back(it.start_gradients[place]);
  }
  result.reads = it.reads;
  for (PeriodRead& read : result.reads) read.states = basis.row(read.states);
  result.error_atoms = it.error_atoms;
  result.opaque_atoms = it.opaque_atoms;
  result.coordinates = Coordinates{it.states, it.errors, basis.vectors(), basis.places()};
  return result;
}

}  // namespace convoy::plan::check
