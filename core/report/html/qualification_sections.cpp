#include "core/report/html/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace convoy::report {
namespace {

constexpr std::size_t kMostShares = 64;  // bars in one picture, for the slowest ones

std::string rate_text(const Json& rate, const std::string& unit) {
  if (!rate.is_number()) return "-";
  const double value = listed_number(rate);
  if (unit == "FLOP/s" || unit == "B/s")
    return fmt::format("{} G{}", plain_number(value / 1e9), unit);
  return fmt::format("{} {}", plain_number(value), unit);
}

bool is_judged(const Json& it) {
  return field(it, "foreseen").is_object() || number(it, "likes").has_value();
}

std::string share_text(const Json& it) {
  return is_judged(it) ? quantity(number_or_zero(it, "share"), Unit::kShare) : "-";
}

struct Rate {
  const Json* host;
  const Json* measurement;
};

std::vector<Rate> rates_of(const Json& record, const std::string& kind) {
  std::vector<Rate> rates;
  for (const Json& host : field(record, "hosts"))
    for (const Json& it : field(host, "measurements"))
      if (text(it, "kind") == kind) rates.push_back({&host, &it});
  return rates;
}

std::string name_of(const Rate& rate, bool several) {
  const std::string subject = text(*rate.measurement, "subject");
  return several ? text(*rate.host, "name") + ", " + subject : subject;
}

std::size_t host_count(const Json& record) {
  return field(record, "hosts").size();
}

Table rate_table(const Subject& it, const std::string& title, const std::vector<Rate>& rates) {
  Table table{it.figure_title(title),
              {"of", "what", "measured", "expected", "minimum", "peers", "share", ""},
              {}};
  const bool several = host_count(it.record) > 1;
  for (const Rate& rate : rates) {
    const Json& m = *rate.measurement;
    const std::string unit = text(m, "unit");
    table.rows.push_back(
        {name_of(rate, several), text(m, "what"), rate_text(field(m, "rate"), unit),
         rate_text(field(m, "foreseen/rate"), unit), rate_text(field(m, "foreseen/least"), unit),
         rate_text(field(m, "likes"), unit), share_text(m), is_true(m, "slow") ? "slow" : ""});
  }
  return table;
}

// Draws the shares of the expected rates, the lowest first. The axis reaches at least 100 %.
BarChart share_chart(const Subject& it, const std::string& name, const std::string& title,
                     std::vector<Rate> rates) {
  std::erase_if(rates, [](const Rate& rate) { return !is_judged(*rate.measurement); });
  const auto share = [](const Rate& rate) { return number_or_zero(*rate.measurement, "share"); };
  std::ranges::stable_sort(rates, {}, share);
  BarChart chart{it.figure_name(name),
                 it.figure_title(title),
                 {"share of what it should reach", Unit::kShare},
                 {"slow", "passes"},
                 {}};
  chart.limit = 1;
  if (rates.size() > kMostShares) {
    chart.note = fmt::format("the slowest {} of {}", kMostShares, rates.size());
    rates.resize(kMostShares);
  }
  const bool several = host_count(it.record) > 1;
  for (const Rate& rate : rates) {
    const Json& m = *rate.measurement;
    const std::string of = name_of(rate, several) + ": " + text(m, "what");
    chart.bars.push_back(
        {of,
         {{is_true(m, "slow") ? std::size_t{0} : 1, share(rate)}},
         fmt::format("{}, {}", share_text(m), rate_text(field(m, "rate"), text(m, "unit")))});
  }
  return chart;
}

void add_kind(const Subject& it, const std::string& name, const std::string& title,
              const std::vector<Rate>& rates, std::vector<Figure>& figures) {
  if (rates.empty()) return;
  BarChart chart = share_chart(it, name, title, rates);
  if (!chart.bars.empty()) figures.emplace_back(std::move(chart));
  figures.emplace_back(rate_table(it, title + ": all rates", rates));
}

}  // namespace

std::string qualification_heading(const Json& record) {
  const std::size_t hosts = host_count(record);
  return hosts == 1 ? "Qualification of " + text(field(record, "hosts").front(), "name")
                    : fmt::format("Qualification of {} hosts", hosts);
}

std::vector<std::string> qualification_verdict(const Subject& qualification) {
  const Json& record = qualification.record;
  const std::string least = quantity(number_or_zero(record, "threshold"), Unit::kShare);
  if (is_true(record, "passed"))
    return {fmt::format(
        "Qualified: everything reaches at least {} of its minimum (the expected rate, less its "
        "error).",
        least)};
  std::vector<std::string> sentences = {
      fmt::format("Not qualified: {} below {} of the minimum or of what others reach.",
                  counted(field(record, "slow").size(), "rate") +
                      (field(record, "slow").size() == 1 ? " is" : " are"),
                  least)};
  for (const Json& sentence : field(record, "slow")) {
    if (sentences.size() > 3) break;
    sentences.push_back("Slow: " + sentence.get<std::string>() + ".");
  }
  return sentences;
}

std::vector<Tile> qualification_tiles(const Subject& qualification) {
  const Json& record = qualification.record;
  if (host_count(record) == 0) return {};
  const Json& slowest = field(record, "hosts").front();
  std::size_t rates = 0;
  std::size_t devices = 0;
  for (const Json& host : field(record, "hosts")) {
    rates += field(host, "measurements").size();
    devices += field(host, "devices").size();
  }
  return {{"Slow", plain_number(static_cast<double>(field(record, "slow").size())),
           "of " + counted(rates, "rate")},
          {"Slowest host", quantity(number_or_zero(slowest, "score"), Unit::kShare),
           text(slowest, "name")},
          {"Devices", plain_number(static_cast<double>(devices)),
           "on " + counted(host_count(record), "host")}};
}

std::vector<Figure> qualification_summary(const Subject& qualification) {
  const Json& record = qualification.record;
  std::vector<Figure> figures;
  Table slow{qualification.figure_title("What is slow, the worst first"), {"finding"}, {}};
  for (const Json& sentence : field(record, "slow"))
    slow.rows.push_back({sentence.get<std::string>()});
  if (!slow.rows.empty()) figures.emplace_back(std::move(slow));
  BarChart hosts{qualification.figure_name("hosts"),
                 qualification.figure_title("Hosts, the slowest first"),
                 {"geometric mean of all its shares", Unit::kShare},
                 {},
                 {}};
  hosts.limit = 1;
  for (const Json& host : field(record, "hosts")) {
    const double score = number_or_zero(host, "score");
    hosts.bars.push_back({text(host, "name"), {{0, score}}, quantity(score, Unit::kShare)});
  }
  figures.emplace_back(std::move(hosts));
  return figures;
}

std::vector<Figure> qualification_rates(const Subject& qualification) {
  std::vector<Figure> figures;
  for (const auto& [kind, title] : {std::pair{"device", "Devices"},
                                    {"core", "Cores"},
                                    {"training", "Training"},
                                    {"storage", "Storage"},
                                    {"decoding", "Decoding"}})
    add_kind(qualification, fmt::format("{}-shares", kind), title,
             rates_of(qualification.record, kind), figures);
  return figures;
}

std::vector<Figure> qualification_links(const Subject& qualification) {
  std::vector<Figure> figures;
  add_kind(qualification, "link-shares", "Links", rates_of(qualification.record, "link"), figures);
  return figures;
}

std::vector<Figure> qualification_collectives(const Subject& qualification) {
  const std::vector<Rate> rates = rates_of(qualification.record, "collective");
  if (rates.empty()) return {};
  LineChart chart{qualification.figure_name("collectives"),
                  qualification.figure_title("all_reduce by size"),
                  {"size", Unit::kBytes},
                  {"time", Unit::kSeconds},
                  {}};
  std::map<std::string, std::pair<Series, Series>> curves;  // measured and expected, by owner
  const bool several = host_count(qualification.record) > 1;
  for (const Rate& rate : rates) {
    const Json& m = *rate.measurement;
    const double bytes = number_or_zero(m, "bytes");
    auto& [measured, foreseen] = curves[name_of(rate, several)];
    if (const double it = number_or_zero(m, "rate"); it > 0)
      measured.points.push_back({bytes, bytes / it});
    if (const double it = number_or_zero(m, "foreseen/rate"); it > 0)
      foreseen.points.push_back({bytes, bytes / it});
  }
  std::size_t colour = 0;
  for (auto& [name, pair] : curves) {
    for (Series* series : {&pair.first, &pair.second}) {
      if (series->points.empty()) continue;
      series->label = name + (series == &pair.first ? "" : ", expected");
      series->stroke = series == &pair.first ? Stroke::kSolid : Stroke::kDashed;
      series->colour = colour;
      chart.series.push_back(std::move(*series));
    }
    ++colour;
  }
  return {std::move(chart), rate_table(qualification, "Collectives: all rates", rates)};
}

std::vector<Figure> qualification_environment(const Subject& qualification) {
  const Json& record = qualification.record;
  std::vector<Figure> figures;
  Table seen{qualification.figure_title("What was seen that may slow things down"),
             {"host", "of", "seen", "what to do"},
             {}};
  Table facts{qualification.figure_title("What was measured, and where"), {}, {}};
  facts.rows.push_back({"started", text(record, "start_time")});
  facts.rows.push_back({"convoy", text(record, "convoy_version")});
  for (const Json& host : field(record, "hosts")) {
    for (const Json& clue : field(host, "clues"))
      seen.rows.push_back(
          {text(host, "name"), text(clue, "subject"), text(clue, "text"), text(clue, "advice")});
    for (const Json& device : field(host, "devices"))
      facts.rows.push_back(
          {text(host, "name"), fmt::format("{}: {} ({})", text(device, "name"),
                                           text(device, "model"), text(device, "locality"))});
    if (const std::string by = text(host, "foreseen_by"); !by.empty())
      facts.rows.push_back({"expected rates", by});
    for (const Json& notice : field(host, "notices"))
      facts.rows.push_back({"note", notice.get<std::string>()});
  }
  facts.rows.push_back({"record", qualification.name});
  if (!seen.rows.empty()) figures.emplace_back(std::move(seen));
  figures.emplace_back(std::move(facts));
  return figures;
}

}  // namespace convoy::report
