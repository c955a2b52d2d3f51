#pragma once
// baton::storage: the persistent state. The database seam over SOCI, the dialects, migrations, and one repository for
// each kind of row. It has all SQL but that of the lease (libs/lease) and the locks. Only .cpp files include SOCI.

#include "libs/storage/change_marks.hpp"
#include "libs/storage/clients.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/executions.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/migrations.hpp"
#include "libs/storage/nodes.hpp"
#include "libs/storage/retention.hpp"
#include "libs/storage/signals.hpp"
#include "libs/storage/tasks.hpp"
#include "libs/storage/terms.hpp"
