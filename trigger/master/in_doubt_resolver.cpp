#include "trigger/master/in_doubt_resolver.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "trigger/master/pending_clients.hpp"
#include "trigger/master/question_pauses.hpp"
#include "trigger/master/until_done.hpp"

#include <algorithm>
#include <utility>

namespace baton::trigger {

namespace {
constexpr std::size_t executions_asked = 5'000;
constexpr std::size_t most_clients = 500; // of a question: a node waits 1 s for their answers, and later ones are lost
constexpr std::size_t expected_at_once = 2'000; // clients, so that the loop is free for other work in between
constexpr std::size_t most_services = 64;       // asked at the same time, without those whose clients are silent
constexpr std::size_t most_silent = 1'000;      // services
constexpr duration silent_after = 2s;           // without an answer
constexpr int most_of_a_node = 2; // questions at a time: a slow client must not use up the connections to a node
constexpr int most_lost = 20;     // attempts whose client is not known: a handler may end the hosts of all that know it
constexpr duration ask_again = 200ms;

// Attempts that were lost while it was not known which client had them. Each lost attempt raises max_attempts by one.
int lost_unknown(open_execution const& one)
{
    return one.max_attempts - one.task->definition.max_attempts - one.deaths;
}
} // namespace

struct in_doubt_resolver::inquiry {
    inquiry(std::vector<protocol::attempt_key> asked, asio::any_io_executor loop)
        : answers(std::move(asked)), news(std::move(loop))
    {}

    doubt answers;
    pending_clients pending;                 // those that live, by the directory, and have not answered
    waker news;                              // a node has answered
    std::set<std::string> under_way;         // nodes that are being asked
    std::map<std::string, std::string> last; // the last client that was asked, by node
    question_pauses pauses;
    instant heard_at{};                  // last, or its beginning
    instant doubted_at = instant::min(); // the last of them, by this term
    std::size_t held = 0;
    std::size_t next_attempts = 0;
    std::size_t earlier = 0;
};

in_doubt_resolver::in_doubt_resolver(term_scope const& scope, dependencies deps)
    : scope_(scope),
      deps_(deps),
      bell_(scope.loop),
      earlier_(scope, deps.calls,
               {[this](open_execution const& one, duration ran) {
                    if (earlier_listener_)
                        earlier_listener_(one, ran);
                },
                [this](open_execution& one) { add(one, protocol::attempt_cause::client_gone); }}),
      workers_(scope.loop)
{
    scope_.clients.on_change([this](std::string const& instance) { client_changed(instance); });
}

void in_doubt_resolver::add(open_execution& one, protocol::attempt_cause cause)
{
    one.next_cause = cause;
    scope_.open.move(one, phase::in_doubt);
    bell_.wake();
}

void in_doubt_resolver::given_back(open_execution const& one, std::string const& client)
{
    auto const found = inquiries_.find(protocol::service_of(one.task->definition));
    if (found == inquiries_.end())
        return;
    found->second->answers.given_back(one.id, client);
    found->second->news.wake();
}

void in_doubt_resolver::runs_earlier(open_execution& one, std::string client, int attempt)
{
    one.next_cause = protocol::attempt_cause::client_gone;
    one.begun = true;
    one.doubted.clear();
    earlier_.add(one, std::move(client), attempt);
}

void in_doubt_resolver::spawn(char const* name, std::function<awaitable<void>()> step)
{
    workers_.spawn(name, until_done(scope_.term, name, std::move(step)));
}

awaitable<void> in_doubt_resolver::run()
{
    co_await workers_.around(work());
}

awaitable<void> in_doubt_resolver::work()
{
    workers_.spawn("executions whose clients run earlier attempts", earlier_.run());
    co_await announce();
    for (;;) {
        start_services();
        co_await bell_.wait();
    }
}

awaitable<void> in_doubt_resolver::announce()
{
    if (!scope_.term.replaced.empty())
        spawn("announcement to the last master", [this] { return tell_replaced(); });
    auto const& nodes = deps_.nodes;
    for (bool all = false; !all;) {
        all = true;
        for (auto const& node : nodes.all()) {
            bool const waits = node.incarnation != nodes.self().incarnation &&
                               node.incarnation != scope_.term.replaced && !nodes.gone(node.incarnation) &&
                               !nodes.replaced(node.incarnation) && !told_.contains(node.incarnation);
            all = all && !waits;
            if (waits && telling_.insert(node.incarnation).second)
                spawn("announcement to a node", [this, to = node.incarnation] { return tell_node(to); });
        }
        if (!all)
            co_await bell_.wait_until(scope_.term.time, scope_.term.time.now() + ask_again);
    }
    // A client may have joined at a node that did not know this epoch yet, and may have got executions from it.
    auto const now = scope_.term.time.now();
    co_await learn_of_clients(now);
}

// Returns when the directory shows every client that had joined by then.
awaitable<void> in_doubt_resolver::learn_of_clients(instant since)
{
    while (scope_.clients.read_at() < since) {
        bool failed = false;
        try {
            co_await scope_.clients.refresh();
        } catch (unavailable const& reason) {
            log::outage(reason, "in-doubt", "reading the clients failed, trying again in 200 ms",
                        {log::reason(reason.what()), {"epoch", scope_.term.epoch()}});
            failed = true;
        }
        if (failed)
            co_await scope_.term.time.sleep_for(ask_again);
    }
}

// Also after it has counted as gone: it may go on, and it gets no work before it has answered.
awaitable<void> in_doubt_resolver::tell_replaced()
{
    auto const& nodes = deps_.nodes;
    while (!told_.contains(scope_.term.replaced)) {
        if (!nodes.gone(scope_.term.replaced))
            co_await tell_node(scope_.term.replaced);
        co_await scope_.term.time.sleep_for(ask_again);
    }
}

awaitable<void> in_doubt_resolver::tell_node(std::string incarnation)
{
    auto const answer = co_await deps_.calls.announce(incarnation);
    if (answer) {
        told_.insert(incarnation);
        capacity_(incarnation, answer->capacity);
    }
    telling_.erase(incarnation);
    bell_.wake();
}

void in_doubt_resolver::start_services()
{
    std::vector<protocol::service_key> more;
    for (auto const& [service, ids] : scope_.open.in_doubt()) {
        if (settling_.size() - silent_.size() >= most_services || silent_.size() >= most_silent)
            break; // the end of one of them starts the next, or its silence
        if (settling_.insert(service).second)
            more.push_back(service);
    }
    for (auto const& service : more)
        spawn("the executions in doubt of a service", [this, service] { return settle_service(service); });
}

awaitable<void> in_doubt_resolver::settle_service(protocol::service_key service)
{
    execution_id after{};
    for (auto about = next_inquiry(service, after); about; about = next_inquiry(service, after)) {
        co_await scope_.term.until_active(100ms);
        inquiries_[service] = about;
        about->heard_at = scope_.term.time.now();
        co_await expect_all(service, about);
        for (bool all = false; !all;) {
            ask(about);
            if (!about->pending.empty())
                co_await about->news.wait_until(scope_.term.time, scope_.term.time.now() + ask_again);
            bool const answered = about->pending.empty();
            auto const since = about->doubted_at;
            all = answered && scope_.clients.read_at() >= since;
            note_silence(service, *about);
            decide(service, *about, all);
            if (answered && !all) // a client that has it may not be in the directory yet
                co_await learn_of_clients(since);
        }
        inquiries_.erase(service);
        auto const& asked = about->answers.asked();
        bool const last = asked.size() < executions_asked;
        after = last ? execution_id{} : asked.back().execution;
    }
    settling_.erase(service);
    silent_.erase(service);
    bell_.wake();
}

// A service whose clients are silent leaves its place to the next one, and is asked further beside it.
void in_doubt_resolver::note_silence(protocol::service_key const& service, inquiry const& about)
{
    if (scope_.term.time.now() - about.heard_at < silent_after)
        silent_.erase(service);
    else if (silent_.insert(service).second)
        bell_.wake();
}

// About the oldest executions behind `after`; null if the service has none in doubt.
std::shared_ptr<in_doubt_resolver::inquiry> in_doubt_resolver::next_inquiry(protocol::service_view service,
                                                                            execution_id after)
{
    auto const found = scope_.open.in_doubt().find(service);
    if (found == scope_.open.in_doubt().end())
        return nullptr;
    std::vector<protocol::attempt_key> asked;
    auto doubted_at = instant::min();
    for (auto const id : next_in_turn(found->second, after, executions_asked)) {
        auto& one = *scope_.open.find(id);
        one.asked_attempt = one.attempt;
        asked.push_back({id, one.attempt});
        if (one.next_cause != protocol::attempt_cause::take_over)
            doubted_at = std::max(doubted_at, one.since);
    }
    auto about = std::make_shared<inquiry>(std::move(asked), scope_.loop);
    about->doubted_at = doubted_at;
    return about;
}

// Every live client of the service must answer. The directory may change meanwhile: see client_changed().
awaitable<void> in_doubt_resolver::expect_all(protocol::service_key service, std::shared_ptr<inquiry> about)
{
    std::string last;
    for (bool more = true; more;) {
        auto const some = scope_.clients.behind(service, last, expected_at_once);
        for (auto const* client : some)
            about->pending.expect(std::string(client->instance()), *client->home);
        more = some.size() == expected_at_once;
        if (!more)
            co_return;
        last = some.back()->instance();
        co_await scope_.term.time.sleep_for(1ms);
    }
}

void in_doubt_resolver::client_changed(std::string const& instance)
{
    auto const* client = scope_.clients.find(instance);
    for (auto const& [service, about] : inquiries_) {
        bool const asks = client != nullptr && *client->service == service && !about->answers.has_answered(instance);
        if (asks)
            about->pending.expect(instance, *client->home);
        else
            about->pending.drop(instance);
    }
}

// Asks the clients that have not answered yet, each through its home.
void in_doubt_resolver::ask(std::shared_ptr<inquiry> const& about)
{
    auto const now = scope_.term.time.now();
    std::vector<std::pair<std::string, std::uint64_t>> homes;
    about->pending.each_home([&](std::string const& node, std::uint64_t arrival) {
        bool const free = !about->under_way.contains(node) && asking_[node] < most_of_a_node;
        if (free && about->pauses.may_ask(node, arrival, now))
            homes.emplace_back(node, arrival);
    });
    for (auto& [node, arrival] : homes) {
        ++asking_[node];
        about->under_way.insert(node);
        spawn("a question to a node", [this, to = node, since = arrival, about] { return ask_home(to, since, about); });
    }
}

awaitable<void> in_doubt_resolver::ask_home(std::string node, std::uint64_t arrival, std::shared_ptr<inquiry> about)
{
    protocol::ask_request request;
    request.term = scope_.term.id();
    request.instances = about->pending.next(node, about->last[node], most_clients);
    if (!request.instances.empty())
        about->last[node] = request.instances.back();
    for (auto const& one : about->answers.asked()) {
        request.executions.push_back(one.execution);
        request.attempts.push_back(one.attempt);
    }
    auto const answer = co_await deps_.calls.ask(node, std::move(request));
    for (auto const& one : answer.answered) {
        about->answers.answered(one.instance, one.held);
        about->pending.drop(one.instance);
    }
    --asking_[node];
    about->under_way.erase(node);
    if (answer.answered.empty()) {
        about->pauses.silent(node, arrival, scope_.term.time.now());
        co_return;
    }
    about->pauses.answered(node);
    about->heard_at = scope_.term.time.now();
    about->news.wake();
}

// True if the client is known and no longer in the directory.
bool in_doubt_resolver::is_gone(std::string const& client) const
{
    return !client.empty() && scope_.clients.find(client) == nullptr;
}

void in_doubt_resolver::charge_at(open_execution& one, std::string const& client)
{
    auto const& task = one.task->definition;
    if (auto const* listed = scope_.clients.find(client))
        scope_.open.charge(one, deps_.credits.at(*listed->home, protocol::service_of(task), task.handler));
}

// Now, or at its due time. The pause before an attempt counts on the boot clock, which does not stand still with
// cluster time; the due time is one of the ledger.
utc_time in_doubt_resolver::due_again(open_execution const& one) const
{
    auto& clock = scope_.term.clock;
    return clock.now() + std::max<duration>(one.due_at - clock.database_now(), 0s);
}

void in_doubt_resolver::decide_one(open_execution& one, inquiry& about, bool complete)
{
    auto const found = about.answers.finding(one.id, complete);
    bool const is_held = found.what == doubt_finding::kind::held;
    bool const lost_result = is_held && found.failed && one.result_is_lost(scope_.term.time.now());
    if (is_held && !lost_result) {
        scope_.open.move(one, phase::held, found.client);
        one.doubted.clear();
        one.lost_by_client = one.given_back = false;
        charge_at(one, found.client);
        if (held_)
            held_(one, found.ran);
        if (found.failed)
            scope_.open.expect_result(one);
        ++about.held;
    } else if (found.what == doubt_finding::kind::runs_earlier) {
        runs_earlier(one, found.client, found.attempt);
        charge_at(one, found.client);
        if (earlier_listener_)
            earlier_listener_(one, found.ran);
        ++about.earlier;
    } else if (found.what == doubt_finding::kind::absent || lost_result) {
        if (lost_result)
            log::warn("in-doubt", "a client sends no result of an execution that failed there, which counts as lost",
                      {{"execution", one.id.value()}, {"client", found.client}});
        one.lost_by_client = one.lost_by_client || lost_result;
        if (absent_)
            absent_(one);
        if (one.phase != phase::in_doubt)
            return; // a policy has left it out
        if (one.ran || one.lost_by_client || (!one.given_back && is_gone(one.doubted)))
            deps_.next.client_died(one, one.next_cause);
        else if (one.is_last_if_begun())
            deps_.next.fail(one, protocol::perhaps_begun);
        else if (lost_unknown(one) >= most_lost)
            deps_.next.fail(one, "it was lost " + std::to_string(most_lost) +
                                     " times with its node, and no client had it afterwards");
        else
            deps_.next.open(one, due_again(one), one.next_cause);
        ++about.next_attempts;
    }
}

void in_doubt_resolver::decide(protocol::service_view service, inquiry& about, bool complete)
{
    for (bool const begun : {false, true}) // those that have begun keep their places, if the others leave room
        for (auto const& asked : about.answers.asked()) {
            auto* one = scope_.open.find(asked.execution);
            if (one == nullptr || one->phase != phase::in_doubt || one->attempt != asked.attempt)
                continue;
            if (one->has_begun() == begun)
                decide_one(*one, about, complete);
        }
    if (complete)
        log::info("in-doubt", "asked the clients of a service which executions they have",
                  {{"service", to_text(service)},
                   {"executions", about.answers.asked().size()},
                   {"held", about.held},
                   {"next_attempt", about.next_attempts},
                   {"waiting_for_earlier", about.earlier}});
}

} // namespace baton::trigger
