#include "trigger/delivery/reporter.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr std::size_t most_reported = 5'000;
constexpr std::size_t finished_limit = 200'000;
constexpr duration report_limit = 2s;
constexpr duration report_again = 100ms;

template <class T>
std::vector<T> take_front(std::deque<T>& from)
{
    auto const end = from.begin() + static_cast<std::ptrdiff_t>(std::min(from.size(), most_reported));
    std::vector<T> taken(std::make_move_iterator(from.begin()), std::make_move_iterator(end));
    from.erase(from.begin(), end);
    return taken;
}

template <class T>
void restore(std::deque<T>& to, std::vector<T>& from)
{
    to.insert(to.begin(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

} // namespace

reporter::reporter(std::string self, http::client& http, time_source& time, asio::any_io_executor loop,
                   find_master find, take_here here)
    : self_(std::move(self)), http_(http), time_(time), find_(std::move(find)), here_(std::move(here)), bell_(loop)
{}

void reporter::delivered(protocol::delivered one)
{
    delivered_.push_back(std::move(one));
    bell_.wake();
}

void reporter::undelivered(protocol::undelivered one)
{
    undelivered_.push_back(std::move(one));
    bell_.wake();
}

void reporter::finished(protocol::finished one)
{
    finished_.push_back(one);
    if (finished_.size() > finished_limit)
        finished_.pop_front();
    bell_.wake();
}

void reporter::new_epoch(std::int64_t epoch)
{
    epoch_ = epoch;
    delivered_.clear();
    undelivered_.clear();
}

protocol::report_request reporter::take()
{
    protocol::report_request report;
    report.node = self_;
    report.epoch = epoch_;
    report.delivered = take_front(delivered_);
    report.undelivered = take_front(undelivered_);
    report.finished = take_front(finished_);
    return report;
}

void reporter::put_back(protocol::report_request report)
{
    if (report.epoch == epoch_) {
        restore(delivered_, report.delivered);
        restore(undelivered_, report.undelivered);
    }
    restore(finished_, report.finished);
}

void reporter::acknowledge(protocol::report_request const& report, std::int64_t assigned)
{
    if (!acknowledged_ || report.epoch != epoch_)
        return;
    for (auto const& one : report.delivered)
        acknowledged_({one.execution, one.attempt}, assigned);
    for (auto const& one : report.undelivered)
        acknowledged_({one.execution, one.attempt}, assigned);
}

awaitable<void> reporter::run()
{
    for (;;) {
        while (delivered_.empty() && undelivered_.empty() && finished_.empty())
            co_await bell_.wait();
        auto report = take();
        auto const told = co_await send(report);
        if (told) {
            acknowledge(report, told->assigned);
        } else {
            put_back(std::move(report));
            co_await time_.sleep_for(report_again);
        }
    }
}

awaitable<std::optional<protocol::report_answer>> reporter::send(protocol::report_request const& report)
{
    auto const master = find_();
    if (!master)
        co_return std::nullopt;
    if (master->here)
        co_return here_(report);
    auto message = http::text_request(http::verb::post, protocol::path_report, to_text(report));
    message.headers.set("Authorization", "Bearer " + master->secret);
    try {
        auto const answer = co_await http_.send(master->at, std::move(message), report_limit);
        if (answer.status == 200)
            co_return http::parse_json(answer.body).get<protocol::report_answer>();
    } catch (unavailable const&) {
    }
    co_return std::nullopt;
}

} // namespace baton::trigger
