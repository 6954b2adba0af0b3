// Records against share/schema, by what these schemas use of JSON Schema.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy {
namespace schema_test {
namespace {

using nlohmann::json;

class Validator {
 public:
  explicit Validator(const std::string& name)
      : schema_(parse_json(std::ifstream(CONVOY_SOURCE_DIR "/share/schema/" + name))) {}

  // What is wrong, each with where; empty when nothing is.
  std::vector<std::string> faults(const json& value) {
    faults_.clear();
    check(value, schema_, "");
    return faults_;
  }

 private:
  static bool has_type(const json& value, const std::string& type) {
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_number_integer();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    if (type == "null") return value.is_null();
    ADD_FAILURE() << "a type that this test does not know: " << type;
    return false;
  }

  void check(const json& value, const json& schema, const std::string& where) {
    if (schema.contains("$ref")) {
      const std::string name =
          schema["$ref"].get<std::string>().substr(std::string("#/$defs/").size());
      return check(value, schema_.at("$defs").at(name), where);
    }
    if (schema.contains("anyOf")) return check_any(value, schema["anyOf"], where);
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      faults_.push_back(where + ": not one of " + schema["enum"].dump());
    if (schema.contains("type") && !check_type(value, schema["type"], where)) return;
    if (value.is_object()) check_members(value, schema, where);
    if (value.is_array() && schema.contains("items"))
      for (std::size_t i = 0; i < value.size(); ++i)
        check(value[i], schema["items"], where + "/" + std::to_string(i));
  }

  void check_any(const json& value, const json& choices, const std::string& where) {
    const std::vector<std::string> before = faults_;
    std::vector<std::string> worst;
    for (const json& choice : choices) {
      faults_ = before;
      check(value, choice, where);
      if (faults_.size() == before.size()) return;
      if (worst.empty()) worst = faults_;  // of the first choice: what it would have to be
    }
    faults_ = worst;
  }

  bool check_type(const json& value, const json& types, const std::string& where) {
    const json list = types.is_array() ? types : json::array({types});
    for (const json& type : list)
      if (has_type(value, type.get<std::string>())) return true;
    faults_.push_back(where + ": " + value.dump().substr(0, 60) + " is no " + types.dump());
    return false;
  }

  void check_members(const json& value, const json& schema, const std::string& where) {
    for (const json& name : schema.value("required", json::array()))
      if (!value.contains(name.get<std::string>()))
        faults_.push_back(where + ": no " + name.get<std::string>());
    const json known = schema.value("properties", json::object());
    for (const auto& [name, member] : value.items()) {
      const std::string inside = fmt::format("{}/{}", where, name);
      if (known.contains(name))
        check(member, known[name], inside);
      else if (schema.contains("additionalProperties"))
        check(member, schema["additionalProperties"], inside);
      else if (schema.contains("properties"))
        faults_.push_back(inside + ": the schema does not know it");
    }
  }

  json schema_;
  std::vector<std::string> faults_;
};

std::string text_of(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) text += fault + "\n";
  return text;
}

json record_of(std::vector<std::string> arguments) {
  const std::string file = scratch_folder("schema") + "/x.json";
  arguments.push_back("--output_file=" + file);
  const ProgramResult result = run_convoy(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return parse_json(std::ifstream(file));
}

// Made once.
const json& run_record() {
  static const json kRecord =
      record_of({"run", "--model=lenet", "--device=cpu", "--num_devices=2", "--num_intra_threads=1",
                 "--batch_size=2", "--num_batches=4", "--num_warmup_batches=1", "--profile",
                 "--record_timeline", "--report_gradient_norms", "--print_training_accuracy",
                 "--variable_update=replicated", "--init_learning_rate=1e-6"});
  return kRecord;
}

TEST(Schema, RunsAreWhatItSays) {
  Validator validator("run.schema.json");
  json record = run_record();  // a copy
  EXPECT_EQ(text_of(validator.faults(record)), "");
  EXPECT_FALSE(record.at("timeline").is_null());
  // The test itself can fail.
  record["total"].erase("seconds");
  record["steps"][0]["loss"] = "much";
  record["prediction"]["links"] = 5;
  EXPECT_EQ(validator.faults(record).size(), 3u);
}

TEST(Schema, SimulationsAreWhatItSays) {
  const std::vector<std::string> common = {"simulate",        "--platform=dgx1-p100",
                                           "--model=alexnet", "--batch_size=64",
                                           "--num_gpus=1,2",  "--record_timeline"};
  EXPECT_EQ(text_of(Validator("simulation.schema.json").faults(record_of(common))), "");
}

// One of the points is refused and has no figures.
TEST(Schema, SweepsAreWhatItSays) {
  json record = record_of({"simulate", "--platform=dgx1-p100", "--model=alexnet,lenet",
                           "--batch_size=64", "--num_gpus=2,9", "--variable_update=auto"});
  Validator validator("sweep.schema.json");
  EXPECT_EQ(text_of(validator.faults(record)), "");
  ASSERT_EQ(record.at("points").size(), 4u);
  EXPECT_TRUE(record["points"][1].at("plan_hash").is_null());
  // The test itself can fail.
  record["points"][0].erase("efficiency");
  record["points"][1]["hosts"] = "two";
  record["points"][2]["colour"] = "blue";
  EXPECT_EQ(validator.faults(record).size(), 3u);
}

TEST(Schema, QualificationsAreWhatItSays) {
  const json record = record_of({"qualify", "--quick", "--model=lenet", "--batch_size=2",
                                 "--device=cpu", "--num_devices=2", "--threshold=0"});
  EXPECT_EQ(text_of(Validator("qualification.schema.json").faults(record)), "");
}

TEST(Schema, ComparisonsAreWhatItSays) {
  const std::string file = scratch_folder("schema_comparison") + "/comparison.json";
  const ProgramResult result =
      run_convoy({"compare", "--platform=dgx1-p100", "--models=alexnet", "--num_devices=1,2",
                  "--batch_size=64", "--strategies=replicated", "--json", "--output_file", file});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(parse_json(std::ifstream(file)), parse_json(result.out));
  EXPECT_EQ(text_of(Validator("comparison.schema.json").faults(parse_json(result.out))), "");
}

TEST(Schema, DifferencesAreWhatItSays) {
  const std::string file = scratch_folder("schema_difference") + "/run.json";
  json record = run_record();
  record["interrupted"] = true;
  std::ofstream(file) << record.dump();
  const ProgramResult result = run_convoy({"diff", file, file, "--form=json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(text_of(Validator("difference.schema.json").faults(parse_json(result.out))), "");
}

}  // namespace
}  // namespace schema_test
}  // namespace convoy
