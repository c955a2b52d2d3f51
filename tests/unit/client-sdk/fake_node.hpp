#pragma once
// A trigger node as a client sees it: a real listener on a free port of 127.0.0.1, on its own thread. It records the
// requests and misbehaves on demand.

#include "libs/base/random.hpp"
#include "libs/http/http.hpp"
#include "libs/protocol/client_wire.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

namespace baton::client::test {

class fake_node {
public:
    struct told {
        std::vector<protocol::register_request> registrations;
        std::vector<instant> registered_at;
        std::vector<protocol::heartbeat_request> heartbeats;
        std::vector<protocol::result_report> results; // with repetitions
        std::vector<std::size_t> batches;
        std::vector<std::string> left;
        std::vector<std::string> credentials; // of every call
        std::vector<std::string> tickets;     // of results and departures
    };

    // Its behaviour; changed under the lock of `with`.
    struct manners {
        std::int64_t epoch = 1;
        int heartbeat_ms = 50;
        bool forgets = false;    // 404 to the next heartbeat
        bool buries = false;     // 410 to the next registration
        int later = 0;           // the next N registrations get 503 with Retry-After: 1
        int lapsed = 0;          // the next N heartbeats get 503
        int unrecorded = 0;      // the next N result messages get 200 that names none as recorded
        int failing_results = 0; // the next N get 503
        std::string poison;      // a message with this text gets 400
        std::string name;
        protocol::reach reach = protocol::reach::reachable;
        std::string why;                           // it is unreachable
        std::string ticket;                        // of the next registrations
        bool refuses = false;                      // the receipts of all results
        std::optional<protocol::watch_answer> ask; // the answer to the next watch; without one watching does not work
    };

    fake_node()
    {
        server_ = http::make_server(io_.get_executor(), time_, {},
                                    [this](http::request const& message) { return answer(message); });
        served_ =
            asio::co_spawn(io_, server_->run(100ms), asio::bind_cancellation_slot(stop_.slot(), asio::use_future));
        thread_ = std::thread([this] { io_.run(); });
    }

    ~fake_node() { die(); }

    void die()
    {
        if (!thread_.joinable())
            return;
        asio::post(io_, [this] { stop_.emit(asio::cancellation_type::terminal); });
        served_.wait();
        io_.stop();
        thread_.join();
    }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }

    template <class Act>
    void with(Act act)
    {
        std::lock_guard const lock(mutex_);
        act(manners_);
    }

    // Waits until `holds(told)`, for so long that only a fault misses it.
    template <class Predicate>
    bool wait(Predicate holds)
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, 30s, [&] { return holds(told_); });
    }

    told snapshot()
    {
        std::lock_guard const lock(mutex_);
        return told_;
    }

    // A call to the client that registered first, or to any.
    http::response call(char const* path, nlohmann::json const& body)
    {
        protocol::register_request who;
        {
            std::lock_guard const lock(mutex_);
            who = told_.registrations.at(0);
        }
        return call(who.address, who.secret, path, body);
    }

    http::response call(std::string const& address, std::string const& secret, char const* path,
                        nlohmann::json const& body)
    {
        auto message = http::json_request(http::verb::post, path, body);
        message.headers.set("Authorization", "Bearer " + secret);
        return asio::co_spawn(io_, send(http::parse_url(address), std::move(message)), asio::use_future).get();
    }

    protocol::dispatch_answer dispatch(std::vector<protocol::dispatch> executions, std::int64_t epoch = 1)
    {
        auto const got = call(protocol::path_dispatch, protocol::dispatch_request{{1, epoch}, std::move(executions)});
        REQUIRE(got.status == 200);
        return nlohmann::json::parse(got.body).get<protocol::dispatch_answer>();
    }

private:
    awaitable<http::response> send(http::url to, http::request message)
    {
        auto const sent = co_await http_->send(to, std::move(message), 10s);
        co_return sent;
    }

    awaitable<http::response> answer(http::request const& message)
    {
        auto got = react(message);
        changed_.notify_all();
        co_return got;
    }

    http::response react(http::request const& message)
    {
        std::lock_guard const lock(mutex_);
        auto const body = nlohmann::json::parse(message.body);
        told_.credentials.push_back(message.headers.find("Authorization").value_or(""));
        if (message.target == protocol::path_register) {
            told_.registrations.push_back(body);
            told_.registered_at.push_back(time_.now());
            if (manners_.later > 0 && manners_.later-- > 0)
                return later();
            return std::exchange(manners_.buries, false) ? http::problem(410, "Gone", "gone for good")
                                                         : heard(manners_.ticket);
        }
        if (message.target == protocol::path_heartbeat) {
            told_.heartbeats.push_back(body);
            if (manners_.lapsed > 0 && manners_.lapsed-- > 0)
                return http::problem(503, "Service Unavailable", "no membership");
            return std::exchange(manners_.forgets, false) ? http::problem(404, "Not Found", "unknown") : heard();
        }
        if (message.target == protocol::path_watch) {
            auto const ask = std::exchange(manners_.ask, std::nullopt);
            return ask ? http::json_response(200, *ask) : http::problem(404, "Not Found", "no such path");
        }
        if (message.target == protocol::path_leave) {
            told_.left.push_back(body.at("instance"));
            told_.tickets.push_back(body.at("ticket"));
            return http::json_response(200, nlohmann::json::object());
        }
        return results(body, message.body);
    }

    static http::response later()
    {
        auto answer = http::problem(503, "Overloaded", "too many wait");
        answer.headers.set("Retry-After", "1");
        return answer;
    }

    http::response heard(std::string ticket = {})
    {
        protocol::heartbeat_answer answer;
        answer.terms = {{1, manners_.epoch}};
        answer.heartbeat_ms = manners_.heartbeat_ms;
        answer.node = manners_.name;
        answer.reach = manners_.reach;
        answer.why = manners_.why;
        answer.ticket = std::move(ticket);
        return http::json_response(200, answer);
    }

    http::response results(nlohmann::json const& body, std::string const& text)
    {
        auto const request = body.get<protocol::results_request>();
        told_.batches.push_back(request.results.size());
        told_.tickets.push_back(request.ticket);
        if (!manners_.poison.empty() && text.find(manners_.poison) != std::string::npos)
            return http::problem(400, "Bad Request", "poison");
        if (manners_.failing_results > 0 && manners_.failing_results-- > 0)
            return http::problem(503, "Service Unavailable", "no database");
        protocol::results_answer answer;
        answer.term.epoch = manners_.epoch;
        bool const silent = manners_.unrecorded > 0 && manners_.unrecorded-- > 0;
        for (auto const& report : request.results) {
            told_.results.push_back(report);
            if (manners_.refuses)
                answer.refused.push_back({report.execution, report.attempt});
            else if (!silent)
                answer.recorded.push_back({report.execution, report.attempt});
        }
        return http::json_response(200, answer);
    }

    system_time time_;
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> open_{io_.get_executor()};
    asio::cancellation_signal stop_;
    std::future<void> served_;
    std::unique_ptr<http::client> http_ = http::make_client(time_);
    std::unique_ptr<http::server> server_;
    std::mutex mutex_;
    std::condition_variable changed_;
    told told_;
    manners manners_;
    std::thread thread_;
};

inline protocol::dispatch work(std::int64_t execution, std::string handler, nlohmann::json payload = nullptr)
{
    protocol::dispatch one;
    one.execution = execution_id{execution};
    one.handler = std::move(handler);
    one.payload = protocol::json_text(payload);
    one.task = task_id{7};
    one.task_name = "a task";
    one.scheduled_at = 1'774'746'000'000'000;
    return one;
}

// Of `results`, those of one execution that are final.
inline std::vector<protocol::result_report> final_of(std::vector<protocol::result_report> const& results,
                                                     std::int64_t execution)
{
    std::vector<protocol::result_report> found;
    for (auto const& report : results)
        if (report.execution == execution_id{execution} && protocol::is_final(report.status))
            found.push_back(report);
    return found;
}

inline auto registered = [](fake_node::told const& t) { return !t.registrations.empty(); };

inline auto ended(std::int64_t execution)
{
    return [execution](fake_node::told const& t) { return !final_of(t.results, execution).empty(); };
}

} // namespace baton::client::test
