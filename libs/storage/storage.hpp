#pragma once
// baton::storage: everything that is kept. The database seam over SOCI, migrations, and one repository for each thing
// that is stored. All SQL except that of the lease (libs/lease) stands here, and SOCI only in the .cpp files.

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
