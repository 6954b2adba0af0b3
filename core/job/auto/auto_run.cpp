#include "core/job/auto/auto_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/files/cache_folder.hpp"
#include "core/job/auto/auto_choice.hpp"
#include "core/job/auto/auto_rule.hpp"
#include "core/job/auto/decision_key.hpp"
#include "core/job/hardware/run_hardware.hpp"
#include "core/job/sizes.hpp"
#include "core/select/decision_cache.hpp"

namespace convoy::job {
namespace {

void check_measuring(const JobOptions& options) {
  if (!trains(options))
    fail(ExitCode::kUsage,
         "--auto=measure tries strategies while it trains, and this run trains nothing; leave it "
         "out");
  if (options.deterministic)
    fail(ExitCode::kUsage,
         "--auto=measure goes by the clock, so two runs may train with different strategies: that "
         "does not go with --deterministic; --auto=simulate does");
}

// Returns the candidates that predictions cannot tell apart, the chosen one first.
AutoShortlist make_shortlist(const select::Ranking& ranking, const select::Decision& decision,
                             double known_error) {
  AutoShortlist list;
  list.tolerance = select::shortlist_tolerance(known_error);
  std::vector<select::Candidate> wanted = {decision.chosen};
  for (const select::Candidate& each : ranking.shortlist(list.tolerance, ranking.candidates.size()))
    if (!select::same_variant(each, decision.chosen)) wanted.push_back(each);
  for (const select::Candidate& each : wanted)
    list.candidates.push_back(
        *std::ranges::find(ranking.candidates, each, &select::RankedCandidate::candidate));
  return list;
}

std::string shortlist_notice(const AutoShortlist& list, const select::Decision& decision) {
  const std::string first =
      fmt::format("{}, predicted step {:.3f} ms on {}", select::flags_of(decision.chosen),
                  1e3 * decision.step_seconds, decision.basis);
  if (list.candidates.size() < 2)
    return fmt::format(
        "--auto=measure tries nothing: no other variant is predicted within {:.0f} % "
        "of {}",
        100 * list.tolerance, first);
  return fmt::format(
      "--auto=measure begins with {}, and tries what is predicted within {:.0f} % of "
      "that, at most {} variants",
      first, 100 * list.tolerance, select::kMostTried);
}

// Adds doubts about measured constants to the notices. If there are no measurements, the text of
// the prediction says so.
void note_doubts(Setup& setup, const SimulatedHardware& hardware) {
  if (hardware.calibrated && !setup.options.machine.images_per_second)
    setup.notices.insert(setup.notices.end(), hardware.notices.begin(), hardware.notices.end());
}

}  // namespace

select::Decision choose_for_run(Setup& setup) {
  const bool on_processors = setup.device->has(CONVOY_DEVICES_ON_HOST_PROCESSORS);
  const AutoMode mode = setup.options.auto_mode;
  if (mode == AutoMode::kMeasure) check_measuring(setup.options);
  // The network between the tasks is measured later, and differs between runs.
  const bool several_hosts = setup.options.task.tasks() > 1;
  setup.decides_on_links = several_hosts && mode != AutoMode::kRule && trains(setup.options) &&
                           !setup.options.deterministic;
  if (mode == AutoMode::kRule || several_hosts || !trains(setup.options))
    return choose_by_rule(setup, on_processors);
  const std::optional<SimulatedHardware> machine = if_known(
      setup, hardware_of_run, [&](const std::string& text) { setup.notices.push_back(text); });
  if (!machine) return choose_by_rule(setup, on_processors);
  const SimulatedHardware& hardware = *machine;
  note_doubts(setup, hardware);
  const std::uint32_t devices = count_devices(setup);
  const ChoiceSubject subject{1, devices, choose_sizes(setup, devices).batch};
  // A decision that depends on a rate given by the user is useless to other runs, so it is not
  // cached.
  const select::DecisionCache cache(
      setup.options.machine.images_per_second ? std::filesystem::path() : cache_folder(),
      [&](const std::string& text) { setup.notices.push_back(text); });
  const std::string circumstances = decision_key(setup, hardware, subject);
  if (mode == AutoMode::kCached)
    if (const std::optional<select::Decision> known = cache.find(circumstances)) return *known;
  open_devices_early(setup);
  const select::Ranking ranking = rank_strategies(setup, hardware, subject);
  select::Decision decision = choose_by_simulation(setup, hardware, subject, ranking);
  if (mode == AutoMode::kMeasure) {
    setup.shortlist = make_shortlist(ranking, decision, hardware.known_error);
    setup.notices.push_back(shortlist_notice(*setup.shortlist, decision));
    setup.shortlist->remember = [circumstances](const select::Decision& measured,
                                                const select::DecisionCache::Tell& tell) {
      select::DecisionCache(cache_folder(), tell).remember(circumstances, measured);
    };
    if (setup.shortlist->candidates.size() >= 2) return decision;
    setup.shortlist.reset();
  }
  cache.remember(circumstances, decision);
  return decision;
}

}  // namespace convoy::job
