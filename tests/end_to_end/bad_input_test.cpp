// What a user gets for a mistake: the exit code, and a text that names the mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Mistake {
  const char* name;
  std::vector<std::string> arguments;
  int exit_code;
  const char* text;  // part of what is said
};

class CommandLine : public testing::TestWithParam<Mistake> {};

TEST_P(CommandLine, IsRefusedWithAReason) {
  const ProgramResult result = run_convoy(GetParam().arguments);
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.err;
  EXPECT_THAT(result.err, HasSubstr(GetParam().text));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("images/sec")));
}

const Mistake kMistakes[] = {
    {"NoVerb", {}, 2, "usage: convoy VERB"},
    {"MisspelledVerb", {"rnu"}, 2, "'run'"},
    {"MisspelledFlag", {"run", "--modle=lenet"}, 2, "--model"},
    {"PositionalArgument", {"run", "--distortions", "False"}, 2, "False"},
    {"BatchOutOfRange", {"run", "--batch_size=-1"}, 2, "--batch_size"},
    {"BatchOf33Bits",
     {"run", "--model=trivial", "--device=cpu", "--num_batches=2", "--batch_size=4294967297"},
     2,
     "--batch_size=4294967297: it must be an integer from 0 to 1000000000"},
    {"SimulatedBatchOf33Bits",
     {"simulate", "--model=lenet", "--device=cpu", "--batch_size=4294967297"},
     2,
     "from 0 to 1000000000"},
    {"SimulatedHostsOf33Bits",
     {"simulate", "--model=lenet", "--platform=dgx1", "--hosts=4294967297"},
     2,
     "--hosts=4294967297: numbers of hosts from 1 to 4096"},
    {"PlannedDevicesOf33Bits",
     {"plan", "--variable_update=replicated", "--num_devices=4294967297"},
     2,
     "--num_devices=4294967297: it must be an integer from 1 to 1024"},
    {"PlannedServersOf33Bits",
     {"plan", "--variable_update=parameter_server", "--ps_hosts=4294967297"},
     2,
     "--ps_hosts=4294967297: it must be from 1 to 4096 hosts"},
    {"CheckedDevicesOf33Bits",
     {"check", "replicated", "--num_devices=4294967297"},
     2,
     "from 1 to 1024"},
    {"PlatformOfMoreHostsThan32Bits",
     {"topo", "--platform=dgx1-p100:4294967295+dgx1-p100:2"},
     2,
     "has 4294967297 hosts; 4096 are the most"},
    {"CheckedWorkersOf33Bits",
     {"check", "replicated", "--worker_hosts=4294967297"},
     2,
     "--worker_hosts=4294967297: it must be from 1 to 4096 hosts"},
    {"ComparedDevicesOf33Bits", {"compare", "--num_devices=4294967297"}, 2, "from 1 to 1024"},
    {"SimulationsThatAreRepeated",
     {"compare", "--models=lenet", "--simulate", "--repeat=1000"},
     2,
     "--repeat=1000: a simulation gives the same figures every time"},
    {"RecordOfAComparisonThatIsNoJson",
     {"compare", "--models=lenet", "--simulate", "--output_file=comparison.csv"},
     2,
     "the record of compare is JSON"},
    {"CalibratedBatchOf33Bits",
     {"calibrate", "--model=lenet", "--batch_size=4294967297"},
     2,
     "from 1 to 1000000000"},
    {"BatchThatFitsNoMemory",
     {"run", "--model=resnet50", "--device=cpu", "--num_devices=1", "--batch_size=1000000"},
     3,
     "the largest --batch_size that fits is "},
    {"MoreDevicesThanPlansAreMadeFor",
     {"plan", "--model=lenet", "--variable_update=replicated", "--num_devices=1024",
      "--hosts=4096"},
     2,
     "plans are made for 16384 at most"},
    {"MoreBucketsThanPlansHave",
     {"plan", "--model=resnet50", "--device=cpu", "--num_devices=8", "--variable_update=replicated",
      "--bucket_mb=0.001"},
     2,
     "into 93968 buckets"},
    {"MoreOperationsThanAPlanHas",
     {"plan", "--model=resnet50", "--hosts=4096", "--num_devices=4",
      "--variable_update=parameter_server"},
     2,
     "strategy parameter_server: the plan has more than 4000000 operations"},
    {"PluginPathThatIsNotThere",
     {"run", "--model=lenet", "--plugin_path=/nowhere/plugins"},
     2,
     "/nowhere/plugins does not exist"},
    {"PluginPathOfAListThatIsNotThere",
     {"list", "--plugin_path=/nowhere/plugins"},
     2,
     "/nowhere/plugins does not exist"},
    {"StrategyOfThePublishedProgram",
     {"run", "--model=lenet", "--variable_update=kungfu"},
     2,
     "take horovod"},
    {"PortBeyond16Bits",
     {"plan", "--variable_update=replicated", "--worker_hosts=a:99999"},
     2,
     "'a:99999' has no port from 1 to 65535"},
    {"HostGivenTwice",
     {"plan", "--variable_update=replicated", "--worker_hosts=a:1,a:1"},
     2,
     "a:1 is there twice"},
    {"NameLongerThanManifestsAllow",
     {"new", "strategy", std::string(300, 'a')},
     2,
     "at most 64 small letters"},
    {"TraceIntoNoFolder",
     {"run", "--model=lenet", "--device=cpu", "--num_batches=1", "--trace_file=/nowhere/t.json"},
     2,
     "/nowhere is not a folder"},
    {"TwoOutputsOfOneName",
     {"run", "--model=lenet", "--device=cpu", "--trace_file=a.json", "--output_file=./a.json"},
     2,
     "both are written to one file"},
    {"TraceAndReportOfOneName",
     {"run", "--model=lenet", "--device=cpu", "--trace_file=a.html", "--report=./a.html"},
     2,
     "--trace_file=a.html and --report=./a.html: both are written to one file"},
    {"OutputOverInput",
     {"run", "--model=lenet", "--device=cpu", "--init_weights=w.safetensors", "--input_only",
      "--data_dir=.", "--dump=./w.safetensors"},
     2,
     "--dump=./w.safetensors and --init_weights=w.safetensors: one reads the file that the other "
     "would replace"},
    {"PictureAndTextOfOneName",
     {"topo", "--svg=t.svg", "--json=t.svg"},
     2,
     "--svg=t.svg and --json=t.svg: both are written to one file"},
    {"PictureIntoNoFolder", {"topo", "--svg=/nowhere/t.svg"}, 2, "/nowhere is not a folder"},
    {"BatchesAndEpochs", {"run", "--num_batches=5", "--num_epochs=1"}, 2, "--num_epochs"},
    {"NoGpu", {"run", "--num_gpus=8"}, 3, "8 CUDA devices asked for, none found; try --device=cpu"},
    {"UnknownModel", {"run", "--model=alexnett"}, 3, "alexnet"},
    {"UnknownStrategy", {"run", "--variable_update=replicate"}, 3, "replicated"},
    {"NcclOnCpus",
     {"run", "--model=lenet", "--device=cpu", "--variable_update=replicated",
      "--all_reduce_spec=nccl"},
     2,
     "all_reduce_spec=collective"},
    {"SeveralRanges",
     {"run", "--model=lenet", "--device=cpu", "--variable_update=replicated",
      "--all_reduce_spec=pscpu:2k:xring"},
     2,
     "--all_reduce_spec=pscpu:2k:xring: "},
    {"StagedReplicas",
     {"run", "--model=lenet", "--variable_update=replicated", "--staged_vars"},
     2,
     "--staged_vars: --variable_update=replicated has no such option"},
    {"OptionOfAnotherStrategy",
     {"run", "--model=lenet", "--variable_update=replicated", "--staleness=1"},
     2,
     "--staleness=1: --variable_update=replicated has no such option (`convoy info replicated` "
     "lists those it has); leave it out, or take --variable_update=ssp"},
    {"CrossReplicaSyncOff",
     {"run", "--model=lenet", "--variable_update=parameter_server", "--nocross_replica_sync"},
     2,
     "cross_replica_sync=false is about several hosts, here is one"},
    {"HierarchyOfOne",
     {"run", "--model=lenet", "--device=cpu", "--num_devices=1", "--variable_update=replicated",
      "--hierarchical_copy"},
     2,
     "--hierarchical_copy=true: hierarchical_copy needs at least 2 devices, here is 1: leave it"},
    {"GoogleTopologyOfTwo",
     {"run", "--model=lenet", "--device=cpu", "--num_devices=2", "--variable_update=replicated",
      "--hierarchical_copy", "--network_topology=gcp_v100"},
     2,
     "--network_topology=gcp_v100: network_topology=gcp_v100 is for exactly 8 devices, here are 2"},
    {"EvenSpec",
     {"run", "--model=lenet", "--device=cpu", "--variable_update=replicated",
      "--all_reduce_spec=xring:2k"},
     2,
     "a limit must be followed by an algorithm"},
    {"NcclTwice",
     {"run", "--model=lenet", "--device=cpu", "--variable_update=replicated", "--use_nccl",
      "--all_reduce_spec=xring"},
     2,
     "--use_nccl=true is the old form of --all_reduce_spec=nccl and contradicts "
     "--all_reduce_spec=xring"},
    {"NcclOnProcessors",
     {"run", "--model=lenet", "--device=cpu", "--variable_update=replicated", "--use_nccl"},
     2,
     "--use_nccl=true: NCCL needs CUDA devices, and these are of kind cpu"},
    {"NcclOnProcessorsUnderAuto",
     {"run", "--model=lenet", "--device=cpu", "--use_nccl"},
     2,
     "--use_nccl=true: NCCL needs CUDA devices, and these are of kind cpu"},
    {"OptionOfNoStrategy",
     {"run", "--model=lenet", "--allreduce_merge_scope=3"},
     2,
     "--allreduce_merge_scope=3: tf_cnn_benchmarks had this option, and no installed strategy has"},
    {"SpecAndHierarchy",
     {"run", "--model=lenet", "--device=cpu", "--num_devices=2", "--variable_update=replicated",
      "--all_reduce_spec=xring", "--hierarchical_copy"},
     2,
     "all_reduce_spec and hierarchical_copy both say how gradients are summed"},
    {"LaunchOfNothing", {"launch", "--workers=2"}, 2, "launch needs --, followed by the flags"},
    {"SumOfOne",
     {"run", "--model=lenet", "--device=cpu", "--num_devices=2", "--variable_update=independent",
      "--gradient_scale=sum"},
     2,
     "--gradient_scale=sum does not go with --variable_update=independent"},
    {"TwoSchedules",
     {"run", "--piecewise_learning_rate_schedule=1;3;.1", "--init_learning_rate=0.1"},
     2,
     "--piecewise_learning_rate_schedule=1;3;.1 is the whole schedule and does not go with "
     "--init_learning_rate=0.1"},
    {"HalfADecay",
     {"run", "--init_learning_rate=0.1", "--num_epochs_per_decay=2"},
     2,
     "also give --learning_rate_decay_factor"},
    {"BaseRateOfAModelWithoutOne",
     {"run", "--model=lenet", "--resnet_base_lr=0.1"},
     2,
     "--resnet_base_lr=0.1"},
    {"TaskOfNoList",
     {"run", "--worker_hosts=a:1,b:1", "--job_name=worker", "--task_index=2"},
     2,
     "task_index"},
    {"HostsByNumber", {"run", "--hosts=4"}, 2, "it describes machines"},
    {"NotYet", {"run", "--graph_file=x"}, 2, "not yet"},
    {"EvaluationWithoutCheckpoints", {"run", "--eval"}, 2, "--train_dir"},
    {"EvaluationAndInference",
     {"run", "--eval", "--train_dir=x", "--forward_only"},
     2,
     "--forward_only"},
    {"EvaluationOfTwoModels",
     {"run", "--eval", "--train_dir=x", "--init_weights=y"},
     2,
     "give one of them"},
    {"ComparingEvaluations",
     {"compare", "--models=lenet", "--eval"},
     2,
     "--eval is for runs: compare is about"},
    {"ComparingRunsThatTakeTurns",
     {"compare", "--models=lenet", "--against=--bucket_mb=1"},
     2,
     "--against is for runs: compare makes several"},
    {"ComparingRunsOfTwoPrograms",
     {"compare", "--models=lenet", "--against_program=./convoy"},
     2,
     "--against_program is for runs: compare makes several"},
    {"ComparingProfiles",
     {"compare", "--models=lenet", "--profile"},
     2,
     "--profile is for runs: compare makes several"},
    {"ComparingInput",
     {"compare", "--input_only"},
     2,
     "--input_only is for runs: compare is about"},
    {"QualifyingATraining",
     {"qualify", "--train_dir=x"},
     2,
     "--train_dir is for runs: qualify makes"},
    {"QualifyingAnEvaluation",
     {"qualify", "--eval", "--quick"},
     2,
     "--eval is for runs: qualify makes"},
    {"FormBeforeTheRecords",
     {"diff", "no_such.json", "nor_this.json", "--form=xml"},
     2,
     "--form=xml: it must be text, csv, json or markdown"},
    {"ReportWithoutAName", {"report", "x.json", "-o"}, 2, "--output needs a value"},
    {"OutputSuffix", {"run", "--output_file=x.yaml"}, 2, ".yaml"},
    {"NoSuchData",
     {"run", "--model=lenet", "--data_dir=/no/such/imagenet"},
     3,
     "/no/such/imagenet"},
};

INSTANTIATE_TEST_SUITE_P(Mistakes, CommandLine, testing::ValuesIn(kMistakes),
                         [](const auto& instance) { return std::string(instance.param.name); });

ProgramResult train_on(const fs::path& folder, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"run",
                                     "--model=lenet",
                                     "--device=cpu",
                                     "--num_intra_threads=1",
                                     "--batch_size=16",
                                     "--num_batches=30",
                                     "--num_warmup_batches=1",
                                     "--data_dir=" + folder.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_convoy(arguments);
}

// One shard of the sample set, with one byte changed.
fs::path damaged_copy(const std::string& name, std::uint64_t position) {
  fs::path folder = fs::path(scratch_folder(name)) / "imagenet";
  fs::create_directories(folder);
  const fs::path file = folder / "train-00000-of-00001";
  fs::copy_file(fs::path(CONVOY_SOURCE_DIR) / "share/sample_data/imagenet/train-00000-of-00004",
                file);
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(position));
  const char old = static_cast<char>(stream.get());
  stream.seekp(static_cast<std::streamoff>(position));
  stream.put(static_cast<char>(old ^ 0x40));
  return folder;
}

TEST(Data, EmptyFolderIsNamed) {
  const fs::path folder = scratch_folder("empty_imagenet");
  const ProgramResult result = train_on(folder);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr(folder.string()));
}

TEST(Data, DamagedRecordEndsTheRunNamingFileAndPlace) {
  const ProgramResult result = train_on(damaged_copy("damaged_fail", 600));
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("train-00000-of-00001"));
  const std::string place = "train-00000-of-00001, byte 0";
  EXPECT_THAT(result.err, HasSubstr(place + ": wrong checksum"));
  EXPECT_EQ(result.err.find(place), result.err.rfind(place)) << result.err;
}

TEST(Data, DamagedRecordIsSkippedAndCounted) {
  const ProgramResult result =
      train_on(damaged_copy("damaged_skip", 600), {"--on_bad_record=skip"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              testing::ContainsRegex("[1-9] bad records? (was|were) skipped(, for example)?: "
                                     ".*train-00000-of-00001, byte 0: wrong checksum"));
}

// A write beyond the limit of the shell's `ulimit -f` is an error like any other.
TEST(Output, BeyondTheLimitOfFilesIsAnError) {
  const fs::path file = fs::path(scratch_folder("limited")) / "run.json";
  ProgramOptions shell;
  shell.program = "/bin/sh";
  const ProgramResult result = run_convoy(
      {"-c", "ulimit -f 0; " CONVOY_BINARY_DIR
             "/bin/convoy run --model=lenet --device=cpu --num_devices=1 --batch_size=2 "
             "--num_batches=2 --num_warmup_batches=0 --variable_update=independent --output_file=" +
                 file.string() + " 2>&1 | { cat; echo; }"},
      shell);
  EXPECT_THAT(result.out, HasSubstr("total images/sec"));
  EXPECT_THAT(result.out, HasSubstr(file.string() + ": File too large"));
}

// The first file that is opened has the number of a closed stream, and must not get what is
// printed.
TEST(Output, ToClosedStreamsIsInNoFile) {
  const fs::path folder = scratch_folder("closed");
  ProgramOptions shell;
  shell.program = "/bin/sh";
  const ProgramResult result = run_convoy(
      {"-c", CONVOY_BINARY_DIR
                 "/bin/convoy run --model=lenet --device=cpu --num_devices=1 --batch_size=2 "
                 "--num_batches=2 --num_warmup_batches=0 --variable_update=independent "
                 "--save_model_steps=1 --train_dir=" +
                 folder.string() + " --output_file=" + (folder / "run.json").string() +
                 " <&- >&- 2>&-; echo it ended with $?"},
      shell);
  EXPECT_EQ(result.out, "it ended with 1\n");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream stream(entry.path());
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_THAT(bytes, testing::Not(HasSubstr("images/sec:"))) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 3);  // marker, checkpoint and record
}

// As some programs have it that start others. Then nothing tells how child processes ended.
TEST(Children, AreAwaitedWhereTheirSignalIsIgnored) {
  const ProgramResult result =
      run_convoy({"launch", "--workers=2", "--", "--model=lenet", "--device=cpu", "--num_devices=1",
                  "--batch_size=2", "--num_batches=2", "--num_warmup_batches=0"},
                 {.ignored_signal = SIGCHLD});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(Plugins, ThatTheUserNamedAndThatIsNoneIsRefused) {
  const fs::path file = fs::path(scratch_folder("no_plugin")) / "data.json";
  std::ofstream(file) << "{}";
  const ProgramResult result =
      run_convoy({"run", "--model=lenet", "--plugin_path=" + file.string()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr(file.string() + " is not usable: "));
}

TEST(Plugins, OneThatAnyoneMayChangeIsRefused) {
  const fs::path folder = scratch_folder("writable_plugin");
  const fs::path file = folder / "independent.so";
  fs::copy_file(fs::path(CONVOY_BINARY_DIR) / "lib/convoy/plugins/independent.so", file);
  fs::permissions(file, fs::perms::all);
  const ProgramResult result =
      run_convoy({"run", "--model=lenet", "--variable_update=" + file.string()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr(file.string()));
  EXPECT_THAT(result.err, HasSubstr("writ"));
}

}  // namespace
}  // namespace convoy
