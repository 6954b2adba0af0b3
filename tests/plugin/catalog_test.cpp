#include "core/plugin/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugin/fixtures.hpp"

namespace convoy::plugin {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Catalog scan(std::initializer_list<fs::path> paths) {
  std::vector<SearchEntry> entries;
  for (const fs::path& path : paths) entries.push_back({path, SearchOrigin::kFlag});
  return Catalog::scan(entries);
}

// The one rejection in the catalog.
std::string only_reason(const Catalog& catalog) {
  EXPECT_EQ(catalog.rejected().size(), 1u);
  EXPECT_TRUE(catalog.plugins().empty());
  return catalog.rejected().empty() ? "" : catalog.rejected().front().reason;
}

TEST(Catalog, FindsPluginsSortedAndRejectsTheRestWithReasons) {
  const Catalog catalog = scan({CONVOY_FIXTURES});
  EXPECT_THAT(catalog.names(PluginKind::kStrategy), testing::Contains("good"));
  EXPECT_THAT(catalog.names(PluginKind::kModel), testing::ElementsAre("other_kind"));
  std::vector<std::string> files;
  for (const FoundPlugin& plugin : catalog.plugins()) files.push_back(plugin.path.string());
  EXPECT_TRUE(std::is_sorted(files.begin(), files.end())) << testing::PrintToString(files);
  std::map<std::string, std::string> reasons;
  for (const RejectedPlugin& rejected : catalog.rejected()) {
    reasons[rejected.path.stem()] = rejected.reason;
  }
  EXPECT_EQ(reasons.size(), 3u) << testing::PrintToString(reasons);
  EXPECT_THAT(reasons["no_manifest"], HasSubstr("no manifest"));
  EXPECT_THAT(reasons["wrong_manifest_major"], HasSubstr("built for plug-in ABI 2.0"));
  EXPECT_THAT(reasons["unknown_operation"], HasSubstr("'teleport'"));
}

TEST(Catalog, TakesTheFirstOfAName) {
  TemporaryDirectory first;
  TemporaryDirectory second;
  fs::copy(fixture("good"), first / "z.so");
  fs::copy(fixture("good"), second / "a.so");
  const Catalog catalog = scan({first.path(), second.path()});
  ASSERT_EQ(catalog.plugins().size(), 1u);
  ASSERT_EQ(catalog.shadowed().size(), 1u);
  EXPECT_EQ(catalog.find(PluginKind::kStrategy, "good").path, first / "z.so");
  EXPECT_EQ(catalog.shadowed()[0].plugin.path, second / "a.so");
  EXPECT_EQ(catalog.shadowed()[0].by, first / "z.so");
}

TEST(Catalog, DoesNotDescend) {
  TemporaryDirectory directory;
  fs::create_directory(directory / "below");
  fs::copy(fixture("good"), directory / "below" / "good.so");
  fs::copy(fixture("good"), directory / "good.so.bak");
  EXPECT_TRUE(scan({directory.path()}).plugins().empty());
}

TEST(Catalog, AcceptsSingleFilesByAnyName) {
  TemporaryDirectory directory;
  fs::copy(fixture("good"), directory / "good.plugin");
  EXPECT_EQ(scan({directory / "good.plugin"}).plugins().size(), 1u);
}

TEST(Catalog, RefusesAWorldWritableFile) {
  TemporaryDirectory directory;
  fs::copy(fixture("good"), directory / "good.so");
  fs::permissions(directory / "good.so", fs::perms::others_write, fs::perm_options::add);
  const Catalog catalog = scan({directory.path()});
  EXPECT_THAT(only_reason(catalog), HasSubstr("refused: every user may write to the file"));
  expect_error(ExitCode::kUnavailable, {"no strategy is named 'good'", "every user may write"},
               [&] { catalog.find(PluginKind::kStrategy, "good"); });
}

TEST(Catalog, RefusesAWorldWritableDirectory) {
  TemporaryDirectory directory;
  fs::copy(fixture("good"), directory / "good.so");
  fs::permissions(directory.path(), fs::perms::others_write, fs::perm_options::add);
  const std::string reason = "refused: every user may write to the directory";
  EXPECT_THAT(only_reason(scan({directory.path()})), HasSubstr(reason));
  expect_error(ExitCode::kUnavailable, {reason},
               [&] { Catalog().find(PluginKind::kStrategy, (directory / "good.so").string()); });
}

TEST(Catalog, LooksBehindSymbolicLinks) {
  TemporaryDirectory open;
  TemporaryDirectory closed;
  fs::copy(fixture("good"), open / "good.so");
  fs::permissions(open.path(), fs::perms::others_write, fs::perm_options::add);
  fs::create_symlink(open / "good.so", closed / "good.so");
  EXPECT_THAT(only_reason(scan({closed.path()})), HasSubstr("write to the directory"));
}

TEST(Catalog, ReportsWhatIsNotAnElfFileOrTruncated) {
  TemporaryDirectory directory;
  write_bytes(directory / "text.so", "just some text, no library");
  EXPECT_THAT(only_reason(scan({directory.path()})), HasSubstr("not an ELF file"));
  fs::remove(directory / "text.so");
  write_bytes(directory / "half.so", read_bytes(fixture("good")).substr(0, 5000));
  EXPECT_THAT(only_reason(scan({directory.path()})), HasSubstr("truncated"));
}

TEST(Catalog, ReportsMissingPlacesOnlyWhenTheUserNamedThem) {
  EXPECT_THAT(only_reason(scan({"/nonexistent/place"})), HasSubstr("cannot be opened"));
  const std::vector<SearchEntry> standard = {{"/nonexistent/place", SearchOrigin::kInstallPrefix}};
  EXPECT_TRUE(Catalog::scan(standard).rejected().empty());
}

TEST(Catalog, SuggestsNamesAndSaysWhereItLooked) {
  const Catalog catalog = scan({CONVOY_FIXTURES, "/nonexistent/place"});
  expect_error(ExitCode::kUnavailable,
               {"no strategy is named 'goood'", "did you mean good?", CONVOY_FIXTURES,
                "looked at /nonexistent/place", "convoy list"},
               [&] { catalog.find(PluginKind::kStrategy, "goood"); });
}

TEST(Catalog, SaysHowToNameAFileOfTheCurrentFolder) {
  const std::string file = "catalog_test_plugin.so";
  write_bytes(file, read_bytes(fixture("good")));
  expect_error(ExitCode::kUnavailable, {"the file of that name here is ./" + file},
               [&] { Catalog().find(PluginKind::kStrategy, file); });
  std::filesystem::remove(file);
}

TEST(Catalog, FindsByPath) {
  const FoundPlugin found = Catalog().find(PluginKind::kStrategy, fixture("good").string());
  EXPECT_EQ(found.manifest.name, "good");
  expect_error(ExitCode::kUnavailable, {"is a strategy (good), but a model is wanted"},
               [] { Catalog().find(PluginKind::kModel, fixture("good").string()); });
  expect_error(ExitCode::kUnavailable, {"./missing.so: reading its manifest failed"},
               [] { Catalog().find(PluginKind::kModel, "./missing.so"); });
}

}  // namespace
}  // namespace convoy::plugin
