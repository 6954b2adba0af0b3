#include "core/network/grpc/client.hpp"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "core/network/closing_watch.hpp"
#include "core/network/grpc/convert.hpp"
#include "core/network/grpc/credentials.hpp"
#include "core/network/grpc/deadline.hpp"
#include "core/network/grpc/write_queue.hpp"
#include "grpc/control.grpc.pb.h"

namespace convoy::network {
namespace {

constexpr std::chrono::seconds kFarewell{1};
// A peer that answers is connected within this time.
constexpr std::chrono::milliseconds kConnecting{500};

// The stream to the coordinator.
class GrpcClient : public WireClient,
                   private grpc::ClientBidiReactor<v1::TaskMessage, v1::CoordinatorMessage> {
 public:
  GrpcClient(const HostPort& address, const WireSecurity& security, ClientEvents& events)
      : events_(events),
        channel_(grpc::CreateCustomChannel(to_string(address), client_credentials(security),
                                           client_arguments(security))),
        stub_(v1::Coordinator::NewStub(channel_)) {
    stub_->async()->Attend(&context_, this);
    AddHold();  // writes begin outside of the reactions
    StartRead(&incoming_);
    StartCall();
  }

  ~GrpcClient() override {
    const ClosingWatch watch;
    const bool reached = reaches_peer();
    std::unique_lock lock(mutex_);
    closing_ = true;
    if (!reached) context_.TryCancel();
    close_if_idle();
    const auto done = [&] { return done_; };
    if (ended_.wait_for(lock, kFarewell, done)) return;
    context_.TryCancel();
    ended_.wait(lock, done);
  }

  void send(const TaskMessage& message) override {
    const std::lock_guard lock(mutex_);
    if (closing_ || broken_) return;
    if (const auto* next = outgoing_.add(message)) StartWrite(next);
  }

 private:
  void OnReadDone(bool ok) override {
    if (ok) {
      note_answer();
      try {
        events_.received(read(incoming_));
        StartRead(&incoming_);
        return;
      } catch (const std::invalid_argument&) {
        context_.TryCancel();  // the peer is no coordinator of convoy
      }
    }
    const std::lock_guard lock(mutex_);
    broken_ = true;
    release_hold();
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    broken_ |= !ok;
    if (const auto* next = outgoing_.written(ok)) StartWrite(next);
    close_if_idle();
  }

  void OnDone(const grpc::Status& status) override {
    events_.closed(status.ok() ? "it closed the connection" : status.error_message());
    const std::lock_guard lock(mutex_);
    done_ = true;
    ended_.notify_all();
  }

  // Whether there is a connection for a last message. If there never was one, the call is over.
  bool reaches_peer() {
    {
      const std::lock_guard lock(mutex_);
      if (answered_ || done_) return true;
    }
    return channel_->WaitForConnected(deadline_after(kConnecting));
  }

  void note_answer() {
    const std::lock_guard lock(mutex_);
    answered_ = true;
  }

  void close_if_idle() {
    if (!closing_ || said_goodbye_ || broken_ || !outgoing_.empty()) return;
    said_goodbye_ = true;
    StartWritesDone();
  }

  // From here on, no write may begin.
  void release_hold() {
    if (!std::exchange(held_, false)) return;
    RemoveHold();
  }

  ClientEvents& events_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Coordinator::Stub> stub_;
  grpc::ClientContext context_;
  v1::CoordinatorMessage incoming_;
  std::mutex mutex_;
  std::condition_variable ended_;
  WriteQueue<v1::TaskMessage> outgoing_;
  bool held_ = true;
  bool answered_ = false;
  bool broken_ = false;
  bool closing_ = false;
  bool said_goodbye_ = false;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<WireClient> make_grpc_client(const HostPort& address, const WireSecurity& security,
                                             ClientEvents& events) {
  require_own_key(security);
  return std::make_unique<GrpcClient>(address, security, events);
}

}  // namespace convoy::network
