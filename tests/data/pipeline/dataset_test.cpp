#include "core/data/pipeline/dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/data_test_support.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::data {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Dataset, HasThePublishedSizes) {
  const Dataset& imagenet = find_dataset("imagenet");
  EXPECT_EQ(imagenet.classes, 1001u);
  EXPECT_EQ(imagenet.examples(Subset::kTrain), 1281167);
  EXPECT_EQ(imagenet.examples(Subset::kValidation), 50000);
  const Dataset& cifar10 = find_dataset("cifar10");
  EXPECT_EQ(cifar10.classes, 11u);
  EXPECT_EQ(cifar10.examples(Subset::kTrain), 50000);
  EXPECT_EQ(cifar10.examples(Subset::kValidation), 10000);
}

TEST(Dataset, UnknownNamesAreAnsweredWithThoseThereAre) {
  EXPECT_THAT(thrown_text([] { find_dataset("cifar100"); }),
              AllOf(HasSubstr("'cifar100'"), HasSubstr("imagenet, cifar10")));
}

TEST(Dataset, IsGuessedFromThePathUnlessNamed) {
  EXPECT_EQ(requested_dataset("", "/data/imagenet-2012"), &find_dataset("imagenet"));
  EXPECT_EQ(requested_dataset("", "/data/cifar10/batches"), &find_dataset("cifar10"));
  EXPECT_EQ(requested_dataset("", "/coco/imagenet"), &find_dataset("imagenet"));
  EXPECT_EQ(requested_dataset("cifar10", "/data/imagenet"), &find_dataset("cifar10"));
  EXPECT_EQ(requested_dataset("", "/data/pictures"), nullptr);
  EXPECT_EQ(requested_dataset("hash", ""), nullptr);
  EXPECT_THAT(thrown_text([] { requested_dataset("", "/data/coco"); }), HasSubstr("'/data/coco'"));
}

TEST(Dataset, IsTheModelsWhereNothingIsSaid) {
  EXPECT_EQ(&dataset_of_model("resnet20", "cifar10", "", ""), &find_dataset("cifar10"));
  EXPECT_EQ(&dataset_of_model("resnet20", "cifar10", "hash", ""), &find_dataset("cifar10"));
  EXPECT_EQ(&dataset_of_model("resnet20", "cifar10", "", "/data/pictures"),
            &find_dataset("cifar10"));
  DataOptions options;
  options.model_dataset = "cifar10";
  EXPECT_EQ(&dataset_of(options), &find_dataset("cifar10"));
  options.data_name = "imagenet";
  EXPECT_EQ(&dataset_of(options), &find_dataset("imagenet"));
}

TEST(Dataset, MustBeTheModels) {
  EXPECT_THAT(
      thrown_text([] { dataset_of_model("resnet50", "imagenet", "cifar10", ""); }),
      AllOf(HasSubstr("resnet50 is made for imagenet"), HasSubstr("cifar10 (from data_name)")));
  EXPECT_THAT(thrown_text([] { dataset_of_model("resnet20", "cifar10", "", "/imagenet"); }),
              HasSubstr("guessed from data_dir '/imagenet'"));
}

}  // namespace
}  // namespace convoy::data
