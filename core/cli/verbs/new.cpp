#include "core/cli/verbs/new.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <vector>

#include "core/base/error.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/plugin/manifest.hpp"
#include "core/plugin/search_path.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

const std::vector<VerbFlag> kNewFlags = {
    {"directory", true, "where to write the project (default: ./NAME)"},
    {"help", false, "print this"}};

// The name becomes a C++ class, a CMake target and a file.
void require_name(const std::string& name) {
  constexpr std::size_t kLongest = 100;
  const bool fits =
      !name.empty() && name.size() <= kLongest &&
      std::islower(static_cast<unsigned char>(name.front())) != 0 &&
      std::all_of(name.begin(), name.end(), [](unsigned char letter) {
        return std::islower(letter) != 0 || std::isdigit(letter) != 0 || letter == '_';
      });
  if (!fits) {
    fail(ExitCode::kUsage,
         "'{}' cannot name a plug-in project; use at most {} small letters, digits and _, as in "
         "my_scheme",
         name, kLongest);
  }
}

// my_scheme -> MyScheme
std::string class_name(const std::string& name) {
  std::string result;
  bool capital = true;
  for (char letter : name) {
    if (letter == '_') {
      capital = true;
      continue;
    }
    const int upper = std::toupper(static_cast<unsigned char>(letter));
    result += capital ? static_cast<char>(upper) : letter;
    capital = false;
  }
  return result;
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) fail(ExitCode::kUnavailable, "cannot read the template {}", path.string());
  return text;
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) {
    fail(ExitCode::kFailed, "cannot write {}; is there space, and may you write there?",
         path.string());
  }
}

std::vector<fs::path> template_files(const std::string& kind) {
  const fs::path templates = share_directory() / "templates";
  const auto named = [&](PluginKind it) { return to_string(it) == kind; };
  if (std::ranges::none_of(kPluginKinds, named)) {
    fail(ExitCode::kUsage,
         "there is no template for '{}'; try: convoy new strategy|model|device|transport NAME",
         kind);
  }
  std::error_code problem;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(templates / kind, problem)) {
    files.push_back(entry.path());
  }
  if (files.empty()) {
    fail(ExitCode::kUnavailable, "no templates in {}; install convoy completely",
         (templates / kind).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int run_new(std::span<const std::string> arguments, std::ostream& out, std::ostream& /*err*/) {
  const VerbArguments given = parse_verb_arguments(arguments, kNewFlags);
  if (given.has("help")) {
    out << verb_help("new strategy|model|device|transport NAME [flags]",
                     "Writes a plug-in project to start from.", kNewFlags);
    return static_cast<int>(ExitCode::kOk);
  }
  if (given.positional.size() != 2) {
    fail(ExitCode::kUsage, "new takes a kind and a name; try: convoy new strategy my_scheme");
  }
  const std::string& name = given.positional[1];
  require_name(name);
  const std::vector<fs::path> files = template_files(given.positional[0]);
  const fs::path directory = given.has("directory") ? given.value("directory") : name;
  std::error_code problem;
  if (fs::exists(directory, problem) && !(fs::is_directory(directory) && fs::is_empty(directory))) {
    fail(ExitCode::kUsage, "{} exists and is not an empty directory; nothing was written",
         directory.string());
  }
  fs::create_directories(directory, problem);
  if (problem) {
    fail(ExitCode::kFailed, "cannot make {}: {}", directory.string(), problem.message());
  }
  for (const fs::path& file : files) {
    const auto fill = [&](const std::string& text) {
      return replace_all(replace_all(text, "@NAME@", name), "@CLASS@", class_name(name));
    };
    const fs::path target = directory / fill(file.filename().string());
    write_file(target, fill(read_file(file)));
    out << target.string() << '\n';
  }
  out << fmt::format("next: cmake -S {0} -B {0}/build && cmake --build {0}/build\n",
                     directory.string());
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace convoy
