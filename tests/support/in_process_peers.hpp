#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/runtime/network/peers.hpp"

namespace convoy::testing {

// The control plane of tasks that are threads of this process.
class InProcessPeers {
 public:
  explicit InProcessPeers(std::uint32_t tasks) : given_(tasks), told_(tasks) {
    for (std::uint32_t task = 0; task < tasks; ++task) each_.emplace_back(*this, task);
  }

  runtime::Peers& of(std::uint32_t task) { return each_.at(task); }
  // All present and later exchanges throw an Error kTimeout with this text.
  void lose(const std::string& reason);
  // The number of exchanges so far.
  std::uint64_t rounds() const;

 private:
  class End : public runtime::Peers {
   public:
    End(InProcessPeers& all, std::uint32_t task) : all_(all), task_(task) {}
    std::vector<std::string> exchange(std::string_view own) override {
      return all_.exchange(task_, own);
    }
    void begin_exchange(std::string_view own) override { begun_ = all_.begin(task_, own); }
    std::optional<std::vector<std::string>> exchanged() override { return all_.result(begun_); }
    void tell_steps(std::int64_t steps) override { all_.tell(task_, steps); }
    std::optional<std::int64_t> steps_of_all() override {
      return task_ == 0 ? std::optional(all_.steps()) : std::nullopt;
    }
    void request_drain(bool is_last) override { all_.drain(finished_, is_last); }
    std::optional<bool> agreed_drain() override { return all_.drained(finished_); }
    void finish_drain() override { ++finished_; }

   private:
    InProcessPeers& all_;
    std::uint32_t task_;
    std::uint64_t begun_ = 0;
    std::size_t finished_ = 0;  // number of drains
  };

  std::vector<std::string> exchange(std::uint32_t task, std::string_view own);
  // Returns the number of the round.
  std::uint64_t begin(std::uint32_t task, std::string_view own);
  std::optional<std::vector<std::string>> result(std::uint64_t round);
  void tell(std::uint32_t task, std::int64_t steps);
  std::int64_t steps() const;
  // A task that has finished this many drains asks for another one, or for the next one.
  void drain(std::size_t finished, bool is_last);
  std::optional<bool> drained(std::size_t finished) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> given_;
  std::vector<std::string> complete_;
  std::uint32_t count_ = 0;
  std::uint64_t round_ = 0;
  std::string lost_;
  std::vector<std::int64_t> told_;  // steps, per task
  std::vector<bool> drains_;        // per drain: whether it is the last one
  std::vector<End> each_;
};

}  // namespace convoy::testing
