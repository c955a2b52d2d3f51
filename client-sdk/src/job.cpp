#include "client-sdk/src/job.hpp"

#include "baton/client/execution.hpp"

#include <algorithm>

namespace baton::client {

namespace {

std::string text_of(nlohmann::json const& value)
{
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Cut where no character is split.
std::string shorten(std::string text, std::size_t limit)
{
    if (text.size() <= limit)
        return text;
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80)
        --limit;
    text.resize(limit);
    return text;
}

} // namespace

void normalise(outcome& what)
{
    auto const value = text_of(what.value);
    if (value.size() > value_limit) {
        what.value = nullptr;
        what.error += (what.error.empty() ? "" : "; ") + std::string("the handler's value of ") +
                      std::to_string(value.size()) + " bytes was dropped: the limit is " + std::to_string(value_limit);
    } else {
        what.value = nlohmann::json::parse(value); // as the other side will read it: valid text, no binary
    }
    auto const clean = nlohmann::json::parse(text_of(what.error)).get<std::string>();
    what.error = shorten(clean, error_limit);
    what.bytes = (what.value.is_null() ? 4 : value.size()) + what.error.size();
}

execution::execution(std::shared_ptr<job> work) : work_(std::move(work)) {}

std::int64_t execution::id() const
{
    return work_->work.execution;
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
    return work_->epoch;
}

std::int64_t execution::task_id() const
{
    return work_->work.task;
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
    return work_->work.payload;
}

std::chrono::sys_time<std::chrono::microseconds> execution::scheduled_at() const
{
    return from_micros(work_->work.scheduled_at);
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
