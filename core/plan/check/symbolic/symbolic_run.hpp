#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/plan/check/symbolic/contents.hpp"
#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// The parameters that one replica's forward read in one of its computes, and whether they changed
// before the backward.
struct ForwardRead {
  std::uint32_t operation = 0;  // the (last) forward
  std::uint32_t backward = 0;   // the first backward
  std::uint32_t replica = 0;
  std::uint64_t compute = 0;  // number of the compute within this replica, from 0
  std::uint64_t step = 0;     // step of the run
  ContentId content = 0;      // the contents of the whole arena
  bool changed = false;       // the backward read other contents
};

// The contents of memory that survives a period when a run begins.
enum class Start {
  kInitial,    // the contents before the prologue: a run as it happens
  kLinear,     // the same, but an apply subtracts the mean
  kAnyPeriod,  // an atom per buffer, or per group of equal buffers: any period. No prologue. An
               // apply subtracts the mean, because it stands for any optimizer that is linear in
               // the gradient
};

// An apply of a run from any memory: its gradient sum and its elements.
struct LinearApply {
  std::uint32_t operation = CONVOY_NONE;
  std::uint32_t target = 0;   // buffer
  std::uint32_t held_as = 0;  // the buffer with whose contents this one begins the period
  ValueId gradient_sum = 0;
  std::uint64_t contributions = 1;
  ElementRange range{};
};

// Symbolic execution of a plan, in program order: the contents of every span are linear
// combinations of atoms, per interval. Works on logical and lowered plans.
class SymbolicRun {
 public:
  SymbolicRun(const Plan& plan, Budget& budget, Start start = Start::kInitial);
  // Runs any period. Each buffer begins with the same atom as its buffer `holds_as`
  // (induction.hpp).
  SymbolicRun(const Plan& plan, Budget& budget, std::vector<std::uint32_t> holds_as);

  // Call it once, before the first period.
  void run_prologue();
  // Runs every operation of the body once. Before the first period, it also runs the prologue.
  void run_period();
  std::int64_t periods() const { return period_ + 1; }

  const std::vector<ForwardRead>& reads() const { return reads_; }
  std::uint64_t computes(std::uint32_t replica) const { return replicas_[replica].computes; }
  ValueTable& values() { return values_; }
  const ValueTable& values() const { return values_; }
  const ContentTable& contents() const { return contents_; }
  AtomId initial() const { return initial_; }
  AtomId fresh_state() const { return fresh_state_; }
  // Return the value of a gradient and that of an update, as the run makes them. The values to
  // which a run is compared are built from these, too.
  ValueId gradient(std::uint32_t replica, std::uint64_t compute, ContentId forward_read);
  struct Updated {
    ValueId parameters = 0;
    ValueId state = 0;
  };
  struct Update {
    std::uint64_t step = 0;
    ValueId parameters = 0;
    ValueId gradient_sum = 0;
    std::uint64_t contributions = 1;
    ValueId state = 0;
    ElementRange range{};
    // Whether both updates give the same result. The range only says where that was made first.
    bool same_as(const Update& other) const {
      return step == other.step && parameters == other.parameters &&
             gradient_sum == other.gradient_sum && contributions == other.contributions &&
             state == other.state;
    }
  };
  Updated update(const Update& update);
  ContentId whole_arena(ValueId value);

  const BufferContent& memory(std::uint32_t buffer) const { return memory_[buffer]; }
  // The buffer with whose atom this buffer began, if the run began with held memory.
  std::uint32_t holds_as(std::uint32_t buffer) const { return holds_as_[buffer]; }
  // Whether anything leads from the buffer to a forward (backward slice of the forwards' reads).
  bool relevant(std::uint32_t buffer) const { return relevant_[buffer]; }
  // Whether the means of rows or columns are taken off any matrix.
  bool centres_matrices() const { return !line_means_.empty(); }
  const std::vector<LinearApply>& linear_applies() const { return linear_applies_; }

  // A fingerprint of the complete state for the next period, with the age of atoms instead of their
  // identity. If two periods leave equal states, the run has reached a fixed point: all later
  // periods repeat them.
  std::uint64_t state_fingerprint();

 private:
  struct Replica {
    std::uint64_t computes = 0;
    std::uint32_t forward = CONVOY_NONE;  // the last forward operation
    bool recorded = false;                // the read was recorded since then
    ContentId content = 0;
    BufferContent read;
  };

  // A message of top_k or quantise. It is identified by the atoms of its two parts.
  struct Message {
    OperationKind kind = OperationKind::kTopK;
    std::uint64_t code = 0;  // the code of quantise
    std::uint64_t block = 0;
    Content stands_for;
    std::uint64_t counts[2] = {0, 0};  // elements of the parts
    AtomId parts[2] = {0, 0};
  };

  void execute(const Operation& operation);
  void combine(const Operation& operation);
  void forward(const Operation& operation);
  void backward(const Operation& operation);
  void apply(const Operation& operation);
  Updated make_update(const Update& update);
  Content gradient_sum(const Operation& apply, std::uint64_t frame);
  void update_span(const Operation& operation, const PlanSpan& target, const Content& gradient);
  void reduce_scatter(const Operation& operation);
  void all_gather(const Operation& operation);
  void opaque(const Operation& operation);
  void unknown(const Operation& operation);
  void declared(const Operation& operation);
  // for multiply and divide
  void factor(const Operation& operation);
  ValueId times(const Operation& operation, ValueId value, ValueId factor);
  bool carries_gradient(ValueId value);
  bool finds_gradient(ValueId value);
  ValueId times_constant(const Operation& operation, ValueId value, Weight factor);
  // A matrix in a product, which is treated as a projection where it is one (see
  // symbolic_matrices.cpp).
  struct Matrix {
    ContentId content = 0;
    bool transposed = false;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the generated 0 for a pointer.
    auto operator<=>(const Matrix&) const = default;
  };
  struct MatrixProduct {
    Matrix a, b;
    std::uint64_t rows = 0, columns = 0, inner = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the generated 0 for a pointer.
    auto operator<=>(const MatrixProduct&) const = default;
  };
  void matmul(const Operation& operation);
  static MatrixOperation matrix_operation(const Operation& operation);
  static MatrixProduct product_of(const MatrixOperation& made_by, ContentId a, ContentId b);
  std::optional<MatrixProduct> product_of(const Term& term) const;
  struct Basis {
    AtomId atom = kNoAtom;
    ContentId content = 0;
    bool left = true;  // the basis is to the left of the projected matrix
  };
  std::optional<Basis> basis_of(const MatrixProduct& product);
  std::optional<ContentId> projected_by(const Basis& basis, const MatrixProduct& whole,
                                        const Term& term, bool transposed);
  std::optional<AtomId> basis_in(const Matrix& matrix, std::uint64_t rows, std::uint64_t columns);
  const std::set<ContentId>& followed_by(AtomId basis);
  std::optional<Content> projection(const MatrixProduct& product);
  // Rows or columns minus their means (see symbolic_means.cpp).
  struct LineSums {
    ContentId matrix = 0;
    Weight weight;
  };
  std::optional<Weight> constant_in(ContentId content) const;
  std::optional<LineSums> line_sums(ContentId content, std::uint64_t rows, std::uint64_t columns,
                                    bool of_rows);
  std::optional<LineSums> line_means(const MatrixProduct& product);
  void note_line_means(const MatrixProduct& product, const Content& filled);
  std::optional<ValueId> centred(std::span<const WeightedValue> sum);
  Content projected(ContentId content, AtomId basis, const Weight& weight);
  bool may_tear_message(const Operation& operation);
  void compress(const Operation& operation);
  void write_message(const Operation& operation, const Content& from);
  void decompress(const Operation& operation);
  // Returns nothing if anything other than messages is read.
  std::optional<Content> sum_of_messages(const Operation& operation);
  const Content* message(const Operation& operation, std::uint64_t number);
  AtomId part_atom(const Operation& operation, std::uint32_t read_index, std::uint64_t number,
                   std::uint64_t pieces);
  Content elementwise(const Operation& operation, std::uint64_t frame);
  ValueId combined(const Operation& operation, const std::vector<ValueId>& values);
  const Weight& weight_of(double scalar);
  ValueId extreme(const Operation& operation, const std::vector<ValueId>& values);
  ValueId rounded(ValueId value, std::uint32_t dtype);
  ValueId compressed(ValueId value, std::vector<std::uint64_t> key);
  Content read(const PlanSpan& span, std::uint32_t operation, std::uint64_t frame);
  void write(const PlanSpan& span, const Content& content, std::uint64_t frame);
  std::vector<std::uint64_t> reads_key(const Operation& operation, std::vector<ValueId>& inputs,
                                       std::vector<ContentId>& contents);
  std::vector<bool> relevant_buffers() const;

  ValueId start_value(std::uint32_t buffer);

  SymbolicRun(const Plan& plan, Budget& budget, Start start, std::vector<std::uint32_t> holds_as);

  const Plan& plan_;
  Start start_;
  std::vector<std::uint32_t> holds_as_;  // by buffer, if the run begins with held memory
  ValueTable values_;
  ContentTable contents_;
  AtomId initial_;
  AtomId fresh_state_;
  ValueId unread_;  // stands for the parameters that a forward left out
  std::int64_t period_ = -1;
  std::uint64_t step_ = 0;
  std::vector<BufferContent> memory_;
  std::vector<BufferContent> states_;  // per buffer: optimizer state
  std::vector<bool> relevant_;
  std::vector<Replica> replicas_;
  std::vector<ForwardRead> reads_;
  std::vector<LinearApply> linear_applies_;
  // Cached, because consecutive operations have the same scalar.
  double last_scalar_ = 1;
  Weight last_weight_;
  // Cached, because replicas with equal contents are updated one after the other.
  Update last_update_{.contributions = 0};
  Updated last_updated_;
  std::unordered_map<AtomId, Message> messages_;  // by the atom of their first part
  // Results, by the contents that were read, and how.
  std::map<std::vector<std::uint64_t>, std::optional<Content>> decompressed_;
  std::unordered_map<ValueId, bool> carries_gradient_;
  std::map<AtomId, std::set<ContentId>> followed_;
  std::map<MatrixProduct, std::optional<Content>> projections_;  // nothing: it is no projection
  // A matrix from its first element on, and the same matrix without its means.
  struct CentredMatrix {
    ValueId matrix = 0;
    ValueId centred = 0;
    Weight means;  // the multiple of the means in the atom
  };
  std::unordered_map<AtomId, CentredMatrix> line_means_;
};

}  // namespace convoy::plan::check
