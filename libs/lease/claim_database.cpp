#include "libs/lease/lease_store.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/migrations.hpp"
#include "libs/storage/statement.hpp"

namespace baton::lease {

using storage::row;
using storage::statement;

namespace {

awaitable<std::string> read_name(storage::database& from)
{
    std::string name;
    auto const work = [&](soci::session& session) {
        name.clear();
        statement(session)
            .select("namespace")(" FROM `lock` WHERE id = ", protocol::first_namespace)
            .each([&](row& cells) { name = cells.text(); });
    };
    co_await from.run(work);
    co_return name;
}

} // namespace

awaitable<void> claim_database(storage::database& of_lease, lease_store& lease, std::string name_space)
{
    auto name = co_await read_name(of_lease);
    if (name.empty()) {
        co_await lease.ensure();
        name = co_await read_name(of_lease);
    }
    if (name != name_space)
        throw storage::schema_mismatch("the database belongs to the namespace '" + name +
                                       "', and election.namespace is '" + name_space +
                                       "' here: all triggers and webs of a database need the same one");
}

} // namespace baton::lease
