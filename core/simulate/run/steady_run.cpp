#include "core/simulate/run/steady_run.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace convoy::simulate {
namespace {

// The iterations that the executor has in flight.
constexpr std::uint32_t kIterationsInFlight = 2;

std::uint32_t in_flight(const SimulationOptions& options) {
  return options.software.step_barrier ? 1 : kIterationsInFlight;
}

// Strands drift apart until a bound holds them, or forever.
std::uint32_t iterations_of(const TaskGraph& graph, const SimulationOptions& options) {
  constexpr std::size_t kSettled = 12;
  constexpr std::size_t kMost = kMostIterations / 2;
  const std::size_t bounded = 4 * graph.waits.size() + kSettled;  // distances are below its size
  return std::max(options.iterations, static_cast<std::uint32_t>(std::min(bounded, kMost)));
}

// Measures the length of a strand's iterations while all strands run: from the middle of its
// iterations to the time when the first strand is done. For a strand that has hardly begun by then,
// it takes the length of the second iteration.
double iteration_seconds(std::span<const Ticks> ends, Ticks first_through) {
  auto done =
      static_cast<std::size_t>(std::ranges::upper_bound(ends, first_through) - ends.begin());
  done = std::max<std::size_t>(done, 2);
  const std::size_t from = done > 3 ? done / 2 : 0;
  return to_seconds(ends[done - 1] - ends[from]) / static_cast<double>(done - 1 - from);
}

std::vector<double> strand_seconds(const RunTimes& times) {
  Ticks first_through = times.strand_end.front().back();
  for (const auto& ends : times.strand_end) first_through = std::min(first_through, ends.back());
  std::vector<double> seconds;
  for (const auto& ends : times.strand_end)
    seconds.push_back(iteration_seconds(ends, first_through));
  return seconds;
}

// Whether readers of a series make one strand wait for another. A reader waits for the whole
// series.
bool joins_strands(const TaskGraph& graph, const TaskSeries& series) {
  const std::uint32_t strand = graph.tasks[series.tasks.front()].strand;
  const auto of_another = [&](std::uint32_t task) { return graph.tasks[task].strand != strand; };
  return !series.readers.empty() &&
         (std::ranges::any_of(series.tasks, of_another) ||
          std::ranges::any_of(series.readers, of_another, &TaskSeries::Reader::task));
}

// Whether a strand waits for iterations of another one.
bool is_bounded(const TaskGraph& graph) {
  for (std::uint32_t task = 0; task < graph.tasks.size(); ++task)
    for (const TaskSuccessor& successor : graph.successors[task])
      if (graph.tasks[successor.task].strand != graph.tasks[task].strand) return true;
  return std::ranges::any_of(
      graph.series, [&](const TaskSeries& series) { return joins_strands(graph, series); });
}

// Workers that may be ahead of each other only by a bound have one speed in the end. Before that,
// faster workers use up the bound, which takes longer the more alike the workers are.
bool have_one_speed(const std::vector<double>& workers) {
  constexpr double kSameSpeed = 0.05;
  const auto [fastest, slowest] = std::ranges::minmax(workers);
  return slowest <= (1 + kSameSpeed) * fastest;
}

// Whether all devices are of one kind and all network cards have one rate.
bool are_workers_alike(const SimulatedMachine& machine) {
  std::vector<double> cards;
  for (const SimulatedLink& link : machine.links)
    if (link.receives) cards.push_back(link.bytes_per_second);
  return machine.devices.size() == 1 &&
         std::ranges::adjacent_find(cards, std::not_equal_to<>()) == cards.end();
}

// A simulation of more operations takes too long.
constexpr std::size_t kMostInstances = 8'000'000;

// Returns the number of iterations of a short run of alike workers, or nothing if a long run is
// within reach.
std::optional<std::uint32_t> few_iterations(const TaskGraph& graph, std::uint32_t most) {
  constexpr std::size_t kEnoughInstances = 1'200'000;
  // At least this many, so that the bound holds all workers before the last ones, which are
  // measured.
  const std::size_t least = graph.waits.size() + 2;
  if (graph.tasks.size() * 2 * most <= kMostInstances || least >= most) return {};
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(kEnoughInstances / graph.tasks.size(), least, most));
}

// The mean length of iterations from the time when the last strand has begun to the end; all
// strands are alike.
double common_seconds(const TaskGraph& graph, const RunTimes& times) {
  const double iterations = static_cast<double>(times.ended - times.ended_before) /
                            static_cast<double>(graph.tasks.size());
  return to_seconds(times.end - times.all_begun) / iterations;
}

std::optional<SteadyRun> run_briefly(const TaskGraph& graph, const SimulatedMachine& machine,
                                     const SimulationOptions& options, std::uint32_t most) {
  if (!are_workers_alike(machine)) return {};
  const std::optional<std::uint32_t> iterations = few_iterations(graph, most);
  if (!iterations) return {};
  const auto ahead = static_cast<std::uint32_t>(graph.waits.size()) + in_flight(options);
  RunTimes times = run_tasks(graph, machine, {*iterations, in_flight(options), ahead});
  const std::vector<double> seconds(graph.strands, common_seconds(graph, times));
  return SteadyRun{std::move(times), seconds, true, *iterations};
}

}  // namespace

SteadyRun run_until_steady(const TaskGraph& graph, const SimulatedMachine& machine,
                           const SimulationOptions& options) {
  if (graph.strands == 1)
    return {run_tasks(graph, machine, {options.iterations, in_flight(options)}), {}};
  const bool bounded = is_bounded(graph);
  std::uint32_t iterations = iterations_of(graph, options);
  if (bounded)
    if (std::optional<SteadyRun> run = run_briefly(graph, machine, options, iterations))
      return std::move(*run);
  while (true) {
    RunTimes times = run_tasks(graph, machine, {iterations, in_flight(options)});
    std::vector<double> seconds = strand_seconds(times);
    const bool is_steady = !bounded || have_one_speed(seconds);
    iterations *= 2;
    if (is_steady || iterations > kMostIterations ||
        graph.tasks.size() * iterations > kMostInstances)
      return {std::move(times), std::move(seconds), is_steady};
  }
}

}  // namespace convoy::simulate
