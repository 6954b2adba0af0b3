#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/plan/check/values.hpp"

namespace convoy::check {

// So many elements from `first` on hold the value.
struct Piece {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  ValueId value = 0;
  bool operator==(const Piece&) const = default;
};

// What a span holds, pieces counted from its first element: ascending, without gaps, neighbours
// differ. The values are those of elements frame, frame + 1 ... of an imagined buffer; whoever uses
// a content knows its frame. (The arena is a good one: there, most values need no shift.)
using Content = std::vector<Piece>;

void append(Content& content, std::uint64_t count, ValueId value);

// Visits the stretches on which all of several contents of equal length are constant:
// visit(first, count, values), values in the order of the contents.
template <typename Visit>
void for_each_stretch(const std::vector<const Content*>& contents, Visit visit) {
  std::vector<std::size_t> at(contents.size(), 0);
  std::vector<ValueId> values(contents.size());
  std::uint64_t first = 0;
  while (at.front() < contents.front()->size()) {
    std::uint64_t end = UINT64_MAX;
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const Piece& piece = (*contents[i])[at[i]];
      values[i] = piece.value;
      end = std::min(end, piece.first + piece.count);
    }
    visit(first, end - first, values);
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const Piece& piece = (*contents[i])[at[i]];
      if (piece.first + piece.count == end) ++at[i];
    }
    first = end;
  }
}

// The whole of one buffer: intervals of equal values. Values are relative to the element's own
// number; reading and writing spans moves them by shifts to another frame.
class BufferContent {
 public:
  BufferContent(std::uint64_t count, ValueId value) : count_(count) { starts_.emplace(0, value); }

  Content read(std::uint64_t first, std::uint64_t count, std::uint64_t frame,
               ValueTable& table) const;
  void write(std::uint64_t first, const Content& content, std::uint64_t frame, ValueTable& table);
  void fill(ValueId value);
  std::uint64_t count() const { return count_; }
  // First element of every interval and its value.
  const std::map<std::uint64_t, ValueId>& intervals() const { return starts_; }

 private:
  void cut(std::uint64_t at);
  void merge_at(std::uint64_t at);

  std::uint64_t count_;
  std::map<std::uint64_t, ValueId> starts_;  // first element of an interval to its value
};

// Numbers for equal contents.
class ContentTable {
 public:
  ContentId intern(const Content& content);
  const Content& content(ContentId id) const { return contents_[id]; }

 private:
  std::vector<Content> contents_;
  std::map<std::vector<std::uint64_t>, ContentId> ids_;
};

}  // namespace convoy::check
