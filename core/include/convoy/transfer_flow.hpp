// Order and credit of the messages between this task and one peer, for transports that use
// connections: which message may be sent next, and where the bytes of an arriving one go. Copies
// bytes only for messages that arrive before they are expected. Not thread-safe. The rules are at
// the top of convoy/abi/transport.h.
#ifndef CONVOY_TRANSFER_FLOW_HPP
#define CONVOY_TRANSFER_FLOW_HPP

#include <convoy/abi/transport.h>

#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace convoy {

// Thrown when input from the peer is refused; the peer then counts as lost.
class RefusedInput : public std::runtime_error {
 public:
  RefusedInput(convoy_transport_reason reason, const std::string& text)
      : std::runtime_error(text), reason_(reason) {}
  convoy_transport_reason reason() const { return reason_; }

 private:
  convoy_transport_reason reason_;
};

namespace flow_detail {

inline uint64_t eager_cost(uint64_t bytes) {
  return bytes + CONVOY_EAGER_MESSAGE_BYTES;
}

inline std::string in_words(const convoy_message_tag& tag) {
  return "operation " + std::to_string(tag.operation) + " of iteration " +
         std::to_string(tag.iteration) + " of plan " + std::to_string(tag.plan) +
         " in generation " + std::to_string(tag.generation);
}

inline bool equal(const convoy_message_tag& a, const convoy_message_tag& b) {
  return a.generation == b.generation && a.plan == b.plan && a.operation == b.operation &&
         a.iteration == b.iteration;
}

// Throws std::runtime_error for a wrong call; this is not the peer's fault.
inline void require_valid(const convoy_transfer& transfer, std::size_t channels, uint64_t next) {
  if (transfer.bytes > CONVOY_MESSAGE_BYTES)
    throw std::runtime_error("a message of " + std::to_string(transfer.bytes) +
                             " bytes is too large");
  if (transfer.channel >= channels)
    throw std::runtime_error("there is no channel " + std::to_string(transfer.channel));
  if (transfer.sequence != next)
    throw std::runtime_error("message " + std::to_string(transfer.sequence) + " of channel " +
                             std::to_string(transfer.channel) + " comes where " +
                             std::to_string(next) + " is next");
}

// Removes and returns the waiting transfers of all channels, in order.
template <typename Channel>
std::vector<convoy_transfer> take_waiting(std::vector<Channel>& channels) {
  std::vector<convoy_transfer> all;
  for (Channel& channel : channels) {
    all.insert(all.end(), channel.waiting.begin(), channel.waiting.end());
    channel.waiting.clear();
  }
  return all;
}

}  // namespace flow_detail

// Messages to one peer.
class SendFlow {
 public:
  explicit SendFlow(uint32_t channels) : channels_(channels) {}

  // Adds the next message of a channel. Throws std::runtime_error when it is not the next one.
  void add(const convoy_transfer& transfer) {
    flow_detail::require_valid(
        transfer, channels_.size(),
        transfer.channel < channels_.size() ? channels_[transfer.channel].added : 0);
    Channel& channel = channels_[transfer.channel];
    ++channel.added;
    channel.waiting.push_back(transfer);
  }

  // Notes that the peer has expected `expected` messages of the channel so far. Throws
  // RefusedInput.
  void grant(uint32_t index, uint64_t expected) {
    if (index >= channels_.size() || expected < channels_[index].credited)
      throw RefusedInput(CONVOY_REASON_MALFORMED, "credit for message " + std::to_string(expected) +
                                                      " of channel " + std::to_string(index) +
                                                      " does not exist");
    Channel& channel = channels_[index];
    channel.credited = expected;
    while (!channel.eager.empty() && channel.eager.front().sequence < expected) {
      eager_bytes_ -= channel.eager.front().cost;
      channel.eager.pop_front();
    }
  }

  // Takes a message that may be sent now. The caller sends it after all earlier messages of its
  // channel. Channels take turns.
  std::optional<convoy_transfer> next() {
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      turn_ = (turn_ + 1) % channels_.size();
      if (auto transfer = next(channels_[turn_])) return transfer;
    }
    return std::nullopt;
  }
  // The same for one channel.
  std::optional<convoy_transfer> next(uint32_t channel) { return next(channels_.at(channel)); }

  // Removes and returns the messages that were not taken, to be cancelled.
  std::vector<convoy_transfer> abandon() { return flow_detail::take_waiting(channels_); }

 private:
  struct Eager {
    uint64_t sequence;
    uint64_t cost;
  };
  struct Channel {
    uint64_t added = 0;
    uint64_t credited = 0;  // the peer expects messages below this number
    std::deque<convoy_transfer> waiting{};
    std::deque<Eager> eager{};  // sent without credit and not yet expected
  };

  std::optional<convoy_transfer> next(Channel& channel) {
    if (channel.waiting.empty()) return std::nullopt;
    const convoy_transfer transfer = channel.waiting.front();
    if (transfer.sequence >= channel.credited) {
      const uint64_t cost = flow_detail::eager_cost(transfer.bytes);
      if (eager_bytes_ + cost > CONVOY_EAGER_BYTES) return std::nullopt;
      eager_bytes_ += cost;
      channel.eager.push_back({transfer.sequence, cost});
    }
    channel.waiting.pop_front();
    return transfer;
  }

  std::vector<Channel> channels_;
  uint64_t eager_bytes_ = 0;
  std::size_t turn_ = 0;
};

// The messages to one peer that have not ended yet. It makes them end in order, because connections
// and copies may finish a later message first.
class SentMessages {
 public:
  explicit SentMessages(uint32_t channels) : channels_(channels) {}

  void add(const convoy_transfer& transfer) {
    channels_.at(transfer.channel).push_back({transfer, false});
  }

  // The transport no longer refers to the message. Calls `done`, in order, for it and for later
  // finished messages that waited for it; not while an earlier message is unfinished.
  template <typename Done>
  void finish(uint32_t channel, uint64_t sequence, Done done) {
    std::deque<Message>& messages = channels_.at(channel);
    messages.at(sequence - messages.front().transfer.sequence).finished = true;
    while (!messages.empty() && messages.front().finished) {
      done(messages.front().transfer);
      messages.pop_front();
    }
  }

  // Removes and returns the messages that have not ended, in order. `finished` marks those that the
  // transport has finished already.
  struct Message {
    convoy_transfer transfer;
    bool finished;
  };
  std::vector<Message> abandon() {
    std::vector<Message> all;
    for (std::deque<Message>& messages : channels_) {
      all.insert(all.end(), messages.begin(), messages.end());
      messages.clear();
    }
    return all;
  }

 private:
  std::vector<std::deque<Message>> channels_;
};

// Messages from one peer. Each is received by begin, its bytes, finish. On each channel messages
// begin and finish in order. A message may begin before earlier ones have finished, if all of them
// are expected by then.
class ReceiveFlow {
 public:
  ReceiveFlow(uint32_t generation, uint32_t channels)
      : generation_(generation), channels_(channels) {}

  // Adds the next expected message of a channel. The transport then sends the new number of
  // expected messages (`expected`) to the peer. Returns the transfer if the message is complete
  // already. Throws std::runtime_error when it is not the next one, RefusedInput when another
  // message has arrived.
  std::optional<convoy_transfer> expect(const convoy_transfer& transfer) {
    flow_detail::require_valid(
        transfer, channels_.size(),
        transfer.channel < channels_.size() ? channels_[transfer.channel].expected : 0);
    Channel& channel = channels_[transfer.channel];
    ++channel.expected;
    channel.untold_bytes += flow_detail::eager_cost(transfer.bytes);
    untold_bytes_ += flow_detail::eager_cost(transfer.bytes);
    channel.waiting.push_back(transfer);
    // If several are waiting, the early message belongs to the first of them and is still arriving.
    if (channel.early.empty() || channel.waiting.size() > 1) return std::nullopt;
    require_same(transfer, channel.early.front().tag, channel.early.front().bytes);
    return channel.early.front().complete ? hand_over(channel) : std::nullopt;
  }
  uint64_t expected(uint32_t channel) const { return channels_.at(channel).expected; }

  // The number of messages of a channel that are expected by now.
  struct Credit {
    uint32_t channel;
    uint64_t expected;
  };
  // The next credit to send to the peer, one channel after the other, for transports that send few
  // credits. There is none while the peer's eager bytes suffice for all expected messages that it
  // has no credit for. Call it again after expect() and begin().
  std::optional<Credit> next_credit() {
    if (!tells_ && untold_bytes_ + early_bytes_ <= CONVOY_EAGER_BYTES / 2) return std::nullopt;
    tells_ = untold_bytes_ > 0;
    for (uint32_t i = 0; tells_ && i < channels_.size(); ++i) {
      if (channels_[i].untold_bytes == 0) continue;
      untold_bytes_ -= std::exchange(channels_[i].untold_bytes, 0);
      return Credit{i, channels_[i].expected};
    }
    return std::nullopt;
  }

  // Whether begin() would accept the channel's next message, if its tag and size are right.
  bool may_begin(uint32_t index) const {
    const Channel& channel = channels_.at(index);
    return channel.arriving == 0 ||
           (channel.early.empty() && channel.waiting.size() > channel.arriving);
  }

  // A message begins to arrive. Returns where its bytes go: the expected span, or memory of this
  // object. Throws RefusedInput.
  void* begin(uint32_t index, uint64_t sequence, const convoy_message_tag& tag, uint64_t bytes) {
    if (index >= channels_.size() || bytes > CONVOY_MESSAGE_BYTES)
      throw RefusedInput(CONVOY_REASON_MALFORMED, "a message of " + std::to_string(bytes) +
                                                      " bytes on channel " + std::to_string(index) +
                                                      " cannot be");
    if (tag.generation != generation_)
      throw RefusedInput(CONVOY_REASON_STALE, "a message is of generation " +
                                                  std::to_string(tag.generation) + ", not " +
                                                  std::to_string(generation_));
    Channel& channel = channels_[index];
    if (!may_begin(index) || sequence != channel.begun)
      throw RefusedInput(CONVOY_REASON_UNEXPECTED, "message " + std::to_string(sequence) +
                                                       " of channel " + std::to_string(index) +
                                                       " came where " +
                                                       std::to_string(channel.begun) + " was next");
    void* memory = nullptr;
    if (channel.waiting.size() == channel.arriving) {
      memory = begin_early(channel, tag, bytes);
    } else {
      require_same(channel.waiting[channel.arriving], tag, bytes);
      memory = channel.waiting[channel.arriving].memory;
    }
    ++channel.arriving;
    ++channel.begun;
    return memory;
  }

  // All bytes of the oldest unfinished message have arrived. Returns its transfer if it is
  // expected.
  std::optional<convoy_transfer> finish(uint32_t index) {
    Channel& channel = channels_.at(index);
    --channel.arriving;
    if (channel.early.empty()) {
      const convoy_transfer transfer = channel.waiting.front();
      channel.waiting.pop_front();
      return transfer;
    }
    channel.early.back().complete = true;
    return channel.waiting.empty() ? std::nullopt : hand_over(channel);
  }

  // Removes and returns the expected messages that have not arrived, to be cancelled.
  std::vector<convoy_transfer> abandon() { return flow_detail::take_waiting(channels_); }

 private:
  // A message that arrives before it is expected.
  struct Early {
    convoy_message_tag tag;
    uint64_t bytes;
    std::unique_ptr<std::byte[]> memory;
    bool complete = false;
  };
  // waiting and early both have members only while the one early message is still arriving.
  struct Channel {
    uint64_t expected = 0;
    uint64_t begun = 0;
    uint64_t untold_bytes = 0;  // eager cost of messages expected since the last credit
    std::size_t arriving = 0;   // have begun and not finished
    std::deque<convoy_transfer> waiting{};
    std::deque<Early> early{};
  };

  void* begin_early(Channel& channel, const convoy_message_tag& tag, uint64_t bytes) {
    const uint64_t cost = flow_detail::eager_cost(bytes);
    if (early_bytes_ + cost > CONVOY_EAGER_BYTES)
      throw RefusedInput(CONVOY_REASON_FLOOD, "more than " + std::to_string(CONVOY_EAGER_BYTES) +
                                                  " bytes came without credit");
    channel.early.push_back({tag, bytes, std::make_unique_for_overwrite<std::byte[]>(bytes)});
    early_bytes_ += cost;
    return channel.early.back().memory.get();
  }

  std::optional<convoy_transfer> hand_over(Channel& channel) {
    const convoy_transfer transfer = channel.waiting.front();
    const Early& early = channel.early.front();
    if (early.bytes != 0) std::memcpy(transfer.memory, early.memory.get(), early.bytes);
    early_bytes_ -= flow_detail::eager_cost(early.bytes);
    channel.waiting.pop_front();
    channel.early.pop_front();
    return transfer;
  }

  static void require_same(const convoy_transfer& expected, const convoy_message_tag& tag,
                           uint64_t bytes) {
    if (expected.bytes == bytes && flow_detail::equal(expected.tag, tag)) return;
    throw RefusedInput(CONVOY_REASON_UNEXPECTED,
                       "message " + std::to_string(expected.sequence) + " of channel " +
                           std::to_string(expected.channel) + " is " + std::to_string(bytes) +
                           " bytes of " + flow_detail::in_words(tag) + "; expected were " +
                           std::to_string(expected.bytes) + " of " +
                           flow_detail::in_words(expected.tag));
  }

  uint32_t generation_;
  std::vector<Channel> channels_;
  uint64_t early_bytes_ = 0;
  uint64_t untold_bytes_ = 0;
  bool tells_ = false;  // next_credit() is in the middle of its channels
};

}  // namespace convoy

#endif
