#include "core/network/membership.hpp"

#include <algorithm>

#include "core/base/text/counted.hpp"
#include "core/network/agreement.hpp"

namespace convoy::network {

Membership::Membership(const TaskName& coordinator, int workers, int servers, bool controller,
                       std::string key)
    : coordinator_(coordinator),
      workers_(workers),
      servers_(servers),
      controller_(controller),
      key_(std::move(key)) {
  for (int i = 0; i < workers; ++i) seats_.push_back({Role::kWorker, i});
  for (int i = 0; i < servers; ++i) seats_.push_back({Role::kServer, i});
  if (controller) seats_.push_back({Role::kController, 0});
}

std::optional<int> Membership::seat_of(const TaskName& name) const {
  for (std::size_t rank = 0; rank < seats_.size(); ++rank)
    if (seats_[rank].role == name.role && seats_[rank].index == name.index)
      return static_cast<int>(rank);
  return std::nullopt;
}

std::optional<Refusal> Membership::admit(ConnectionId connection, const Join& join) {
  for (const Seat& seat : seats_)
    if (seat.join)
      if (auto found = disagreement(join, *seat.join)) return found;
  const std::optional<int> rank = seat_of(join.name);
  if (!rank)
    return Refusal{ExitCode::kUsage,
                   fmt::format("{} is none of the {} workers, {} servers and {} controller that {} "
                               "was told of; give every task the same lists of hosts, or start as "
                               "many processes as the launcher says",
                               to_string(join.name), workers_, servers_, controller_ ? "one" : "no",
                               to_string(coordinator_))};
  Seat& seat = seats_[static_cast<std::size_t>(*rank)];
  if (seat.join)
    return Refusal{
        ExitCode::kUsage,
        fmt::format("{} and {} both say that they are {}; give each task an index of its "
                    "own, or end what is left of an earlier run",
                    to_string(join.name), to_string(seat.join->name),
                    seat_text(seat.role, seat.index))};
  seat.connection = connection;
  seat.join = join;
  return std::nullopt;
}

std::optional<Refusal> Membership::too_late(const Join& join) const {
  const std::optional<int> rank = seat_of(join.name);
  if (join.generation == 0 || !rank) return std::nullopt;
  if (join.generation != generation_)
    return Refusal{ExitCode::kTimeout,
                   fmt::format("{} comes back for generation {} of the run, which is at {}",
                               to_string(join.name), join.generation, generation_)};
  if (!taken(*rank)) return std::nullopt;
  return Refusal{ExitCode::kTimeout, fmt::format("{} counted as lost, and {} has taken its place",
                                                 to_string(join.name), text(*rank))};
}

void Membership::vacate(int rank) {
  Seat& seat = seats_[static_cast<std::size_t>(rank)];
  seat = {seat.role, seat.index};
}

void Membership::begin_generation() {
  ++generation_;
  for (int rank = 0; rank < size(); ++rank) vacate(rank);
}

bool Membership::complete() const {
  return std::ranges::all_of(seats_, [](const Seat& seat) { return seat.join.has_value(); });
}

std::optional<int> Membership::rank_of(ConnectionId connection) const {
  for (std::size_t rank = 0; rank < seats_.size(); ++rank)
    if (seats_[rank].join && seats_[rank].connection == connection) return static_cast<int>(rank);
  return std::nullopt;
}

ConnectionId Membership::connection_of(int rank) const {
  return seats_[static_cast<std::size_t>(rank)].connection;
}

std::string Membership::text(int rank) const {
  const Seat& seat = seats_[static_cast<std::size_t>(rank)];
  return seat.join ? to_string(seat.join->name) : seat_text(seat.role, seat.index);
}

Roster Membership::roster(int rank) const {
  Roster roster;
  roster.rank = rank;
  roster.generation = generation_;
  roster.key = key_;
  for (const Seat& seat : seats_)
    roster.members.push_back({seat.join->name, seat.join->address, seat.join->machine});
  return roster;
}

std::optional<Refusal> Membership::unreachable() const {
  for (const Seat& seat : seats_) {
    if (!seat.join->loopback) continue;
    for (const Seat& other : seats_) {
      if (other.join->loopback && other.join->machine == seat.join->machine) continue;
      return Refusal{
          ExitCode::kUsage,
          fmt::format("{} has the loopback address {}, by which {} at {} cannot reach it; give it "
                      "--advertise_address=HOST, or correct its own name in /etc/hosts",
                      to_string(seat.join->name), seat.join->address, to_string(other.join->name),
                      other.join->address)};
    }
  }
  return std::nullopt;
}

std::string Membership::listed(bool joined) const {
  std::vector<std::string> names;
  for (int rank = 0; rank < size(); ++rank)
    if (taken(rank) == joined) names.push_back(text(rank));
  if (names.empty()) return "nobody";
  return joined_some(names, 16, ", ");
}

std::string Membership::missing_text() const {
  return listed(false);
}
std::string Membership::joined_text() const {
  return listed(true);
}

}  // namespace convoy::network
