#include "core/network/grpc/convert.hpp"

#include <stdexcept>

#include "core/base/process/interruption.hpp"

namespace convoy::network {
namespace {

Role read_role(std::uint32_t value) {
  if (value > static_cast<std::uint32_t>(Role::kController))
    throw std::invalid_argument("a task's role is unknown");
  return static_cast<Role>(value);
}

void write_name(const TaskName& name, v1::TaskName& to) {
  to.set_role(static_cast<std::uint32_t>(name.role));
  to.set_index(name.index);
  to.set_host(name.host);
  to.set_pid(name.pid);
}

TaskName read_name(const v1::TaskName& from) {
  return {read_role(from.role()), from.index(), from.host(), from.pid()};
}

void write_position(const Position& position, v1::Position& to) {
  to.set_step(position.step);
  to.set_operation(position.operation);
  to.set_operation_text(position.operation_text);
}

Position read_position(const v1::Position& from) {
  return {from.step(), from.operation(), from.operation_text()};
}

using NamedValues = google::protobuf::RepeatedPtrField<v1::NamedValue>;

void write_values(const std::vector<NamedValue>& values, NamedValues& to) {
  for (const NamedValue& value : values) {
    v1::NamedValue& entry = *to.Add();
    entry.set_name(value.name);
    entry.set_value(value.value);
  }
}

std::vector<NamedValue> read_values(const NamedValues& from) {
  std::vector<NamedValue> values;
  for (const v1::NamedValue& value : from) values.push_back({value.name(), value.value()});
  return values;
}

void write_join(const Join& join, v1::Join& to) {
  write_name(join.name, *to.mutable_name());
  to.set_generation(join.generation);
  to.set_version(join.version);
  to.set_program_hash(join.program_hash);
  to.set_machine(join.machine);
  to.set_address(join.address);
  to.set_loopback(join.loopback);
  to.set_workers(join.workers);
  to.set_servers(join.servers);
  to.set_controller(join.controller);
  to.set_model(join.model);
  write_values(join.plugins, *to.mutable_plugins());
  write_values(join.flags, *to.mutable_flags());
}

Join read_join(const v1::Join& from) {
  Join join;
  join.name = read_name(from.name());
  join.generation = from.generation();
  join.version = from.version();
  join.program_hash = from.program_hash();
  join.machine = from.machine();
  join.address = from.address();
  join.loopback = from.loopback();
  join.workers = from.workers();
  join.servers = from.servers();
  join.controller = from.controller();
  join.model = from.model();
  join.plugins = read_values(from.plugins());
  join.flags = read_values(from.flags());
  return join;
}

void write_heartbeat(const Heartbeat& beat, v1::Heartbeat& to) {
  write_position(beat.position, *to.mutable_position());
  to.set_sent(beat.sent);
}

void write_contribution(const Contribution& contribution, v1::Contribution& to) {
  to.set_round(contribution.round);
  to.set_blob(contribution.blob);
}

void write_goodbye(const Goodbye& goodbye, v1::Goodbye& to) {
  to.set_code(goodbye.code);
  to.set_text(goodbye.text);
  write_position(goodbye.position, *to.mutable_position());
}

void write_roster(const Roster& roster, v1::Roster& to) {
  to.set_rank(roster.rank);
  to.set_generation(roster.generation);
  to.set_key(roster.key);
  for (const Member& member : roster.members) {
    v1::Member& entry = *to.add_members();
    write_name(member.name, *entry.mutable_name());
    entry.set_address(member.address);
    entry.set_machine(member.machine);
  }
}

Roster read_roster(const v1::Roster& from) {
  Roster roster{from.rank(), from.generation(), from.key(), {}};
  for (const v1::Member& member : from.members())
    roster.members.push_back({read_name(member.name()), member.address(), member.machine()});
  if (roster.rank < 0 || roster.rank >= from.members_size() || roster.key.size() != 32)
    throw std::invalid_argument("a roster is not whole");
  return roster;
}

void write_refusal(const Refusal& refusal, v1::Refusal& to) {
  to.set_code(static_cast<int>(refusal.code));
  to.set_text(refusal.text);
}

void write_pulse(const Pulse& pulse, v1::Pulse& to) {
  to.set_sent(pulse.sent);
  to.set_received(pulse.received);
  to.set_replied(pulse.replied);
  for (const Position& position : pulse.positions) write_position(position, *to.add_positions());
}

Pulse read_pulse(const v1::Pulse& from) {
  Pulse pulse{from.sent(), from.received(), from.replied(), {}};
  for (const v1::Position& position : from.positions())
    pulse.positions.push_back(read_position(position));
  return pulse;
}

void write_round_result(const RoundResult& result, v1::RoundResult& to) {
  to.set_round(result.round);
  for (const std::string& blob : result.blobs) to.add_blobs(blob);
}

void write_stop_proposal(const StopProposal& proposal, v1::StopProposal& to) {
  to.set_stop(proposal.stop);
  to.set_reason(proposal.reason);
}

void write_interruption(const Interruption& interruption, v1::Interruption& to) {
  to.set_code(static_cast<int>(interruption.code));
  to.set_text(interruption.text);
}

Interruption read_interruption(const v1::Interruption& from) {
  const auto code = static_cast<ExitCode>(from.code());
  if (!is_interruption(code))
    throw std::invalid_argument("a task is interrupted with a code that is none of interruptions");
  return {code, from.text()};
}

void write_loss(const Loss& loss, v1::Loss& to) {
  to.set_code(static_cast<int>(loss.code));
  to.set_text(loss.text);
  to.set_restart(loss.restart);
}

}  // namespace

void write(const TaskMessage& message, v1::TaskMessage& to) {
  std::visit(
      Overloaded{[&](const Join& m) { write_join(m, *to.mutable_join()); },
                 [&](const Heartbeat& m) { write_heartbeat(m, *to.mutable_heartbeat()); },
                 [&](const Contribution& m) { write_contribution(m, *to.mutable_contribution()); },
                 [&](const Goodbye& m) { write_goodbye(m, *to.mutable_goodbye()); },
                 [&](const Leave&) { to.mutable_leave(); },
                 [&](const StopRequest& m) { to.mutable_stop_request()->set_reason(m.reason); },
                 [&](const StopAnswer& m) { to.mutable_stop_answer()->set_stop(m.stop); },
                 [&](const Interruption& m) { write_interruption(m, *to.mutable_interruption()); }},
      message);
}

void write(const CoordinatorMessage& message, v1::CoordinatorMessage& to) {
  std::visit(
      Overloaded{
          [&](const Roster& m) { write_roster(m, *to.mutable_roster()); },
          [&](const Refusal& m) { write_refusal(m, *to.mutable_refusal()); },
          [&](const Pulse& m) { write_pulse(m, *to.mutable_pulse()); },
          [&](const RoundResult& m) { write_round_result(m, *to.mutable_round_result()); },
          [&](const StopProposal& m) { write_stop_proposal(m, *to.mutable_stop_proposal()); },
          [&](const StopAgreed& m) { to.mutable_stop_agreed()->set_stop(m.stop); },
          [&](const Interruption& m) { write_interruption(m, *to.mutable_interruption()); },
          [&](const Notice& m) { to.mutable_notice()->set_text(m.text); },
          [&](const Loss& m) { write_loss(m, *to.mutable_loss()); },
          [&](const End&) { to.mutable_end(); }},
      message);
}

TaskMessage read(const v1::TaskMessage& from) {
  switch (from.kind_case()) {
    case v1::TaskMessage::kJoin:
      return read_join(from.join());
    case v1::TaskMessage::kHeartbeat:
      return Heartbeat{read_position(from.heartbeat().position()), from.heartbeat().sent()};
    case v1::TaskMessage::kContribution:
      return Contribution{from.contribution().round(), from.contribution().blob()};
    case v1::TaskMessage::kGoodbye:
      return Goodbye{from.goodbye().code(), from.goodbye().text(),
                     read_position(from.goodbye().position())};
    case v1::TaskMessage::kLeave:
      return Leave{};
    case v1::TaskMessage::kStopRequest:
      return StopRequest{from.stop_request().reason()};
    case v1::TaskMessage::kStopAnswer:
      return StopAnswer{from.stop_answer().stop()};
    case v1::TaskMessage::kInterruption:
      return read_interruption(from.interruption());
    case v1::TaskMessage::KIND_NOT_SET:
      break;
  }
  throw std::invalid_argument("a message of a task is of no known kind");
}

CoordinatorMessage read(const v1::CoordinatorMessage& from) {
  using From = v1::CoordinatorMessage;
  switch (from.kind_case()) {
    case From::kRoster:
      return read_roster(from.roster());
    case From::kRefusal:
      return Refusal{static_cast<ExitCode>(from.refusal().code()), from.refusal().text()};
    case From::kPulse:
      return read_pulse(from.pulse());
    case From::kRoundResult:
      return RoundResult{from.round_result().round(),
                         {from.round_result().blobs().begin(), from.round_result().blobs().end()}};
    case From::kStopProposal:
      return StopProposal{from.stop_proposal().stop(), from.stop_proposal().reason()};
    case From::kStopAgreed:
      return StopAgreed{from.stop_agreed().stop()};
    case From::kInterruption:
      return read_interruption(from.interruption());
    case From::kNotice:
      return Notice{from.notice().text()};
    case From::kLoss:
      return Loss{static_cast<ExitCode>(from.loss().code()), from.loss().text(),
                  from.loss().restart()};
    case From::kEnd:
      return End{};
    case From::KIND_NOT_SET:
      break;
  }
  throw std::invalid_argument("a message of the coordinator is of no known kind");
}

}  // namespace convoy::network
