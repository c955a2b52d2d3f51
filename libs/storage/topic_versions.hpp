#pragma once
// Counters of the changes of topics, for change_marks: what no column of the tables shows cheaply.

#include "libs/protocol/term_id.hpp"
#include "libs/storage/statement.hpp"
#include "libs/storage/topics.hpp"

namespace baton::storage {

// Raises the topic's version in the transaction of the change. Each session of the database has a row of its own, so
// that no transaction waits for another one.
void raise_version(soci::session& sql, protocol::namespace_id name_space, topic which);

// Adds what the versions of all sessions have in common to the marks of their topics.
void add_versions_of_topics(soci::session& sql, protocol::namespace_id name_space, marks& into);

} // namespace baton::storage
