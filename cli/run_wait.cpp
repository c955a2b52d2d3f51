#include "cli/run_wait.hpp"

#include "libs/base/printable.hpp"

#include <chrono>
#include <sstream>
#include <thread>

namespace baton::cli {

namespace {

constexpr auto between_looks = 100ms;
constexpr auto looks_before_reason = 2s / between_looks; // most executions have begun by then

// The text of a handler may have several lines.
std::string printable_lines(std::string const& text)
{
    std::istringstream lines(text);
    std::string shown;
    for (std::string line; std::getline(lines, line);)
        shown += (shown.empty() ? "" : "\n") + printable(line);
    return shown;
}

std::string text_of(nlohmann::json const& object, char const* key)
{
    auto const found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

} // namespace

std::string news_of(nlohmann::json const& execution, times const& at, bool patient)
{
    auto const& last = execution.at("attempts").back();
    if (execution.at("state") == "running") {
        auto const progress = last.value("progress", nlohmann::json());
        bool const moves = progress.is_number() && progress != 0;
        auto const client = text_of(last, "client");
        return "running" + (client.empty() ? "" : " on " + printable(client)) +
               (moves ? ", " + progress.dump() + " %" : "");
    }
    auto const reason = text_of(execution, "reason");
    return patient && !reason.empty() ? at.within(printable(reason)) : "";
}

std::string ending_of(nlohmann::json const& execution)
{
    auto const& last = execution.at("attempts").back();
    auto const line = "execution " + cell(execution, "id") + ": " + cell(execution, "state");
    if (execution.at("state") == "succeeded")
        return line + ' ' + printable_json(last.value("result", nlohmann::json()).dump());
    auto const tries = execution.value("attempt", 1);
    auto const error = text_of(last, "error");
    auto const why = error.empty() ? text_of(execution, "reason") : error;
    return line + (tries > 1 ? " after " + std::to_string(tries) + " attempts" : "") +
           (why.empty() ? "" : ": " + printable_lines(why));
}

nlohmann::json await_end(rest& web, std::string const& execution, times const& at, std::ostream& told)
{
    std::string known;
    for (int look = 0;; ++look) {
        auto shown = web.get("/api/v1/executions/" + execution);
        if (!shown.at("ended_at").is_null())
            return shown;
        auto news = news_of(shown, at, look >= looks_before_reason);
        if (!news.empty() && news != known) {
            told << "execution " << execution << ": " << news << std::endl;
            known = std::move(news);
        }
        std::this_thread::sleep_for(between_looks);
    }
}

} // namespace baton::cli
