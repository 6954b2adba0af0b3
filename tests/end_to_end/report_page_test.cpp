// Pages as a browser shows them. Without Chromium the tests of this file skip what needs one.
// Pictures of every page, narrow and wide, light, dark and in grey, are kept in the build tree:
// tests/report_pictures. They are small unless CONVOY_PICTURE_SCALE=1 asks for legible ones, which
// take the browser several times as long.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/support/pattern.hpp"

namespace convoy {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kPictures = CONVOY_BINARY_DIR "/tests/report_pictures";

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string found_browser() {
  for (const char* name :
       {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"})
    if (std::filesystem::exists(name)) return name;
  return {};
}

// Runs it without a screen and returns what it prints on both streams.
std::string browse(const std::string& arguments) {
  const std::string command = "timeout 60 " + found_browser() +
                              " --headless --no-sandbox --disable-gpu --hide-scrollbars "
                              "--user-data-dir=" +
                              scratch_folder("browser") + " " + arguments + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  char buffer[4096];
  for (std::size_t count; (count = ::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    text.append(buffer, count);
  ::pclose(pipe);
  return text;
}

std::string escaped(const std::string& html) {
  std::string text;
  for (const char c : html)
    text += c == '&' ? std::string("&amp;") : c == '"' ? std::string("&quot;") : std::string(1, c);
  return text;
}

// What is looked at in a page, once it is laid out; one line of JSON for every fault, and one for
// each picture that is right. A path of data has as many points as corners.
constexpr const char* kProbe = R"js(
function points(mark) {
  if (mark.tagName !== 'path' || !/\b(so|da)\b/.test(mark.getAttribute('class'))) return 1;
  return (mark.getAttribute('d').match(/[ML]/g) || []).length;
}
function look(frame) {
  const page = frame.contentDocument, found = [];
  const wide = page.documentElement.scrollWidth - frame.clientWidth;
  if (wide > 0) found.push({page: frame.id, fault: 'wider than the window by ' + wide});
  let pictures = 0;
  for (const svg of page.querySelectorAll('svg[data-plot]')) {
    if (svg.getClientRects().length === 0) continue;  // drawn for another width
    const name = frame.id + ' ' + svg.dataset.plot, box = svg.getBoundingClientRect();
    let count = 0;
    for (const mark of svg.querySelectorAll('.m')) {
      count += points(mark);
      const at = mark.getBoundingClientRect();
      if (at.left < box.left - 6 || at.right > box.right + 6 || at.top < box.top - 6 ||
          at.bottom > box.bottom + 6) found.push({page: name, fault: 'a mark outside'});
    }
    if (count === 0 || count != svg.dataset.points)
      found.push({page: name, fault: count + ' points of ' + svg.dataset.points});
    for (const text of svg.querySelectorAll('text')) {
      const at = text.getBoundingClientRect();
      if (at.left < box.left - 2 || at.right > box.right + 2)
        found.push({page: name, fault: 'cut off: ' + text.textContent});
      if (at.height < 9) found.push({page: name, fault: 'too small: ' + text.textContent});
    }
    ++pictures;
  }
  found.push({page: frame.id, pictures: pictures});
  return found;
}
let open = document.querySelectorAll('iframe').length;
function loaded(frame) {
  const lines = look(frame).map(line => 'FOUND ' + JSON.stringify(line));
  document.getElementById('found').textContent += lines.join('\n') + '\n';
}
)js";

// All pages in windows of both widths, in one start of the browser.
std::string framed(const std::map<std::string, std::string>& pages) {
  std::string frames;
  for (const auto& [name, html] : pages)
    for (const int width : {400, 1600})
      frames += "<iframe id=\"" + name + "-" + std::to_string(width) + "\" width=\"" +
                std::to_string(width) +
                "\" height=\"900\" style=\"border:0\" onload=\"loaded(this)\" "
                "srcdoc=\"" +
                escaped(html) + "\"></iframe>";
  return "<!doctype html><meta charset=\"utf-8\"><pre id=\"found\"></pre><script>" +
         std::string(kProbe) + "</script>" + frames;
}

// How a page is looked at.
struct Look {
  const char* name;
  const char* flags;  // of the browser
  bool printed;       // in grey, by the page's rules for paper
};
constexpr Look kLooks[] = {
    {"light", "", false},
    {"dark", "--force-dark-mode --blink-settings=preferredColorScheme=0 ", false},
    {"grey", "", true}};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// All pages side by side, each in both widths, as one picture for every look.
void keep_pictures(const std::map<std::string, std::string>& pages, const std::string& folder) {
  constexpr int kWidths[] = {400, 1600};
  constexpr int kHeight = 7000;  // more than the longest of them
  const char* const scale = std::getenv("CONVOY_PICTURE_SCALE");
  std::filesystem::create_directories(folder);
  for (const Look& look : kLooks) {
    std::string frames;
    for (const auto& [name, html] : pages)
      for (const int width : kWidths)
        frames += "<iframe width=\"" + std::to_string(width) + "\" height=\"" +
                  std::to_string(kHeight) + "\" srcdoc=\"" +
                  escaped(look.printed ? replaced(html, "@media print", "@media all") : html) +
                  "\"></iframe>";
    const std::string file = scratch_folder("pictures") + "/pages.html";
    std::ofstream(file) << "<!doctype html><meta charset=\"utf-8\"><style>body{margin:0;"
                        << "white-space:nowrap}iframe{border:0"
                        << (look.printed ? ";filter:grayscale(1)" : "") << "}</style>" << frames;
    browse(fmt::format(
        "{}--force-device-scale-factor={} --window-size={},{} --screenshot={}/pages-{}.png "
        "file://{}",
        look.flags, scale != nullptr ? scale : "0.25", 2000 * pages.size(), kHeight, folder,
        look.name, file));
  }
}

class ReportPages : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = scratch_folder("report_pages");
    run({"run", "--model=lenet", "--device=cpu", "--num_devices=2", "--num_intra_threads=1",
         "--batch_size=4", "--num_batches=12", "--num_warmup_batches=1", "--profile",
         "--variable_update=replicated",
         "--data_dir=" CONVOY_SOURCE_DIR "/share/sample_data/imagenet",
         "--train_dir=" + folder_ + "/checkpoints", "--save_model_steps=5",
         "--eval_during_training_every_n_steps=4", "--num_eval_batches=1",
         "--init_learning_rate=0.001", "--output_file=" + folder_ + "/run.json",
         "--report=" + folder_ + "/run.html"});
    run({"launch", "--workers=2", "--", "--model=lenet", "--device=cpu", "--num_devices=1",
         "--batch_size=4", "--num_batches=12", "--num_warmup_batches=1",
         "--variable_update=distributed_replicated", "--report=" + folder_ + "/tasks.html"});
    run({"compare", "--platform=dgx1-p100", "--models=alexnet", "--num_devices=1,2,4,8",
         "--batch_size=64", "--strategies=parameter_server,replicated",
         "--output_file=" + folder_ + "/compare.json"});
    run({"report", folder_ + "/compare.json", "-o", folder_ + "/compare.html"});
    run({"simulate", "--platform=hgx-h100x8", "--hosts=16", "--num_gpus=1", "--model=alexnet",
         "--batch_size=64", "--variable_update=distributed_all_reduce",
         "--all_reduce_spec=nccl/xring", "--report=" + folder_ + "/simulate.html"});
    run({"simulate", "--platform=dgx1-p100", "--hosts=1,2", "--num_gpus=4", "--model=alexnet",
         "--batch_size=32,64", "--variable_update=replicated,parameter_server",
         "--report=" + folder_ + "/sweep.html"});
    run({"qualify", "--quick", "--threshold=0", "--device=cpu", "--num_devices=2", "--model=lenet",
         "--batch_size=2", "--report=" + folder_ + "/qualify.html"});
    for (const char* name : {"run", "tasks", "compare", "simulate", "sweep", "qualify"})
      pages_[name] = contents(folder_ + "/" + name + ".html");
  }

  static void run(const std::vector<std::string>& arguments) {
    const ProgramResult result = run_convoy(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  static inline std::string folder_;
  static inline std::map<std::string, std::string> pages_;
};

TEST_F(ReportPages, AreCompleteWithoutAScriptAndNeedNothingElse) {
  for (const auto& [name, page] : pages_) {
    EXPECT_LE(page.size(), 2'000'000) << name;
    EXPECT_THAT(page, HasSubstr("data-plot=")) << name;
    EXPECT_FALSE(Pattern("(src|href)=\"(http|//)").is_in(page)) << name;
    EXPECT_THAT(page, Not(HasSubstr("@import"))) << name;
  }
  for (const char* plot : {"step-times", "step-distribution", "timeline", "step-parts", "layers",
                           "loss", "accuracy", "memory"})
    EXPECT_THAT(pages_.at("run"), HasSubstr("data-plot=\"" + std::string(plot) + "\""));
}

TEST_F(ReportPages, ShowMeasuredAndSimulatedOperationsByTheSameIds) {
  const auto record = parse_json(contents(folder_ + "/run.json"));
  const auto ids = [](const nlohmann::json& timeline) {
    std::set<int> found;
    for (const auto& event : timeline.at("events")) found.insert(event.at(4).get<int>());
    return found;
  };
  EXPECT_EQ(ids(record.at("timeline")), ids(record.at("prediction").at("timeline")));
  EXPECT_FALSE(record.at("checkpoints").empty());
  EXPECT_GT(record.at("prediction").at("step_seconds").get<double>(), 0);
}

TEST_F(ReportPages, AreRebuiltFromStoredRecords) {
  run({"report", folder_ + "/run.json", folder_ + "/run.json", "-o", folder_ + "/again.html"});
  EXPECT_THAT(contents(folder_ + "/again.html"), HasSubstr("data-plot=\"timeline-2\""));
}

TEST_F(ReportPages, ShowEveryPointInABrowserWithoutAWordOnTheConsole) {
  if (found_browser().empty()) GTEST_SKIP() << "no Chromium here: apt-get install chromium";
  const std::string file = folder_ + "/frames.html";
  std::ofstream(file) << framed(pages_);
  const std::string text =
      browse("--enable-logging=stderr --window-size=1700,1000 --dump-dom file://" + file);
  EXPECT_THAT(text, Not(HasSubstr("CONSOLE")));
  int pages = 0;
  for (const Pattern::Match& line : Pattern("FOUND (\\{[^\n]*\\})").all_in(text)) {
    const auto found = parse_json(line.groups[1]);
    EXPECT_FALSE(found.contains("fault")) << found.dump();
    pages += found.contains("pictures") && found["pictures"] > 1 ? 1 : 0;
  }
  EXPECT_EQ(pages, 12) << text.substr(0, 2000);
  keep_pictures(pages_, kPictures);
  for (const Look& look : kLooks) {
    const std::string picture = kPictures + "/pages-" + look.name + ".png";
    EXPECT_GT(std::filesystem::file_size(picture), 10000) << picture;
  }
}

}  // namespace
}  // namespace convoy
