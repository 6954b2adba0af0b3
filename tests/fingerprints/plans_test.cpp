// What strategies write, what becomes of it, and what the checker says.
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/plan/step_plan.hpp"
#include "tests/fingerprints/plan_digest.hpp"
#include "tests/fingerprints/recorded.hpp"
#include "tests/fingerprints/variants.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/strategies/strategy_under_test.hpp"

namespace convoy::testing {
namespace {

// Of operations that are lowered on purpose in small pieces, since the model is small.
constexpr plan::LoweringOptions kPieces{.staging_elements = 32, .slice_elements = 8};

// Refusals stand there, too.
std::string fingerprint_of(const Variant& variant, const plan::Cluster& cluster,
                           const plan::GuardOptions& guards) {
  StrategyUnderTest strategy(variant.strategy, variant.options);
  try {
    const plan::StepPlan plan(cluster, small_arena(48), strategy.author(),
                              {.guard = guards, .lowering = kPieces});
    return hex(plan::plan_hash(plan.logical())) + ' ' + hex(plan::plan_hash(plan.lowered())) + ' ' +
           hex(schedule_hash(plan.schedule())) + ' ' + plan.check().verdict_text() + "; lowered " +
           plan::check::check_plan(plan.lowered()).verdict_text();
  } catch (const Error& error) {
    return "refused: " + std::string(error.what());
  }
}

std::string title(const Variant& variant, const std::string& where, const std::string& guards) {
  return variant.name() + ", " + where + ", " + guards + ": ";
}

TEST(Fingerprints, OfPlans) {
  std::vector<std::string> lines;
  for (const Variant& variant : all_variants())
    for (const DeviceKind& kind : device_kinds())
      for (const auto& [name, guards] : sample_guards()) {
        const bool many = is_packed(variant) || variant.options.size() > 1;
        if (many && (guards.changes_plans() || kind.name == "fake")) continue;
        const std::uint32_t devices = sample_devices(variant);
        const plan::Cluster cluster = make_cluster(kind, devices);
        lines.push_back(title(variant, std::to_string(devices) + ' ' + kind.name, name) +
                        fingerprint_of(variant, cluster, guards));
      }
  expect_recorded("plans.txt", lines);
}

TEST(Fingerprints, OfPlansForSeveralHosts) {
  std::vector<std::string> lines;
  for (const Variant& variant : host_variants())
    for (const plan::HostsDescription& hosts : sample_hosts())
      for (const auto& [name, guards] : sample_guards()) {
        if (guards.changes_plans() && guards.clip_norm == 0) continue;
        const std::string where = std::to_string(hosts.hosts) + " hosts of " +
                                  std::to_string(hosts.devices_per_host) + ", " +
                                  std::to_string(hosts.server_hosts.size()) + " servers";
        lines.push_back(title(variant, where, name) +
                        fingerprint_of(variant, plan::make_hosts(hosts), guards));
      }
  expect_recorded("host_plans.txt", lines);
}

}  // namespace
}  // namespace convoy::testing
