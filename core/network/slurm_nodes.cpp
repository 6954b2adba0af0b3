#include "core/network/slurm_nodes.hpp"

#include "core/base/error.hpp"
#include "core/base/text/number.hpp"

namespace convoy::network {
namespace {

constexpr std::size_t kMostNodes = 65536;
constexpr std::size_t kLongestName = 255;  // the longest host name in the domain name system

class NodeList {
 public:
  NodeList(std::string_view list, std::string_view variable) : list_(list), variable_(variable) {}

  std::vector<std::string> expand() const {
    std::vector<std::string> names;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= list_.size(); ++i) {
      const char c = i < list_.size() ? list_[i] : ',';
      if (c == '[' && ++depth > 1) refuse("has a bracket inside brackets");
      if (c == ']' && --depth < 0) refuse("closes a bracket that is not open");
      if (c != ',' || (depth != 0 && i < list_.size())) continue;
      append(names, expand_name(list_.substr(begin, i - begin)));
      begin = i + 1;
    }
    if (depth != 0) refuse("has a bracket that is not closed");
    return names;
  }

 private:
  [[noreturn]] void refuse(std::string_view reason) const {
    fail(ExitCode::kUsage, "{}='{}' {}; name the coordinator with --controller_host=HOST:PORT",
         variable_, list_, reason);
  }

  [[noreturn]] void refuse_number() const { refuse("names more than 65,536 nodes"); }

  void append(std::vector<std::string>& to, std::vector<std::string> more) const {
    if (to.size() + more.size() > kMostNodes) refuse_number();
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }

  // Expands one entry without commas outside of brackets. Every bracket multiplies the names so
  // far.
  std::vector<std::string> expand_name(std::string_view entry) const {
    if (entry.empty()) refuse("has an empty name");
    std::vector<std::string> names = {""};
    while (!entry.empty()) {
      const std::size_t open = entry.find('[');
      if (names.front().size() + entry.substr(0, open).size() > kLongestName)
        refuse("has a name that is longer than names of hosts are");
      for (std::string& name : names) name += entry.substr(0, open);
      if (open == std::string_view::npos) break;
      const std::size_t close = entry.find(']', open);
      if (close == std::string_view::npos) refuse("has a bracket that is not closed");
      names = product(names, numbers(entry.substr(open + 1, close - open - 1)));
      entry.remove_prefix(close + 1);
    }
    return names;
  }

  std::vector<std::string> product(const std::vector<std::string>& names,
                                   const std::vector<std::string>& numbers) const {
    if (names.size() * numbers.size() > kMostNodes) refuse_number();
    std::vector<std::string> all;
    all.reserve(names.size() * numbers.size());
    for (const std::string& name : names)
      for (const std::string& number : numbers) all.push_back(name + number);
    return all;
  }

  // "08-10,12" is 08, 09, 10, 12: as many digits as the first number has.
  std::vector<std::string> numbers(std::string_view ranges) const {
    std::vector<std::string> all;
    while (true) {
      const std::size_t comma = ranges.find(',');
      const std::string_view range = ranges.substr(0, comma);
      const std::size_t dash = range.find('-');
      const std::string_view first = range.substr(0, dash);
      const long from = number(first);
      const long to = dash == std::string_view::npos ? from : number(range.substr(dash + 1));
      if (to < from) refuse("has a range that falls");
      const std::size_t count = all.size() + static_cast<std::size_t>(to - from) + 1;
      if (count > kMostNodes) refuse_number();
      for (long value = from; value <= to; ++value)
        all.push_back(fmt::format("{:0{}}", value, first.size()));
      if (comma == std::string_view::npos) return all;
      ranges.remove_prefix(comma + 1);
    }
  }

  long number(std::string_view digits) const {
    const std::optional<long> value = parse_number<long>(digits);
    if (!value || *value < 0 || digits.size() > 9)
      refuse("has something other than numbers between its brackets");
    return *value;
  }

  std::string_view list_;
  std::string_view variable_;
};

}  // namespace

std::vector<std::string> expand_node_list(std::string_view list, std::string_view variable) {
  return NodeList(list, variable).expand();
}

}  // namespace convoy::network
