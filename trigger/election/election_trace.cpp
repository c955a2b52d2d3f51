#include "trigger/election/election_trace.hpp"

#include "libs/base/log.hpp"
#include "libs/base/process.hpp"

namespace baton::trigger {

namespace {

std::string field(char const* name, std::string_view value)
{
    std::string text = "\t";
    text += name;
    text += '=';
    text += value;
    return text;
}

std::string nanos(char const* name, instant at)
{
    auto const micros = at.time_since_epoch().count();
    return field(name, at == instant::max() ? "-" : std::to_string(micros * 1'000));
}

std::string list(std::vector<execution_id> const& executions)
{
    std::string text = field("n", std::to_string(executions.size())) + field("executions", "");
    for (std::size_t i = 0; i < executions.size(); ++i)
        text += (i == 0 ? "" : ",") + to_string(executions[i]);
    return text;
}

} // namespace

election_trace::election_trace(std::string const& file, std::string const& node, std::string const& incarnation)
    : node_fields_("\t" + node + "\t" + incarnation + "\t")
{
    if (file.empty())
        return;
    file_.emplace(file);
    write("start", 0, field("pid", std::to_string(process_id())));
}

void election_trace::follow(elector& election)
{
    if (!kept())
        return;
    election.on_event([this](election_event const& event) { verdict(event); });
    election.on_trust([this](trust_event const& event) { trust(event); });
}

void election_trace::write(char const* event, std::int64_t epoch, std::string const& fields)
{
    if (!file_)
        return;
    std::lock_guard const lock(mutex_);
    if (unwritten_ != 0 && append("unwritten", 0, field("n", std::to_string(unwritten_)))) {
        log::warn("election", "the trace is written again, lines are missing", {{"lines", unwritten_}});
        unwritten_ = 0;
    }
    if (unwritten_ == 0 && append(event, epoch, fields))
        return;
    if (unwritten_++ == 0)
        log::error("election", "writing the trace failed, the node goes on without it");
}

bool election_trace::append(char const* event, std::int64_t epoch, std::string const& fields)
{
    return file_->append(std::to_string(kernel_nanos()) + node_fields_ + event + "\t" + std::to_string(epoch) + fields +
                         "\n");
}

void election_trace::verdict(election_event const& event)
{
    write("verdict", event.epoch, field("what", to_string(event.what)) + field("reason", event.reason));
}

void election_trace::trust(trust_event const& event)
{
    write("trust", event.epoch,
          field("by", event.by) + nanos("asked", event.asked) + nanos("answered", event.answered) +
              nanos("lease", event.lease_until) + nanos("guard", event.guard_until));
}

void election_trace::assign(std::int64_t epoch, std::string const& to, std::vector<execution_id> const& executions)
{
    write("assign", epoch, field("to", to) + list(executions));
}

void election_trace::take(std::int64_t epoch, std::string const& from, std::size_t count)
{
    write("take", epoch, field("from", from) + field("n", std::to_string(count)));
}

void election_trace::refuse(std::int64_t epoch, std::string const& from)
{
    write("refuse", epoch, field("from", from));
}

void election_trace::deliver(std::int64_t epoch, std::string const& client, std::vector<execution_id> const& executions)
{
    write("deliver", epoch, field("client", client) + list(executions));
}

} // namespace baton::trigger
