#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <stdexcept>
#include <string>
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

// A whole number with an optional K, M, G or T (powers of 1024).
inline std::int64_t parse_limit(const std::string& text, const std::string& spec) {
  std::size_t used = 0;
  std::int64_t value = -1;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const std::string suffix = text.substr(std::min(used, text.size()));
  const std::string suffixes = "KMGT";
  std::size_t power = 0;
  if (suffix.size() == 1)
    power =
        suffixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(suffix[0])))) + 1;
  if (used == 0 || value < 0 || suffix.size() > 1 || (suffix.size() == 1 && power == 0))
    throw std::invalid_argument("all_reduce_spec '" + spec + "': '" + text +
                                "' is not a limit such as 2048, 2k or 1M (elements)");
  for (; power > 0; --power) value *= 1024;
  return value;
}

inline AllReduceRange parse_algorithm(const std::string& text, const std::string& spec) {
  static const std::vector<std::string> kKnown = {"nccl",       "xring",      "pscpu",
                                                  "psgpu",      "collective", "nccl/xring",
                                                  "nccl/rechd", "nccl/pscpu", "pscpu/pscpu"};
  AllReduceRange range;
  const std::size_t mark = text.find('#');
  range.algorithm = text.substr(0, mark);
  if (std::find(kKnown.begin(), kKnown.end(), range.algorithm) == kKnown.end())
    throw std::invalid_argument("all_reduce_spec '" + spec + "': no algorithm '" + range.algorithm +
                                "'; there are nccl, xring, pscpu, psgpu and collective");
  if (mark == std::string::npos) return range;
  const std::string shards = text.substr(mark + 1);
  const bool digits = !shards.empty() && shards.size() < 5 &&
                      shards.find_first_not_of("0123456789") == std::string::npos;
  range.shards = digits ? std::stoll(shards) : 0;
  if (range.shards < 1)
    throw std::invalid_argument("all_reduce_spec '" + spec + "': '#" + shards +
                                "' is not a number of shards of at least 1");
  return range;
}

}  // namespace detail

// alg[#shards][:limit:alg[#shards]]...: throws std::invalid_argument naming the part that is wrong.
inline std::vector<AllReduceRange> parse_all_reduce_spec(const std::string& spec) {
  std::vector<std::string> parts(1);
  for (const char c : spec) {
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() % 2 == 0)
    throw std::invalid_argument("all_reduce_spec '" + spec +
                                "': a limit must be followed by an algorithm for what is larger");
  std::vector<AllReduceRange> ranges;
  std::int64_t previous = -1;
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    ranges.push_back(detail::parse_algorithm(parts[i], spec));
    if (i + 1 == parts.size()) break;
    ranges.back().limit = detail::parse_limit(parts[i + 1], spec);
    if (ranges.back().limit <= previous)
      throw std::invalid_argument("all_reduce_spec '" + spec + "': limits must rise");
    previous = ranges.back().limit;
  }
  return ranges;
}

}  // namespace convoy_strategies
