// Cases in processes of their own. The first process forwards the texts of the ends at their
// meetings and receives their results. It never calls the transport.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/process/end_with_parent.hpp"
#include "core/base/system/system_refusal.hpp"
#include "core/conformance/transport_conformance.hpp"

namespace convoy::conformance {
namespace {

constexpr std::size_t kMessageBytes = 4096;
constexpr char kMeet = 'm';
constexpr char kRight = 'r';
constexpr char kWrong = 'w';
constexpr char kUnsupported = 'u';
// An end that complains may only have noticed the death of another one, which is reported soon.
constexpr double kLastWordsSeconds = 1.0;

// The time of a complaint, so that the first of several is known: steady_clock, with a fixed number
// of digits.
std::string now_text() {
  return fmt::format("{:020}", std::chrono::steady_clock::now().time_since_epoch().count());
}
constexpr std::size_t kTimeDigits = 20;

void write_message(int socket, char kind, std::string_view text) {
  const std::string message = kind + std::string(text.substr(0, kMessageBytes - 1));
  // The first process may have given up, so errors are ignored.
  static_cast<void>(::send(socket, message.data(), message.size(), MSG_NOSIGNAL));
}

// Returns an empty text if the other side is gone.
std::string read_message(int socket) {
  std::string message(kMessageBytes, '\0');
  ssize_t bytes = 0;
  do bytes = ::recv(socket, message.data(), message.size(), 0);
  while (bytes < 0 && errno == EINTR);
  message.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  return message;
}

// A meeting is one message to the first process, and one message back for every rank.
class SocketMeeting : public Meeting {
 public:
  SocketMeeting(int socket, std::uint32_t ranks) : socket_(socket), ranks_(ranks) {}
  std::vector<std::string> meet(std::string_view mine) override {
    write_message(socket_, kMeet, mine);
    std::vector<std::string> all;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const std::string brought = read_message(socket_);
      if (brought.empty()) throw Wrong("the other end did not come");
      all.push_back(brought.substr(1));
    }
    return all;
  }

 private:
  int socket_;
  std::uint32_t ranks_;
};

[[noreturn]] void run_end(const plugin::TransportPlugin& plugin, const TransportCase& it,
                          std::uint32_t rank, int socket, pid_t parent) {
  end_with_parent(parent);
  char kind = kRight;
  std::string text;
  try {
    SocketMeeting meeting(socket, it.ranks);
    TransportEnd end(plugin, meeting, rank, it.ranks, 1);
    it.check(end);
  } catch (const Unsupported& reason) {
    kind = kUnsupported;
    text = reason.what();
  } catch (const std::exception& error) {
    kind = kWrong;
    text = now_text() + error.what();
  }
  write_message(socket, kind, text);
  ::_exit(0);
}

// The processes of one case, seen from the first one.
class Ends {
 public:
  Ends(const plugin::TransportPlugin& plugin, const TransportCase& it)
      : case_(it), ends_(it.ranks) {
    for (std::uint32_t rank = 0; rank < it.ranks; ++rank) start(plugin, rank);
  }
  ~Ends() {
    for (End& end : ends_) stop(end);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  CaseResult result(double patience) {
    const Stopwatch watch;
    while (!finished()) {
      const double left = patience - watch.seconds();
      if (left <= 0) return {Outcome::kWrong, unfinished(patience)};
      listen(left);
      if (everybody_meets()) let_meet();
      if (!failure_) continue;
      hear_last_words();
      return *failure_;
    }
    return {Outcome::kRight, {}};
  }

 private:
  struct End {
    pid_t process = -1;
    int socket = -1;
    bool gone = false;                    // it has ended, or has given its result
    std::optional<std::string> brings{};  // the text that it brings to a meeting
  };

  void start(const plugin::TransportPlugin& plugin, std::uint32_t rank) {
    std::array<int, 2> sockets{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) != 0)
      fail(ExitCode::kUnavailable, "a socket for a child process cannot be made: {}",
           with_advice(std::strerror(errno)));
    const pid_t parent = ::getpid();
    End& end = ends_[rank];
    end.process = ::fork();
    if (end.process < 0)
      fail(ExitCode::kUnavailable, "no child process can be started: {}",
           with_advice(std::strerror(errno)));
    if (end.process == 0) {
      for (std::uint32_t before = 0; before < rank; ++before) ::close(ends_[before].socket);
      ::close(sockets[0]);
      run_end(plugin, case_, rank, sockets[1], parent);
    }
    ::close(sockets[1]);
    end.socket = sockets[0];
  }

  static void stop(End& end) {
    if (end.process > 0) {
      ::kill(end.process, SIGKILL);
      while (::waitpid(end.process, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    if (end.socket >= 0) ::close(end.socket);
  }

  bool is_victim(const End& end) const {
    return static_cast<std::uint32_t>(&end - ends_.data()) == case_.victim;
  }
  // It does not matter how a victim ends.
  bool finished() const {
    return std::ranges::all_of(ends_, [&](const End& it) { return it.gone || is_victim(it); });
  }
  bool everybody_meets() const {
    return std::ranges::any_of(ends_, [](const End& it) { return it.brings.has_value(); }) &&
           std::ranges::all_of(ends_, [](const End& it) { return it.gone || it.brings; });
  }

  void let_meet() {
    for (const End& to : ends_) {
      if (to.gone) continue;
      for (const End& from : ends_) write_message(to.socket, kMeet, from.brings.value_or(""));
    }
    for (End& end : ends_) end.brings.reset();
  }

  void listen(double seconds) {
    std::vector<pollfd> sockets;
    for (const End& end : ends_) sockets.push_back({end.gone ? -1 : end.socket, POLLIN, 0});
    if (::poll(sockets.data(), sockets.size(), static_cast<int>(seconds * 1000) + 1) <= 0) return;
    for (std::size_t i = 0; i < ends_.size(); ++i)
      if (sockets[i].revents != 0) hear(ends_[i]);
  }

  void hear(End& end) {
    const std::string message = read_message(end.socket);
    if (!message.empty() && message.front() == kMeet) {
      end.brings = message.substr(1);
      return;
    }
    end.gone = true;
    if (message.empty())
      note_death(end);
    else if (message.front() == kWrong)
      note_complaint(message.substr(1, kTimeDigits), message.substr(1 + kTimeDigits));
    else if (message.front() == kUnsupported)
      note_failure({Outcome::kUnsupported, message.substr(1)}, false);
  }

  void note_death(End& end) {
    int status = 0;
    while (::waitpid(end.process, &status, 0) < 0 && errno == EINTR) {
    }
    end.process = -1;
    if (is_victim(end)) return;
    const std::string how = WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status),
                                                              ::strsignal(WTERMSIG(status)))
                                                : fmt::format("code {}", WEXITSTATUS(status));
    note_failure({Outcome::kWrong, "the process ended with " + how}, true);
  }

  void hear_last_words() {
    const Stopwatch watch;
    for (double left = kLastWordsSeconds; left > 0 && !finished() && !died_;
         left = kLastWordsSeconds - watch.seconds())
      listen(left);
  }

  void note_complaint(const std::string& time, const std::string& text) {
    if (failure_ && (died_ || first_complaint_ <= time)) return;
    first_complaint_ = time;
    failure_ = {Outcome::kWrong, text};
  }

  // A death takes precedence over complaints, because it may have caused them.
  void note_failure(CaseResult result, bool death) {
    if (!failure_ || (death && !died_)) failure_ = std::move(result);
    died_ = died_ || death;
  }

  std::string unfinished(double patience) const {
    std::string text = fmt::format("not finished after {} s:", patience);
    for (std::size_t i = 0; i < ends_.size(); ++i)
      if (!ends_[i].gone && !is_victim(ends_[i]))
        text += fmt::format(" end {} {}", i,
                            ends_[i].brings ? "waits for the others" : "is in the transport");
    return text;
  }

  const TransportCase& case_;
  std::vector<End> ends_;
  std::optional<CaseResult> failure_;
  bool died_ = false;  // failure_ is the death of an end
  std::string first_complaint_;
};

}  // namespace

CaseResult run_forked(const plugin::TransportPlugin& plugin, const TransportCase& it,
                      double patience) {
  return Ends(plugin, it).result(patience);
}

}  // namespace convoy::conformance
