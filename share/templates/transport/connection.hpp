#pragma once

#include <convoy/transfer_flow.hpp>
#include <convoy/transport_events.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crc32c.hpp"
#include "sockets.hpp"

namespace plain_sockets {

// The header before a message's bytes. Frames of the other kinds consist of it alone.
struct Frame {
  std::uint32_t kind = 0;
  std::uint32_t channel = 0;
  std::uint64_t sequence = 0;
  convoy_message_tag tag{};
  std::uint64_t bytes = 0;     // bytes of the message that follows
  std::uint32_t checksum = 0;  // checksum of these bytes
  std::uint32_t own = 0;       // checksum of the frame before this field
};

// Messages between this task and one peer over one TCP connection, which all channels share. Each
// message is one frame. Messages are queued until the connection is established.
class Connection {
 public:
  Connection(std::uint32_t peer, std::uint32_t generation, std::uint32_t channels,
             convoy::TransportEvents& events);

  void send(const convoy_transfer& transfer);
  void expect(const convoy_transfer& transfer);

  void establish(Socket socket) { socket_ = std::move(socket); }
  bool established() const { return static_cast<bool>(socket_); }
  bool lost() const { return lost_; }
  int socket() const { return socket_.get(); }
  // Whether it waits for room in the socket.
  bool wants_to_write() const { return blocked_; }

  // Reads and writes as much as possible without waiting.
  void progress();
  void cancel();
  void lose(convoy_transport_reason reason, const std::string& text, int error = 0);
  // Tells the peer that nothing more will come, and waits a short time for the same from the peer.
  void close();

 private:
  void write();
  bool next_frame();
  void begin_frame(Frame frame, const void* payload);
  void read();
  void take_frame();
  void take_payload();
  bool receive(void* to, std::uint64_t wanted, std::uint64_t& have);
  void ended(int error);

  std::uint32_t peer_;
  convoy::TransportEvents& events_;
  convoy::SendFlow sends_;
  convoy::SentMessages sent_;
  convoy::ReceiveFlow receives_;
  std::vector<bool> credit_due_;
  Socket socket_;
  bool lost_ = false;
  bool blocked_ = false;
  bool said_goodbye_ = false;
  bool heard_goodbye_ = false;
  bool at_end_ = false;

  // The outgoing frame, and the message behind it.
  std::optional<Frame> out_;
  std::optional<convoy_transfer> out_message_;
  std::uint64_t out_done_ = 0;  // bytes of both that are sent
  // The incoming frame.
  Frame in_{};
  std::uint64_t in_have_ = 0;  // bytes received of the frame, then of the message
  bool in_payload_ = false;
  std::byte* in_memory_ = nullptr;
  Crc32c in_checksum_;
};

}  // namespace plain_sockets
