#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/in_parallel.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/command.hpp"
#include "core/cli/flags/device_counts.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/machine_flags.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/cli/verbs/check_device.hpp"
#include "core/cli/verbs/check_kernels.hpp"
#include "core/cli/verbs/check_transport.hpp"
#include "core/cli/verbs/proved_cases.hpp"
#include "core/cli/verbs/watch.hpp"
#include "core/job/auto_choice.hpp"
#include "core/job/described_hosts.hpp"
#include "core/job/plan_ground.hpp"
#include "core/job/prediction_options.hpp"
#include "core/job/sizes.hpp"
#include "core/plan/check/counts_by_devices.hpp"
#include "core/plan/check/explain.hpp"
#include "core/plan/check/unread_memory.hpp"
#include "core/plan/plan_writer.hpp"
#include "core/plan/stages.hpp"
#include "core/plan/step_plan.hpp"
#include "core/runtime/claim.hpp"
#include "core/runtime/model_map.hpp"
#include "core/runtime/prepared_plan.hpp"

namespace convoy {
namespace {

constexpr std::uint64_t kDefaultBucket = std::uint64_t{16} << 18;  // 16 MiB of f32
constexpr std::size_t kShownFindings = 8;

// About a hundred pieces of odd sizes at arbitrary positions, the first ones tiny.
std::vector<ElementRange> ragged_buckets(std::uint64_t elements) {
  std::vector<ElementRange> buckets;
  std::uint64_t size = 1;
  for (std::uint64_t first = 0; first < elements;) {
    const std::uint64_t count = std::min(size, elements - first);
    buckets.push_back({first, count});
    first += count;
    size = std::min(2 * size + 1, (elements / 101 + buckets.size()) | 1);
  }
  return buckets;
}

std::string devices_text(std::uint32_t devices, int width = 0) {
  return fmt::format("{:>{}} {}", devices, width, devices == 1 ? "device" : "devices");
}

constexpr int kColumn = 4;  // of numbers that stand below each other

std::string cluster_text(const HostsDescription& hosts, std::uint32_t devices) {
  const std::string before = job::hosts_text(hosts);
  return before.empty() ? devices_text(devices, kColumn) : before + devices_text(devices);
}

std::string buckets_text(std::uint64_t elements) {
  if (elements == 0) return "one bucket";
  return fmt::format("{:g} MiB buckets", static_cast<double>(elements * sizeof(float)) / (1 << 20));
}

struct Cut {
  std::string name;
  ArenaMap map;
};

class CheckRun {
 public:
  CheckRun(const job::Setup& setup, std::vector<std::uint32_t> counts, std::ostream& out)
      : setup_(setup),
        counts_(std::move(counts)),
        out_(out),
        kernel_checks_(setup, kernels_said_) {}

  int run() {
    try {
      check_all();
    } catch (const Error&) {
      prove_written();  // what was looked at before is shown
      throw;
    }
    prove_written();
    return conclude();
  }

 private:
  const Manifest& manifest() const { return setup_.strategy->manifest(); }

  void check_all() {
    if (job::describes_machine(setup_.options.machine))
      check_described_machine();
    else if (setup_.device != nullptr)
      check_this_machine();
    check_all_kinds();
  }

  // What runs with these flags execute.
  void check_this_machine() {
    for (const std::uint32_t devices : counts_or(job::count_devices(setup_))) {
      const std::string what = fmt::format("{} of this machine", devices_text(devices, kColumn));
      try {
        const job::PlanGround ground = job::ground_of_devices(setup_, devices);
        check_run(what, ground.cluster,
                  make_arena_map(*setup_.graph, ground.arena, setup_.bucket_elements));
      } catch (const Error& error) {
        if (error.code() != ExitCode::kUnavailable) throw;
        prove_written();
        out_ << fmt::format("{}: not looked at: {}\n", what, error.what());
      }
    }
  }

  void check_described_machine() {
    const job::SimulatedHardware hardware = job::choose_simulated_hardware(setup_);
    for (const std::uint32_t devices : counts_or(hardware.most_devices)) {
      const job::SimulatedGround ground =
          job::simulated_ground(setup_, hardware, hardware.hosts, devices);
      check_run(fmt::format("{} of {}", devices_text(devices, kColumn), hardware.name),
                ground.on.cluster,
                job::simulated_map(setup_, hardware, ground.arena, setup_.bucket_elements));
    }
  }

  void check_run(const std::string& devices, const Cluster& cluster, ArenaMap map) {
    check(fmt::format("{}, {}: ", devices, buckets_text(setup_.bucket_elements)), cluster,
          std::move(map), true);
  }

  // With and without shared memory, whatever the buckets.
  void check_all_kinds() {
    HostsDescription hosts = job::describe_hosts(setup_.options.machine);
    const std::vector<Cut> cuts = all_cuts();
    const std::vector<std::uint32_t> usual = {1, 2, 3, 4, 8};
    // Errors at the ends of buckets show with fewer devices, too, at a fraction of the cost.
    constexpr std::uint32_t kManyDevices = 64;
    for (const std::uint32_t devices : counts_.empty() ? usual : counts_) {
      job::require_devices(hosts.hosts, devices);
      for (const bool peer_access : {true, false})
        for (const Cut& cut : cuts) {
          if (devices > kManyDevices && &cut != &cuts.front()) continue;
          hosts.devices_per_host = devices;
          hosts.peer_access = peer_access;
          check(fmt::format("{}, {}, {}: ", cluster_text(hosts, devices),
                            peer_access ? "shared memory" : "no peer access", cut.name),
                make_hosts(hosts), cut.map, false);
        }
    }
  }

  std::vector<Cut> all_cuts() const {
    const Arena arena(*setup_.graph);
    const auto map = [&](std::uint64_t bucket) {
      return make_arena_map(*setup_.graph, arena, bucket);
    };
    std::vector<Cut> cuts = {{"one bucket", map(0)},
                             {"16 MiB buckets", map(kDefaultBucket)},
                             {"ragged buckets", map(0)}};
    cuts.back().map.buckets = ragged_buckets(arena.elements());
    return cuts;
  }

  std::vector<std::uint32_t> counts_or(std::uint32_t count) const {
    return counts_.empty() ? std::vector{count} : counts_;
  }

  // The strategy writes its plans in this thread, while no other thread works, because a
  // third-party strategy writes each plan in a forked process first. Then plans are proved in
  // parallel: as many as keep all processors busy, but no more than are likely to fit into memory.
  void check(const std::string& what, const Cluster& cluster, ArenaMap map, bool shows_hash) {
    constexpr std::uint64_t kEnoughDevices = 128;
    constexpr std::uint64_t kMostDevices = 2048;
    if (devices_written_ + cluster.replicas() > kMostDevices) prove_written();
    auto it = std::make_unique<ProvedCase>();
    it->cluster = cluster;
    it->shows_hash = shows_hash;
    it->outcome.text = what;
    write_plan(*it, std::move(map));
    written_.push_back(std::move(it));
    devices_written_ += cluster.replicas();
    if (written_.size() > 1 && devices_written_ >= kEnoughDevices) prove_written();
  }

  // Refusals by the strategy or the host are not faults; any other exception is.
  void write_plan(ProvedCase& it, ArenaMap map) {
    bool refused = false;
    const PlanAuthor author{manifest().name, [&](const convoy_planner& planner) {
                              try {
                                setup_.strategy->plan(planner);
                              } catch (const Error& error) {
                                const auto& writer = *static_cast<const PlanWriter*>(planner.self);
                                refused =
                                    writer.is_too_large() ||
                                    (error.code() == ExitCode::kUsage && writer.error().empty());
                                throw;
                              }
                            }};
    try {
      it.plan.emplace(it.cluster, std::move(map), author, StepPlanOptions{.guard = setup_.guard});
      require_manifest(it.plan->logical(), *setup_.strategy);
      kernel_checks_.try_all(it.plan->logical());
    } catch (const Error& error) {
      it.plan.reset();
      it.outcome.fail(refused, error);
    }
    it.outcome.text = std::exchange(kernels_said_, {}).str() + it.outcome.text;
  }

  void prove(ProvedCase& it) {
    bool lowers = false;
    try {
      const CheckReport& report = proofs_.of(it.plan->logical());
      it.plan->take_check(report);
      lowers = true;
      it.plan->lowered();
      lowers = false;
      judge(it, report);
    } catch (const Error& error) {
      // The host's guards do not go with every plan.
      it.outcome.fail(lowers && error.code() == ExitCode::kUsage, error);
    }
    it.plan.reset();
  }

  void judge(ProvedCase& it, const CheckReport& report) {
    CaseOutcome& outcome = it.outcome;
    const std::string verdict = report.verdict_text();
    const bool unproved = report.verdict == Verdict::kUnproved;
    const std::string lowered = unproved ? verdict : proofs_.of(it.plan->lowered()).verdict_text();
    const bool kept = satisfies(report, manifest().claim) && lowered == verdict;
    outcome.text += verdict;
    if (lowered != verdict) outcome.text += ", but lowered it is " + lowered;
    if (!kept && !unproved && report.verdict != Verdict::kWrong)
      outcome.text +=
          fmt::format(" (not as claimed: {})", explain_verdict(it.plan->logical(), report));
    if (it.shows_hash) outcome.text += ", hash of the lowered plan: " + it.plan->hash();
    outcome.text += '\n';
    for (std::size_t i = 0; i < report.findings.size() && i < kShownFindings; ++i)
      outcome.text += fmt::format("       {}: {}\n", finding_name(report.findings[i].kind),
                                  report.findings[i].text);
    if (report.findings.size() > kShownFindings)
      outcome.text += fmt::format("       and {} more\n", report.findings.size() - kShownFindings);
    outcome.unread = unread_memory(it.plan->logical());
    outcome.end = kept ? CaseEnd::kKept : unproved ? CaseEnd::kUnproved : CaseEnd::kBroken;
    outcome.report = &report;
  }

  // Shows each when those before it are shown.
  void prove_written() {
    std::mutex showing;
    std::vector<bool> proved(written_.size());
    std::size_t shown = 0;
    in_parallel(written_.size(), [&](std::size_t i) {
      if (written_[i]->plan) prove(*written_[i]);
      const std::lock_guard lock(showing);
      for (proved[i] = true; shown < proved.size() && proved[shown]; ++shown)
        show(written_[shown]->outcome);
    });
    written_.clear();
    devices_written_ = 0;
  }

  void show(const CaseOutcome& outcome) {
    out_ << outcome.text << std::flush;
    ++ends_[static_cast<std::size_t>(outcome.end)];
    if (outcome.report == nullptr) return;
    const CheckReport& report = *outcome.report;
    counts_by_devices_.add(report);
    if (unread_.empty()) unread_ = outcome.unread;
    if (report.replicas > 1) verdicts_.insert(std::string(verdict_name(report.verdict)));
    kernels_.insert(report.kernels.begin(), report.kernels.end());
    factors_.insert(report.factors.begin(), report.factors.end());
  }

  // A strategy with a laxer claim than its proof is excluded from stricter uses.
  void conclude_modesty() {
    const std::string& claim = manifest().claim;
    if (verdicts_.size() != 1 || claim == *verdicts_.begin()) return;
    if (claim.find('|') != std::string::npos) return;  // options decide
    out_ << fmt::format(
        "{} is {} in all these plans for several devices: claim={} says so, and {}\n",
        manifest().name, *verdicts_.begin(), *verdicts_.begin(),
        claim.empty() ? "now nothing is claimed" : fmt::format("claim={} says less", claim));
  }

  void note_unread() {
    if (unread_.empty()) return;
    const std::string others =
        unread_.size() == 1 ? "" : fmt::format(", and {} more like it,", unread_.size() - 1);
    out_ << fmt::format("no later step reads what {}{} holds: nothing is kept there\n",
                        unread_.front(), others);
  }

  // Although nothing is wrong or open in any single plan.
  std::string why_not_proved() const {
    const std::string counts = counts_by_devices_.doubt();
    const std::string untried = kernel_checks_.untried();
    return counts + (counts.empty() || untried.empty() ? "" : "; ") + untried;
  }

  int conclude() {
    const auto [kept, broken, refused, unproved] = ends_;
    const std::string& claim = manifest().claim;
    const std::string claims =
        claim.empty() ? "claims nothing" : fmt::format("claims to be {}", claim);
    const std::string doubt = why_not_proved();
    out_ << fmt::format("{} {}: ", manifest().name, claims);
    if (kept + broken + unproved == 0)
      out_ << "it refuses all of these plans, nothing is proved\n";
    else if (broken + unproved == 0 && !doubt.empty())
      out_ << fmt::format("unproved; {}\n", doubt);
    else if (broken == 0 && unproved > 0)
      out_ << fmt::format("unproved in {} of {} plans; it runs when it is asked for by name\n",
                          unproved, kept + unproved);
    else if (broken == 0)
      out_ << fmt::format("{} in {} plans{}\n", claim.empty() ? "nothing wrong" : "proved", kept,
                          refused == 0 ? "" : fmt::format(", {} refused", refused));
    else
      out_ << fmt::format("not so in {} of {} plans\n", broken, kept + broken + unproved);
    note_unread();
    if (broken + unproved > 0 || kept == 0 || !doubt.empty())
      return static_cast<int>(ExitCode::kFailed);
    if (!kernels_.empty())
      out_ << fmt::format("given that kernel {} does what its calls say of it (CallOptions)\n",
                          fmt::join(kernels_, ", "));
    if (!factors_.empty())
      out_ << fmt::format("given that gradients are meant to be multiplied by what {} computes\n",
                          fmt::join(factors_, ", "));
    conclude_modesty();
    return static_cast<int>(kernel_checks_.found_missing_form() ? ExitCode::kUnavailable
                                                                : ExitCode::kOk);
  }

  const job::Setup& setup_;
  std::vector<std::uint32_t> counts_;  // empty: not given
  std::ostream& out_;
  std::array<int, 4> ends_{};       // by CaseEnd
  std::set<std::string> verdicts_;  // of several devices
  std::ostringstream kernels_said_;
  KernelChecks kernel_checks_;
  Proofs proofs_;
  CountsByDevices counts_by_devices_;
  std::vector<std::string> unread_;  // of the first plan that has any
  std::set<std::string> kernels_;    // that were taken at their word
  std::set<std::string> factors_;    // operations with factors of the run
  std::vector<std::unique_ptr<ProvedCase>> written_;
  std::uint64_t devices_written_ = 0;
};

// The kind of NAME, by name or path; "auto" is the strategy that --variable_update=auto takes.
PluginKind checked_kind(std::span<const std::string> arguments) {
  const std::string& name = arguments.front();
  if (name == "auto") return PluginKind::kStrategy;
  std::vector<PluginKind> kinds;
  for (const FoundPlugin& found : scan_catalog(arguments).find(name))
    if (found.manifest.kind != PluginKind::kModel) kinds.push_back(found.manifest.kind);
  if (kinds.empty())
    fail(ExitCode::kUsage, "check takes a strategy, a device or a transport, and '{}' is a model",
         name);
  if (kinds.size() > 1)
    fail(ExitCode::kUsage,
         "'{}' is the name of a {} and of a {}; give the path of the file instead (convoy list "
         "shows it)",
         name, to_string(kinds[0]), to_string(kinds[1]));
  return kinds.front();
}

bool wants_watch(std::span<const std::string> arguments) {
  return std::ranges::any_of(
      arguments, [](const std::string& it) { return it == "--watch" || it == "--watch=true"; });
}

constexpr const char* kCheckHelp =
    "convoy check NAME [flags]: proves what a strategy computes and compares it with the "
    "strategy's claim: first for the plans that convoy run with these flags executes, then for "
    "all kinds of devices and buckets. NAME may be a path such as ./x.so, or auto. --num_devices "
    "takes a list, such as 1,2,8. --watch checks again when the file changes. With the NAME or "
    "path of a device: runs every layer and operation on it and compares the results with a "
    "reference. With a transport: sends messages between processes, in order, concurrently, and "
    "to peers that die.\n\n";

}  // namespace

int run_check_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  std::vector<std::uint32_t> counts;
  bool watch = false;
  const auto flags = [&counts, &watch](RunCommand& command) {
    std::vector<FlagDefinition> all = planned_cluster_flags(command.options.machine);
    all.push_back(bind_flag("watch", watch, "Check again whenever the plug-in's file changes."));
    all.back().group = "What is checked";
    for (FlagDefinition& flag : device_count_flags(command, counts)) all.push_back(std::move(flag));
    return all;
  };
  if (wants_help(arguments)) {
    out << kCheckHelp + command_help(arguments, flags);
    const std::string topic = help_topic(arguments);
    if (topic.empty() || topic == "all")
      out << '\n' << check_device_help() << '\n' << check_transport_help();
    return static_cast<int>(ExitCode::kOk);
  }
  if (arguments.empty() || arguments.front().starts_with("-"))
    fail(ExitCode::kUsage,
         "check needs a strategy, a device or a transport: convoy check NAME [flags]");
  if (wants_watch(arguments)) return watch_check({arguments.begin(), arguments.end()}, out);
  const PluginKind kind = checked_kind(arguments);
  if (kind == PluginKind::kDevice) return run_check_device(arguments, out, err);
  if (kind == PluginKind::kTransport) return run_check_transport(arguments, out, err);
  std::vector<std::string> of_run(arguments.begin() + 1, arguments.end());
  of_run.push_back("--variable_update=" + arguments.front());
  JobCommand command = read_command(of_run, flags);
  if (!counts.empty()) command.options.num_devices = std::ranges::max(counts);
  const bool here = job::plans_for_this_machine(command.options.machine);
  const job::Setup setup =
      job::set_up_imagined_run(std::move(command.options), std::move(command.catalog),
                               {.of_this_machine = here, .does_without_devices = true},
                               job::choose_as_run_does, log_to(err));
  if (setup.device == nullptr && here)
    err << "convoy: this machine has no devices of the kind that is asked for: only kinds of "
           "devices are looked at\n";
  print_notices(err, command.notices);
  print_notices(err, setup.notices);
  return CheckRun(setup, counts, out).run();
}

}  // namespace convoy
