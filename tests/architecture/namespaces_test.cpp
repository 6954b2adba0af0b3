// Which namespace the sources of core's folders open, as CONTRIBUTING.md says.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/pattern.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

const fs::path kCore = fs::path(CONVOY_SOURCE_DIR) / "core";

// Of a file, by its path in core.
std::string namespace_for(const fs::path& file) {
  const std::string path = file.generic_string();
  if (path.starts_with("base/") || path.starts_with("include/")) return "convoy";
  if (path.starts_with("plan/check/")) return "convoy::plan::check";
  if (path.starts_with("report/compare/")) return "convoy::compare";
  return "convoy::" + file.begin()->string();
}

std::vector<std::string> opened_by(const fs::path& file) {
  static const Pattern kOpening(R"(namespace (convoy[A-Za-z_:]*) \{)");
  std::vector<std::string> names;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("namespace convoy")) continue;
    const std::vector<std::string> match = kOpening.first_in(line);
    if (!match.empty()) names.push_back(match[1]);
  }
  return names;
}

// The types of the engine are for outsiders, too, as those of the SDK are.
bool may_open(const fs::path& file, const std::string& name) {
  const std::string wanted = namespace_for(file);
  return name == wanted || name.starts_with(wanted + "::") ||
         (name == "convoy" && *file.begin() == "job");
}

TEST(Architecture, EachFolderOfCoreHasANamespace) {
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kCore)) {
    const std::string kind = entry.path().extension().string();
    if (kind != ".cpp" && kind != ".hpp") continue;
    const std::vector<std::string> opened = opened_by(entry.path());
    if (opened.empty()) continue;
    ++files;
    const fs::path file = entry.path().lexically_relative(kCore);
    // The last is the file's own: what it declares of other folders comes first.
    EXPECT_TRUE(may_open(file, opened.back())) << file << " opens " << opened.back();
  }
  EXPECT_GT(files, 500u);
}

}  // namespace
}  // namespace convoy
