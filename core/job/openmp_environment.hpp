#pragma once

namespace convoy::job {

// Sets the variables that an OpenMP runtime reads when a device plug-in loads it. To be called
// before any plug-in is opened. Each device binds its own team, so OMP_PROC_BIND must not pin all
// teams to the same cores. Threads that wait must not take cores from teams that compute.
// GOMP_SPINCOUNT stays as the user set it.
void set_openmp_environment();

}  // namespace convoy::job
