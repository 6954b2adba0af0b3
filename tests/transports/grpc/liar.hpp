#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "plugins/transports/grpc/frame.hpp"
#include "plugins/transports/grpc/settings.hpp"
#include "plugins/transports/grpc/stream.hpp"

namespace convoy::grpc_transport {

// A peer that knows how streams work, and sends what it likes.
class Liar : private StreamEvents {
 public:
  Liar(const convoy_transport_run& run, const std::string& address, std::uint32_t connections);
  ~Liar() override;

  // What the true task would say first on this connection.
  Hello hello(std::uint32_t connection) const;
  // Sends and waits until it is on its way, or the stream is broken.
  void say(std::uint32_t connection, const std::string& bytes);
  // Whether credit for a message of this channel comes within so many seconds, while nothing is
  // taken off the connections that bring messages once each has brought one.
  bool hears_credit(std::uint32_t channel, double seconds);

 private:
  void read(Stream& stream, const grpc::ByteBuffer& message) override;
  void written(Stream& stream, bool ok) override;
  void ended(Stream& stream, const grpc::Status& status) override;

  Settings settings_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<grpc::Channel>> channels_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<bool> ended_;
  std::set<std::uint32_t> credits_;
  bool takes_messages_ = false;
  int writing_ = 0;
};

template <typename Struct>
std::string bytes_of(const Struct& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace convoy::grpc_transport
