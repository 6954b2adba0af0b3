#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "core/runtime/peers.hpp"

namespace convoy::testing {

// The control plane of tasks that are threads of this process.
class InProcessPeers {
 public:
  explicit InProcessPeers(std::uint32_t tasks) : given_(tasks) {
    for (std::uint32_t task = 0; task < tasks; ++task) ends_.emplace_back(*this, task);
  }

  Peers& of(std::uint32_t task) { return ends_.at(task); }
  // Whoever exchanges, now or later, gets an Error kTimeout with this text.
  void lose(const std::string& reason);
  // Exchanges so far.
  std::uint64_t rounds() const;

 private:
  class End : public Peers {
   public:
    End(InProcessPeers& all, std::uint32_t task) : all_(all), task_(task) {}
    std::vector<std::string> exchange(std::string_view own) override {
      return all_.exchange(task_, own);
    }

   private:
    InProcessPeers& all_;
    std::uint32_t task_;
  };

  std::vector<std::string> exchange(std::uint32_t task, std::string_view own);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> given_;
  std::vector<std::string> complete_;
  std::uint32_t count_ = 0;
  std::uint64_t round_ = 0;
  std::string lost_;
  std::vector<End> ends_;
};

}  // namespace convoy::testing
