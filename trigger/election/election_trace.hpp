#pragma once

#include "libs/base/id.hpp"
#include "libs/base/line_file.hpp"
#include "trigger/election/elector.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace baton::trigger {

// Records what this node believes of its mastership and does under it, one line an event, so that a test can judge
// afterwards whether the election kept its promises. Fields are separated by tabs:
//
//     kernel_nanos  node  incarnation  event  epoch  name=value...
//
//     start    pid                                     the process has begun
//     verdict  what reason                             of a tick of the election
//     trust    by asked answered lease guard           in nanoseconds; `guard` is "-" when not guarded
//     assign   to n executions                         the moment before they are given to a node
//     take     from n                                  assignments of another node, let in by their epoch
//     refuse   from                                    the epoch of that node's message is too old
//     deliver  client n executions                     the moment before they are sent to a client
//     unwritten n                                      so many lines before this one could not be written
//
// Without a file it records nothing. If the file cannot be written, as on a full disk, the node goes on, and the trace
// says how many lines are missing as soon as it can. Any thread.
class election_trace {
public:
    election_trace(std::string const& file, std::string const& node, std::string const& incarnation);

    bool kept() const { return file_.has_value(); }

    // Records the verdicts and the trust of this election from now on, if the trace is kept.
    void follow(elector& election);

    void verdict(election_event const& event);
    void trust(trust_event const& event);
    void assign(std::int64_t epoch, std::string const& to, std::vector<execution_id> const& executions);
    void take(std::int64_t epoch, std::string const& from, std::size_t count);
    void refuse(std::int64_t epoch, std::string const& from);
    void deliver(std::int64_t epoch, std::string const& client, std::vector<execution_id> const& executions);

private:
    // The line is whole in the file when this returns, before the act that it tells of.
    void write(char const* event, std::int64_t epoch, std::string const& fields);
    bool append(char const* event, std::int64_t epoch, std::string const& fields);

    std::string node_fields_;
    std::mutex mutex_; // guards the file, so that its lines are in the order of their times
    std::optional<line_file> file_;
    std::uint64_t unwritten_ = 0; // lines since the last written one
};

} // namespace baton::trigger
