// What --profile and --trace_file say about a run.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/end_to_end/reference_run.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lenet(std::vector<std::string> more) {
  std::vector<std::string> arguments{"run",
                                     "--model=lenet",
                                     "--device=cpu",
                                     "--num_intra_threads=1",
                                     "--batch_size=4",
                                     "--num_batches=6"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void expect_parts_add_up(const json& step) {
  double sum = 0;
  for (const char* part : {"compute", "aggregation", "input_wait", "executor"}) {
    EXPECT_GE(step.at(part).get<double>(), -1e-12) << part;
    sum += step.at(part).get<double>();
  }
  EXPECT_GT(step.at("compute").get<double>(), 0);
  EXPECT_NEAR(sum, step.at("seconds").get<double>(), 1e-6 * step.at("seconds").get<double>());
}

void expect_work_of_the_first_convolution(const json& layers) {
  const json& first = layers.at(0);
  EXPECT_EQ(first.at("kind"), "convolution");
  // 32 filters of 5 x 5 x 3 on 28 x 28 positions of 4 images, two operations each.
  EXPECT_DOUBLE_EQ(first.at("passes").at("forward").at("flops").get<double>(),
                   2.0 * 4 * 28 * 28 * 32 * 75);
  EXPECT_FALSE(first.at("passes").contains("backward_data"));
}

TEST(Profile, NamesEveryPassOfEveryPrimitiveUnderEveryStrategy) {
  for (const char* strategy : {"replicated", "parameter_server"}) {
    SCOPED_TRACE(strategy);
    const std::string path = scratch_folder("profile_json") + "/run.json";
    const ProgramResult result =
        run_convoy(lenet({"--num_devices=2", "--num_warmup_batches=2", "--profile",
                          std::string("--variable_update=") + strategy, "--output_file=" + path}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("Profile of a mean step, averaged over 2 devices"));
    EXPECT_THAT(result.out, HasSubstr("executor (gaps)"));
    const json record = read_json(path);
    expect_parts_add_up(record.at("step_breakdown"));
    const json& profile = record.at("profile");
    EXPECT_TRUE(profile.at("missing_passes").empty()) << profile.at("missing_passes");
    // Two convolutions and two fully connected layers; the first has no backward data.
    EXPECT_EQ(profile.at("expected_passes"), 4 * 3 - 1);
    expect_work_of_the_first_convolution(profile.at("layers"));
    double layers = 0;
    for (const json& layer : profile.at("layers"))
      for (const json& pass : layer.at("passes")) {
        layers += pass.at("seconds").get<double>() + pass.at("helper_seconds").get<double>();
        EXPECT_FALSE(pass.at("implementation").get<std::string>().empty()) << layer;
      }
    const double compute = record.at("step_breakdown").at("compute").get<double>();
    // Not quite the same steps: the first one has begun when the times of layers start to count.
    EXPECT_LE(layers, compute * 1.3);
    EXPECT_GE(layers, compute * 0.5) << "compute " << compute;
    EXPECT_GT(profile.at("multiply_flops_per_sec").get<double>(), 1e9);
    EXPECT_GT(profile.at("stream_bytes_per_sec").get<double>(), 1e8);
  }
}

TEST(Profile, DoesNotChangeResultsAndIsOffByDefault) {
  const std::vector<std::string> run =
      lenet({"--num_warmup_batches=1", "--variable_update=replicated", "--print_parameter_hash",
             "--num_devices=1"});
  const auto hash_of = [](const std::string& out) {
    return out.substr(out.find("parameter hash"));
  };
  const ProgramResult plain = run_convoy(run);
  std::vector<std::string> with = run;
  with.emplace_back("--profile");
  const ProgramResult profiled = run_convoy(with);
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_THAT(plain.out, Not(HasSubstr("Profile of")));
  EXPECT_EQ(hash_of(plain.out), hash_of(profiled.out));
}

// Of the timed events only.
struct Times {
  explicit Times(const json& event)
      : start(event.at("ts")), end(start + event.at("dur").get<double>()) {}
  double start;
  double end;
};

std::pair<int, int> row_of(const json& event) {
  return {event.at("pid").get<int>(), event.at("tid").get<int>()};
}

void expect_valid_trace(const json& trace) {
  std::set<std::pair<int, int>> named;
  const json* step = nullptr;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("name") == "thread_name") named.insert(row_of(event));
    if (event.at("ph") == "X" && event.at("cat") == "step") step = &event;
  }
  ASSERT_NE(step, nullptr);
  const Times whole(*step);
  double before = 0;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    EXPECT_TRUE(named.contains(row_of(event))) << event;
    const Times times(event);
    EXPECT_GT(times.end, times.start) << event;
    EXPECT_GE(times.start, whole.start) << event;
    EXPECT_LE(times.end, whole.end + 1e-3) << event;
    EXPECT_GE(times.start, before) << "not sorted: " << event;
    before = times.start;
  }
}

TEST(Trace, HasNamedRowsForEveryWarmUpAndLayersOnlyWithAProfile) {
  const std::pair<std::string, std::string> cases[] = {
      {"0", "--noprofile"}, {"1", "--noprofile"}, {"2", "--profile"}};
  for (const auto& [warmup, profile] : cases) {
    SCOPED_TRACE(fmt::format("{} warm-up steps, {}", warmup, profile));
    const std::string path = scratch_folder("profile_trace") + "/trace.json";
    const ProgramResult result =
        run_convoy(lenet({"--num_devices=2", "--num_warmup_batches=" + warmup, profile,
                          "--variable_update=parameter_server", "--trace_file=" + path}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json trace = read_json(path);
    expect_valid_trace(trace);
    std::map<std::string, int> events;
    for (const json& event : trace.at("traceEvents"))
      if (event.at("ph") == "X") ++events[event.at("cat")];
    EXPECT_GT(events["operation"], 10);
    EXPECT_EQ(events["layer"] > 10, profile == "--profile");
  }
}

}  // namespace
}  // namespace convoy
