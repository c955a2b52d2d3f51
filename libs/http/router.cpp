#include "libs/http/router.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/log.hpp"
#include "libs/base/loop_meter.hpp"
#include "libs/base/overloaded.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace baton::http {

namespace {

std::vector<std::string> split(std::string_view path)
{
    std::vector<std::string> segments;
    if (path.starts_with('/'))
        path.remove_prefix(1);
    for (;;) {
        auto const end = path.find('/');
        segments.emplace_back(path.substr(0, end));
        if (end == std::string_view::npos)
            return segments;
        path.remove_prefix(end + 1);
    }
}

bool is_parameter(std::string_view segment)
{
    return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

bool matches(std::vector<std::string> const& pattern, std::vector<std::string> const& path)
{
    auto const fits = [](std::string const& wanted, std::string const& given) {
        return is_parameter(wanted) ? !given.empty() : wanted == given;
    };
    return std::ranges::equal(pattern, path, fits);
}

// Makes "/tasks/import" take precedence over "/tasks/{id}", in whatever order they were added.
bool more_literal(std::vector<std::string> const& a, std::vector<std::string> const& b)
{
    return std::ranges::lexicographical_compare(a, b, {}, is_parameter, is_parameter);
}

bool is_cancellation(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (boost::system::system_error const& error) {
        return error.code() == asio::error::operation_aborted;
    } catch (...) {
        return false;
    }
}

response answer_to_failure(std::exception_ptr const& failure, std::string const& request)
{
    try {
        std::rethrow_exception(failure);
    } catch (invalid_input const& wrong) {
        return problem(400, "Bad Request", wrong.what(), wrong.field());
    } catch (overloaded const& refused) { // not logged: there may be thousands a second
        auto answer = problem(503, "Overloaded", refused.what());
        auto const seconds = std::chrono::ceil<std::chrono::seconds>(refused.retry_after()).count();
        answer.headers.set("Retry-After", std::to_string(seconds));
        return answer;
    } catch (unavailable const& reason) {
        log::warn("http", "a request failed because a dependency is unavailable, answering 503",
                  {log::reason(reason.what()), {"request", request}});
        return problem(503, "Service Unavailable", reason.what());
    } catch (std::exception const& error) {
        log::error("http", "a request failed, answering 500", {log::reason(error.what()), {"request", request}});
    } catch (...) {
        log::error("http", "a request failed, answering 500", {{"request", request}});
    }
    return problem(500, "Internal Server Error", "the server failed to handle this request; its log says more");
}

} // namespace

void router::add(verb method, std::string pattern, handler handle)
{
    auto segments = split(pattern);
    endpoints_.push_back({method, std::move(segments), std::move(handle), std::move(pattern)});
}

response router::refusal(std::vector<std::string> const& path) const
{
    std::string allowed;
    for (auto const& each : endpoints_)
        if (matches(each.segments, path)) {
            allowed += allowed.empty() ? "" : ", ";
            allowed += to_string(each.method);
            if (each.method == verb::get)
                allowed += ", HEAD";
        }
    if (allowed.empty())
        return problem(404, "Not Found", "there is nothing at this path");
    auto answer = problem(405, "Method Not Allowed", "this path allows " + allowed);
    answer.headers.set("Allow", allowed);
    return answer;
}

router::endpoint const* router::find(verb method, std::vector<std::string> const& path) const
{
    endpoint const* best = nullptr;
    for (auto const& each : endpoints_)
        if (each.method == method && matches(each.segments, path) &&
            (best == nullptr || more_literal(each.segments, best->segments)))
            best = &each;
    if (best == nullptr && method == verb::head)
        return find(verb::get, path);
    return best;
}

bool router::falls_to_otherwise(verb method, std::vector<std::string> const& path) const
{
    bool const reads = method == verb::get || method == verb::head;
    return otherwise_ && reads &&
           std::ranges::none_of(endpoints_, [&](endpoint const& each) { return matches(each.segments, path); });
}

awaitable<response> router::choose(request& message) const
{
    auto path = split(message.path());
    std::ranges::transform(path, path.begin(), [](std::string const& segment) { return percent_decode(segment); });
    auto const* const found = find(message.method, path);
    if (found == nullptr) {
        if (falls_to_otherwise(message.method, path))
            co_return co_await otherwise_(message);
        co_return refusal(path);
    }
    for (std::size_t i = 0; i < path.size(); ++i)
        if (auto const& segment = found->segments[i]; is_parameter(segment))
            message.params[segment.substr(1, segment.size() - 2)] = std::move(path[i]);
    enter_part(found->pattern.c_str());
    co_return co_await found->handle(message);
}

namespace {

// A compressed body would be refused as malformed. Listeners take none, as they tell in Accept-Encoding (RFC
// 9110, 15.5.16).
std::optional<response> refuse_coding(request const& message)
{
    auto const coding = message.headers.find("Content-Encoding");
    if (!coding || coding->empty() || *coding == "identity")
        return std::nullopt;
    auto no = problem(415, "Unsupported Media Type",
                      "the body is compressed (Content-Encoding: " + in_quotes(*coding) + "): send it uncompressed");
    no.headers.set("Accept-Encoding", "identity");
    return no;
}

} // namespace

awaitable<response> router::dispatch(request& message) const
{
    if (auto no = refuse_coding(message))
        co_return std::move(*no);
    auto answer = co_await choose(message);
    if (message.method == verb::head && !answer.stream) {
        answer.headers.set("Content-Length", std::to_string(answer.body.size()));
        answer.body.clear();
    }
    co_return answer;
}

awaitable<response> router::handle(request message) const
{
    std::exception_ptr failure;
    try {
        co_return co_await dispatch(message);
    } catch (...) {
        failure = std::current_exception();
    }
    // A handler that awaits several operations at once reports their cancellation by another exception type, so check
    // both the state and the exception.
    auto const state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none || is_cancellation(failure))
        std::rethrow_exception(failure);
    auto const method_and_path = std::string(to_string(message.method)) + " " + message.path();
    co_return answer_to_failure(failure, method_and_path);
}

} // namespace baton::http
