#include "tests/transports/grpc/liar.hpp"

#include <algorithm>
#include <chrono>

#include "plugins/transports/grpc/greeting.hpp"

namespace convoy::grpc_transport {

Liar::Liar(const convoy_transport_run& run, const std::string& address, std::uint32_t connections)
    : settings_(read_settings(run, connections, false)), ended_(settings_.connections_per_pair()) {
  const Endpoint endpoint = parse_endpoint(address.substr(address.rfind(' ') + 1));
  for (std::uint32_t i = 0; i < settings_.connections_per_pair(); ++i) {
    channels_.push_back(make_channel(settings_, endpoint));
    streams_.push_back(dial(channels_.back(), *this));
  }
}

Liar::~Liar() {
  {
    const std::lock_guard lock(mutex_);
    takes_messages_ = true;
    changed_.notify_all();
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    std::unique_lock lock(mutex_);
    const bool ended = ended_[i];
    lock.unlock();
    if (!ended) streams_[i]->cancel();
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return std::ranges::find(ended_, false) == ended_.end(); });
}

Hello Liar::hello(std::uint32_t connection) const {
  return make_hello(settings_, connection);
}

void Liar::say(std::uint32_t connection, const std::string& bytes) {
  std::unique_lock lock(mutex_);
  ++writing_;
  lock.unlock();
  const bool begun = streams_[connection]->write(copied(bytes.data(), bytes.size()));
  lock.lock();
  if (!begun) --writing_;
  changed_.wait_for(lock, std::chrono::seconds(5), [&] { return writing_ == 0; });
}

bool Liar::hears_credit(std::uint32_t channel, double seconds) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                           [&] { return credits_.contains(channel); });
}

// The next one is read when this returns.
void Liar::read(Stream& /*stream*/, const grpc::ByteBuffer& message) {
  FrameReader reader(message);
  FrameHeader header;
  if (reader.left() < sizeof header) return;
  reader.read(&header, sizeof header);
  std::unique_lock lock(mutex_);
  if (header.kind == FrameKind::kCredit) credits_.insert(header.channel);
  changed_.notify_all();
  if (header.kind == FrameKind::kData) changed_.wait(lock, [&] { return takes_messages_; });
}

void Liar::written(Stream& /*stream*/, bool /*ok*/) {
  const std::lock_guard lock(mutex_);
  --writing_;
  changed_.notify_all();
}

void Liar::ended(Stream& stream, const grpc::Status& /*status*/) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (streams_[i].get() == &stream) ended_[i] = true;
  changed_.notify_all();
}

}  // namespace convoy::grpc_transport
