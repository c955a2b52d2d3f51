#include "trigger/clients/schema_writer.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration after_a_group = 10ms;
constexpr duration try_again_in = 1s;
constexpr duration say_again = 10s;

} // namespace

schema_writer::schema_writer(document_store store, time_source& time, asio::any_io_executor loop)
    : store_(std::move(store)), time_(time), bell_(std::move(loop))
{}

std::string schema_writer::announce(protocol::service_key service, std::vector<protocol::handler_schema> schemas)
{
    if (schemas.empty())
        return {};
    storage::schema_document document;
    document.text = protocol::document_of(std::move(schemas));
    document.hash = protocol::schema_set_of(document.text);
    document.service = std::move(service);
    auto hash = document.hash;
    bool const room = bytes_ + document.text.size() <= most_waiting_bytes;
    auto const answer = room ? memory_.take(document.service, hash, time_.now()) : schema_memory::answer::too_many;
    if (answer == schema_memory::answer::too_many)
        note_lost(document.service);
    if (answer != schema_memory::answer::write)
        return hash;
    bytes_ += document.text.size();
    queue_.push_back(std::move(document));
    bell_.wake();
    return hash;
}

void schema_writer::note_lost(protocol::service_key const& service)
{
    auto const now = time_.now();
    if (said_at_ != instant{} && now - said_at_ < say_again)
        return;
    said_at_ = now;
    log::warn("clients", "too many different schemas are announced at once, some are not stored",
              {{"service", protocol::to_text(service)}, {"waiting", queue_.size()}});
}

awaitable<void> schema_writer::run()
{
    for (;;) {
        while (queue_.empty())
            co_await bell_.wait();
        auto const end = queue_.begin() + static_cast<std::ptrdiff_t>(std::min(queue_.size(), most_at_once));
        std::vector<storage::schema_document> const group(queue_.begin(), end);
        bool const done = co_await write(group);
        if (done) {
            for (auto const& one : group)
                bytes_ -= one.text.size();
            queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(group.size()));
        }
        co_await time_.sleep_for(done ? after_a_group : try_again_in);
    }
}

// False if the database did not answer: the documents stay in the queue.
awaitable<bool> schema_writer::write(std::vector<storage::schema_document> const& group)
{
    try {
        co_await store_(group);
    } catch (unavailable const& reason) {
        log::outage(reason, "clients", "writing the schemas of handlers failed, trying again in 1 s",
                    {log::reason(reason.what()), {"documents", group.size()}});
        co_return false;
    } catch (invalid_input const& wrong) {
        log::warn("clients", "the database refuses schemas of handlers, they are not stored",
                  {log::reason(wrong.what()), {"service", protocol::to_text(group.front().service)}});
        for (auto const& one : group)
            memory_.forget(one.service, one.hash);
    }
    co_return true;
}

} // namespace baton::trigger
