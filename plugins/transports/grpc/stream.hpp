#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>

#include <functional>
#include <memory>

namespace convoy::grpc_transport {

class Stream;

// Told by threads of gRPC what happens on a stream; calls for one stream do not overlap, except
// that written() may come during read().
class StreamEvents {
 public:
  virtual ~StreamEvents() = default;
  // A message came. The next one is read when this returns.
  virtual void read(Stream& stream, const grpc::ByteBuffer& message) = 0;
  // What write was called with is on its way, or the stream is broken.
  virtual void written(Stream& stream, bool ok) = 0;
  // The last call: the stream may be deleted from here on, by another thread.
  virtual void ended(Stream& stream, const grpc::Status& status) = 0;
};

// Messages in both directions over a connection that no other stream shares. Its owner deletes it
// after ended().
class Stream {
 public:
  virtual ~Stream() = default;
  // One at a time, until written(). False: the stream is broken, and written() will not come.
  virtual bool write(const grpc::ByteBuffer& message) = 0;
  // Ends the stream in order; not while a write is under way.
  virtual void finish(const grpc::Status& status) = 0;
  // Ends it at once. Not after ended().
  virtual void cancel() = 0;

  // Ports of the connection; 0: not known.
  std::uint32_t local_port = 0;
  std::uint32_t remote_port = 0;
};

// Name of the method that streams are calls of.
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
