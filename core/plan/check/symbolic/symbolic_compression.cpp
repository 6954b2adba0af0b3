#include <algorithm>

#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {
namespace {

// A kind of key that no name of a kernel and its writes can have.
constexpr std::uint64_t kOfCompressors = UINT64_MAX;

// Returns the parameters, besides the elements, that determine a compressor's result.
std::vector<std::uint64_t> compressor_key(const Operation& operation, ContentId from) {
  const bool selects = operation.kind == OperationKind::kTopK;
  return {kOfCompressors, static_cast<std::uint64_t>(operation.kind),
          selects ? operation.writes[0].count : operation.details->sizes[0],
          selects ? 0 : operation.details->sizes[1], from};
}

bool reads_selection(const Operation& operation) {
  return operation.kind == OperationKind::kScatter;
}

}  // namespace

// A relaxed read may take the parts of a message from different steps. Returns whether this one
// may.
bool SymbolicRun::may_tear_message(const Operation& operation) {
  if ((operation.flags & CONVOY_OP_RELAXED_READS) == 0 || is_compute(operation.kind)) return false;
  return std::any_of(operation.reads.begin(), operation.reads.end(), [&](const PlanSpan& span) {
    const Content content = read(span, operation.id, 0);
    return std::any_of(content.begin(), content.end(), [&](const Piece& piece) {
      const Value& value = values_.value(piece.value);
      return value.leaf && values_.atom(value.atom).message;
    });
  });
}

// An element of a message depends on all compressed elements. Equal contents have equal messages,
// and every piece has its own error. Zero stays zero.
void SymbolicRun::compress(const Operation& operation) {
  const Content from = read(operation.reads[0], operation.id, 0);
  const auto is_known = [&](const Piece& piece) {
    const Value& value = values_.value(piece.value);
    return !value.poison && value.constant.is_zero();
  };
  if (!std::all_of(from.begin(), from.end(), is_known)) return unknown(operation);
  write_message(operation, from);
}

void SymbolicRun::write_message(const Operation& operation, const Content& from) {
  const std::vector<std::uint64_t> key = compressor_key(operation, contents_.intern(from));
  Message made{
      operation.kind, operation.details->sizes[0], operation.details->sizes[1], {}, {}, {}};
  Content rest;
  std::vector<ValueId> inputs;
  for (const Piece& piece : from) {
    std::vector<std::uint64_t> own = key;
    own.push_back(piece.first);
    const ValueId value = compressed(piece.value, std::move(own));
    append(made.stands_for, piece.count, value);
    append(rest, piece.count, values_.difference(piece.value, value));
    inputs.push_back(piece.value);
  }
  for (std::uint32_t i = 0; i < 2; ++i) {
    Atom part{.kind = AtomKind::kOpaque};
    part.inputs = inputs;
    part.message = true;
    std::vector<std::uint64_t> own = key;
    own.push_back(i);
    made.counts[i] = operation.writes[i].count;
    made.parts[i] = values_.intern(std::move(part), std::move(own));
    write(operation.writes[i], {{0, made.counts[i], values_.leaf(made.parts[i])}}, 0);
  }
  if (operation.writes.size() > 2) write(operation.writes[2], rest, 0);
  messages_.try_emplace(made.parts[0], std::move(made));
}

// Returns the contents that one of the operation's messages represents; nullptr if it is not a
// message.
const Content* SymbolicRun::message(const Operation& operation, std::uint64_t number) {
  const bool selection = reads_selection(operation);
  const std::uint64_t messages = operation.details->sizes[selection ? 0 : 2];
  const auto found = messages_.find(part_atom(operation, 0, number, messages));
  if (found == messages_.end()) return nullptr;
  const Message& it = found->second;
  const Piece& last = it.stands_for.back();
  const bool fits = it.counts[0] * messages == operation.reads[0].count &&
                    it.counts[1] * messages == operation.reads[1].count &&
                    last.first + last.count == operation.writes[0].count;
  const bool same_coding = selection || (it.code == operation.details->sizes[0] &&
                                         it.block == operation.details->sizes[1]);
  const auto kind = selection ? OperationKind::kTopK : OperationKind::kQuantise;
  const bool whole = part_atom(operation, 1, number, messages) == it.parts[1];
  return it.kind == kind && same_coding && fits && whole ? &it.stands_for : nullptr;
}

// Returns the atom that fills piece `number` of a read, from its first element on. The read has
// `pieces` pieces.
AtomId SymbolicRun::part_atom(const Operation& operation, std::uint32_t read_index,
                              std::uint64_t number, std::uint64_t pieces) {
  PlanSpan span = operation.reads[read_index];
  span.count /= pieces;
  span.first += number * span.count;
  const Content content = read(span, operation.id, 0);
  const Value& value = values_.value(content.front().value);
  return content.size() == 1 && value.leaf ? value.atom : CONVOY_NONE;
}

// Messages of compressors add up like the values that they represent. Anything else that is read as
// a message, such as the sum of two codes, is unknown. If all replicas have the same messages, the
// sum of the first replica is used for all.
void SymbolicRun::decompress(const Operation& operation) {
  std::vector<std::uint64_t> key{static_cast<std::uint64_t>(operation.kind),
                                 operation.writes[0].count};
  key.insert(key.end(), std::begin(operation.details->sizes), std::end(operation.details->sizes));
  for (const PlanSpan& span : operation.reads) {
    key.push_back(span.count);
    key.push_back(contents_.intern(read(span, operation.id, 0)));
  }
  const auto [sum, is_new] = decompressed_.try_emplace(std::move(key));
  if (is_new) sum->second = sum_of_messages(operation);
  if (!sum->second) return unknown(operation);
  write(operation.writes[0], *sum->second, 0);
}

std::optional<Content> SymbolicRun::sum_of_messages(const Operation& operation) {
  const std::uint64_t messages = operation.details->sizes[reads_selection(operation) ? 0 : 2];
  std::vector<const Content*> all;
  for (std::uint64_t i = 0; i < messages; ++i) {
    all.push_back(message(operation, i));
    if (all.back() == nullptr) return std::nullopt;
  }
  Content onto;
  if (operation.reads.size() > 2) {
    onto = read(operation.reads[2], operation.id, 0);
    all.push_back(&onto);
  }
  values_.spend(all.size(), operation.id);
  Content result;
  for_each_stretch(all,
                   [&](std::uint64_t, std::uint64_t count, const std::vector<ValueId>& values) {
                     append(result, count, values_.sum(values));
                   });
  return result;
}

}  // namespace convoy::plan::check
