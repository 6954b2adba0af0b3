#include <algorithm>
#include <bit>

#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {
namespace {

bool is_float(std::uint32_t dtype) {
  return dtype == CONVOY_F32 || dtype == CONVOY_F16 || dtype == CONVOY_BF16;
}

void append_text(std::vector<std::uint64_t>& key, const std::string& text) {
  key.push_back(text.size());
  key.insert(key.end(), text.begin(), text.end());
}

// Adds the arguments of a kernel besides its memory. Other operations ignore the step.
void append_arguments(std::vector<std::uint64_t>& key, const Operation& operation,
                      std::uint64_t step) {
  key.push_back(operation.kind == OperationKind::kCall ? step : 0);
  key.push_back(std::bit_cast<std::uint64_t>(operation.scalar));
  key.insert(key.end(), std::begin(operation.details->sizes), std::end(operation.details->sizes));
}

}  // namespace

Content SymbolicRun::elementwise(const Operation& operation, std::uint64_t frame) {
  const std::uint32_t dtype = operation.writes.front().dtype;
  if (operation.kind == OperationKind::kFill)
    return {{0, operation.writes.front().count, values_.constant(from_scalar(operation.scalar))}};
  if (only_moves(operation.kind)) return read(operation.reads.front(), operation.id, frame);
  std::vector<Content> contents;
  for (const PlanSpan& span : operation.reads) contents.push_back(read(span, operation.id, frame));
  std::vector<const Content*> all;
  all.reserve(contents.size());
  for (const Content& content : contents) all.push_back(&content);
  Content result;
  for_each_stretch(all,
                   [&](std::uint64_t, std::uint64_t count, const std::vector<ValueId>& values) {
                     append(result, count, rounded(combined(operation, values), dtype));
                   });
  return result;
}

ValueId SymbolicRun::combined(const Operation& operation, const std::vector<ValueId>& values) {
  if (operation.kind == OperationKind::kCast) return values.front();
  if (operation.reduction != CONVOY_REDUCE_SUM && values.size() > 1 &&
      (operation.kind == OperationKind::kSum || is_collective(operation.kind)))
    return extreme(operation, values);
  std::vector<WeightedValue> parts;
  parts.reserve(values.size());
  for (const ValueId value : values) parts.push_back({value, Weight{}, 0});
  if (operation.kind == OperationKind::kScale || operation.kind == OperationKind::kAxpy)
    parts.front().weight = weight_of(operation.scalar);
  if (!line_means_.empty())
    if (const auto rest = centred(parts)) return *rest;
  return values_.combine(parts);
}

const Weight& SymbolicRun::weight_of(double scalar) {
  if (scalar != last_scalar_) last_weight_ = from_scalar(last_scalar_ = scalar);
  return last_weight_;
}

// For minimum and maximum. The same numbers at another position give the same atom, shifted.
ValueId SymbolicRun::extreme(const Operation& operation, const std::vector<ValueId>& values) {
  std::int64_t anchor = 0;
  for (const ValueId value : values) {
    if (values_.value(value).poison) return value;
    if (anchor == 0) anchor = values_.value(value).anchor;
  }
  Atom atom{.kind = AtomKind::kOpaque};
  for (const ValueId value : values) atom.inputs.push_back(values_.shifted(value, -anchor));
  std::vector<std::uint64_t> key{operation.reduction};
  std::vector<ValueId> sorted = atom.inputs;
  std::sort(sorted.begin(), sorted.end());
  key.insert(key.end(), sorted.begin(), sorted.end());
  append_text(key, "extreme");
  return values_.made(std::move(atom), std::move(key), anchor);
}

// Returns a value in a narrower type. Numbers that are exact in that type do not change.
ValueId SymbolicRun::rounded(ValueId id, std::uint32_t dtype) {
  const Value& value = values_.value(id);
  if (dtype == CONVOY_F32 || value.poison || value.fingerprint == Fingerprint{}) return id;
  const std::int64_t anchor = value.anchor;
  const ValueId moved = values_.shifted(id, -anchor);
  const Value& normal = values_.value(moved);
  if (normal.leaf && values_.atom(normal.atom).kind == AtomKind::kCast &&
      values_.atom(normal.atom).dtype == dtype)
    return id;
  Atom atom{.kind = is_float(dtype) ? AtomKind::kCast : AtomKind::kOpaque};
  atom.inputs = {moved};
  atom.dtype = dtype;
  std::vector<std::uint64_t> key{moved, dtype};
  append_text(key, "rounded");
  return values_.made(std::move(atom), std::move(key), anchor);
}

void SymbolicRun::reduce_scatter(const Operation& operation) {
  const PlanSpan& like = operation.reads.front();
  BufferContent whole(like.first + like.count, values_.zero());
  whole.write(like.first, elementwise(operation, like.first), like.first, values_);
  std::uint64_t first = like.first;
  for (const PlanSpan& piece : operation.writes) {
    write(piece, whole.read(first, piece.count, first, values_), first);
    first += piece.count;
  }
}

void SymbolicRun::all_gather(const Operation& operation) {
  const PlanSpan& like = operation.writes.front();
  BufferContent whole(like.first + like.count, values_.zero());
  std::uint64_t first = like.first;
  for (const PlanSpan& piece : operation.reads) {
    whole.write(first, read(piece, operation.id, first), first, values_);
    first += piece.count;
  }
  const Content all = whole.read(like.first, like.count, like.first, values_);
  for (const PlanSpan& span : operation.writes) write(span, all, like.first);
}

std::vector<std::uint64_t> SymbolicRun::reads_key(const Operation& operation,
                                                  std::vector<ValueId>& inputs,
                                                  std::vector<ContentId>& contents) {
  std::vector<std::uint64_t> key;
  key.push_back(static_cast<std::uint64_t>(operation.kind));
  key.push_back(operation.flags);
  append_text(key, operation.details->kernel);
  append_arguments(key, operation, step_);
  for (const PlanSpan& span : operation.reads) {
    const Content content = read(span, operation.id, 0);
    contents.push_back(contents_.intern(content));
    key.push_back(contents.back());
    for (const Piece& piece : content) inputs.push_back(piece.value);
  }
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  return key;
}

// Runs a kernel that declares the sum that its writes represent. Calls with other arguments, or of
// spans that are cut differently, make different errors.
void SymbolicRun::declared(const Operation& operation) {
  const std::uint64_t frame = operation.writes.front().first;
  Operation addition = operation;
  addition.kind = OperationKind::kSum;
  addition.reduction = CONVOY_REDUCE_SUM;
  PlanSpan exact = operation.writes.front();
  exact.dtype = CONVOY_F32;
  addition.writes = {exact};
  const Content sum = elementwise(addition, frame);
  std::vector<Content> made(operation.writes.size());
  const bool keeps_rest = operation.details->effect == CONVOY_CALL_KEEPS_REST;
  for (const Piece& piece : sum)
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      const bool rest = keeps_rest && i == 1;
      ValueId value = piece.value;
      if (operation.details->effect != CONVOY_CALL_SUMS) {
        std::vector<std::uint64_t> key{rest ? 0 : i};
        append_text(key, operation.details->kernel);
        append_arguments(key, operation, step_);
        for (const PlanSpan& span : operation.reads) key.push_back(span.count);
        value = compressed(piece.value, std::move(key));
      }
      append(made[i], piece.count, rest ? values_.difference(piece.value, value) : value);
    }
  for (std::size_t i = 0; i < made.size(); ++i) write(operation.writes[i], made[i], frame);
}

// Returns the result of a declared kernel or a compressor for a value. Like a cast, it is known
// except for an error. `key` distinguishes the error from those of other operations.
ValueId SymbolicRun::compressed(ValueId id, std::vector<std::uint64_t> key) {
  const Value& value = values_.value(id);
  if (value.poison || value.fingerprint == Fingerprint{}) return id;
  const std::int64_t anchor = value.anchor;
  const ValueId moved = values_.shifted(id, -anchor);
  Atom atom{.kind = AtomKind::kCast};
  atom.inputs = {moved};
  atom.dtype = CONVOY_NONE;
  key.push_back(moved);
  return values_.made(std::move(atom), std::move(key), anchor);
}

void SymbolicRun::opaque(const Operation& operation) {
  if (operation.details->effect != CONVOY_CALL_UNDECLARED) return declared(operation);
  unknown(operation);
}

// An undeclared kernel may compute anything: equal kernels on equal contents write equal atoms.
void SymbolicRun::unknown(const Operation& operation) {
  std::vector<ValueId> inputs;
  std::vector<ContentId> contents;
  const std::vector<std::uint64_t> key = reads_key(operation, inputs, contents);
  const auto poison = std::find_if(inputs.begin(), inputs.end(),
                                   [&](ValueId input) { return values_.value(input).poison; });
  for (std::uint32_t i = 0; i < operation.writes.size(); ++i) {
    const PlanSpan& span = operation.writes[i];
    ValueId value = 0;
    if (poison != inputs.end()) {
      value = *poison;
    } else {
      Atom atom{.kind = AtomKind::kOpaque};
      atom.inputs = inputs;
      if (operation.kind != OperationKind::kCall) atom.reads = contents;
      atom.matrix = matrix_operation(operation);
      for (std::size_t side = 0; operation.kind == OperationKind::kMatmul && side < 2; ++side)
        for (const Piece& piece : contents_.content(contents[side]))
          atom.sides[side].push_back(piece.value);
      atom.message = is_compression(operation.kind) || may_tear_message(operation);
      std::vector<std::uint64_t> own = key;
      own.push_back(i);
      own.push_back(span.count);
      value = values_.made(std::move(atom), std::move(own));
    }
    write(span, {{0, span.count, value}}, 0);
  }
}

}  // namespace convoy::plan::check
