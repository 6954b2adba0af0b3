// A transport between the tasks of one process: what is sent lies in a box until it is expected.
#include <convoy/transport.hpp>
#include <convoy/transport_events.hpp>

#include <map>
#include <mutex>
#include <tuple>

#include "later_fields.hpp"

namespace {

struct Boxes {
  std::mutex mutex;
  // By origin, target, channel and sequence.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint64_t>, std::string> letters;
};

Boxes& boxes() {
  static Boxes all;
  return all;
}

class MailboxTransport : public convoy::Transport {
 public:
  static constexpr uint32_t kTraits = CONVOY_TRANSPORT_ONE_MACHINE;
  static constexpr uint32_t kPreference = 7;

  static void available(const convoy::TransportHost& host) {
    if (std::string_view(host.option("closed")) == "true")
      throw std::runtime_error("the post office is closed");
  }
  static std::unique_ptr<Transport> open(const convoy::TransportHost& host,
                                         const convoy_transport_run& run) {
    require_later_fields_zero(run);
    if (run.ranks > 8) throw std::invalid_argument("there are eight boxes");
    host.log(convoy::LogLevel::kInfo, "opened");
    return std::make_unique<MailboxTransport>(run.rank);
  }
  explicit MailboxTransport(uint32_t rank) : rank_(rank) {}

  void describe(convoy_transport_description& out) override {
    convoy::set_text(out.name, "mailbox");
    out.latency = 0.25;
  }
  std::string address() override { return "box " + std::to_string(rank_); }
  void connect(uint32_t peer, std::string_view address) override {
    if (address != "box " + std::to_string(peer)) throw std::invalid_argument("no such box");
    events_.connected(peer);
  }
  void expect(const convoy_transfer& transfer) override {
    require_later_fields_zero(transfer);
    expected_.push_back(transfer);
  }
  void send(const convoy_transfer& transfer) override {
    require_later_fields_zero(transfer);
    const std::lock_guard lock(boxes().mutex);
    boxes().letters[{rank_, transfer.peer, transfer.channel, transfer.sequence}] =
        std::string(static_cast<const char*>(transfer.memory), transfer.bytes);
    events_.done(transfer);
  }
  uint64_t poll(std::span<convoy_transport_event> out, double) override {
    const std::lock_guard lock(boxes().mutex);
    std::erase_if(expected_, [&](const convoy_transfer& it) {
      const auto letter = boxes().letters.extract({it.peer, rank_, it.channel, it.sequence});
      if (!letter) return false;
      letter.mapped().copy(static_cast<char*>(it.memory), it.bytes);
      events_.done(it);
      return true;
    });
    return events_.take(out);
  }
  void interrupt() override {
    for (const convoy_transfer& it : expected_) events_.cancelled(it);
    expected_.clear();
  }

 private:
  uint32_t rank_;
  std::vector<convoy_transfer> expected_;
  convoy::TransportEvents events_;
};

}  // namespace

CONVOY_TRANSPORT(MailboxTransport, "name=mailbox", "version=1", "description=Letters in boxes.",
                 "option=closed:bool:false::Whether it cannot be opened.");
