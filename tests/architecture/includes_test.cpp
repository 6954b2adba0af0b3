// Which folder uses which, against the table of CONTRIBUTING.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/pattern.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
using Folders = std::set<std::string>;

const fs::path kRoot = CONVOY_SOURCE_DIR;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t`");
  const auto last = text.find_last_not_of(" \t`");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(trimmed(part));
  return parts;
}

// "plan" stands for core/plan, "SDK" for core/include.
std::string folder_named(const std::string& name) {
  if (name == "SDK" || name == "core/include/convoy") return "core/include";
  return fs::is_directory(kRoot / "core" / name) ? "core/" + name : name;
}

// The folders of the table with sources, and what each may use; nothing: everything.
std::map<std::string, std::optional<Folders>> read_table() {
  std::map<std::string, std::optional<Folders>> table;
  std::ifstream in(kRoot / "CONTRIBUTING.md");
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() != 4 || cells[1].empty() || cells[3].empty()) continue;
    if (cells[1] == "folder" || cells[1].starts_with("-")) continue;
    std::optional<Folders> used = Folders{};
    if (cells[3] == "everything") used.reset();
    if (used && cells[3] != "nothing of ours")
      for (const std::string& name : split(cells[3], ',')) used->insert(folder_named(name));
    for (const std::string& name : split(cells[1], ',')) table[folder_named(name)] = used;
  }
  return table;
}

// The folder of the table that a file is in; empty when it is in none.
std::string folder_of(const std::string& file, const std::vector<std::string>& folders) {
  const auto found = std::ranges::find_if(
      folders, [&](const std::string& folder) { return file.starts_with(folder + "/"); });
  return found == folders.end() ? "" : *found;
}

// As the includes of its sources say.
Folders used_by(const std::string& folder, const std::vector<std::string>& folders) {
  static const Pattern kInclude(R"(#include [<"]((?:core|topology|plugins|models|convoy)/[^>"]+))");
  Folders used;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    static const std::set<std::string> kSources = {".c", ".cpp", ".cu", ".cuh", ".h", ".hpp"};
    if (!kSources.contains(entry.path().extension())) continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with("#include")) continue;
      const std::vector<std::string> match = kInclude.first_in(line);
      if (match.empty()) continue;
      const std::string& file = match[1];
      const bool sdk = file.starts_with("convoy/");
      const std::string target = sdk ? "core/include" : folder_of(file, folders);
      EXPECT_FALSE(target.empty()) << entry.path() << " includes " << file
                                   << ", whose folder is not in CONTRIBUTING.md's table";
      if (target != folder) used.insert(target);
    }
  }
  return used;
}

std::string listed(const Folders& folders) {
  std::string text;
  for (const std::string& folder : folders) text += (text.empty() ? "" : ", ") + folder;
  return text;
}

TEST(Architecture, FoldersUseWhatContributingSays) {
  const auto table = read_table();
  std::vector<std::string> folders;
  folders.reserve(table.size());
  for (const auto& row : table) folders.push_back(row.first);
  ASSERT_GE(folders.size(), 20u);
  for (const auto& [folder, may_use] : table) {
    if (!may_use) continue;
    EXPECT_EQ(listed(used_by(folder, folders)), listed(*may_use)) << folder;
  }
}

TEST(Architecture, TheTableHasEveryFolderOfCore) {
  const auto table = read_table();
  for (const auto& entry : fs::directory_iterator(kRoot / "core")) {
    const std::string folder = "core/" + entry.path().filename().string();
    EXPECT_TRUE(!entry.is_directory() || table.contains(folder)) << folder;
  }
}

// Whether one of the folders leads back to itself.
bool leads_to(const std::string& from, const std::string& wanted,
              const std::map<std::string, std::optional<Folders>>& table, Folders& seen) {
  const auto row = table.find(from);
  if (row == table.end() || !row->second) return false;
  return std::ranges::any_of(*row->second, [&](const std::string& next) {
    return next == wanted || (seen.insert(next).second && leads_to(next, wanted, table, seen));
  });
}

TEST(Architecture, ArrowsPointOneWay) {
  const auto table = read_table();
  for (const auto& row : table) {
    Folders seen;
    EXPECT_FALSE(leads_to(row.first, row.first, table, seen)) << row.first << " uses itself";
  }
}

}  // namespace
}  // namespace convoy
