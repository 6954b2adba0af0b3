#include "core/cli/check_verb.hpp"

#include <fmt/format.h>

#include <charconv>
#include <ostream>

#include "core/base/error.hpp"
#include "core/cli/cluster_flags.hpp"
#include "core/cli/flag_limits.hpp"
#include "core/cli/plan_subject.hpp"
#include "core/plan/step_plan.hpp"

namespace convoy {
namespace {

constexpr std::uint64_t kDefaultBucket = std::uint64_t{16} << 18;  // 16 MiB of f32
constexpr std::size_t kShownFindings = 8;

std::vector<FlagDefinition> check_flags() {
  FlagDefinition devices;
  devices.name = "num_devices";
  devices.default_value = "1,2,3,4,8";
  devices.help = "For which numbers of devices on every host, separated by commas.";
  std::vector<FlagDefinition> flags = {devices};
  for (FlagDefinition& flag : cluster_flags()) flags.push_back(std::move(flag));
  return flags;
}

void print_check_help(std::ostream& out) {
  FlagTable table;
  table.add_all(subject_flags(check_flags()));
  out << "convoy check NAME [flags]: proves what a strategy computes and compares with what it "
         "claims. NAME may be a path such as ./x.so; options of the strategy are flags too.\n\n"
      << flag_help(table);
}

std::vector<std::uint32_t> parse_counts(const std::string& text) {
  std::vector<std::uint32_t> counts;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::uint32_t count = 0;
    const auto [stop, error] = std::from_chars(at, end, count);
    if (error != std::errc() || count == 0 || count > kMostDevices || (stop != end && *stop != ','))
      fail(ExitCode::kUsage,
           "--num_devices={}: numbers of devices from 1 to {} separated by commas, such as 1,2,8",
           text, kMostDevices);
    counts.push_back(count);
    if (stop == end) return counts;
    at = stop + 1;
  }
}

// About a hundred pieces of odd sizes that end anywhere, the first ones tiny.
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

struct Cut {
  std::string name;
  ArenaMap arena;
};

class CheckRun {
 public:
  CheckRun(PlanSubject& subject, std::ostream& out)
      : subject_(subject), out_(out), hosts_(describe_hosts(subject.flags())) {
    cuts_.push_back({"one bucket", subject.arena_map(0)});
    cuts_.push_back({"16 MiB buckets", subject.arena_map(kDefaultBucket)});
    cuts_.push_back({"ragged buckets", subject.arena_map(0)});
    cuts_.back().arena.buckets = ragged_buckets(cuts_.back().arena.elements);
  }

  int run() {
    for (const std::uint32_t devices : parse_counts(subject_.flags().text("num_devices")))
      for (const bool peer_access : {true, false})
        for (const Cut& cut : cuts_) check(devices, peer_access, cut);
    return conclude();
  }

 private:
  void check(std::uint32_t devices, bool peer_access, const Cut& cut) {
    const std::string what = fmt::format(
        "{}{:>4} {}, {}, {}: ", hosts_text(hosts_), devices, devices == 1 ? "device" : "devices",
        peer_access ? "shared memory" : "no peer access", cut.name);
    hosts_.devices_per_host = devices;
    hosts_.peer_access = peer_access;
    const Cluster cluster = make_hosts(hosts_);
    bool refused = false;
    try {
      judge(what, StepPlan(cluster, cut.arena, subject_.author(refused)));
    } catch (const Error& error) {
      out_ << fmt::format("{}{}: {}\n", what, refused ? "refused" : "wrong", error.what());
      ++(refused ? refused_ : broken_);
    }
  }

  void judge(const std::string& what, const StepPlan& plan) {
    const CheckReport& report = plan.check();
    const std::string verdict = report.verdict_text();
    const std::string lowered = check_plan(plan.lowered()).verdict_text();
    const bool kept = satisfies(report, subject_.manifest().claim) && lowered == verdict;
    out_ << what << verdict;
    if (lowered != verdict) out_ << ", but lowered it is " << lowered;
    out_ << (kept || report.verdict == Verdict::kWrong ? "\n" : " (not as claimed)\n");
    for (std::size_t i = 0; i < report.findings.size() && i < kShownFindings; ++i)
      out_ << fmt::format("       {}: {}\n", finding_name(report.findings[i].kind),
                          report.findings[i].text);
    if (report.findings.size() > kShownFindings)
      out_ << fmt::format("       and {} more\n", report.findings.size() - kShownFindings);
    ++(kept ? kept_ : broken_);
  }

  int conclude() {
    const std::string& claim = subject_.manifest().claim;
    const std::string claims =
        claim.empty() ? "claims nothing" : fmt::format("claims to be {}", claim);
    out_ << fmt::format("{} {}: ", subject_.manifest().name, claims);
    if (kept_ + broken_ == 0)
      out_ << "it refuses all of these plans, nothing is proved\n";
    else if (broken_ == 0)
      out_ << fmt::format("{} in {} plans{}\n", claim.empty() ? "nothing wrong" : "proved", kept_,
                          refused_ == 0 ? "" : fmt::format(", {} refused", refused_));
    else
      out_ << fmt::format("not so in {} of {} plans\n", broken_, kept_ + broken_);
    return static_cast<int>(broken_ == 0 && kept_ > 0 ? ExitCode::kOk : ExitCode::kFailed);
  }

  PlanSubject& subject_;
  std::ostream& out_;
  HostsDescription hosts_;
  std::vector<Cut> cuts_;
  int kept_ = 0;
  int broken_ = 0;
  int refused_ = 0;
};

}  // namespace

int run_check_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  if (wants_help(arguments)) {
    print_check_help(out);
    return static_cast<int>(ExitCode::kOk);
  }
  if (arguments.empty() || arguments.front().starts_with("-"))
    fail(ExitCode::kUsage, "check needs a strategy: convoy check NAME [flags]");
  PlanSubject subject(arguments.front(), arguments.subspan(1), check_flags(), log_to(err));
  return CheckRun(subject, out).run();
}

}  // namespace convoy
