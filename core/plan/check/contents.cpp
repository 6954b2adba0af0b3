#include "core/plan/check/contents.hpp"

namespace convoy::check {

void append(Content& content, std::uint64_t count, ValueId value) {
  if (!content.empty() && content.back().value == value) {
    content.back().count += count;
    return;
  }
  const std::uint64_t first = content.empty() ? 0 : content.back().first + content.back().count;
  content.push_back({first, count, value});
}

Content BufferContent::read(std::uint64_t first, std::uint64_t count, std::uint64_t frame,
                            ValueTable& table) const {
  Content content;
  const auto shift = static_cast<std::int64_t>(first) - static_cast<std::int64_t>(frame);
  const std::uint64_t end = first + count;
  auto it = std::prev(starts_.upper_bound(first));
  for (std::uint64_t at = first; at < end;) {
    const auto next = std::next(it);
    const std::uint64_t stop = next == starts_.end() ? end : std::min(end, next->first);
    append(content, stop - at, table.shifted(it->second, shift));
    at = stop;
    it = next;
  }
  return content;
}

void BufferContent::write(std::uint64_t first, const Content& content, std::uint64_t frame,
                          ValueTable& table) {
  const auto shift = static_cast<std::int64_t>(frame) - static_cast<std::int64_t>(first);
  const std::uint64_t end = first + content.back().first + content.back().count;
  cut(first);
  cut(end);
  starts_.erase(starts_.lower_bound(first), starts_.lower_bound(end));
  for (const Piece& piece : content)
    starts_.emplace(first + piece.first, table.shifted(piece.value, shift));
  merge_at(first);
  merge_at(end);
}

void BufferContent::fill(ValueId value) {
  starts_.clear();
  starts_.emplace(0, value);
}

void BufferContent::cut(std::uint64_t at) {
  if (at >= count_) return;
  const auto after = starts_.upper_bound(at);
  const auto current = std::prev(after);
  if (current->first != at) starts_.emplace_hint(after, at, current->second);
}

void BufferContent::merge_at(std::uint64_t at) {
  const auto it = starts_.find(at);
  if (it == starts_.end() || it == starts_.begin()) return;
  if (std::prev(it)->second == it->second) starts_.erase(it);
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

}  // namespace convoy::check
