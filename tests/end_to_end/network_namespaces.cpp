#include "tests/end_to_end/network_namespaces.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "core/base/process/end_with_parent.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy {
namespace {

int shell(const std::string& command) {
  return std::system(("( " + command + " ) >/dev/null 2>&1").c_str());
}

std::string number(pid_t value) {
  return std::to_string(value);
}

std::string bucket(const std::string& device, const std::string& rate, const std::string& burst) {
  return "tc qdisc replace dev " + device + " root tbf rate " + rate + " burst " + burst +
         " latency 100ms";
}

}  // namespace

std::string NetworkNamespaces::why_not() {
  if (shell("command -v ip && command -v tc && command -v nsenter") != 0)
    return "iproute2 or util-linux is not installed";
  if (shell("unshare -n -m true") != 0) return "this user may not make namespaces";
  if (shell("unshare -n sh -c 'ip link add va type veth peer name vb && "
            "tc qdisc add dev va root tbf rate 1mbit burst 32kb latency 50ms && "
            "echo 1 >/proc/sys/net/ipv4/ip_forward'") != 0)
    return "this kernel has no virtual Ethernet, token buckets or forwarding";
  return "";
}

NetworkNamespaces::NetworkNamespaces(std::size_t hosts) {
  router_ = hold();
  run(router_,
      "echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding");
  for (std::size_t i = 0; i < hosts; ++i) {
    const pid_t host = holders_.emplace_back(hold());
    // Where BBR is the default: it takes the round trip of an idle link for the length of its
    // queue, so that two directions of a slow link starve each other.
    run(host, "echo reno >/proc/sys/net/ipv4/tcp_congestion_control");
    run(host, "ip link set lo up");
    for (const std::string net : {"0", "1"}) join(i, net);
    run(host, "ip route add default via 10.77." + std::to_string(i) + ".254");
    run(host, "ip -6 addr add " + address_6(i) + "/64 dev net0 nodad");
    run(router_, "ip -6 addr add fd77:" + std::to_string(i) + "::fe/64 dev port0" +
                     std::to_string(i) + " nodad");
    run(host, "ip -6 route add default via fd77:" + std::to_string(i) + "::fe");
  }
}

// The host's card to a network, and the router's to the host.
void NetworkNamespaces::join(std::size_t index, const std::string& net) {
  const std::string port = "port" + net + std::to_string(index);
  const std::string range = (net == "0" ? "10.77." : "10.78.") + std::to_string(index);
  run(router_, "ip link add " + port + " type veth peer name net" + net + " netns " +
                   number(host(index)) + " && ip addr add " + range + ".254/24 dev " + port +
                   " && ip link set " + port + " up");
  run(host(index),
      "ip addr add " + range + ".1/24 dev net" + net + " && ip link set net" + net + " up");
}

NetworkNamespaces::~NetworkNamespaces() {
  holders_.push_back(router_);
  for (const pid_t holder : holders_) {
    ::kill(holder, SIGKILL);
    ::waitpid(holder, nullptr, 0);
  }
}

// Namespaces live as long as a process in them.
pid_t NetworkNamespaces::hold() {
  int ready[2];
  if (::pipe(ready) != 0) throw std::runtime_error("no pipe");
  const pid_t parent = ::getpid();
  const pid_t holder = ::fork();
  if (holder == 0) {
    end_with_parent(parent);
    const bool own = ::unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 &&
                     ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    const char made = own ? 1 : 0;
    if (::write(ready[1], &made, 1) != 1) ::_exit(1);
    ::close(ready[0]);
    ::close(ready[1]);
    for (;;) ::pause();
  }
  char made = 0;
  const bool heard = ::read(ready[0], &made, 1) == 1;
  ::close(ready[0]);
  ::close(ready[1]);
  if (!heard || made == 0) throw std::runtime_error("no namespaces");
  return holder;
}

void NetworkNamespaces::run(pid_t namespace_of, const std::string& command) const {
  if (shell("nsenter -t " + number(namespace_of) + " -m -n sh -c '" + command + "'") != 0)
    throw std::runtime_error("failed in a namespace: " + command);
}

std::string NetworkNamespaces::address(std::size_t index) {
  return "10.77." + std::to_string(index) + ".1";
}

std::string NetworkNamespaces::address_6(std::size_t index) {
  return "fd77:" + std::to_string(index) + "::1";
}

std::string NetworkNamespaces::name(std::size_t index) {
  return "host" + std::to_string(index);
}

void NetworkNamespaces::give_names() {
  const std::string folder = scratch_folder("names");
  for (std::size_t of = 0; of < holders_.size(); ++of) {
    const std::string path = folder + "/" + name(of);
    std::ofstream file(path);
    file << "127.0.0.1 localhost\n";
    for (std::size_t i = 0; i < holders_.size(); ++i)
      file << (i == of ? "127.0.1.1" : address(i)) << " " << name(i) << "\n";
    file.close();
    run(host(of), "mount --bind " + path + " /etc/hosts");
  }
}

void NetworkNamespaces::limit_sending(std::size_t index, const std::string& rate,
                                      const std::string& burst) {
  run(host(index), bucket("net0", rate, burst));
}

void NetworkNamespaces::limit(std::size_t index, const std::string& rate,
                              const std::string& burst) {
  limit_sending(index, rate, burst);
  run(router_, bucket("port0" + std::to_string(index), rate, burst));
}

// A bucket that fills by one byte per second and holds no whole packet of data.
void NetworkNamespaces::mute(std::size_t index) {
  run(host(index), "tc qdisc replace dev net0 root tbf rate 8bit burst 40 limit 40");
}

void NetworkNamespaces::cut(std::size_t index) {
  run(router_, "ip link set port0" + std::to_string(index) + " down");
}

void NetworkNamespaces::remove_addresses_of_version_4(std::size_t index) {
  run(host(index), "ip -4 addr flush dev net0 && ip -4 addr flush dev net1");
}

}  // namespace convoy
