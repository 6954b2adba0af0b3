#include "tests/end_to_end/host_tasks.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text/json.hpp"
#include "core/network/addresses.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {

Arguments operator+(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Arguments endless_training() {
  return {"--model=lenet",          "--device=cpu",
          "--batch_size=4",         "--num_intra_threads=1",
          "--num_batches=10000000", "--num_warmup_batches=1",
          "--display_every=1",      "--init_learning_rate=1e-5",
          "--print_parameter_hash", "--variable_update=distributed_replicated"};
}

Arguments free_addresses(std::size_t count, const std::string& host) {
  Arguments addresses;
  for (const int port : network::free_ports(count))
    addresses.push_back(network::to_string(network::HostPort{host, port}));
  return addresses;
}

void expect_plan_is_shown(Arguments command_line, const std::string& record) {
  command_line.front() = "plan";
  const ProgramResult plan = run_convoy(command_line);
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_EQ(text_after("hash of the lowered plan: ", plan.out),
            parse_json(std::ifstream(record))["strategy"]["plan_hash"].get<std::string>());
}

HostTasks::HostTasks(Arguments flags, Arguments of_all)
    : flags_(std::move(flags)), of_all_(std::move(of_all)), addresses_(free_addresses(kTasks)) {}

const char* HostTasks::name(std::size_t task) {
  constexpr const char* kNames[] = {"worker 0", "worker 1", "ps 0"};
  return kNames[task];
}

Arguments HostTasks::command_line(std::size_t task) const {
  const bool serves = task == kServer;
  const Arguments common = Arguments{"run", "--worker_hosts=" + addresses_[0] + "," + addresses_[1],
                                     "--ps_hosts=" + addresses_[2]} +
                           of_all_;
  return common +
         Arguments{serves ? "--job_name=ps" : "--job_name=worker",
                   "--task_index=" + std::to_string(serves ? 0 : task)} +
         (serves ? Arguments{} : flags_);
}

RunningProgram& HostTasks::start(std::size_t task, const Arguments& more,
                                 const ProgramOptions& options) {
  programs_[task] =
      std::make_unique<RunningProgram>(command_line(task) + more, std::optional<pid_t>(), options);
  return *programs_[task];
}

void HostTasks::start_all() {
  for (std::size_t task = 0; task < kTasks; ++task) start(task);
}

}  // namespace convoy
