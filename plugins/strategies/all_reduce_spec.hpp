#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace convoy_strategies {

// One range of an --all_reduce_spec: gradients of at most `limit` elements (-1: all) are reduced by
// `algorithm` in `shards` parts.
struct AllReduceRange {
  std::string algorithm;
  std::int64_t shards = 1;
  std::int64_t limit = -1;

  bool operator==(const AllReduceRange&) const = default;
};

namespace detail {

[[noreturn]] inline void refuse_spec(const std::string& spec, const std::string& reason) {
  throw std::invalid_argument("all_reduce_spec '" + spec + "': " + reason);
}

// Digits only; -1 when the text is something else or has more than 15 of them.
inline std::int64_t parse_digits(std::string_view text) {
  if (text.empty() || text.size() > 15) return -1;
  std::int64_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return -1;
    value = value * 10 + (digit - '0');
  }
  return value;
}

// Parses a whole number of elements with an optional K, M, G or T (powers of 1024).
inline std::int64_t parse_limit(const std::string& text, const std::string& spec) {
  static constexpr std::string_view kSuffixes = "KkMmGgTt";
  const auto suffix = text.empty() ? std::string_view::npos : kSuffixes.find(text.back());
  const bool has_suffix = suffix != std::string_view::npos;
  const auto factor = std::int64_t{1} << (has_suffix ? 10 * (suffix / 2 + 1) : 0);
  const std::int64_t value = parse_digits(text.substr(0, text.size() - (has_suffix ? 1 : 0)));
  if (value < 0 || value > std::numeric_limits<std::int64_t>::max() / factor)
    refuse_spec(spec, "'" + text + "' is not a limit such as 2048, 2k or 1M (elements)");
  return value * factor;
}

// algorithm[#shards]
inline AllReduceRange parse_algorithm(const std::string& text, const std::string& spec) {
  static constexpr std::array<std::string_view, 9> kKnown = {
      "nccl",       "xring",      "pscpu",      "psgpu",      "collective",
      "nccl/xring", "nccl/rechd", "nccl/pscpu", "pscpu/pscpu"};
  AllReduceRange range;
  const std::size_t mark = text.find('#');
  range.algorithm = text.substr(0, mark);
  if (std::find(kKnown.begin(), kKnown.end(), range.algorithm) == kKnown.end())
    refuse_spec(spec, "no algorithm '" + range.algorithm +
                          "'; there are nccl, xring, pscpu, psgpu and collective");
  if (mark == std::string::npos) return range;
  const std::string shards = text.substr(mark + 1);
  range.shards = parse_digits(shards);
  if (range.shards < 1)
    refuse_spec(spec, "'#" + shards + "' is not a number of shards of at least 1");
  return range;
}

inline std::vector<std::string> split_at_colons(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == ':')
      parts.emplace_back();
    else
      parts.back() += letter;
  }
  return parts;
}

}  // namespace detail

// Parses alg[#shards][:limit:alg[#shards]]... Throws std::invalid_argument that names the wrong
// part.
inline std::vector<AllReduceRange> parse_all_reduce_spec(const std::string& spec) {
  const std::vector<std::string> parts = detail::split_at_colons(spec);
  if (parts.size() % 2 == 0)
    detail::refuse_spec(spec, "a limit must be followed by an algorithm for what is larger");
  std::vector<AllReduceRange> ranges;
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    ranges.push_back(detail::parse_algorithm(parts[i], spec));
    if (i + 1 == parts.size()) break;
    ranges.back().limit = detail::parse_limit(parts[i + 1], spec);
    if (i > 0 && ranges.back().limit <= ranges[ranges.size() - 2].limit)
      detail::refuse_spec(spec, "limits must rise");
  }
  return ranges;
}

}  // namespace convoy_strategies
