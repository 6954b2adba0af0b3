#include "core/cli/flags/flag_file.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/files/input_file.hpp"

namespace convoy::cli {
namespace {

constexpr const char* kFlagFile = "--flagfile";
constexpr int kDeepestFile = 8;
constexpr std::size_t kMostFileBytes = std::size_t{16} << 20;
constexpr std::size_t kMostFiles = 1'000;    // a file that is named again counts again
constexpr std::size_t kMostFlags = 100'000;  // in all files together

std::vector<std::string> read_flags(const std::string& path) {
  const InputFile file = read_input_file(path, kMostFileBytes);
  if (!file.problem.empty())
    fail(ExitCode::kUsage,
         "--flagfile={}: the file cannot be read: {}; give the path of a text file", path,
         file.problem);
  std::istringstream in(file.bytes);
  std::vector<std::string> flags;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    const std::string text = line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
    if (!text.starts_with('-'))
      fail(ExitCode::kUsage, "{}:{}: '{}' is not a flag; a line has one, as in --batch_size=32",
           path, number, text);
    flags.push_back(text);
  }
  return flags;
}

// "--flagfile=x" and "-flagfile=x" set the path to x. "--flagfile" only returns true.
bool is_flag_file(const std::string& argument, std::optional<std::string>& path) {
  const std::string text = argument.starts_with("--") ? argument : "-" + argument;
  const std::size_t equals = text.find('=');
  if (text.substr(0, equals) != kFlagFile) return false;
  if (equals != std::string::npos) path = text.substr(equals + 1);
  return true;
}

class Expansion {
 public:
  // Appends the arguments. A file's arguments take the place of its name.
  void append(std::span<const std::string> arguments, int depth = 0) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] == "--") {
        flags_.insert(flags_.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i),
                      arguments.end());
        return;
      }
      std::optional<std::string> path;
      if (!is_flag_file(arguments[i], path)) {
        append_flag(arguments[i]);
        continue;
      }
      if (!path && i + 1 < arguments.size()) path = arguments[++i];
      if (!path || path->empty())
        fail(ExitCode::kUsage, "--flagfile needs a value: the path of a file with flags");
      append_file(*path, depth + 1);
    }
  }

  void append_file(const std::string& path, int depth) {
    if (depth > kDeepestFile)
      fail(ExitCode::kUsage,
           "--flagfile={}: flag files include each other {} levels deep: probably a cycle", path,
           kDeepestFile);
    if (++files_ > kMostFiles) fail_too_many(kMostFiles, "files");
    append(read_flags(path), depth);
  }

  std::vector<std::string> flags() && { return std::move(flags_); }

 private:
  [[noreturn]] static void fail_too_many(std::size_t most, const char* what) {
    fail(ExitCode::kUsage, "--flagfile: more than {} {} to read; do the files include each other?",
         most, what);
  }

  void append_flag(const std::string& flag) {
    if (flags_.size() == kMostFlags) fail_too_many(kMostFlags, "flags");
    flags_.push_back(flag);
  }

  std::size_t files_ = 0;  // number of files read so far
  std::vector<std::string> flags_;
};

}  // namespace

std::vector<std::string> expand_flag_files(std::span<const std::string> arguments,
                                           const EnvironmentLookup& environment) {
  const auto first_flag = std::ranges::find_if(
      arguments, [](const std::string& argument) { return argument.starts_with('-'); });
  const auto words = static_cast<std::size_t>(first_flag - arguments.begin());
  Expansion expansion;
  expansion.append(arguments.first(words));
  const char* file = environment("CONVOY_FLAGFILE");
  if (file != nullptr && *file != '\0') expansion.append_file(file, 1);
  expansion.append(arguments.subspan(words));
  return std::move(expansion).flags();
}

}  // namespace convoy::cli
