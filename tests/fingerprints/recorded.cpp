#include "tests/fingerprints/recorded.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace convoy::testing {
namespace {

constexpr int kShown = 8;

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

bool writes_fingerprints() {
  return std::getenv("CONVOY_WRITE_FINGERPRINTS") != nullptr;
}

std::string data_file(const std::string& name) {
  return std::string(CONVOY_SOURCE_DIR) + "/tests/fingerprints/data/" + name;
}

void expect_recorded(const std::string& name, const std::vector<std::string>& lines) {
  if (writes_fingerprints()) {
    std::ofstream out(data_file(name));
    for (const std::string& line : lines) out << line << '\n';
    ASSERT_TRUE(out.flush().good()) << data_file(name);
    return;
  }
  const std::vector<std::string> recorded = read_lines(data_file(name));
  int differences = 0;
  for (std::size_t i = 0; i < std::max(lines.size(), recorded.size()) && differences < kShown;
       ++i) {
    const std::string now = i < lines.size() ? lines[i] : "(no line)";
    const std::string before = i < recorded.size() ? recorded[i] : "(no line)";
    if (now == before) continue;
    ++differences;
    ADD_FAILURE() << name << ':' << i + 1 << "\n  was " << before << "\n  is  " << now;
  }
  if (differences > 0)
    GTEST_LOG_(INFO) << "if this change is intended, tests/fingerprints/README.md says what to do";
}

std::string hex(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

}  // namespace convoy::testing
