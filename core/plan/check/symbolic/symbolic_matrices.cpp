#include <algorithm>

#include "core/plan/check/symbolic/symbolic_run.hpp"

// Products of matrices are atoms like those of kernels, with one exception. If P has orthonormal
// columns and Y = P^T X, the product P Y is X without the part outside the span of P's columns. So
// it is known except for an error, like a cast. This is used only if P is made of products of X
// itself, because only then can a later product contain the omitted part. The same applies to X P
// P^T, and to sums of such Y.

namespace convoy::plan::check {
namespace {

const Piece* whole_piece(const Content& content) {
  return content.size() == 1 ? &content.front() : nullptr;
}

}  // namespace

void SymbolicRun::matmul(const Operation& operation) {
  const auto content = [&](std::size_t i) {
    return contents_.intern(read(operation.reads[i], operation.id, 0));
  };
  if (operation.details->sizes[3] > 1) return opaque(operation);
  const MatrixProduct product = product_of(matrix_operation(operation), content(0), content(1));
  const auto [known, is_new] =
      projections_.try_emplace(product);  // all replicas make the same products
  if (is_new) known->second = projection(product);
  if (known->second) return write(operation.writes.front(), *known->second, 0);
  opaque(operation);
  note_line_means(product, read(operation.writes.front(), operation.id, 0));
}

MatrixOperation SymbolicRun::matrix_operation(const Operation& operation) {
  const bool makes_one =
      operation.kind == OperationKind::kMatmul || operation.kind == OperationKind::kOrthogonalise;
  if (!makes_one) return {};
  MatrixOperation result{operation.kind,
                         (operation.flags & CONVOY_OP_TRANSPOSES_A) != 0,
                         (operation.flags & CONVOY_OP_TRANSPOSES_B) != 0,
                         {}};
  std::copy(std::begin(operation.details->sizes), std::end(operation.details->sizes), result.sizes);
  return result;
}

SymbolicRun::MatrixProduct SymbolicRun::product_of(const MatrixOperation& made_by, ContentId a,
                                                   ContentId b) {
  return {{a, made_by.transposes_a},
          {b, made_by.transposes_b},
          made_by.sizes[0],
          made_by.sizes[1],
          made_by.sizes[2]};
}

// Returns the product of matrices that the term represents, from its first element on.
std::optional<SymbolicRun::MatrixProduct> SymbolicRun::product_of(const Term& term) const {
  const Atom& atom = values_.atom(term.atom);
  if (atom.matrix.kind != OperationKind::kMatmul || atom.reads.size() != 2 || term.shift != 0 ||
      atom.matrix.sizes[3] > 1)
    return std::nullopt;
  return product_of(atom.matrix, atom.reads[0], atom.reads[1]);
}

// Returns the atom of orthonormal columns that fills a matrix of this shape, if there is one.
std::optional<AtomId> SymbolicRun::basis_in(const Matrix& matrix, std::uint64_t rows,
                                            std::uint64_t columns) {
  const Piece* piece = whole_piece(contents_.content(matrix.content));
  if (piece == nullptr || piece->count != rows * columns) return std::nullopt;
  const Value& value = values_.value(piece->value);
  if (!value.leaf || !value.constant.is_zero()) return std::nullopt;
  const Atom& atom = values_.atom(value.atom);
  const bool fits = atom.matrix.kind == OperationKind::kOrthogonalise && atom.reads.size() == 1 &&
                    atom.matrix.sizes[0] == rows && atom.matrix.sizes[1] == columns;
  return fits ? std::optional(value.atom) : std::nullopt;
}

// Returns the factors of the products in the basis. Only these can be projected on it.
const std::set<ContentId>& SymbolicRun::followed_by(AtomId basis) {
  const auto [known, is_new] = followed_.try_emplace(basis);
  if (!is_new) return known->second;
  const Piece* from = whole_piece(contents_.content(values_.atom(basis).reads.front()));
  if (from == nullptr) return known->second;
  for (const Term& term : values_.expand(from->value, Casts::kKept))
    if (const auto product = product_of(term)) known->second.insert(product->a.content);
  return known->second;
}

std::optional<SymbolicRun::Basis> SymbolicRun::basis_of(const MatrixProduct& product) {
  if (!product.a.transposed)
    if (const auto atom = basis_in(product.a, product.rows, product.inner))
      return Basis{*atom, product.a.content, true};
  if (product.b.transposed)
    if (const auto atom = basis_in(product.b, product.columns, product.inner))
      return Basis{*atom, product.b.content, false};
  return std::nullopt;
}

// Returns the X for which the term, transposed or not, is P^T X, or X P if the basis P is on the
// right.
std::optional<ContentId> SymbolicRun::projected_by(const Basis& basis, const MatrixProduct& whole,
                                                   const Term& term, bool transposed) {
  auto made = product_of(term);
  if (!made) return std::nullopt;
  if (transposed) {
    std::swap(made->a, made->b);
    std::swap(made->rows, made->columns);
    made->a.transposed = !made->a.transposed;
    made->b.transposed = !made->b.transposed;
  }
  const Matrix onto{basis.content, basis.left};
  const ContentId x = (basis.left ? made->b : made->a).content;
  const MatrixProduct wanted =
      basis.left ? MatrixProduct{onto, {x, false}, whole.inner, whole.columns, whole.rows}
                 : MatrixProduct{{x, false}, onto, whole.rows, whole.inner, whole.columns};
  if (*made != wanted) return std::nullopt;
  return start_ == Start::kAnyPeriod || followed_by(basis.atom).contains(x) ? std::optional(x)
                                                                            : std::nullopt;
}

std::optional<Content> SymbolicRun::projection(const MatrixProduct& product) {
  const std::optional<Basis> basis = basis_of(product);
  if (!basis) return std::nullopt;
  const Matrix& shares = basis->left ? product.b : product.a;
  const Piece* piece = whole_piece(contents_.content(shares.content));
  if (piece == nullptr) return std::nullopt;
  const Value& value = values_.value(piece->value);
  if (value.poison || !value.constant.is_zero()) return std::nullopt;
  Content result{{0, product.rows * product.columns, values_.zero()}};
  for (const Term& term : values_.expand(piece->value, Casts::kKept)) {
    const auto x = projected_by(*basis, product, term, shares.transposed);
    if (!x) return std::nullopt;
    const Content part = projected(*x, basis->atom, term.weight);
    Content sum;
    for_each_stretch({&result, &part},
                     [&](std::uint64_t, std::uint64_t count, const std::vector<ValueId>& values) {
                       append(sum, count, values_.sum(values));
                     });
    result = std::move(sum);
  }
  return result;
}

// Returns a projection. Like a cast, every stretch of the content has its own error.
Content SymbolicRun::projected(ContentId content, AtomId basis, const Weight& weight) {
  const Content pieces = contents_.content(content);
  Content result;
  for (const Piece& piece : pieces) {
    const Value& value = values_.value(piece.value);
    ValueId made = piece.value;
    if (!value.poison && value.fingerprint != Fingerprint{}) {
      const std::int64_t anchor = value.anchor;
      Atom atom{.kind = AtomKind::kCast};
      atom.inputs = {values_.shifted(piece.value, -anchor)};
      atom.dtype = CONVOY_NONE;
      atom.basis = basis;
      atom.reads = {content};
      std::vector<std::uint64_t> key{
          atom.inputs.front(), content, basis, piece.first, static_cast<std::uint64_t>(anchor), 0};
      made = values_.made(std::move(atom), std::move(key), anchor);
    }
    append(result, piece.count, values_.scaled(made, weight));
  }
  return result;
}

}  // namespace convoy::plan::check
