#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>

#include <functional>
#include <memory>

namespace convoy::grpc_transport {

class Stream;

// Threads of gRPC call it for the events of a stream. Calls for one stream do not overlap, except
// that written() may come during read().
class StreamEvents {
 public:
  virtual ~StreamEvents() = default;
  // A message arrived. The next one is read after this function returns.
  virtual void read(Stream& stream, const grpc::ByteBuffer& message) = 0;
  // The argument of write was passed on, or the stream is broken.
  virtual void written(Stream& stream, bool ok) = 0;
  // The last call. From then on, another thread may delete the stream.
  virtual void ended(Stream& stream, const grpc::Status& status) = 0;
};

// Messages in both directions over a connection that no other stream shares. The owner deletes it
// after ended().
class Stream {
 public:
  virtual ~Stream() = default;
  // Call it for one message at a time, and wait for written() in between. Returns false if the
  // stream is broken; written() then does not come.
  virtual bool write(const grpc::ByteBuffer& message) = 0;
  // Ends the stream in order; not during a write.
  virtual void finish(const grpc::Status& status) = 0;
  // Ends it at once; not after ended().
  virtual void cancel() = 0;

  // Ports of the connection; 0: unknown.
  std::uint32_t local_port = 0;
  std::uint32_t remote_port = 0;
};

// The method that streams call.
extern const char* const kMethod;

std::unique_ptr<Stream> dial(const std::shared_ptr<grpc::Channel>& channel, StreamEvents& events);

// The reactor, which gRPC wants, is the same object as the stream. Events come after start().
struct Accepted {
  std::unique_ptr<Stream> stream;
  grpc::ServerGenericBidiReactor* reactor;
  std::function<void()> start;
};
Accepted accept(grpc::GenericCallbackServerContext& context, StreamEvents& events);

}  // namespace convoy::grpc_transport
