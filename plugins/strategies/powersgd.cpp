#include <convoy/strategy.hpp>

#include <vector>

namespace {

using convoy::Range, convoy::Span, convoy::MatrixShape;

// PowerSGD (Vogels, Karimireddy and Jaggi, 2019): replicas exchange a product of two thin matrices
// instead of each gradient matrix. A residual keeps the error. A step begins with the directions of
// the previous step.
class PowerSgd : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const auto rank = static_cast<std::uint64_t>(p.integer("rank"));
    if (rank < 1 || rank > 64) p.refuse("rank is from 1 to 64");
    p.compute();
    for (std::uint32_t i = 0; i < p.variable_count(); ++i) {
      Range rest = p.variable(i).range;
      const MatrixShape of = p.variable(i).matrix.value_or(MatrixShape{0, 0});
      if (rank * (of.rows + of.columns) < of.elements()) {
        compress(p, {rest.first, of.elements()}, of, rank);
        rest = {rest.first + of.elements(), rest.count - of.elements()};
      }
      if (rest.count == 0) continue;
      p.all_reduce(p.all_gradients(rest));
      for (const auto r : p.replicas()) p.apply(p.parameters(r)[rest], p.gradient(r)[rest]);
    }
  }

 private:
  static void compress(convoy::Planner& p, Range range, MatrixShape of, std::uint64_t rank) {
    std::vector<Span> residuals, directions, columns;
    const std::vector<Span> sums = p.all_gradients(range), weights = p.all_parameters(range);
    for (const auto r : p.replicas()) {
      residuals.push_back(p.persistent(p.replica_place(r), range.count));
      directions.push_back(p.persistent(p.replica_place(r), of.columns * rank));
      columns.push_back(p.scratch(p.replica_place(r), of.rows * rank));
      p.add(residuals.back(), sums[r.index()], residuals.back());
      p.matmul(columns.back(), residuals.back(), directions.back(), of.rows, rank, of.columns);
    }
    p.all_reduce(columns);
    for (std::size_t r = 0; r < sums.size(); ++r) {
      p.orthogonalise(columns[r], columns[r], of.rows, rank);
      p.matmul(directions[r], residuals[r], columns[r], of.columns, rank, of.rows, {true, false});
      p.matmul(sums[r], columns[r], directions[r], of.rows, of.columns, rank, {false, true});
      p.axpy(residuals[r], -1, sums[r], residuals[r]);  // the error of this replica's part
    }
    p.all_reduce(directions);
    for (std::size_t r = 0; r < sums.size(); ++r) {
      p.matmul(sums[r], columns[r], directions[r], of.rows, of.columns, rank, {false, true});
      p.apply(weights[r], sums[r]);
    }
  }
};
}  // namespace

CONVOY_STRATEGY(PowerSgd, "name=powersgd", "version=0.1.0", "claim=approximate",
                "description=Devices exchange low-rank approximations of gradient matrices.",
                "option=rank:int:4::Rank of the approximation, 1 to 64.",
                "needs=forward,backward,add,matmul,all_reduce,orthogonalise,axpy,apply")
