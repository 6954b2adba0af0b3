#include "core/plan/check/symbolic/symbolic_run.hpp"

#include <utility>

namespace convoy::plan::check {

SymbolicRun::SymbolicRun(const Plan& plan, Budget& budget, Start start)
    : SymbolicRun(plan, budget, start, {}) {}

SymbolicRun::SymbolicRun(const Plan& plan, Budget& budget, std::vector<std::uint32_t> holds_as)
    : SymbolicRun(plan, budget, Start::kAnyPeriod, std::move(holds_as)) {}

SymbolicRun::SymbolicRun(const Plan& plan, Budget& budget, Start start,
                         std::vector<std::uint32_t> holds_as)
    : plan_(plan),
      start_(start),
      holds_as_(std::move(holds_as)),
      values_(budget),
      initial_(values_.intern({}, {})),
      fresh_state_(values_.intern({.kind = AtomKind::kFreshState}, {})),
      unread_(values_.poison(CONVOY_NONE, CONVOY_NONE)),
      relevant_(relevant_buffers()) {
  const ValueId fresh = values_.leaf(fresh_state_);
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    memory_.emplace_back(plan.buffers[i].count, start_value(i));
    states_.emplace_back(plan.buffers[i].count, fresh);
  }
  for (std::uint32_t r = 0; r < plan.cluster->replicas(); ++r)
    replicas_.push_back({0, CONVOY_NONE, false, 0, BufferContent(plan.arena->elements, unread_)});
}

ValueId SymbolicRun::start_value(std::uint32_t buffer) {
  const std::uint32_t kind = plan_.buffers[buffer].kind;
  if (kind == CONVOY_BUFFER_SCRATCH) return values_.poison(CONVOY_NONE, buffer);
  if (start_ == Start::kAnyPeriod) {
    Atom atom{.kind = AtomKind::kHeld};
    atom.buffer = holds_as_[buffer];
    return values_.made(std::move(atom), {holds_as_[buffer]});
  }
  if (kind == CONVOY_BUFFER_PERSISTENT) return values_.zero();
  if (kind == CONVOY_BUFFER_GRADIENT) return values_.poison(CONVOY_NONE, buffer);
  return values_.leaf(initial_);
}

void SymbolicRun::run_prologue() {
  for (const Operation& operation : plan_.prologue) execute(operation);
}

void SymbolicRun::run_period() {
  if (period_ < 0 && start_ != Start::kAnyPeriod) run_prologue();
  ++period_;
  for (std::uint32_t i = 0; i < memory_.size(); ++i)
    if (plan_.buffers[i].kind == CONVOY_BUFFER_SCRATCH)
      memory_[i].fill(values_.poison(CONVOY_NONE, i));
  for (const Operation& operation : plan_.body) {
    step_ = static_cast<std::uint64_t>(period_) * plan_.computes + operation.phase;
    execute(operation);
  }
}

// Memory that was never written is named after its first reader.
Content SymbolicRun::read(const PlanSpan& span, std::uint32_t operation, std::uint64_t frame) {
  Content content = memory_[span.buffer].read(span.first, span.count, frame, values_);
  for (Piece& piece : content) {
    const Value& value = values_.value(piece.value);
    if (value.poison && value.operation == CONVOY_NONE)
      piece.value = values_.poison(operation, value.buffer);
  }
  return content;
}

void SymbolicRun::write(const PlanSpan& span, const Content& content, std::uint64_t frame) {
  memory_[span.buffer].write(span.first, content, frame, values_);
}

void SymbolicRun::execute(const Operation& operation) {
  values_.set_operation(operation.id, period_);
  values_.spend(2 + (operation.reads.size() + operation.writes.size()) / 2, operation.id);
  if (may_tear_message(operation)) return unknown(operation);
  switch (operation.kind) {
    case OperationKind::kForward:
      return forward(operation);
    case OperationKind::kBackward:
      return backward(operation);
    case OperationKind::kApply:
      return apply(operation);
    case OperationKind::kReduceScatter:
      return reduce_scatter(operation);
    case OperationKind::kCall:
    case OperationKind::kDot:
    case OperationKind::kSquareRoot:
    case OperationKind::kOrthogonalise:
      return opaque(operation);
    case OperationKind::kMatmul:
      return matmul(operation);
    case OperationKind::kMultiply:
    case OperationKind::kDivide:
      return factor(operation);
    case OperationKind::kAllGather:
      return all_gather(operation);
    case OperationKind::kTopK:
    case OperationKind::kQuantise:
      return compress(operation);
    case OperationKind::kScatter:
    case OperationKind::kDequantise:
      return decompress(operation);
    case OperationKind::kNorm:
    case OperationKind::kAdaptLossScale:
      return;  // they only scale the update
    default:
      return combine(operation);
  }
}

// Element-wise operations, including copies: all written spans get the same contents.
void SymbolicRun::combine(const Operation& operation) {
  const std::uint64_t frame = operation.writes.front().first;
  const Content result = elementwise(operation, frame);
  for (const PlanSpan& span : operation.writes) write(span, result, frame);
}

void SymbolicRun::forward(const Operation& operation) {
  Replica& replica = replicas_[operation.replica];
  if (operation.first_layer == 0) {
    ++replica.computes;
    replica.read.fill(unread_);
  }
  const PlanSpan& span = operation.reads.front();
  replica.read.write(span.first, read(span, operation.id, span.first), span.first, values_);
  replica.forward = operation.id;
  replica.recorded = false;
}

void SymbolicRun::backward(const Operation& operation) {
  Replica& replica = replicas_[operation.replica];
  const PlanSpan& span = operation.reads.front();
  const std::uint64_t compute = replica.computes == 0 ? 0 : replica.computes - 1;
  if (!replica.recorded) {
    replica.content = contents_.intern(replica.read.read(0, plan_.arena->elements, 0, values_));
    reads_.push_back(
        {replica.forward, operation.id, operation.replica, compute, step_, replica.content, false});
    replica.recorded = true;
  }
  const PlanSpan& written = operation.writes.front();
  const Content now = read(span, operation.id, span.first);
  const bool changed = now != replica.read.read(span.first, span.count, span.first, values_);
  if (!changed) {
    const ValueId value = gradient(operation.replica, compute, replica.content);
    return write(written, {{0, span.count, value}}, written.first);
  }
  reads_.push_back(
      {replica.forward, operation.id, operation.replica, compute, step_, replica.content, true});
  Atom atom{.kind = AtomKind::kGradient};
  atom.replica = operation.replica;
  atom.step = compute;
  atom.forward_read = replica.content;
  atom.changed = true;
  const AtomId id = values_.intern(
      atom, {operation.replica, compute, replica.content, contents_.intern(now), span.first});
  write(written, {{0, span.count, values_.leaf(id)}}, written.first);
}

ValueId SymbolicRun::gradient(std::uint32_t replica, std::uint64_t compute,
                              ContentId forward_read) {
  Atom atom{.kind = AtomKind::kGradient};
  atom.replica = replica;
  atom.step = compute;
  atom.forward_read = forward_read;
  return values_.made(atom, {replica, compute, forward_read});
}

SymbolicRun::Updated SymbolicRun::update(const Update& it) {
  if (last_update_.contributions == 0 || !last_update_.same_as(it)) {
    last_updated_ = make_update(it);
    last_update_ = it;
  }
  return last_updated_;
}

SymbolicRun::Updated SymbolicRun::make_update(const Update& it) {
  for (const ValueId value : {it.parameters, it.gradient_sum, it.state})
    if (values_.value(value).poison) return {value, value};
  const ValueId mean = values_.scaled(it.gradient_sum, reciprocal(it.contributions));
  if (start_ != Start::kInitial) return {values_.difference(it.parameters, mean), it.state};
  Atom atom{.kind = AtomKind::kApply};
  atom.step = it.step;
  atom.inputs = {it.parameters, it.gradient_sum, it.state};
  atom.contributions = it.contributions;
  atom.range = it.range;
  const AtomId id = values_.intern(atom, {it.step, it.parameters, mean, it.state});
  const ValueId parameters = values_.leaf(id);
  Atom state{.kind = AtomKind::kState};
  state.inputs = {parameters};
  return {parameters, values_.made(state, {parameters})};
}

ContentId SymbolicRun::whole_arena(ValueId value) {
  return contents_.intern({{0, plan_.arena->elements, value}});
}

// Returns the sum of the apply's gradients, as a sum operation would compute it.
Content SymbolicRun::gradient_sum(const Operation& apply, std::uint64_t frame) {
  if (element_reads(apply) == 1) return read(apply.reads.front(), apply.id, frame);
  Operation sum;
  sum.kind = OperationKind::kSum;
  sum.id = apply.id;
  sum.reads.assign(apply.reads.begin(),
                   apply.reads.begin() + static_cast<std::ptrdiff_t>(element_reads(apply)));
  sum.writes = {apply.writes.front()};
  return elementwise(sum, frame);
}

void SymbolicRun::apply(const Operation& operation) {
  const std::uint64_t frame = operation.writes.front().first;  // the frame of the arena
  const Content gradient = gradient_sum(operation, frame);
  for (const PlanSpan& target : operation.writes) update_span(operation, target, gradient);
}

void SymbolicRun::update_span(const Operation& operation, const PlanSpan& target,
                              const Content& gradient) {
  const std::uint64_t frame = target.first;
  const Content parameters = read(target, operation.id, frame);
  const Content state = states_[target.buffer].read(target.first, target.count, frame, values_);
  Content new_parameters;
  Content new_state;
  for_each_stretch({&parameters, &gradient, &state},
                   [&](std::uint64_t at, std::uint64_t count, const std::vector<ValueId>& values) {
                     const Updated result = update({step_,
                                                    values[0],
                                                    values[1],
                                                    operation.contributions,
                                                    values[2],
                                                    {target.first + at, count}});
                     if (start_ == Start::kAnyPeriod)
                       linear_applies_.push_back({operation.id,
                                                  target.buffer,
                                                  holds_as_[target.buffer],
                                                  values[1],
                                                  operation.contributions,
                                                  {target.first + at, count}});
                     append(new_parameters, count, result.parameters);
                     append(new_state, count, result.state);
                   });
  write(target, new_parameters, frame);
  states_[target.buffer].write(target.first, new_state, frame, values_);
}

}  // namespace convoy::plan::check
