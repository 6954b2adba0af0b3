/* A strategy in plain C against the released 1.0 headers: fills a buffer with an option's value. */
#include <convoy/abi.h>
#include <stdlib.h>

CONVOY_EXPORT CONVOY_MANIFEST_SECTION const char convoy_plugin_manifest[] =
    "abi=1.0\0"
    "kind=strategy\0"
    "name=old_strategy\0"
    "version=1.0.0\0"
    "option=value:float:2.5::What to fill with.\0"
    "needs=fill\0";

static const convoy_host* the_host;

static int32_t create(convoy_context* context, const convoy_host* host, void** self) {
  the_host = host;
  host->log(context, CONVOY_LOG_INFO, "old strategy created");
  *self = NULL;
  return 0;
}

static void destroy(void* self) {
  (void)self;
}

static int32_t plan(void* self, convoy_context* context, const convoy_planner* planner) {
  convoy_cluster cluster = {0};
  convoy_buffer description = {0};
  convoy_operation operation = {0};
  convoy_span span = {0};
  (void)self;
  cluster.struct_size = sizeof cluster;
  description.kind = CONVOY_BUFFER_SCRATCH;
  if (planner->cluster(planner->self, &cluster) != 0) return 1;
  if (cluster.replicas == 0) {
    the_host->set_error(context, "there is no replica");
    return 1;
  }
  description.count = cluster.arena_elements;
  if (planner->buffer(planner->self, &description, &span.buffer) != 0) return 1;
  span.count = cluster.arena_elements;
  operation.struct_size = sizeof operation;
  operation.kind = CONVOY_OP_FILL;
  operation.place = CONVOY_NONE;
  operation.scalar = atof(the_host->option(context, "value"));
  operation.writes = &span;
  operation.write_count = 1;
  return planner->emit(planner->self, &operation);
}

static const convoy_strategy table = {sizeof(convoy_strategy), 1, 0, create, destroy, plan, NULL};

CONVOY_EXPORT const convoy_strategy* convoy_strategy_v1(void);
const convoy_strategy* convoy_strategy_v1(void) {
  return &table;
}
