#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "core/report/html/embedded_data.hpp"
#include "core/report/html/report.hpp"
#include "core/report/html/scaling_curves.hpp"
#include "core/report/html/sections.hpp"

namespace convoy::report {
namespace {

enum class Kind { kRun, kSimulation, kComparison, kSweep, kQualification };

Kind kind_of(const NamedRecord& named) {
  const Json& record = named.record;
  require_known_version(named);
  const bool version = number(record, "schema_version").has_value();
  if (version && field(record, "cells").is_array()) return Kind::kComparison;
  if (version && field(record, "points").is_array()) return Kind::kSweep;
  if (version && field(record, "results").is_array()) return Kind::kSimulation;
  if (version && field(record, "steps").is_array()) return Kind::kRun;
  if (version && field(record, "hosts").is_array()) return Kind::kQualification;
  fail(ExitCode::kUsage,
       "{}: not a record of convoy; run, simulate, compare and qualify write one with "
       "--output_file=x.json",
       named.name);
}

using FiguresOf = std::vector<Figure> (*)(const Subject&);

// What a section shows for each kind of record.
struct SectionRule {
  const char* id;
  const char* title;
  FiguresOf of_run;
  FiguresOf of_simulation;
  FiguresOf of_comparison;
  FiguresOf of_qualification = nullptr;
  FiguresOf of_sweep = nullptr;

  FiguresOf of(Kind kind) const {
    switch (kind) {
      case Kind::kRun:
        return of_run;
      case Kind::kSimulation:
        return of_simulation;
      case Kind::kComparison:
        return of_comparison;
      case Kind::kSweep:
        return of_sweep;
      default:
        return of_qualification;
    }
  }
};

constexpr SectionRule kSections[] = {
    {"summary", "What is slow", nullptr, nullptr, nullptr, qualification_summary},
    {"rates", "Rates", nullptr, nullptr, nullptr, qualification_rates},
    {"cells", "Comparison", nullptr, nullptr, comparison_tables},
    {"points", "Sweep", nullptr, nullptr, nullptr, nullptr, sweep_table},
    {"steps", "Step times", step_figures, nullptr, nullptr},
    {"timeline", "Timeline of one step", timeline_figures, simulation_timeline, nullptr},
    {"parts", "Where the step goes", breakdown_figures, simulation_breakdown, nullptr},
    {"links", "Links",
     [](const Subject& run) { return link_figures(run, field(run.record, "prediction/links")); },
     simulation_links, nullptr, qualification_links},
    {"collectives", "Collectives", nullptr, nullptr, nullptr, qualification_collectives},
    {"tasks", "Tasks", task_figures, nullptr, nullptr},
    {"learning", "Loss and accuracy", learning_figures, nullptr, nullptr},
    {"resources", "Memory, power and clocks", resource_figures, simulation_memory, nullptr},
    {"environment", "Environment", environment_figures, simulation_environment, rows_environment,
     qualification_environment, rows_environment},
};

class Maker {
 public:
  explicit Maker(const std::vector<NamedRecord>& records) : records_(records) {
    if (records.empty()) fail(ExitCode::kUsage, "a report needs at least one record");
    for (const NamedRecord& named : records) {
      kinds_.push_back(kind_of(named));
      subjects_.push_back({named.record, named.name, subjects_.size(), records.size() == 1,
                           heading(kinds_.back(), named.record)});
    }
  }

  Report make() {
    report_.title = subjects_.size() == 1 ? subjects_.front().heading
                                          : fmt::format("{} records of convoy", subjects_.size());
    for (std::size_t i = 0; i < subjects_.size(); ++i) add_verdict(i);
    if (subjects_.size() == 1) add_tiles();
    add_scaling();
    for (const SectionRule& rule : kSections) add_section(rule);
    share_marks();
    report_.data = embedded_data(records_);
    return std::move(report_);
  }

 private:
  static std::string heading(Kind kind, const Json& record) {
    switch (kind) {
      case Kind::kSimulation:
        return simulation_heading(record);
      case Kind::kComparison:
        return comparison_heading(record);
      case Kind::kSweep:
        return sweep_heading(record);
      case Kind::kQualification:
        return qualification_heading(record);
      default:
        return run_heading(record);
    }
  }

  void add_verdict(std::size_t i) {
    const auto verdict = kinds_[i] == Kind::kRun          ? run_verdict
                         : kinds_[i] == Kind::kSimulation ? simulation_verdict
                         : kinds_[i] == Kind::kComparison ? comparison_verdict
                         : kinds_[i] == Kind::kSweep      ? sweep_verdict
                                                          : qualification_verdict;
    for (std::string& sentence : verdict(subjects_[i]))
      report_.verdicts.push_back(subjects_.size() == 1 ? std::move(sentence)
                                                       : subjects_[i].name + ": " + sentence);
  }

  void add_tiles() {
    if (kinds_.front() == Kind::kRun) report_.tiles = run_tiles(subjects_.front());
    if (kinds_.front() == Kind::kSimulation) report_.tiles = simulation_tiles(subjects_.front());
    if (kinds_.front() == Kind::kQualification)
      report_.tiles = qualification_tiles(subjects_.front());
  }

  void add_scaling() {
    std::vector<ScalingPoint> points;
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      if (kinds_[i] == Kind::kQualification) continue;
      const auto scaling = kinds_[i] == Kind::kRun          ? run_scaling
                           : kinds_[i] == Kind::kSimulation ? simulation_scaling
                           : kinds_[i] == Kind::kSweep      ? sweep_scaling
                                                            : comparison_scaling;
      for (ScalingPoint& point : scaling(subjects_[i].record)) points.push_back(std::move(point));
    }
    std::vector<Figure> figures = scaling_figures(points);
    if (!figures.empty()) report_.sections.push_back({"scaling", "Scaling", std::move(figures)});
  }

  void add_section(const SectionRule& rule) {
    Section section{rule.id, rule.title, {}};
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      const FiguresOf figures = rule.of(kinds_[i]);
      if (figures == nullptr) continue;
      for (Figure& figure : figures(subjects_[i])) section.figures.push_back(std::move(figure));
    }
    if (!section.figures.empty()) report_.sections.push_back(std::move(section));
  }

  // Divides the marks among all timelines, because the page's size is limited.
  void share_marks() {
    std::size_t timelines = 0;
    const auto each = [this](const auto& visit) {
      for (Section& section : report_.sections)
        for (Figure& figure : section.figures)
          if (auto* chart = std::get_if<TimelineChart>(&figure)) visit(*chart);
    };
    each([&](TimelineChart& chart) { timelines += chart.timelines.size(); });
    each([&](TimelineChart& chart) {
      chart.most_marks = 1800 / std::max<std::size_t>(2, timelines);
    });
  }

  const std::vector<NamedRecord>& records_;
  std::vector<Kind> kinds_;
  std::vector<Subject> subjects_;
  Report report_;
};

}  // namespace

void require_known_version(const NamedRecord& named) {
  const auto version = number(named.record, "schema_version");
  if (version && *version != 1)
    fail(ExitCode::kUsage,
         "{}: a record of version {:.0f}; this convoy reads version 1, a newer one reads both",
         named.name, *version);
}

Report make_report(const std::vector<NamedRecord>& records) {
  try {
    return Maker(records).make();
  } catch (const nlohmann::json::exception& error) {
    fail(ExitCode::kUsage,
         "a record is damaged, or something else than convoy wrote it: {}; its name was given as "
         "{}",
         json_problem(error), records.front().name);
  }
}

}  // namespace convoy::report
