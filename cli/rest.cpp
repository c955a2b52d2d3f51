#include "cli/rest.hpp"

#include "cli/config/reader.hpp"
#include "libs/base/error.hpp"

#include <algorithm>

namespace baton::cli {

namespace {

constexpr duration answer_limit = 30s;

std::string read_token(common_options const& chosen)
{
    nlohmann::json document = nlohmann::json::object();
    if (!chosen.token_file.empty())
        document["token_file"] = chosen.token_file;
    auto outside = chosen.token_file.empty() ? process_environment()
                                             : environment([](std::string const&) { return std::nullopt; });
    reader from({}, document, outside);
    std::string token;
    from.secret("token", token);
    return token;
}

awaitable<void> call(http::client& http, http::url to, http::request message, http::response& answer,
                     std::exception_ptr& failure, bool& done)
{
    try {
        answer = co_await http.send(to, message, answer_limit);
    } catch (...) {
        failure = std::current_exception();
    }
    done = true;
}

// The text of a problem document ("name: the project has another task of this name"), or the status without one.
std::string explanation(http::response const& answer)
{
    auto const problem = nlohmann::json::parse(answer.body, nullptr, false);
    if (!problem.is_object())
        return "status " + std::to_string(answer.status);
    auto const text = [&](char const* key) {
        auto const found = problem.find(key);
        return found != problem.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    auto const why = text("detail").empty() ? text("title") : text("detail");
    auto const field = text("field");
    return field.empty() || why.find(field) != std::string::npos ? why : field + ": " + why;
}

bool is_number(std::string const& text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

rest::rest(common_options const& chosen)
    : server_(http::parse_url(chosen.server)), token_(read_token(chosen)), http_(http::make_client(time_))
{}

nlohmann::json rest::exchange(http::request message)
{
    if (!token_.empty())
        message.headers.set("Authorization", "Bearer " + token_);
    http::response answer;
    std::exception_ptr failure;
    bool done = false;
    asio::co_spawn(loop_, call(*http_, server_, std::move(message), answer, failure, done), asio::detached);
    loop_.restart();
    while (!done) // run() would not return: a kept connection waits on the loop
        loop_.run_one();
    try {
        if (failure)
            std::rethrow_exception(failure);
    } catch (unavailable const& reason) {
        throw request_failed(0, server_.text() + " does not answer: " + reason.what() +
                                    " (is `baton web` running? --server names another)");
    }
    if (answer.status >= 400)
        throw request_failed(answer.status, explanation(answer));
    return nlohmann::json::parse(answer.body.empty() ? "null" : answer.body);
}

nlohmann::json rest::get(std::string const& target)
{
    http::request message;
    message.target = target;
    return exchange(std::move(message));
}

nlohmann::json rest::send(http::verb method, std::string const& target, nlohmann::json const& body)
{
    http::request message;
    if (!body.is_null())
        message = http::json_request(method, target, body);
    message.method = method;
    message.target = target;
    return exchange(std::move(message));
}

std::vector<nlohmann::json> rest::list(std::string const& target, std::size_t most)
{
    std::vector<nlohmann::json> items;
    char const joint = target.find('?') == std::string::npos ? '?' : '&';
    auto page = target + joint + "limit=" + std::to_string(std::min<std::size_t>(most, 500));
    for (std::string next = page; items.size() < most;) {
        auto const answer = get(next);
        for (auto const& item : answer.at("items"))
            if (items.size() < most)
                items.push_back(item);
        if (!answer.contains("next") || answer.at("next").is_null())
            break;
        next = page + "&after=" + http::percent_encode(answer.at("next").get<std::string>());
    }
    return items;
}

std::string rest::task_id(std::string const& id_or_name, std::string const& project)
{
    if (is_number(id_or_name))
        return id_or_name;
    auto const target =
        "/api/v1/tasks?project=" + http::percent_encode(project) + "&name=" + http::percent_encode(id_or_name);
    for (auto const& task : list(target, 100'000))
        if (task.at("name") == id_or_name)
            return task.at("id").get<std::string>();
    throw request_failed(404, "there is no task '" + id_or_name + "' in the project '" + project + "'");
}

} // namespace baton::cli
