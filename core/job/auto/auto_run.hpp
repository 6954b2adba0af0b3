#pragma once

#include "core/job/setup.hpp"
#include "core/select/decision.hpp"

namespace convoy::job {

// Resolves --variable_update=auto for a run on this machine, by a remembered decision or by
// simulation. The rule of thumb decides if nothing is trained or the devices' speed is unknown. The
// setup's notices then say so, as they do if remembered decisions cannot be read. On several hosts,
// the rule's choice is preliminary: the setup notes that choose_on_links() decides once the links
// are measured. With --auto=measure, the setup also gets the shortlist to try.
select::Decision choose_for_run(Setup& setup);

}  // namespace convoy::job
