#pragma once

namespace convoy::job {

// What an OpenMP runtime reads when a device plug-in brings it into the process: called first of
// all, before any plug-in is opened. Binding is the device's business (each device binds its own
// team), so OMP_PROC_BIND must not pin all teams to the same cores, and threads that wait must not
// take cores from teams that compute. GOMP_SPINCOUNT stays as the user set it.
void set_openmp_environment();

}  // namespace convoy::job
