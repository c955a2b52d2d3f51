#include "cli/rest.hpp"

#include "cli/config/documents.hpp"
#include "cli/config/reader.hpp"
#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

#include <algorithm>
#include <ostream>

namespace baton::cli {

namespace {

constexpr duration answer_limit = 30s;
constexpr duration start_limit = 3s; // for a server of this machine that is starting
constexpr std::chrono::milliseconds start_poll = 50ms;

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
    from.report();
    return token;
}

// A server of this machine may still be starting. No byte of a refused request has arrived, so it is safe to repeat it.
awaitable<http::response> send_to(http::client& http, time_source& time, http::url const& to,
                                  http::request const& message)
{
    auto const until = time.now() + (http::is_loopback(to.host) ? start_limit : duration{});
    for (;;) {
        try {
            co_return co_await http.send(to, message, answer_limit);
        } catch (http::unreachable const& failure) {
            if (failure.possibly_delivered() || time.now() >= until)
                throw;
        }
        co_await time.sleep_for(start_poll);
    }
}

awaitable<void> call(http::client& http, time_source& time, http::url to, http::request message, http::response& answer,
                     std::exception_ptr& failure, bool& done)
{
    try {
        answer = co_await send_to(http, time, to, message);
    } catch (...) {
        failure = std::current_exception();
    }
    done = true;
}

// The text of a problem document ("name: the project has another task named 'x'"), or the status without one.
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

http::url server_of(common_options const& chosen)
{
    try {
        return http::parse_url(chosen.server);
    } catch (invalid_input const& wrong) {
        bool const is_variable = process_environment()("BATON_SERVER") == chosen.server;
        throw invalid_input(is_variable ? "BATON_SERVER" : "--server", wrong.what());
    }
}

} // namespace

std::string in_own_words(std::string text)
{
    std::string const theirs = "allow_unserved=true in the query accepts";
    if (auto const at = text.find(theirs); at != std::string::npos)
        text.replace(at, theirs.size(), "--allow-unserved accepts");
    return text;
}

rest::rest(common_options const& chosen)
    : server_(server_of(chosen)), token_(read_token(chosen)), http_(http::make_client(time_))
{}

http::response rest::send_once(http::request message)
{
    if (!token_.empty())
        message.headers.set("Authorization", "Bearer " + token_);
    http::response answer;
    std::exception_ptr failure;
    bool done = false;
    asio::co_spawn(loop_, call(*http_, time_, server_, std::move(message), answer, failure, done), asio::detached);
    loop_.restart();
    while (!done) // run() would not return: a kept connection waits on the loop
        loop_.run_one();
    try {
        if (failure)
            std::rethrow_exception(failure);
    } catch (unavailable const& reason) {
        throw request_failed(0, server_.text() + " does not answer: " + reason.what() +
                                    " (is `baton web` or `baton dev` running? --server names another)");
    }
    return answer;
}

// A trigger node answers /healthz with its role, web does not.
void rest::refuse_trigger()
{
    http::request question;
    question.target = "/healthz";
    auto const health = nlohmann::json::parse(send_once(std::move(question)).body, nullptr, false);
    if (health.is_object() && health.contains("incarnation") && health.contains("role"))
        throw request_failed(0, server_.text() +
                                    " is a trigger node, which clients call; the command line talks to "
                                    "`baton web`, by default at port " +
                                    std::to_string(web_port) + " (--server names it)");
}

nlohmann::json rest::exchange(http::request message)
{
    auto const answer = send_once(std::move(message));
    if (answer.status == 401 || answer.status == 404)
        refuse_trigger();
    if (answer.status == 401)
        throw request_failed(401, server_.text() + (token_.empty() ? " needs web's token" : " has another token") +
                                      ": give --token-file, BATON_TOKEN_FILE or BATON_TOKEN");
    if (answer.status >= 400)
        throw request_failed(answer.status, in_own_words(explanation(answer)));
    return nlohmann::json::parse(answer.body.empty() ? "null" : answer.body);
}

nlohmann::json rest::get(std::string const& target)
{
    http::request message;
    message.target = target;
    return exchange(std::move(message));
}

nlohmann::json rest::send(http::verb method, std::string const& target, nlohmann::json const& body,
                          std::string const& key)
{
    http::request message;
    if (!body.is_null())
        message = http::json_request(method, target, body);
    message.method = method;
    message.target = target;
    if (!key.empty())
        message.headers.set("Idempotency-Key", key);
    return exchange(std::move(message));
}

nlohmann::json rest::replace(nlohmann::json const& task, std::string const& query)
{
    auto const target = "/api/v1/tasks/" + task.at("id").get<std::string>() + query;
    auto message = http::json_request(http::verb::put, target, task);
    message.headers.set("If-Match", "\"" + task.at("version").dump() + "\"");
    return exchange(std::move(message));
}

nlohmann::json rest::put(std::string const& target, nlohmann::json const& document, int version)
{
    auto message = http::json_request(http::verb::put, target, document);
    if (version != 0)
        message.headers.set("If-Match", "\"" + std::to_string(version) + "\"");
    return exchange(std::move(message));
}

std::optional<nlohmann::json> rest::find_task(std::string const& name, std::string const& project)
{
    auto const target =
        "/api/v1/tasks?project=" + http::percent_encode(project) + "&name=" + http::percent_encode(name);
    for (auto& task : list(target, 100'000))
        if (task.at("name") == name)
            return std::move(task);
    return std::nullopt;
}

std::vector<nlohmann::json> rest::list(std::string const& target, std::size_t most)
{
    return page(target, most).at("items").get<std::vector<nlohmann::json>>();
}

nlohmann::json rest::page(std::string const& target, std::size_t most, nlohmann::json after)
{
    auto items = nlohmann::json::array();
    char const joint = target.find('?') == std::string::npos ? '?' : '&';
    do {
        auto next = target + joint + "limit=" + std::to_string(std::min<std::size_t>(most - items.size(), 500));
        if (!after.is_null())
            next += "&after=" + http::percent_encode(after.get<std::string>());
        auto const answer = get(next);
        for (auto const& item : answer.at("items"))
            items.push_back(item);
        after = answer.value("next", nlohmann::json());
    } while (!after.is_null() && items.size() < most);
    return {{"items", std::move(items)}, {"next", std::move(after)}};
}

std::string rest::task_id(std::string const& id_or_name, std::string const& project)
{
    auto const [id, name] = find_id(id_or_name, project);
    if (id.empty())
        throw request_failed(404, "there is no task '" + name + "' in the project '" + project + "'");
    return id;
}

std::string rest::past_task_id(std::string const& id_or_name, std::string const& project, std::ostream& told)
{
    auto const [id, name] = find_id(id_or_name, project);
    if (!id.empty())
        return id;
    auto const target = "/api/v1/deleted-tasks?limit=1&project=" + http::percent_encode(project) +
                        "&name=" + http::percent_encode(name);
    auto const found = get(target).at("items");
    if (found.empty())
        throw request_failed(404, "there is no task '" + name + "' in the project '" + project +
                                      "', and none of this name was deleted");
    auto const past = found[0].at("id").get<std::string>();
    told << "baton: the task " << in_quotes(name)
         << " is deleted; this is the newest deleted one of this name, id:" << past << std::endl;
    return past;
}

// The id, or an empty text; and the name that was looked for.
std::pair<std::string, std::string> rest::find_id(std::string const& id_or_name, std::string const& project)
{
    if (id_or_name.starts_with("id:") && is_number(id_or_name.substr(3)))
        return {id_or_name.substr(3), ""};
    auto const name = id_or_name.starts_with("name:") ? id_or_name.substr(5) : id_or_name;
    if (auto const task = find_task(name, project))
        return {task->at("id").get<std::string>(), name};
    return {is_number(id_or_name) ? id_or_name : "", name};
}

} // namespace baton::cli
