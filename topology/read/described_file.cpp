#include "topology/read/described_file.hpp"

#include <iterator>

#include "core/base/error.hpp"
#include "core/base/files/input_file.hpp"
#include "core/base/numbers/fnv.hpp"
#include "core/base/text/json.hpp"

namespace convoy::topology {
namespace {

using nlohmann::json;

// Reads characters and counts the lines read so far.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* lines) : at_(at), lines_(lines) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_ == '\n') ++*lines_;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* lines_;
};

std::string escaped(std::string_view key) {
  std::string result;
  for (const char c : key)
    if (c == '~')
      result += "~0";
    else if (c == '/')
      result += "~1";
    else
      result += c;
  return result;
}

std::uint64_t hash_of(std::string_view pointer) {
  Fnv1a64 hash;
  hash.add_bytes(pointer);
  return hash.value();
}

// Follows the parser through the document and notes the line of every field and element.
class LineNotes {
 public:
  LineNotes(const std::string& name, const std::size_t& line,
            std::unordered_map<std::uint64_t, std::size_t>& notes)
      : name_(name), line_(line), notes_(notes) {}

  bool operator()(int, json::parse_event_t event, json& value) {
    switch (event) {
      case json::parse_event_t::object_start:
      case json::parse_event_t::array_start:
        element();
        if (open_.size() == kDeepest)
          fail(ExitCode::kUsage, "{}:{}: nested more than {} levels deep", name_, line_, kDeepest);
        open_.push_back({event == json::parse_event_t::array_start, value_});
        break;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
        open_.pop_back();
        break;
      case json::parse_event_t::key:
        note(escaped(value.get_ref<const std::string&>()));
        break;
      case json::parse_event_t::value:
        element();
        break;
    }
    return true;
  }

 private:
  struct Level {
    bool is_array = false;
    Fnv1a64 pointer;  // JSON pointer to this level
    std::size_t next = 0;
  };
  void element() {
    if (!open_.empty() && open_.back().is_array) note(std::to_string(open_.back().next++));
  }
  void note(const std::string& key) {
    value_ = open_.back().pointer;
    value_.add_bytes("/");
    value_.add_bytes(key);
    notes_[value_.value()] = line_;
  }

  // descriptions written by people nest a quarter of that
  static constexpr std::size_t kDeepest = 32;

  const std::string& name_;
  const std::size_t& line_;
  std::unordered_map<std::uint64_t, std::size_t>& notes_;
  std::vector<Level> open_;
  Fnv1a64 value_;  // the pointer to the next value of the parser
};

}  // namespace

bool means_described_file(const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".json")) return true;
  std::error_code unknown;  // for example, the name is too long for a file
  const auto status = std::filesystem::symlink_status(name, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

DescribedFile::DescribedFile(const std::filesystem::path& file) : name_(file.string()) {
  std::error_code unknown;
  if (std::filesystem::is_fifo(file, unknown))
    fail(ExitCode::kUsage,
         "{} cannot be read: it is a pipe, and a description is read more than once; give the path "
         "of a JSON file",
         name_);
  const InputFile input = read_input_file(file);
  if (!input.problem.empty())
    fail(ExitCode::kUsage, "{} cannot be read: {}; give the path of a JSON file", name_,
         input.problem);
  if (input.bytes.find_first_not_of(" \t\r\n") == std::string::npos)
    fail(ExitCode::kUsage, "{} {}; was it written to the end? An object in braces is expected",
         name_, input.bytes.empty() ? "is empty" : "holds blanks only");
  parse(input.bytes);
}

DescribedFile::DescribedFile(std::string name, const std::string& text) : name_(std::move(name)) {
  parse(text);
}

void DescribedFile::parse(const std::string& text) {
  std::size_t line = 1;
  const CountingIterator begin(text.data(), &line);
  const CountingIterator end(text.data() + text.size(), &line);
  try {
    document_ = json::parse(begin, end, LineNotes(name_, line, lines_));
  } catch (const json::exception& error) {
    fail(ExitCode::kUsage, "{}:{}: not JSON: {}", name_, line, json_problem(error));
  }
  if (!document_.is_object())
    fail(ExitCode::kUsage, "{}:1: an object in braces is expected, not {}", name_,
         document_.type_name());
}

std::size_t DescribedFile::line(std::string pointer) const {
  while (!pointer.empty()) {
    const auto found = lines_.find(hash_of(pointer));
    if (found != lines_.end()) return found->second;
    pointer.erase(pointer.rfind('/'));
  }
  return 1;
}

}  // namespace convoy::topology
