#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/plan/check/symbolic/values.hpp"

namespace convoy::plan::check {

// A run of `count` elements that hold the same value.
struct Piece {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  ValueId value = 0;
  bool operator==(const Piece&) const = default;
};

// The contents of a span as pieces, counted from its first element: ascending, without gaps,
// neighbours differ. Values belong to elements frame, frame + 1 ... of an imagined buffer; the
// caller knows the frame. (The arena is a good frame, because most values there need no shift.)
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

// The contents of one whole buffer: intervals of equal values. Values are relative to the element's
// own number; reading and writing spans shifts them to another frame.
class BufferContent {
 public:
  // Reaches up to the next interval's first element, or to the buffer's end.
  struct Interval {
    std::uint64_t first = 0;
    ValueId value = 0;
    bool operator==(const Interval&) const = default;
  };

  BufferContent(std::uint64_t count, ValueId value) : count_(count), intervals_{{0, value}} {}

  Content read(std::uint64_t first, std::uint64_t count, std::uint64_t frame,
               ValueTable& table) const;
  void write(std::uint64_t first, const Content& content, std::uint64_t frame, ValueTable& table);
  void fill(ValueId value);
  ValueId at(std::uint64_t element) const { return intervals_[interval_of(element)].value; }
  // Ascending, from element 0 on; neighbours differ.
  const std::vector<Interval>& intervals() const { return intervals_; }
  // The whole contents, as a key.
  std::vector<std::uint64_t> words() const;

 private:
  std::size_t interval_of(std::uint64_t element) const;

  std::uint64_t count_;
  std::vector<Interval> intervals_;
};

// Assigns equal numbers to equal contents.
class ContentTable {
 public:
  ContentId intern(const Content& content);
  const Content& content(ContentId id) const { return contents_[id]; }

 private:
  std::vector<Content> contents_;
  std::map<std::vector<std::uint64_t>, ContentId> ids_;
};

}  // namespace convoy::plan::check
