#pragma once

#include <deque>

#include "core/network/grpc/convert.hpp"

namespace convoy::network {

// The queue of messages that one end of a stream sends. gRPC writes one message at a time and
// refers to it until it is written. The owner's mutex guards the queue.
template <typename Message>
class WriteQueue {
 public:
  // Queues a message. Returns the message to write now; null if another one is being written.
  template <typename Content>
  const Message* add(const Content& content) {
    write(content, messages_.emplace_back());
    return messages_.size() == 1 ? &messages_.front() : nullptr;
  }

  // Call it when a message was written or the stream broke. Returns the message to write now; null
  // if there is none.
  const Message* written(bool ok) {
    if (ok)
      messages_.pop_front();
    else
      messages_.clear();
    return messages_.empty() ? nullptr : &messages_.front();
  }

  bool empty() const { return messages_.empty(); }

 private:
  std::deque<Message> messages_;  // the first one is being written
};

}  // namespace convoy::network
