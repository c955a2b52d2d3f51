#include "libs/storage/cluster_secret.hpp"

#include "libs/storage/statement.hpp"

namespace baton::storage {

namespace {

std::string kept_secret(soci::session& sql)
{
    std::string found;
    statement ask(sql);
    ask.select("secret")(" FROM cluster_secret WHERE id = 1");
    ask.each([&](row& cells) { found = cells.text(); });
    return found;
}

} // namespace

awaitable<std::string> cluster_secret(database& shared, std::string offered)
{
    std::string secret;
    auto const work = [&](soci::session& sql) {
        secret = kept_secret(sql);
        if (!secret.empty())
            return;
        statement insert(sql, "INSERT INTO cluster_secret (id, secret) VALUES (1, ", offered, ")");
        insert.on_taken("id", {"id"}).execute(); // another node may have been faster
        secret = kept_secret(sql);
    };
    co_await shared.run(work);
    co_return secret;
}

} // namespace baton::storage
