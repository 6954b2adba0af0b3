// The host and the devices know no strategy and no model: nothing in their sources depends on the
// name of one. Names that also are English words may occur in comments and in texts for people, so
// this looks for what code can act on: an identifier that is a name, a string literal that is one,
// and a literal that selects one ("model=lenet").

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "core/plugin/catalog.hpp"
#include "tests/strategies/strategy_under_test.hpp"

namespace convoy::testing {
namespace {

namespace fs = std::filesystem;

// Files that may say a name. The default of --model is a choice that the program makes for its
// user; its help has command lines as examples; "independent" also is a verdict of the checker,
// which records have, whatever strategies are called.
const std::set<std::pair<std::string, std::string>> kAllowed = {
    {"core/cli/verbs/run.cpp", "lenet"},
    {"core/cli/verbs/run.cpp", "replicated"},
    {"core/include/convoy/job_options.hpp", "resnet50"},
    {"core/plan/check/report/check_report.cpp", "independent"},
    {"core/report/html/comparison_sections.cpp", "independent"}};

struct Tokens {
  std::set<std::string> identifiers;
  std::set<std::string> literals;
};

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// Identifiers and string literals of C or C++ text, comments left out. Raw strings are not used in
// this project.
Tokens tokens_of(const std::string& text) {
  Tokens tokens;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      i = std::min(text.find("*/", i), text.size() - 2) + 2;
    } else if (text[i] == '"' || text[i] == '\'') {
      for (++i; i < text.size() && text[i] != text[begin]; ++i)
        if (text[i] == '\\') ++i;
      tokens.literals.insert(text.substr(begin + 1, i++ - begin - 1));
    } else if (is_word(text[i])) {
      // A separator inside a number (1'000) is part of it.
      const bool number = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
      while (i < text.size() && (is_word(text[i]) || (number && text[i] == '\''))) ++i;
      tokens.identifiers.insert(text.substr(begin, i - begin));
    } else {
      ++i;
    }
  }
  return tokens;
}

bool acts_on(const Tokens& tokens, const std::string& name) {
  if (tokens.identifiers.contains(name) || tokens.literals.contains(name)) return true;
  for (const std::string& literal : tokens.literals)
    for (const std::string flag : {"model=", "variable_update="})
      if (literal.find(flag + name) != std::string::npos) return true;
  return false;
}

std::vector<std::string> names_of_strategies_and_models() {
  const plugin::SearchEntry entry{plugin_directory(), plugin::SearchOrigin::kFlag};
  const plugin::Catalog catalog = plugin::Catalog::scan({&entry, 1});
  std::vector<std::string> names = catalog.names(plugin::PluginKind::kStrategy);
  for (const std::string& model : catalog.names(plugin::PluginKind::kModel)) names.push_back(model);
  return names;
}

std::vector<fs::path> sources() {
  std::vector<fs::path> files;
  for (const std::string directory : {"core", "plugins/devices"})
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(CONVOY_SOURCE_DIR) / directory))
      if (const auto extension = entry.path().extension();
          extension == ".cpp" || extension == ".hpp" || extension == ".h")
        files.push_back(entry.path());
  return files;
}

TEST(Names, OfStrategiesAndModelsAreUnknownToTheHostAndToDevices) {
  const std::vector<std::string> names = names_of_strategies_and_models();
  ASSERT_GE(names.size(), 10u) << "in " << plugin_directory();
  const std::vector<fs::path> files = sources();
  ASSERT_GE(files.size(), 50u);
  for (const fs::path& file : files) {
    std::ifstream stream(file);
    const Tokens tokens = tokens_of({std::istreambuf_iterator<char>(stream), {}});
    const std::string relative = fs::relative(file, CONVOY_SOURCE_DIR).string();
    for (const std::string& name : names)
      EXPECT_TRUE(!acts_on(tokens, name) || kAllowed.contains({relative, name}))
          << relative << " knows '" << name << "'";
  }
}

TEST(Names, AreFoundWhereCodeActsOnThemAndNotInProse) {
  EXPECT_TRUE(acts_on(tokens_of("if (name == \"lenet\") go();"), "lenet"));
  EXPECT_TRUE(acts_on(tokens_of("run(\"--model=lenet --x\");"), "lenet"));
  EXPECT_TRUE(acts_on(tokens_of("plan_lenet(lenet);"), "lenet"));
  EXPECT_TRUE(acts_on(tokens_of("size(1'000, \"\\\"\"); f(\"lenet\");"), "lenet"));
  EXPECT_FALSE(acts_on(tokens_of("// lenet\n/* \"lenet\" */ plan_lenet();"), "lenet"));
  EXPECT_FALSE(acts_on(tokens_of("help(\"such as lenet or others\");"), "lenet"));
}

}  // namespace
}  // namespace convoy::testing
