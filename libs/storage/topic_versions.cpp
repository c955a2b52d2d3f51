#include "libs/storage/topic_versions.hpp"

#include "libs/storage/dialect.hpp"

namespace baton::storage {

namespace {
constexpr int most_versions = 1'000; // sessions of the last day that have changed something, times topics
}

void raise_version(soci::session& sql, protocol::namespace_id name_space, topic which)
{
    statement raise(sql, "INSERT INTO topic_version (namespace, topic, session, version, changed_at) VALUES (",
                    name_space, ", ", protocol::to_string(which), ", ", dialect_of(sql).session_number(sql), ", 1, ",
                    now_us(sql), ")");
    raise.on_taken("namespace, topic, session", {"changed_at"});
    raise(", version = topic_version.version + 1").execute();
}

void add_versions_of_topics(soci::session& sql, protocol::namespace_id name_space, marks& into)
{
    statement ask(sql);
    ask.select("topic", "session", "version")(" FROM topic_version WHERE namespace = ", name_space,
                                              " ORDER BY topic, session LIMIT ", most_versions);
    ask.each([&](row& cells) {
        auto const name = cells.text();
        auto const session = cells.number();
        auto const version = cells.number();
        for (std::size_t i = 0; i < topics; ++i)
            if (protocol::names_of<topic>[i] == name)
                into[i] += std::to_string(session) + ":" + std::to_string(version) + " ";
    });
}

} // namespace baton::storage
