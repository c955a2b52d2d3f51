#include "trigger/delivery/reporter.hpp"

#include "trigger/delivery/report_size.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr std::size_t most_reported = 5'000;        // of each kind
constexpr std::size_t most_report_bytes = 1u << 20; // of capacities, and of the four kinds of events together
constexpr std::size_t least_report_bytes = most_report_bytes / 64; // after reports that failed
constexpr std::size_t finished_limit = 200'000;
constexpr duration report_again = 100ms;
constexpr duration report_period = 500ms; // without news: an acknowledged report shows that the master can be reached

template <class T>
void restore(std::deque<T>& to, std::vector<T>& from)
{
    to.insert(to.begin(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

} // namespace

reporter::reporter(std::string self, dependencies deps, asio::any_io_executor loop)
    : self_(std::move(self)), deps_(std::move(deps)), bytes_(most_report_bytes), bell_(loop)
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

void reporter::started(protocol::attempt_key one)
{
    started_.push_back(one);
    if (started_.size() > finished_limit)
        started_.pop_front();
    bell_.wake();
}

void reporter::new_term(protocol::term_id term)
{
    term_ = term;
    forgotten_ = 0;
    next_assignment_ = 0;
    delivered_.clear();
    undelivered_.clear();
    deps_.clients.mark_all_changed();
    bell_.wake();
}

protocol::report_request reporter::take()
{
    protocol::report_request report;
    report.node = self_;
    report.term = term_;
    auto const each = bytes_ / 4;
    report.delivered = take_front(delivered_, most_reported, each);
    report.undelivered = take_front(undelivered_, most_reported, each);
    report.finished = take_front(finished_, most_reported, each);
    report.started = take_front(started_, most_reported, each);
    report.capacity = deps_.clients.take_changed(bytes_);
    return report;
}

void reporter::put_back(protocol::report_request report)
{
    if (report.term == term_) {
        restore(delivered_, report.delivered);
        restore(undelivered_, report.undelivered);
    }
    restore(finished_, report.finished);
    restore(started_, report.started);
    deps_.clients.put_back(report.capacity);
}

void reporter::acknowledge(protocol::report_request const& report, protocol::report_answer const& answer, instant asked)
{
    if (report.term != term_)
        return;
    next_assignment_ = answer.assigned;
    asked_at_ = asked;
    for (auto const& one : report.delivered)
        deps_.known.acknowledged({one.execution, one.attempt}, answer.assigned);
    for (auto const& one : report.undelivered)
        deps_.known.acknowledged({one.execution, one.attempt}, answer.assigned);
    deps_.known.forget_settled();
    if (std::exchange(forgotten_, answer.forgotten) != answer.forgotten)
        deps_.clients.mark_all_changed();
}

bool reporter::has_news() const
{
    return !delivered_.empty() || !undelivered_.empty() || !finished_.empty() || !started_.empty() ||
           deps_.clients.any_changed();
}

awaitable<void> reporter::run()
{
    for (;;) {
        auto const until = deps_.time.now() + report_period;
        while (!has_news() && deps_.time.now() < until)
            co_await bell_.wait_until(deps_.time, until);
        auto report = take();
        auto const asked = deps_.time.now();
        auto const answer = co_await deps_.send(report);
        if (answer) {
            acknowledge(report, *answer, asked);
            bytes_ = std::min(bytes_ * 2, most_report_bytes);
        } else { // a report that is too large for something on the way must become smaller
            bytes_ = std::max(bytes_ / 2, least_report_bytes);
            put_back(std::move(report));
            co_await deps_.time.sleep_for(report_again);
        }
    }
}

} // namespace baton::trigger
