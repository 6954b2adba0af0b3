#include "core/qualify/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/numbers/statistics.hpp"

namespace convoy::qualify {
namespace {

// An error of 1 or more would allow any rate. However uncertain the expectation is, a twentieth of
// it must be reached. This is an assumption, so that a rate of nearly nothing is noticed.
constexpr double kLeastOfExpected = 0.05;

using Group = std::vector<Measurement*>;
using Groups = std::map<std::tuple<Kind, std::string, std::string>, Group>;

Groups likes_of(std::vector<HostQualification>& hosts) {
  Groups groups;
  for (HostQualification& host : hosts)
    for (Measurement& it : host.measurements) groups[{it.kind, it.what, it.unit}].push_back(&it);
  return groups;
}

bool all_expected(const Group& group) {
  return std::ranges::all_of(
      group, [](const Measurement* it) { return it->expected && it->expected->rate > 0; });
}

void compare_with_likes(const Group& group) {
  if (group.size() < 2) return;
  const bool relative = all_expected(group);
  const auto unit_of = [&](const Measurement& it) { return relative ? it.expected->rate : 1.0; };
  std::vector<double> rates;
  for (const Measurement* it : group) rates.push_back(it->rate / unit_of(*it));
  // The upper median, so that the slower one of two has a like.
  const double usual = upper_median(std::move(rates));
  if (!(usual > 0)) return;
  for (Measurement* it : group) it->peers = usual * unit_of(*it);
}

double share_of(const Measurement& it) {
  double share = 1e9;
  if (it.expected && it.expected->rate > 0)
    share = std::min(share, it.rate / least_rate(*it.expected));
  if (it.peers) share = std::min(share, it.rate / *it.peers);
  return share == 1e9 ? 1 : share;
}

bool names(const std::string& subject, const std::string& part) {
  for (std::size_t at = subject.find(part); at != std::string::npos;
       at = subject.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    const bool begins = at == 0 || subject[at - 1] == ' ';
    if (begins && (end == subject.size() || subject[end] == ' ')) return true;
  }
  return false;
}

std::string reason_text(const Clue& clue) {
  const std::string text = clue.advice.empty() ? clue.text : clue.text + ": " + clue.advice;
  return clue.subject.empty() ? text : clue.subject + ": " + text;
}

// Returns whether the rate belongs to certain devices or cores; else it belongs to all of them.
bool is_of_a_part(const Measurement& it, const HostQualification& host) {
  return it.kind == Kind::kDevice || it.kind == Kind::kCore ||
         std::ranges::any_of(host.devices, [&](const QualifiedDevice& device) {
           return names(it.subject, device.name);
         });
}

// Returns clues about the measured part, else clues about the whole host. A rate of all devices
// together is as slow as any of them, so clues about devices apply to it.
std::vector<std::string> reasons_of(const Measurement& it, const HostQualification& host) {
  std::vector<std::string> own, of_parts, general;
  for (const Clue& clue : host.clues) {
    if (clue.subject.empty())
      general.push_back(reason_text(clue));
    else if (names(it.subject, clue.subject))
      own.push_back(reason_text(clue));
    else if (std::ranges::find(host.devices, clue.subject, &QualifiedDevice::name) !=
             host.devices.end())
      of_parts.push_back(reason_text(clue));
  }
  if (!own.empty()) return own;
  if (is_of_a_part(it, host) || of_parts.empty()) return general;
  of_parts.insert(of_parts.end(), general.begin(), general.end());
  return of_parts;
}

// Returns a text such as "41 % of what others reach".
std::string share_text(const Measurement& it) {
  const bool by_peers = it.peers && it.rate / *it.peers <= it.share * (1 + 1e-9);
  if (by_peers) return fmt::format("{:.0f} % of what others reach", 100 * it.share);
  const ExpectedRate& expected = *it.expected;
  std::string text = fmt::format("{:.0f} % of the expected rate", 100 * it.rate / expected.rate);
  if (expected.error <= 0) return text;
  text += fmt::format(", {:.0f} % of the minimum that ", 100 * it.share);
  return text + (1 - expected.error > kLeastOfExpected
                     ? fmt::format("its error of {:.0f} % leaves", 100 * expected.error)
                     : fmt::format("is required, {:.0f} % of it", 100 * kLeastOfExpected));
}

void rank(HostQualification& host) {
  double sum = 0;
  for (const Measurement& it : host.measurements) sum += std::log(std::max(it.share, 1e-6));
  const auto count = static_cast<double>(std::max<std::size_t>(1, host.measurements.size()));
  host.score = std::exp(sum / count);
}

}  // namespace

double least_rate(const ExpectedRate& expected) {
  return expected.rate * std::max(kLeastOfExpected, 1 - expected.error);
}

void judge(std::vector<HostQualification>& hosts, double threshold) {
  for (auto& [key, group] : likes_of(hosts)) compare_with_likes(group);
  for (HostQualification& host : hosts) {
    for (Measurement& it : host.measurements) {
      it.share = share_of(it);
      it.slow = it.share < threshold;
      it.reasons = it.slow ? reasons_of(it, host) : std::vector<std::string>();
    }
    rank(host);
  }
  std::ranges::stable_sort(hosts, {}, &HostQualification::score);
}

bool all_pass(const std::vector<HostQualification>& hosts) {
  return std::ranges::none_of(hosts, [](const HostQualification& host) {
    return std::ranges::any_of(host.measurements, &Measurement::slow);
  });
}

std::vector<std::string> slow_sentences(const std::vector<HostQualification>& hosts) {
  std::vector<std::pair<double, std::string>> found;
  for (const HostQualification& host : hosts)
    for (const Measurement& it : host.measurements) {
      if (!it.slow) continue;
      std::string text = fmt::format("{}{}: {} at {}", hosts.size() > 1 ? host.name + ": " : "",
                                     it.subject, it.what, share_text(it));
      text += it.reasons.empty() ? "; no reason for it can be seen"
                                 : fmt::format("; {}", fmt::join(it.reasons, "; "));
      found.emplace_back(it.share, std::move(text));
    }
  std::ranges::stable_sort(found, {}, &std::pair<double, std::string>::first);
  std::vector<std::string> sentences;
  sentences.reserve(found.size());
  for (auto& [share, text] : found) sentences.push_back(std::move(text));
  return sentences;
}

}  // namespace convoy::qualify
