#include "core/plan/check/symbolic/contents.hpp"

#include <algorithm>

namespace convoy::plan::check {

void append(Content& content, std::uint64_t count, ValueId value) {
  if (!content.empty() && content.back().value == value) {
    content.back().count += count;
    return;
  }
  const std::uint64_t first = content.empty() ? 0 : content.back().first + content.back().count;
  content.push_back({first, count, value});
}

std::size_t BufferContent::interval_of(std::uint64_t element) const {
  const auto behind =
      std::upper_bound(intervals_.begin(), intervals_.end(), element,
                       [](std::uint64_t at, const Interval& it) { return at < it.first; });
  return static_cast<std::size_t>(behind - intervals_.begin()) - 1;
}

Content BufferContent::read(std::uint64_t first, std::uint64_t count, std::uint64_t frame,
                            ValueTable& table) const {
  Content content;
  const auto shift = static_cast<std::int64_t>(first) - static_cast<std::int64_t>(frame);
  const std::uint64_t end = first + count;
  std::size_t i = interval_of(first);
  if (count > 1) content.reserve(interval_of(end - 1) - i + 1);
  for (std::uint64_t at = first; at < end; ++i) {
    const bool is_last = i + 1 == intervals_.size();
    const std::uint64_t stop = is_last ? end : std::min(end, intervals_[i + 1].first);
    append(content, stop - at, table.shifted(intervals_[i].value, shift));
    at = stop;
  }
  return content;
}

void BufferContent::write(std::uint64_t first, const Content& content, std::uint64_t frame,
                          ValueTable& table) {
  const auto shift = static_cast<std::int64_t>(frame) - static_cast<std::int64_t>(first);
  const std::uint64_t end = first + content.back().first + content.back().count;
  // All intervals that begin between `first` and `end` are made anew, together with the one that
  // follows.
  std::size_t from = interval_of(first);
  if (intervals_[from].first < first) ++from;
  const std::size_t last = interval_of(std::min(end, count_ - 1));
  std::vector<Interval> made;
  made.reserve(content.size() + 1);
  const auto add = [&](std::uint64_t at, ValueId value) {
    const bool goes_on =
        made.empty() ? from > 0 && intervals_[from - 1].value == value : made.back().value == value;
    if (!goes_on) made.push_back({at, value});
  };
  for (const Piece& piece : content) add(first + piece.first, table.shifted(piece.value, shift));
  if (end < count_) add(end, intervals_[last].value);
  const std::size_t replaced = last + 1 - from;
  const std::size_t common = std::min(replaced, made.size());
  const auto place = intervals_.begin() + static_cast<std::ptrdiff_t>(from);
  const auto split = made.begin() + static_cast<std::ptrdiff_t>(common);
  const auto rest = std::copy(made.begin(), split, place);
  if (replaced > common)
    intervals_.erase(rest, rest + static_cast<std::ptrdiff_t>(replaced - common));
  else
    intervals_.insert(rest, split, made.end());
}

std::vector<std::uint64_t> BufferContent::words() const {
  std::vector<std::uint64_t> words;
  words.reserve(2 * intervals_.size());
  for (const auto& [first, value] : intervals_) {
    words.push_back(first);
    words.push_back(value);
  }
  return words;
}

void BufferContent::fill(ValueId value) {
  intervals_.assign(1, {0, value});
}

ContentId ContentTable::intern(const Content& content) {
  std::vector<std::uint64_t> key;
  for (const Piece& piece : content) {
    key.push_back(piece.count);
    key.push_back(piece.value);
  }
  const auto [it, inserted] =
      ids_.try_emplace(std::move(key), static_cast<ContentId>(contents_.size()));
  if (inserted) contents_.push_back(content);
  return it->second;
}

}  // namespace convoy::plan::check
