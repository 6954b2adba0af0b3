#include "core/network/grpc/server.hpp"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/network/addresses.hpp"
#include "core/network/closing_watch.hpp"
#include "core/network/grpc/convert.hpp"
#include "core/network/grpc/credentials.hpp"
#include "core/network/grpc/deadline.hpp"
#include "core/network/grpc/write_queue.hpp"
#include "grpc/control.grpc.pb.h"

namespace convoy::network {
namespace {

constexpr int kMostMessageBytes = static_cast<int>(kMostBlobBytes) + (2 << 20);  // with its frame
// Tasks have had time to close their connections. Connections that are still open belong to tasks
// that do not answer.
constexpr std::chrono::milliseconds kShutdown{100};

class GrpcServer;

// The stream of one task. It deletes itself when the stream is over.
class TaskStream : public grpc::ServerBidiReactor<v1::TaskMessage, v1::CoordinatorMessage> {
 public:
  TaskStream(GrpcServer& server, ConnectionId id) : server_(server), id_(id) {
    StartRead(&incoming_);
  }

  void send(const CoordinatorMessage& message) {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    if (const auto* next = outgoing_.add(message)) StartWrite(next);
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    finish_if_idle();
  }

  void OnReadDone(bool ok) override;
  void OnDone() override;
  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    closing_ |= !ok;
    if (const auto* next = outgoing_.written(ok)) StartWrite(next);
    finish_if_idle();
  }

 private:
  void finish_if_idle() {
    if (!closing_ || finished_ || !outgoing_.empty()) return;
    finished_ = true;
    Finish(grpc::Status::OK);
  }

  GrpcServer& server_;
  const ConnectionId id_;
  v1::TaskMessage incoming_;
  std::mutex mutex_;
  WriteQueue<v1::CoordinatorMessage> outgoing_;
  bool closing_ = false;
  bool finished_ = false;
};

class GrpcServer : public WireServer, public v1::Coordinator::CallbackService {
 public:
  GrpcServer(const HostPort& address, const WireSecurity& security, ServerEvents& events)
      : events_(events) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(to_string(address), server_credentials(security), &port_);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.SetMaxReceiveMessageSize(kMostMessageBytes);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }

  ~GrpcServer() override {
    if (!server_) return;
    const ClosingWatch watch;
    {
      const std::lock_guard lock(mutex_);
      for (auto& [id, stream] : streams_) stream->close();
    }
    server_->Shutdown(deadline_after(kShutdown));
    std::unique_lock lock(mutex_);
    empty_.wait(lock, [&] { return streams_.empty(); });
  }

  bool listens() const { return server_ && port_ != 0; }
  int port() const override { return port_; }

  void send(ConnectionId connection, const CoordinatorMessage& message) override {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(connection);
    if (found != streams_.end()) found->second->send(message);
  }

  void close(ConnectionId connection) override {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(connection);
    if (found != streams_.end()) found->second->close();
  }

  grpc::ServerBidiReactor<v1::TaskMessage, v1::CoordinatorMessage>* Attend(
      grpc::CallbackServerContext* /*context*/) override {
    const std::lock_guard lock(mutex_);
    const ConnectionId id = ++connections_;
    auto* stream = new TaskStream(*this, id);
    streams_[id] = stream;
    return stream;
  }

  ServerEvents& events() { return events_; }

  void remove(ConnectionId id) {
    events_.closed(id);
    const std::lock_guard lock(mutex_);
    streams_.erase(id);
    empty_.notify_all();
  }

 private:
  ServerEvents& events_;
  int port_ = 0;
  std::mutex mutex_;
  std::condition_variable empty_;
  std::map<ConnectionId, TaskStream*> streams_;
  ConnectionId connections_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

void TaskStream::OnReadDone(bool ok) {
  try {
    if (ok) {
      server_.events().received(id_, read(incoming_));
      StartRead(&incoming_);
      return;
    }
  } catch (const std::invalid_argument&) {
    // This is no message of a task. The connection ends as if the task had ended.
  }
  close();
}

void TaskStream::OnDone() {
  server_.remove(id_);
  delete this;
}

}  // namespace

std::unique_ptr<WireServer> make_grpc_server(const HostPort& address, const WireSecurity& security,
                                             ServerEvents& events) {
  const std::string problem = listening_problem(address);
  if (!problem.empty())
    fail(ExitCode::kUnavailable,
         "the coordinator cannot listen on {}: {}; choose another port, end what uses it, or name "
         "an "
         "address of this machine",
         to_string(address), problem);
  require_own_key(security);
  auto server = std::make_unique<GrpcServer>(address, security, events);
  if (!server->listens())
    fail(ExitCode::kUnavailable, "the coordinator cannot listen on {}: gRPC does not take {}",
         to_string(address), security.encrypted() ? "the port or --certificate" : "the port");
  return server;
}

}  // namespace convoy::network
