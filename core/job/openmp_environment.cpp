#include "core/job/openmp_environment.hpp"

#include <cstdlib>

namespace convoy::job {

void set_openmp_environment() {
  ::unsetenv("OMP_PROC_BIND");
  ::unsetenv("OMP_WAIT_POLICY");
  // About a microsecond. libgomp's default of some milliseconds makes a step three times longer as
  // soon as another program wants a core (measured: resnet50, batch 2, two threads, loaded
  // machine).
  ::setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0);
}

}  // namespace convoy::job
