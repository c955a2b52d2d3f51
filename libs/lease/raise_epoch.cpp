#include "libs/lease/lease_store.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/statement.hpp"

namespace baton::lease {

using storage::row;
using storage::statement;

awaitable<raised_epoch> raise_epoch(storage::database& of_lease, std::string name_space, std::int64_t least)
{
    raised_epoch out;
    auto const work = [&](soci::session& session) {
        bool found = false;
        statement(session).select("version")(" FROM `lock` WHERE namespace = ", name_space).each([&](row& cells) {
            out.before = cells.number();
            found = true;
        });
        if (!found)
            throw unavailable("there is no lock row '" + name_space + "': start a node first");
        statement bump(session, "UPDATE `lock` SET version = ", least, ", renew_seq = renew_seq + 1");
        bump(" WHERE namespace = ", name_space, " AND version < ", least);
        out.raised = bump.execute() == 1;
    };
    co_await of_lease.run(work);
    co_return out;
}

} // namespace baton::lease
