#pragma once

#include <deque>

#include "core/network/grpc/convert.hpp"

namespace convoy::network {

// What one end of a stream has to say, in order: gRPC writes one message at a time and refers to it
// until it is written. The owner's mutex guards it.
template <typename Message>
class WriteQueue {
 public:
  // What is to be written now; null: another message is on its way.
  template <typename Content>
  const Message* add(const Content& content) {
    write(content, messages_.emplace_back());
    return messages_.size() == 1 ? &messages_.front() : nullptr;
  }

  // The message is written, or the stream is broken. What is to be written now; null: nothing.
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
