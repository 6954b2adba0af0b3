#include "plugins/transports/grpc/stream.hpp"

#include <mutex>
#include <utility>

#include "plugins/transports/grpc/sockets.hpp"

namespace convoy::grpc_transport {

const char* const kMethod = "/convoy.transport.v1.Transport/Exchange";

namespace {

class DialedStream : public Stream,
                     private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  DialedStream(const std::shared_ptr<grpc::Channel>& channel, StreamEvents& events)
      : events_(events), stub_(channel) {
    stub_.PrepareBidiStreamingCall(&context_, kMethod, grpc::StubOptions(), this);
    AddHold();  // needed because other threads than the reactions begin writes
  }
  void start() {
    StartRead(&incoming_);
    StartCall();
  }

  bool write(const grpc::ByteBuffer& message) override {
    const std::lock_guard lock(mutex_);
    if (ending_) return false;
    outgoing_ = message;
    StartWrite(&outgoing_);
    return true;
  }
  void finish(const grpc::Status& /*status*/) override {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(ending_, true)) StartWritesDone();
  }
  void cancel() override { context_.TryCancel(); }

 private:
  void OnReadDone(bool ok) override {
    if (ok) {
      events_.read(*this, incoming_);
      incoming_.Clear();
      StartRead(&incoming_);
      return;
    }
    const std::lock_guard lock(mutex_);
    ending_ = true;
    RemoveHold();
  }
  void OnWriteDone(bool ok) override {
    outgoing_.Clear();
    events_.written(*this, ok);
  }
  void OnDone(const grpc::Status& status) override { events_.ended(*this, status); }

  StreamEvents& events_;
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub_;
  grpc::ClientContext context_;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
  std::mutex mutex_;
  bool ending_ = false;
};

class AcceptedStream : public Stream, public grpc::ServerGenericBidiReactor {
 public:
  AcceptedStream(grpc::GenericCallbackServerContext& context, StreamEvents& events)
      : events_(events), context_(context) {}
  void start() { StartRead(&incoming_); }

  bool write(const grpc::ByteBuffer& message) override {
    const std::lock_guard lock(mutex_);
    if (finished_ || unread_) return false;
    outgoing_ = message;
    writing_ = true;
    StartWrite(&outgoing_);
    return true;
  }
  void finish(const grpc::Status& status) override {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(finished_, true)) Finish(status);
  }
  void cancel() override { context_.TryCancel(); }

 private:
  void OnReadDone(bool ok) override {
    if (ok) {
      events_.read(*this, incoming_);
      incoming_.Clear();
      const std::lock_guard lock(mutex_);
      if (!finished_) StartRead(&incoming_);
      return;
    }
    const std::lock_guard lock(mutex_);
    unread_ = true;
    finish_when_idle();
  }
  void OnWriteDone(bool ok) override {
    outgoing_.Clear();
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      finish_when_idle();
    }
    events_.written(*this, ok);
  }
  void OnDone() override { events_.ended(*this, grpc::Status::OK); }

  // The other end sends nothing more, so the call ends.
  void finish_when_idle() {
    if (unread_ && !writing_ && !std::exchange(finished_, true)) Finish(grpc::Status::OK);
  }

  StreamEvents& events_;
  grpc::GenericCallbackServerContext& context_;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
  std::mutex mutex_;
  bool writing_ = false;
  bool unread_ = false;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Stream> dial(const std::shared_ptr<grpc::Channel>& channel, StreamEvents& events) {
  auto stream = std::make_unique<DialedStream>(channel, events);
  stream->start();
  return stream;
}

Accepted accept(grpc::GenericCallbackServerContext& context, StreamEvents& events) {
  auto stream = std::make_unique<AcceptedStream>(context, events);
  stream->remote_port = port_of(context.peer());
  AcceptedStream& reactor = *stream;
  return {std::move(stream), &reactor, [&reactor] { reactor.start(); }};
}

}  // namespace convoy::grpc_transport
