#include "core/simulate/run/series_progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace convoy::testing {
namespace {

using simulate::SeriesProgress;
using simulate::TaskGraph;
using simulate::TaskSeries;

constexpr std::uint32_t kTasks = 5;
constexpr std::uint32_t kRounds = 6;
using Instance = std::pair<std::uint32_t, std::uint32_t>;  // task, iteration

// Readers are the tasks behind those of the series; task 2 is in both series, and readers that need
// the fewest come first.
TaskGraph two_series() {
  TaskGraph graph;
  graph.tasks.resize(kTasks + 6);
  graph.series = {{{0, 1, 2, 3}, {{5, 1, 2}, {6, 3, 2}, {7, 3, 0}, {8, 4, 3}}},
                  {{2, 4}, {{9, 1, 1}, {10, 2, 2}}}};
  return graph;
}

// Whether all that the reader waits for has ended so often.
bool is_free(const TaskSeries& series, const TaskSeries::Reader& reader, std::uint32_t iteration,
             const std::vector<std::uint32_t>& ended) {
  for (std::uint32_t i = 0; i < series.tasks.size(); ++i) {
    const std::uint32_t needed = iteration + (i < reader.after ? 1 : 0);
    if (ended[series.tasks[i]] < needed) return false;
  }
  return true;
}

std::set<Instance> free_readers(const TaskGraph& graph, const std::vector<std::uint32_t>& ended) {
  std::set<Instance> readers;
  for (const TaskSeries& series : graph.series)
    for (const TaskSeries::Reader& reader : series.readers)
      for (std::uint32_t iteration = 0; iteration < kRounds; ++iteration)
        if (is_free(series, reader, iteration, ended))
          readers.insert({reader.task, iteration + reader.distance});
  return readers;
}

TEST(SeriesProgress, ReadersAreFreeAtTheEndOfTheLastTaskThatTheyWaitFor) {
  const TaskGraph graph = two_series();
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SeriesProgress progress(graph);
    std::mt19937 random(seed);
    std::vector<std::uint32_t> ended(kTasks, 0), order;
    for (std::uint32_t i = 0; i < kTasks * kRounds; ++i) order.push_back(i % kTasks);
    std::ranges::shuffle(order, random);
    std::set<Instance> found;
    for (const std::uint32_t task : order) {
      ++ended[task];
      progress.end(task, [&](std::uint32_t reader, std::uint32_t iteration) {
        EXPECT_TRUE(found.insert({reader, iteration}).second) << "told twice";
      });
      ASSERT_EQ(found, free_readers(graph, ended)) << "seed " << seed;
    }
  }
}

TEST(SeriesProgress, OnlyTasksOfASeriesHaveOne) {
  const TaskGraph graph = two_series();
  const SeriesProgress progress(graph);
  EXPECT_TRUE(progress.has(4));
  EXPECT_FALSE(progress.has(5));
  TaskGraph without = graph;
  without.series.clear();
  EXPECT_FALSE(SeriesProgress(without).has(0));
}

}  // namespace
}  // namespace convoy::testing
