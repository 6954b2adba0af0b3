#include "core/cli/show/qualification_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>

#include "core/base/text/counted.hpp"
#include "core/qualify/judge.hpp"

namespace convoy::cli {
namespace {

using qualify::HostQualification;
using qualify::Measurement;

// Returns "98.1 GFLOP/s", "12.3 GB/s" or "850 images/s".
std::string rate_text(double rate, const std::string& unit) {
  if (unit == "FLOP/s" || unit == "B/s") return fmt::format("{:.4g} G{}", rate / 1e9, unit);
  return fmt::format("{:.4g} {}", rate, unit);
}

// The same for rates that not every measurement has.
std::string known_rate_text(const std::optional<double>& rate, const std::string& unit) {
  return rate ? rate_text(*rate, unit) : "-";
}

// Returns the columns with the measured rate and the rates that it is compared with.
std::string rate_columns(const Measurement& it) {
  std::optional<double> expected, least;
  if (it.expected) {
    expected = it.expected->rate;
    least = qualify::least_rate(*it.expected);
  }
  return fmt::format("{:>18}  {:>18}  {:>18}  {:>18}", rate_text(it.rate, it.unit),
                     known_rate_text(expected, it.unit), known_rate_text(least, it.unit),
                     known_rate_text(it.peers, it.unit));
}

void print_measurements(std::ostream& out, const HostQualification& host) {
  std::size_t subject = 7, what = 4;
  for (const Measurement& it : host.measurements) {
    subject = std::max(subject, it.subject.size());
    what = std::max(what, it.what.size());
  }
  out << fmt::format("  {:<{}}  {:<{}}  {:>18}  {:>18}  {:>18}  {:>18}  share\n", "subject",
                     subject, "what", what, "measured", "expected", "minimum", "peers");
  for (const Measurement& it : host.measurements) {
    const bool judged = it.expected || it.peers;
    out << fmt::format("  {:<{}}  {:<{}}  {}  {:>5}{}\n", it.subject, subject, it.what, what,
                       rate_columns(it), judged ? fmt::format("{:.0f} %", 100 * it.share) : "-",
                       it.slow ? "  slow" : "");
  }
}

void print_clues(std::ostream& out, const HostQualification& host) {
  for (const qualify::Clue& clue : host.clues)
    out << fmt::format("  seen: {}{}{}\n", clue.subject.empty() ? "" : clue.subject + ": ",
                       clue.text, clue.advice.empty() ? "" : " (" + clue.advice + ")");
  for (const std::string& notice : host.notices) out << "  note: " << notice << '\n';
}

void print_ranking(std::ostream& out, const std::vector<HostQualification>& hosts) {
  out << "hosts, the slowest first: geometric mean of their shares of expected rates and of the "
         "rates of peers\n";
  for (const HostQualification& host : hosts)
    out << fmt::format("  {:>5.0f} %  {}\n", 100 * host.score, host.name);
}

}  // namespace

void print_qualification(std::ostream& out, const qualify::Qualification& qualification) {
  for (const HostQualification& host : qualification.hosts) {
    out << fmt::format("{}: {}\n", host.name, counted(host.devices.size(), "device"));
    for (const qualify::QualifiedDevice& device : host.devices)
      out << fmt::format("  {}: {}{}\n", device.name, device.model,
                         device.locality.empty() ? "" : fmt::format(" ({})", device.locality));
    if (!host.expected_by.empty()) out << "  expected rates: " << host.expected_by << '\n';
    print_measurements(out, host);
    print_clues(out, host);
  }
  if (qualification.hosts.size() > 1) print_ranking(out, qualification.hosts);
  const std::vector<std::string> slow = qualify::slow_sentences(qualification.hosts);
  for (const std::string& sentence : slow) out << "slow: " << sentence << '\n';
  const double percent = 100 * qualification.threshold;
  if (slow.empty())
    out << fmt::format(
        "qualified: everything reaches at least {:.0f} % of its minimum (the expected rate, less "
        "its error)\n",
        percent);
  else
    out << fmt::format("not qualified: {} below {:.0f} % of the minimum or of what others reach\n",
                       slow.size() == 1 ? "one rate is" : fmt::format("{} rates are", slow.size()),
                       percent);
}

}  // namespace convoy::cli
