#include "bench/member.hpp"

#include "libs/base/random.hpp"
#include "libs/http/parse_as.hpp"
#include "libs/protocol/proof.hpp"
#include "libs/protocol/revision.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <cstdlib>
#include <iostream>
#include <random>
#include <time.h>
#include <unistd.h>

namespace baton::bench {

namespace {

constexpr duration results_limit = 10s;
constexpr duration answer_time = 5s; // for a fetch, after the hold

double draw()
{
    static std::mt19937_64 generator(std::random_device{}());
    return std::uniform_real_distribution<>(0, 1)(generator);
}

duration part_of(duration span, double share)
{
    return duration(static_cast<std::int64_t>(static_cast<double>(span.count()) * share));
}

std::string answer_text(nlohmann::json const& body)
{
    return body.dump();
}

std::int64_t boot_micros()
{
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec * std::int64_t{1'000'000} + now.tv_nsec / 1'000;
}

} // namespace

member::member(crowd& all, asio::any_io_executor loop, int number)
    : all_(all),
      loop_(loop),
      number_(number),
      node_(static_cast<std::size_t>(number) % all.nodes.size()),
      beat_now_(loop),
      fetch_now_(loop)
{
    http::client_settings settings;
    settings.connections_per_host = 2;
    settings.connection_limit = 2; // none is kept to a node that it has left
    settings.idle_limit = all.period * 4;
    http_ = http::make_client(all.time, settings);
    self_.revision = protocol::wire_revision;
    self_.service = all.service;
    self_.handlers = {"note"};
    self_.delivery = protocol::delivery_way::fetch;
    draw_name({});
}

void member::draw_name(std::string const& suffix)
{
    if (suffix.empty())
        self_.instance = "crowd:" + std::to_string(getpid()) + ":" + std::to_string(number_) + ":" + secret_hex(8);
    else
        self_.instance = self_.instance.substr(0, self_.instance.find('~')) + suffix;
    self_.secret = secret_hex(16);
}

awaitable<std::optional<http::response>> member::post(char const* path, std::string body, duration limit)
{
    auto const to = home();
    auto message = http::text_request(http::verb::post, path, std::move(body));
    std::optional<http::response> got;
    try {
        got = co_await http_->send(to, std::move(message), limit);
    } catch (unavailable const&) {
        // There is no answer.
    }
    if (got && got->status == 503) {
        auto const pause = got->headers.find("Retry-After");
        retry_after_ = pause ? std::atoi(pause->c_str()) : 1;
    }
    co_return got;
}

awaitable<bool> member::register_once()
{
    ++self_.generation;
    self_.terms = {term_};
    auto const sent = all_.time.now();
    nlohmann::json const body = self_;
    auto const limit = std::clamp<duration>(all_.period / 2, 500ms, 3s);
    auto text = answer_text(body);
    auto const got = co_await post(protocol::path_register, std::move(text), limit);
    if (!got) {
        ++all_.silent;
    } else if (got->status == 503) {
        ++all_.busy;
    } else if (got->status == 410) {
        ++all_.renamed;
        draw_name("~" + std::to_string(++suffixes_));
    } else if (got->status == 200) {
        if (auto const answer = http::parse_if<protocol::heartbeat_answer>(got->body)) {
            ticket_ = answer->ticket;
            ttl_ = std::chrono::milliseconds(answer->ttl_ms);
            heard_ = sent;
            registered_ = true;
            ++all_.homes;
            ++all_.joins;
            fetch_now_.wake();
            co_return true;
        }
    }
    co_return false;
}

void member::next_node()
{
    auto const others = all_.nodes.size() - 1;
    if (others > 0)
        node_ = (node_ + 1 + std::min(static_cast<std::size_t>(draw() * double(others)), others - 1)) % (others + 1);
}

void member::lose_home()
{
    if (registered_)
        --all_.homes;
    registered_ = false;
    fetch_now_.wake();
}

awaitable<void> member::join()
{
    duration pause = 100ms;
    for (std::size_t tried = 1;; ++tried) {
        retry_after_ = 0;
        bool const joined = co_await register_once();
        if (joined)
            co_return;
        duration wait = std::chrono::seconds(retry_after_);
        wait += part_of(wait, draw());
        next_node();
        if (wait == duration::zero() && tried % all_.nodes.size() == 0) {
            wait = part_of(pause, 0.5 + draw() / 2);
            pause = std::min(pause * 2, all_.period);
        }
        co_await all_.time.sleep_for(wait);
    }
}

// False if the client has lost its home.
awaitable<bool> member::beat()
{
    protocol::heartbeat_request beating;
    beating.instance = self_.instance;
    beating.generation = self_.generation;
    beating.ticket = ticket_;
    beating.free_slots = running_ == 0;
    beating.terms = {term_};
    auto const sent = all_.time.now();
    auto const limit = std::clamp<duration>(all_.period / 2, 500ms, 3s);
    auto text = to_text(beating);
    auto const got = co_await post(protocol::path_heartbeat, std::move(text), limit);
    ++all_.beats;
    if (got && got->status == 200) {
        heard_ = sent;
        all_.answered_after.push_back((all_.time.now() - sent).count());
        co_return true;
    }
    ++(!got ? all_.silent : got->status == 503 ? all_.busy : all_.lost);
    if (!got || got->status != 404)
        next_node();
    co_return false;
}

awaitable<void> member::live()
{
    auto const start = all_.began + all_.ramp * number_ / std::max(all_.clients, 1);
    co_await all_.time.sleep_until(start);
    for (;;) {
        co_await join();
        for (bool at_home = true; at_home;) {
            auto const next = all_.time.now() + part_of(all_.period, 0.9 + draw() / 10);
            co_await beat_now_.wait_until(all_.time, next);
            at_home = co_await beat();
        }
        lose_home();
    }
}

awaitable<void> member::fetch()
{
    for (;;) {
        while (!registered_)
            co_await fetch_now_.wait();
        bool const answered = co_await fetch_once();
        if (!answered && registered_) {
            beat_now_.wake();
            auto const until = all_.time.now() + part_of(1s, 0.1 + draw());
            co_await fetch_now_.wait_until(all_.time, until);
        }
    }
}

awaitable<bool> member::fetch_once()
{
    using namespace asio::experimental::awaitable_operators;
    auto const generation = self_.generation;
    protocol::fetch_request asked = answers_;
    asked.instance = self_.instance;
    asked.secret = self_.secret;
    asked.generation = generation;
    asked.ticket = ticket_;
    asked.poll = ++polls_;
    auto text = to_text(asked);
    auto request = post(protocol::path_fetch, std::move(text), protocol::fetch_hold + answer_time);
    auto again = fetch_now_.wait(); // the client has lost its home, or has a new one
    auto const first = co_await (std::move(request) || std::move(again));
    if (first.index() == 1 || generation != self_.generation)
        co_return true;
    ++all_.fetches;
    auto const& got = std::get<0>(first);
    if (!got || got->status != 200)
        co_return false;
    auto const envelope = http::parse_if<protocol::fetch_answer>(got->body);
    if (!envelope)
        co_return false;
    if (envelope->number == 0) {
        answers_ = {};
        answers_.node = asked.node, answers_.number = 0;
    } else {
        try {
            answer_calls(*envelope);
        } catch (std::exception const& wrong) {
            std::cerr << "a call cannot be read: " << wrong.what() << std::endl;
            std::abort();
        }
    }
    co_return true;
}

awaitable<void> member::run(protocol::dispatch work, std::int64_t epoch)
{
    protocol::result_report result;
    result.execution = work.execution;
    result.attempt = work.attempt;
    result.receipt = work.receipt;
    result.started_at = to_micros(all_.time.utc());
    write("start", work, epoch, "-");
    co_await all_.time.sleep_for(all_.takes);
    write("end", work, epoch, "succeeded");
    result.finished_at = to_micros(all_.time.utc());
    known_[work.execution].running = false;
    --running_;
    ++all_.runs;
    co_await report(std::move(result));
}

// Again and again until a node has recorded it.
awaitable<void> member::report(protocol::result_report result)
{
    protocol::results_request message;
    message.results = {result};
    for (;;) {
        message.instance = self_.instance;
        message.ticket = ticket_;
        auto text = to_text(message);
        auto const got = co_await post(protocol::path_results, std::move(text), results_limit);
        auto const answer = got && got->status == 200 ? http::parse_if<protocol::results_answer>(got->body)
                                                      : std::optional<protocol::results_answer>();
        if (answer && !(answer->recorded.empty() && answer->refused.empty()))
            co_return;
        if (!registered_ || !got)
            beat_now_.wake();
        auto const pause = part_of(1s, 0.1 + draw() / 2);
        co_await all_.time.sleep_for(pause);
    }
}

void member::write(char const* event, protocol::dispatch const& work, std::int64_t epoch, char const* outcome) const
{
    std::string line = event;
    auto const add = [&line](std::string const& field) { line += '\t' + field; };
    add(std::to_string(boot_micros()));
    add(std::to_string(getpid()));
    add(self_.instance);
    add(to_string(work.execution));
    add(std::to_string(work.attempt));
    add(std::to_string(work.scheduled_at));
    add(std::to_string(work.shard_index) + "/" + std::to_string(work.shard_total));
    add(outcome);
    add(std::to_string(epoch));
    add(work.task_name);
    line += '\n';
    if (all_.journal >= 0 && ::write(all_.journal, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        std::abort();
}

} // namespace baton::bench
