/* A strategy in plain C: every replica trains alone. CONVOY_LATER: headers of a later version. */
#include <convoy/abi.h>
#include <string.h>

#ifdef CONVOY_LATER
#define LATER_OPTION "option=say_more:bool:false::Set a field that ABI 1.0 does not have.\0"
#else
#define LATER_OPTION ""
#endif

CONVOY_EXPORT CONVOY_MANIFEST_SECTION const char convoy_plugin_manifest[] =
    "abi=1.0\0"
    "kind=strategy\0"
    "name=plain_strategy\0"
    "version=1.0.0\0"
    "claim=independent\0"
    "option=fail:bool:false::Fail when asked for a plan.\0" LATER_OPTION
    "needs=forward,backward,apply\0";

static const convoy_host* the_host;

static int32_t create(convoy_context* context, const convoy_host* host, void** self) {
  if (!CONVOY_HAS(host, set_error)) return 1;
  the_host = host;
  host->log(context, CONVOY_LOG_INFO, "plain strategy created");
  *self = NULL;
  return 0;
}

static void destroy(void* self) {
  (void)self;
}

static int is_on(convoy_context* context, const char* option) {
  const char* value = the_host->option(context, option);
  return value != NULL && strcmp(value, "true") == 0;
}

static int32_t declare(const convoy_planner* planner, uint32_t kind, uint32_t owner, uint64_t count,
                       convoy_span* span) {
  convoy_buffer description;
  memset(&description, 0, sizeof description);
  description.kind = kind;
  description.owner = owner;
  span->dtype = CONVOY_F32;
  span->first = 0;
  span->count = count;
  return planner->buffer(planner->self, &description, &span->buffer);
}

static int32_t emit(const convoy_planner* planner, uint32_t kind, uint32_t replica,
                    const convoy_span* read, const convoy_span* write, int says_more) {
  convoy_operation operation;
  memset(&operation, 0, sizeof operation);
  operation.struct_size = sizeof operation;
  operation.kind = kind;
  operation.place = CONVOY_NONE;
  operation.replica = replica;
  operation.contributions = kind == CONVOY_OP_APPLY ? 1 : 0;
  operation.reads = read;
  operation.read_count = 1;
  operation.writes = write;
  operation.write_count = write != NULL;
#ifdef CONVOY_LATER
  if (says_more) operation.later[1] = 1;
#else
  (void)says_more;
#endif
  return planner->emit(planner->self, &operation);
}

/* What the host answers: all of it, and nothing after it. */
static int32_t ask(const convoy_planner* planner, convoy_cluster* cluster) {
  struct {
    convoy_cluster cluster;
    uint64_t after;
  } asked;
  memset(&asked, 0xee, sizeof asked);
  asked.cluster.struct_size = sizeof asked.cluster;
  if (planner->cluster(planner->self, &asked.cluster) != 0) return 1;
#ifdef CONVOY_LATER
  if (asked.cluster.later[0] != 0 || asked.cluster.later[1] != 0) return 1;
#endif
  *cluster = asked.cluster;
  return asked.after != 0xeeeeeeeeeeeeeeeeu;
}

static int32_t plan_replica(const convoy_planner* planner, uint32_t replica, uint64_t elements,
                            int says_more) {
  convoy_span parameters;
  convoy_span gradient;
  if (declare(planner, CONVOY_BUFFER_PARAMETERS, replica, elements, &parameters) != 0) return 1;
  if (declare(planner, CONVOY_BUFFER_GRADIENT, replica, elements, &gradient) != 0) return 1;
  if (emit(planner, CONVOY_OP_FORWARD, replica, &parameters, NULL, 0) != 0) return 1;
  if (emit(planner, CONVOY_OP_BACKWARD, replica, &parameters, &gradient, 0) != 0) return 1;
  return emit(planner, CONVOY_OP_APPLY, replica, &gradient, &parameters, says_more);
}

static int32_t plan(void* self, convoy_context* context, const convoy_planner* planner) {
  convoy_cluster cluster;
  uint32_t replica;
  (void)self;
  if (is_on(context, "fail")) {
    the_host->set_error(context, "it was asked to fail");
    return 1;
  }
  if (ask(planner, &cluster) != 0) {
    the_host->set_error(context, "the host answered something else than was asked");
    return 1;
  }
  for (replica = 0; replica < cluster.replicas; ++replica)
    if (plan_replica(planner, replica, cluster.arena_elements, is_on(context, "say_more")) != 0)
      return 1;
  return 0;
}

static const convoy_strategy table = {
    .struct_size = sizeof(convoy_strategy),
    .abi_major = 1,
    .create = create,
    .destroy = destroy,
    .plan = plan,
#ifdef CONVOY_LATER
    .later = {1, 1}, /* slots that the host may leave alone */
#endif
};

CONVOY_EXPORT const convoy_strategy* convoy_strategy_v1(void);
const convoy_strategy* convoy_strategy_v1(void) {
  return &table;
}
