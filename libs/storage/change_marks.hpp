#pragma once
// Marks that show cheaply whether the tables have changed: two equal marks of a topic mean that nothing that a reader
// of the topic shows has changed between them.

#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/topics.hpp"

#include <string>

namespace baton::storage {

// Reads the marks. No statement reads more than a thousand rows, however many there are, and none a row of history.
// Changes that the tables do not show so cheaply raise a version of their topic (topic_versions.hpp).
class change_marks {
public:
    change_marks(database& shared, std::string name_space, protocol::namespace_id id = protocol::first_namespace)
        : shared_(shared), name_space_(std::move(name_space)), id_(id)
    {}

    // The mark of executions covers the newest execution, and state, attempt and progress of the 500 open ones that
    // were due first. Among more open ones, a change that comes without any new execution may be missed.
    awaitable<marks> read();

private:
    database& shared_;
    std::string name_space_;
    protocol::namespace_id id_;
};

} // namespace baton::storage
