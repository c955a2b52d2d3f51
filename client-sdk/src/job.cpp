#include "client-sdk/src/job.hpp"

#include "baton/client/execution.hpp"
#include "libs/base/characters.hpp"

#include <algorithm>

namespace baton::client {

namespace {

std::string text_of(nlohmann::json const& value)
{
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

outcome make_outcome(result const& returned, reading ended)
{
    outcome made;
    made.succeeded = returned.succeeded();
    made.ended = ended;
    made.value = protocol::json_text(returned.value());
    made.final = returned.final();
    made.error_class = returned.error_class();
    auto error = returned.error();
    if (!made.succeeded && error.empty())
        error = "the handler failed without saying why";
    if (auto const size = made.value.size(); size > value_limit) {
        made.value = {};
        error += (error.empty() ? "" : "; ") + std::string("the handler's value of ") + std::to_string(size) +
                 " bytes was dropped: the limit is " + std::to_string(value_limit);
    }
    made.error = shortened(nlohmann::json::parse(text_of(error)).get<std::string>(), error_limit);
    made.bytes = made.value.size() + made.error.size();
    return made;
}

nlohmann::json const& job::payload()
{
    std::call_once(parsed_, [this] { payload_ = work.payload.parse(); });
    return payload_;
}

execution::execution(std::shared_ptr<job> work) : work_(std::move(work)) {}

std::int64_t execution::id() const
{
    return work_->work.execution.value();
}

int execution::attempt() const
{
    return work_->work.attempt;
}

std::string execution::idempotency_key() const
{
    return std::to_string(id()) + "/" + std::to_string(attempt());
}

std::int64_t execution::epoch() const
{
    return work_->term.epoch;
}

std::int64_t execution::namespace_id() const
{
    return work_->term.name_space;
}

std::int64_t execution::task_id() const
{
    return work_->work.task.value();
}

std::string const& execution::task() const
{
    return work_->work.task_name;
}

std::string const& execution::handler() const
{
    return work_->work.handler;
}

nlohmann::json const& execution::payload() const
{
    return work_->payload();
}

std::chrono::sys_time<std::chrono::microseconds> execution::scheduled_at() const
{
    return from_micros(work_->work.scheduled_at);
}

namespace {

std::optional<past_execution> past_of(protocol::past_execution const& told)
{
    if (told.execution.value() == 0)
        return std::nullopt;
    past_execution past;
    past.id = told.execution.value();
    past.scheduled_at = from_micros(told.scheduled_at);
    if (told.ended_at != 0)
        past.ended_at = from_micros(told.ended_at);
    past.state = protocol::to_string(told.state);
    return past;
}

} // namespace

std::optional<past_execution> execution::previous() const
{
    return past_of(work_->work.previous);
}

std::optional<past_execution> execution::last_success() const
{
    return past_of(work_->work.last_success);
}

int execution::shard_index() const
{
    return work_->work.shard_index;
}

int execution::shard_total() const
{
    return work_->work.shard_total;
}

bool execution::stop_requested() const
{
    return work_->stop.stop_requested();
}

std::stop_token execution::stop_token() const
{
    return work_->stop.get_token();
}

void execution::progress(int percent)
{
    work_->progress.store(std::clamp(percent, 0, 100), std::memory_order_relaxed);
}

} // namespace baton::client
