#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/simulate/machine/constants.hpp"
#include "core/simulate/machine/machine_builder.hpp"
#include "topology/catalogue/catalogue.hpp"
#include "topology/catalogue/platform.hpp"

namespace convoy::testing {

// A model's row of a published table: images per second of all GPUs together, by their number.
struct PublishedRow {
  std::string model;
  std::uint32_t batch = 0;  // per GPU
  std::string strategy;
  std::vector<std::string> options;
  std::vector<std::pair<std::uint32_t, double>> rates;  // the first one is of one GPU
  // Parameter servers, by the number of GPUs, where there were not as many as hosts.
  std::map<std::uint32_t, std::uint32_t> servers;
};

struct PublishedTable {
  std::string name;  // "Amazon EC2"
  std::string part;  // "main results"
  std::string platform;
  std::string data;  // "synthetic", "real"
  std::vector<PublishedRow> rows;

  std::string title() const { return name + ", " + part + ", " + data; }
};

std::vector<PublishedTable> read_published_tables(const std::filesystem::path& file);

// What tells how fast other software is on a described machine.
struct Foresight {
  topology::Catalogue catalogue;
  simulate::SoftwareProfile software;
  std::filesystem::path platforms;
  // To try other values: what becomes of a platform, and of its constants, before it is used.
  std::function<void(topology::Platform&)> adjust_platform = {};
  std::function<void(simulate::MachineConstants&)> adjust_constants = {};

  topology::Platform platform(const std::string& name, std::uint32_t hosts) const;
  simulate::MachineConstants constants(const topology::Platform& platform) const;
};

// From the folders of the source tree.
Foresight read_foresight(const std::string& software);

struct PredictedCell {
  std::string model;
  std::uint32_t devices = 0;
  double published = 0;
  double predicted = 0;
  double linear = 0;  // so many times the rate of one GPU

  double error() const { return predicted / published - 1; }
};

// Every published cell of more than one GPU, predicted from the cell of one GPU by the strategy's
// plans as convoy writes them.
std::vector<PredictedCell> predict_table(const Foresight& foresight, const PublishedTable& table);

// Of absolute relative errors, as parts of one.
struct Errors {
  double mean = 0;
  double worst = 0;
  std::string worst_cell;
};
Errors errors_of(const std::vector<PredictedCell>& cells);
// Of linear scaling; and of one efficiency per number of GPUs, the mean one of all models, fitted
// to the very cells.
Errors linear_errors(const std::vector<PredictedCell>& cells);
Errors efficiency_errors(const std::vector<PredictedCell>& cells);

}  // namespace convoy::testing
