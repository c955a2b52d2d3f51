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
    : who_("\t" + node + "\t" + incarnation + "\t")
{
    if (file.empty())
        return;
    file_.emplace(file);
    write("start", 0, field("pid", std::to_string(process_id())));
}

void election_trace::write(char const* event, std::int64_t epoch, std::string const& fields)
{
    if (!file_)
        return;
    if (unwritten_ != 0 && append("unwritten", 0, field("n", std::to_string(unwritten_)))) {
        log::old::warn("the history is written again, without {} lines", unwritten_);
        unwritten_ = 0;
    }
    if (unwritten_ == 0 && append(event, epoch, fields))
        return;
    if (unwritten_++ == 0)
        log::old::error("the history cannot be written");
}

bool election_trace::append(char const* event, std::int64_t epoch, std::string const& fields)
{
    return file_->append(std::to_string(kernel_nanos()) + who_ + event + "\t" + std::to_string(epoch) + fields + "\n");
}

void election_trace::verdict(election_event const& what)
{
    write("verdict", what.epoch, field("what", to_string(what.what)) + field("reason", what.reason));
}

void election_trace::trust(trust_event const& what)
{
    write("trust", what.epoch,
          field("by", what.by) + nanos("asked", what.asked) + nanos("answered", what.answered) +
              nanos("lease", what.lease_until) + nanos("guard", what.guard_until));
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
