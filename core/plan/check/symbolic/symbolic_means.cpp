#include <utility>

#include "core/plan/check/symbolic/symbolic_run.hpp"

// Gradient centralisation (Yong et al., 2020): rows or columns of a matrix minus their mean.
// Products with constant vectors give the means, and stay unknown values like all products. But the
// matrix minus its means is known except for an error, like a cast. It is a projection that treats
// everything in the matrix alike.

namespace convoy::plan::check {
namespace {

// A separate kind of key, different from those of casts, kernels, compressors and projections.
constexpr std::uint64_t kOfMeans = UINT64_MAX - 1;

}  // namespace

// Returns the number that fills all of the content, if it is a constant of the plan.
std::optional<Weight> SymbolicRun::constant_in(ContentId content) const {
  const Content& pieces = contents_.content(content);
  if (pieces.size() != 1) return std::nullopt;
  const Value& value = values_.value(pieces.front().value);
  const bool is_constant = !value.poison && value.fingerprint == Fingerprint{};
  return is_constant ? std::optional(value.constant) : std::nullopt;
}

// Returns the matrix and the multiple if the content is the sums of its rows or columns.
std::optional<SymbolicRun::LineSums> SymbolicRun::line_sums(ContentId content, std::uint64_t rows,
                                                            std::uint64_t columns, bool of_rows) {
  const Content& pieces = contents_.content(content);
  if (pieces.size() != 1 || values_.value(pieces.front().value).poison ||
      !values_.value(pieces.front().value).constant.is_zero())
    return std::nullopt;
  const std::vector<Term> terms = values_.expand(pieces.front().value, Casts::kKept);
  if (terms.size() != 1) return std::nullopt;
  const auto made = product_of(terms.front());
  if (!made) return std::nullopt;
  const Matrix& matrix = of_rows ? made->a : made->b;
  const auto ones = constant_in((of_rows ? made->b : made->a).content);
  const bool fits = of_rows ? made->rows == rows && made->columns == 1 && made->inner == columns
                            : made->rows == 1 && made->columns == columns && made->inner == rows;
  if (!ones || !fits || matrix.transposed) return std::nullopt;
  return LineSums{matrix.content, terms.front().weight * *ones};
}

// If the product fills rows or columns with a multiple of their means, returns the matrix and the
// multiple.
std::optional<SymbolicRun::LineSums> SymbolicRun::line_means(const MatrixProduct& product) {
  if (product.inner != 1) return std::nullopt;
  for (const bool of_rows : {true, false}) {
    const auto filled = constant_in((of_rows ? product.b : product.a).content);
    if (!filled) continue;
    const ContentId sums = (of_rows ? product.a : product.b).content;
    const auto found = line_sums(sums, product.rows, product.columns, of_rows);
    if (!found) continue;
    const std::uint64_t length = of_rows ? product.columns : product.rows;
    return LineSums{found->matrix, found->weight * *filled * whole(length)};
  }
  return std::nullopt;
}

// `filled` is what the product wrote, from element 0 on.
void SymbolicRun::note_line_means(const MatrixProduct& product, const Content& filled) {
  const auto means = line_means(product);
  if (!means || means->weight.is_zero() || filled.size() != 1) return;
  const Value& written = values_.value(filled.front().value);
  if (!written.leaf) return;
  const AtomId atom = written.atom;
  const Content& matrix = contents_.content(means->matrix);
  if (matrix.size() != 1) return;
  const ValueId of = matrix.front().value;
  const Value& value = values_.value(of);
  if (value.poison || value.fingerprint == Fingerprint{}) return;
  const std::int64_t anchor = value.anchor;
  Atom rest{.kind = AtomKind::kCast};
  rest.inputs = {values_.shifted(of, -anchor)};
  rest.dtype = CONVOY_NONE;
  rest.keeps_out = true;
  const bool of_rows = constant_in(product.b.content).has_value();
  std::vector<std::uint64_t> key{
      kOfMeans,     rest.inputs.front(), means->matrix,    static_cast<std::uint64_t>(anchor),
      product.rows, product.columns,     of_rows ? 1u : 0u};
  const ValueId centred = values_.made(std::move(rest), std::move(key), anchor);
  line_means_.try_emplace(atom, CentredMatrix{of, centred, means->weight});
}

// If the sum is a matrix minus its means, returns that value.
std::optional<ValueId> SymbolicRun::centred(std::span<const WeightedValue> sum) {
  if (sum.size() != 2) return std::nullopt;
  for (const bool swapped : {false, true}) {
    const WeightedValue& means = sum[swapped ? 1 : 0];
    const WeightedValue& matrix = sum[swapped ? 0 : 1];
    const Value& value = values_.value(means.value);
    if (value.poison || !value.constant.is_zero() || (!value.leaf && value.parts.size() != 1))
      continue;
    const std::vector<Term> terms = values_.expand(means.value, Casts::kKept);
    if (terms.size() != 1) continue;
    const auto known = line_means_.find(terms.front().atom);
    if (known == line_means_.end()) continue;
    const CentredMatrix& it = known->second;
    // the multiple of the means
    const Weight times = means.weight * terms.front().weight * it.means;
    const bool takes_off = (times + matrix.weight).is_zero();
    if (!takes_off || values_.shifted(it.matrix, terms.front().shift) != matrix.value) continue;
    const WeightedValue rest{it.centred, matrix.weight, terms.front().shift};
    return values_.combine({&rest, 1});
  }
  return std::nullopt;
}

}  // namespace convoy::plan::check
