#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace convoy {

// Network namespaces around a router, as hosts of a network of their own. Host i has the addresses
// 10.77.i.1 and fd77:i::1 on "net0", and 10.78.i.1 on "net1", a second network. They end with this
// object and leave nothing. Needs root and iproute2.
class NetworkNamespaces {
 public:
  // Why there can be none here; empty: they can be made.
  static std::string why_not();

  explicit NetworkNamespaces(std::size_t hosts);
  NetworkNamespaces(const NetworkNamespaces&) = delete;
  NetworkNamespaces& operator=(const NetworkNamespaces&) = delete;
  ~NetworkNamespaces();

  // A process in the host's namespaces, for RunningProgram.
  pid_t host(std::size_t index) const { return holders_.at(index); }
  static std::string address(std::size_t index);
  static std::string address_6(std::size_t index);

  // From here on hosts have names, which mean 127.0.1.1 to the host itself, as Debian installs it,
  // and the address to all others.
  void give_names();
  static std::string name(std::size_t index);

  // What the host sends on net0 takes at most this rate, as tc spells it ("1gbit"), but for bursts
  // ("512kb"), which must hold what the rate gives between two looks of the kernel.
  void limit_sending(std::size_t index, const std::string& rate, const std::string& burst);
  // Both what it sends and what it receives there, as with a card's full-duplex link to a switch.
  void limit(std::size_t index, const std::string& rate, const std::string& burst);
  // What it sends is lost, and it hears the others; or neither.
  void mute(std::size_t index);
  void cut(std::size_t index);
  void remove_addresses_of_version_4(std::size_t index);

 private:
  pid_t hold();
  void join(std::size_t index, const std::string& net);
  void run(pid_t namespace_of, const std::string& command) const;

  std::vector<pid_t> holders_;
  pid_t router_ = -1;
};

}  // namespace convoy
