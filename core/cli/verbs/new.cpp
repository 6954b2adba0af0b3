#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/folder_entries.hpp"
#include "core/base/files/output_file.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/plugin/manifest.hpp"
#include "core/plugin/search_path.hpp"

namespace convoy::cli {
namespace {

namespace fs = std::filesystem;

constexpr VerbUsage kNewUsage = {"new strategy|model|device|transport NAME [flags]",
                                 "Writes a plug-in project to start from."};

// The name becomes the name of a C++ class, a CMake target and a file.
void require_name(const std::string& name) {
  const bool fits =
      !name.empty() && name.size() <= plugin::kLongestName &&
      std::islower(static_cast<unsigned char>(name.front())) != 0 &&
      std::all_of(name.begin(), name.end(), [](unsigned char letter) {
        return std::islower(letter) != 0 || std::isdigit(letter) != 0 || letter == '_';
      });
  if (!fits) {
    fail(ExitCode::kUsage,
         "'{}' cannot name a plug-in project; use at most {} small letters, digits and _, as in "
         "my_scheme",
         name, plugin::kLongestName);
  }
  constexpr std::string_view kTargetsOfCMake[] = {"all",     "clean",      "edit_cache",   "help",
                                                  "install", "preinstall", "rebuild_cache"};
  if (std::ranges::find(kTargetsOfCMake, name) != std::end(kTargetsOfCMake))
    fail(ExitCode::kUsage,
         "'{}' cannot name a plug-in project: CMake has a target of that name; take another name",
         name);
  if (name == "auto")
    fail(ExitCode::kUsage,
         "'auto' cannot name a plug-in project: flags take it as convoy's own choice; take another "
         "name");
}

// Converts "my_scheme" to "MyScheme".
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

// Creates the directory. It may exist if it is empty.
void make_directory(const fs::path& directory) {
  check_working_folder(directory);
  std::error_code problem;
  if (fs::exists(directory, problem) && !(fs::is_directory(directory) && fs::is_empty(directory))) {
    fail(ExitCode::kUsage, "{} exists and is not an empty directory; nothing was written",
         directory.string());
  }
  fs::create_directories(directory, problem);
  if (problem) {
    fail(ExitCode::kFailed, "cannot make {}: {}; --directory names one that can be made",
         directory.string(), problem.message());
  }
}

using TextsByName = std::vector<std::pair<fs::path, std::string>>;

// Writes into an empty directory. If one file cannot be written, the directory is emptied again.
void write_files(const fs::path& directory, const TextsByName& texts) {
  try {
    for (const auto& [name, text] : texts) write_output_file(directory / name, text);
  } catch (const Error&) {
    std::error_code ignored;
    for (const auto& [name, text] : texts) fs::remove(directory / name, ignored);
    throw;
  }
}

std::vector<fs::path> template_files(const std::string& kind) {
  const fs::path templates = plugin::share_directory() / "templates";
  const auto named = [&](plugin::PluginKind it) { return plugin::to_string(it) == kind; };
  if (std::ranges::none_of(plugin::kPluginKinds, named)) {
    fail(ExitCode::kUsage,
         "there is no template for '{}'; try: convoy new strategy|model|device|transport NAME",
         kind);
  }
  std::error_code problem;
  std::vector<fs::path> files = folder_entries(templates / kind, problem);
  if (files.empty()) {
    fail(ExitCode::kUnavailable, "no templates in {}; install convoy completely",
         (templates / kind).string());
  }
  return files;
}

std::string filled(const std::string& text, const std::string& name) {
  return replace_all(replace_all(text, "@NAME@", name), "@CLASS@", class_name(name));
}

// Returns the strategies that ship as sources. They need nothing but the SDK.
std::vector<std::string> shipped_sources() {
  std::error_code problem;
  std::vector<std::string> names;
  for (const fs::path& file : folder_entries(plugin::share_directory() / "strategies", problem))
    names.push_back(file.stem().string());
  return names;
}

// Returns a shipped source under another name.
std::string shipped_source(const std::string& kind, const std::string& from,
                           const std::string& name) {
  const std::vector<std::string> names = shipped_sources();
  if (kind != "strategy")
    fail(ExitCode::kUsage,
         "--from={}: only a strategy can start from another one; leave it out for a {}", from,
         kind);
  if (std::ranges::count(names, from) == 0)
    fail(ExitCode::kUsage, "--from={}: the source of that strategy is not here; available: {}",
         from,
         names.empty() ? "none: install convoy completely"
                       : fmt::format("{}", fmt::join(names, ", ")));
  return replace_all(read_file(plugin::share_directory() / "strategies" / (from + ".cpp")),
                     "\"name=" + from + "\"", "\"name=" + name + "\"");
}

// Quotes a text for a shell's command line if necessary.
std::string shell_word(const std::string& text) {
  const bool plain = std::ranges::all_of(text, [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string_view("_./+:@%-").find(static_cast<char>(letter)) != std::string_view::npos;
  });
  return plain ? text : "'" + replace_all(text, "'", "'\\''") + "'";
}

// Returns command lines that work as they stand, one after the other. They name the SDK's folder if
// CMake does not search it by default, and install the SDK first if this is a build tree.
std::vector<std::string> next_commands(const std::string& kind, const std::string& name,
                                       const fs::path& directory) {
  const fs::path prefix = plugin::share_directory().parent_path().parent_path();
  const std::string project = shell_word(directory.string());
  const std::string library = shell_word((directory / "build" / (name + ".so")).string());
  std::string sdk = prefix.string();
  std::vector<std::string> commands;
  if (fs::exists(prefix / "CMakeCache.txt")) {
    sdk = (directory / "sdk").string();
    commands.push_back(fmt::format("cmake --install {} --component sdk --prefix {}",
                                   shell_word(prefix.string()), shell_word(sdk)));
  }
  commands.push_back(
      fmt::format("cmake -S {0} -B {0}/build -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH={1}",
                  project, shell_word(fs::absolute(sdk).string())));
  commands.push_back(fmt::format("cmake --build {}/build", project));
  const std::string program = shell_word((prefix / "bin" / "convoy").string());
  commands.push_back(fmt::format("{} {} {}", program, kind == "model" ? "info" : "check", library));
  return commands;
}

}  // namespace

int run_new(std::span<const std::string> arguments, std::ostream& out, std::ostream& /*err*/) {
  std::optional<std::string> given_directory;
  std::string from;
  const auto words = read_verb_arguments(
      arguments, kNewUsage,
      {bind_flag("directory", given_directory, "Where to write the project; without it: ./NAME."),
       bind_flag("from", from,
                 "Strategies: start from the source of this one, which ships with convoy and needs "
                 "only the SDK; an unknown name lists them.")},
      out);
  if (!words) return static_cast<int>(ExitCode::kOk);
  if (words->size() != 2) {
    fail(ExitCode::kUsage, "new takes a kind and a name; try: convoy new strategy my_scheme");
  }
  const std::string& kind = words->front();
  const std::string& name = words->back();
  require_name(name);
  const std::vector<fs::path> files = template_files(kind);
  const std::string source = from.empty() ? "" : shipped_source(kind, from, name);
  const fs::path directory = given_directory.value_or(name);
  make_directory(directory);
  TextsByName texts;
  for (const fs::path& file : files) {
    const bool is_source = file.extension() == ".cpp" && !source.empty();
    texts.emplace_back(filled(file.filename().string(), name),
                       is_source ? source : filled(read_file(file), name));
  }
  write_files(directory, texts);
  for (const auto& [file, text] : texts) out << (directory / file).string() << '\n';
  out << "next:\n";
  for (const std::string& command : next_commands(kind, name, directory))
    out << "  " << command << '\n';
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace convoy::cli
