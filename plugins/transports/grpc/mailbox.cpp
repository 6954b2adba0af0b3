#include "plugins/transports/grpc/mailbox.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <system_error>
#include <utility>

namespace convoy::grpc_transport {
namespace {

constexpr long kTickNanoseconds = 20'000'000;

int made(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return descriptor;
}

void watch(int epoll, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw std::system_error(errno, std::generic_category(), "epoll refuses a descriptor");
}

void drain(int descriptor) {
  std::uint64_t count = 0;
  static_cast<void>(::read(descriptor, &count, sizeof count));
}

}  // namespace

Mailbox::Mailbox()
    : epoll_(made(::epoll_create1(EPOLL_CLOEXEC), "no epoll descriptor can be made")),
      bell_(made(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "no eventfd can be made")),
      timer_(made(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
                  "no timer can be made")) {
  watch(epoll_, bell_);
  watch(epoll_, timer_);
}

Mailbox::~Mailbox() {
  for (const int descriptor : {timer_, bell_, epoll_}) ::close(descriptor);
}

void Mailbox::wake() {
  if (rung_.exchange(true)) return;
  const std::uint64_t one = 1;
  static_cast<void>(::write(bell_, &one, sizeof one));
}

void Mailbox::sleep(double seconds) const {
  pollfd it{epoll_, POLLIN, 0};
  static_cast<void>(::poll(&it, 1, static_cast<int>(std::ceil(seconds * 1000))));
}

void Mailbox::settle() {
  drain(bell_);
  drain(timer_);
  rung_ = false;
}

void Mailbox::tick(bool on) {
  if (std::exchange(ticks_, on) == on) return;
  itimerspec time{};
  if (on) time.it_value.tv_nsec = time.it_interval.tv_nsec = kTickNanoseconds;
  static_cast<void>(::timerfd_settime(timer_, 0, &time, nullptr));
}

void Mailbox::release(const Released& piece) {
  {
    const std::lock_guard lock(mutex_);
    released_.push_back(piece);
  }
  wake();
}

std::vector<Released> Mailbox::take_released() {
  const std::lock_guard lock(mutex_);
  return std::exchange(released_, {});
}

}  // namespace convoy::grpc_transport
