#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/plan/lower/lower.hpp"
#include "core/plan/schedule/schedule.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/runtime/executor.hpp"
#include "tests/devices/fake/fake_program.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing {

struct PlanRunnerOptions {
  runtime::ExecutorOptions executor{};
  plan::LoweringOptions lowering{};
  const plugin::PluginSettings* author = nullptr;  // of the plan; null: it came with convoy
  bool toy_programs = true;  // forward and backward are FakePrograms; off where nothing computes
  // Of several hosts, the one that this is, and what joins it to the others.
  std::uint32_t host = 0;
  runtime::NetworkEngine* network = nullptr;
};

// A logical plan on devices: lowered, scheduled and executed. Starts like the interpreter: masters
// and parameters as options.initial says, memory that a plan may not rely on holds not-a-number.
class PlanRunner {
 public:
  // The plan and the plug-in must outlive this. One thread per CPU device. Of several hosts it runs
  // the part of one; all of them are made at the same time, each on a thread of its own.
  PlanRunner(const plan::Plan& plan, const plugin::DevicePlugin& plugin, InterpreterOptions options,
             const PlanRunnerOptions& runner = {});
  ~PlanRunner();
  PlanRunner(const PlanRunner&) = delete;
  PlanRunner& operator=(const PlanRunner&) = delete;

  // So many steps, with as many in flight as the executor takes.
  std::vector<runtime::StepResult> run(std::int64_t steps);
  void submit();
  // The first difference of any buffer or optimizer state here to the interpreter's, or nothing.
  // Any not-a-number equals any other; scratch counts only where the interpreter's is not poison.
  std::string difference(const Interpreter& expected) const;

  runtime::Executor& executor() { return *executor_; }
  const runtime::PlanMemory& memory() const { return *memory_; }
  const plan::Plan& lowered() const { return lowered_; }

 private:
  void open(const plugin::DevicePlugin& plugin);
  void poison(std::uint32_t buffer);
  runtime::ExecutorParts parts();

  const plan::Plan& plan_;
  PlanRunnerOptions runner_;
  InterpreterOptions options_;
  std::vector<std::unique_ptr<plugin::OpenDevice>> devices_;
  runtime::Engines engines_;
  plan::Plan lowered_;
  plan::Schedule schedule_;
  std::unique_ptr<runtime::PlanMemory> memory_;
  std::vector<std::unique_ptr<FakeProgram>> programs_;
  std::unique_ptr<runtime::Executor> executor_;
  std::int64_t submitted_ = 0;
  std::int64_t finished_ = 0;
};

}  // namespace convoy::testing
