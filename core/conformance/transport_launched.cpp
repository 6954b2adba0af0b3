// Cases in the processes that a transport's launcher started.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/conformance/transport_conformance.hpp"

namespace convoy::conformance {
namespace {

constexpr double kMeetingSeconds = 20.0;

// A meeting over the transport's own exchange, whose parts all have the same size.
class ExchangeMeeting : public Meeting {
 public:
  explicit ExchangeMeeting(const plugin::TransportPlugin& plugin) : plugin_(plugin) {}
  std::vector<std::string> meet(std::string_view mine) override {
    const std::string lengths = exchange(fmt::format("{:>4}", mine.size()));
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < lengths.size(); i += 4)
      sizes.push_back(std::stoul(lengths.substr(i, 4)));
    const std::size_t most = *std::ranges::max_element(sizes);
    std::string padded(mine);
    padded.resize(most, ' ');
    const std::string all = most == 0 ? "" : exchange(padded);
    std::vector<std::string> parts;
    for (std::size_t rank = 0; rank < sizes.size(); ++rank)
      parts.push_back(all.substr(rank * most, sizes[rank]));
    return parts;
  }

 private:
  std::string exchange(std::string_view mine) { return plugin_.exchange(mine, kMeetingSeconds); }

  const plugin::TransportPlugin& plugin_;
};

CaseResult own_result(const plugin::TransportPlugin& plugin, Meeting& meeting,
                      const TransportCase& it, std::uint32_t rank, std::uint32_t number) {
  try {
    TransportEnd end(plugin, meeting, rank, it.ranks, number + 1);
    it.check(end);
    return {Outcome::kRight, {}};
  } catch (const Unsupported& reason) {
    return {Outcome::kUnsupported, reason.what()};
  } catch (const std::exception& error) {
    return {Outcome::kWrong, error.what()};
  }
}

}  // namespace

CaseResult run_launched(const plugin::TransportPlugin& plugin, const TransportCase& it,
                        std::uint32_t number, unsigned patience) {
  const plugin::TransportPlugin::Launched who = plugin.launched();
  if (it.ranks != who.ranks)
    return {Outcome::kUnsupported,
            fmt::format("needs {} processes, and {} were started", it.ranks, who.ranks)};
  if (it.victim != CONVOY_NONE)
    return {Outcome::kUnsupported, "its launcher ends all processes when one of them ends"};
  ::alarm(patience);
  ExchangeMeeting meeting(plugin);
  CaseResult mine = own_result(plugin, meeting, it, who.rank, number);
  if (mine.outcome == Outcome::kWrong) return mine;
  meeting.meet({});
  ::alarm(0);
  return mine;
}

}  // namespace convoy::conformance
