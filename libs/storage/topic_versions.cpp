#include "libs/storage/topic_versions.hpp"

#include "libs/storage/dialect.hpp"

namespace baton::storage {

void raise_version(soci::session& sql, protocol::namespace_id name_space, topic which)
{
    statement raise(sql, "INSERT INTO topic_version (namespace, topic, session, version, changed_at) VALUES (",
                    name_space, ", ", protocol::to_string(which), ", ", dialect_of(sql).session_number(sql), ", ",
                    now_us(sql), ", ", now_us(sql), ")"); // a row that was deleted must not come back as it was
    raise.on_taken("namespace, topic, session", {"changed_at"});
    raise(", version = topic_version.version + 1").execute();
}

void add_versions_of_topics(soci::session& sql, protocol::namespace_id name_space, marks& into)
{
    statement ask(sql);
    ask.select("topic", "COUNT(*)", "MAX(changed_at)",
               "SUM(version % 1000000007)")(" FROM topic_version WHERE namespace = ", name_space, " GROUP BY topic");
    ask.each([&](row& cells) {
        auto const name = cells.text();
        std::string mark;
        while (!cells.complete())
            mark.append(cells.maybe_text().value_or("-")).append(" ");
        for (std::size_t i = 0; i < topics; ++i)
            if (protocol::names_of<topic>[i] == name)
                into[i] += mark;
    });
}

} // namespace baton::storage
