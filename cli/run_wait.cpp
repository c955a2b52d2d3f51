#include "cli/run_wait.hpp"

#include "libs/base/printable.hpp"

#include <chrono>
#include <csignal>
#include <deque>
#include <sstream>
#include <thread>
#include <unistd.h>

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

constexpr std::size_t last_lines = 20;

// "\nstderr:\n" and the text, of which at most `most` lines at the end; nothing for an empty text.
std::string output_text(std::string const& title, std::string const& output, std::size_t most)
{
    std::istringstream in(output);
    std::deque<std::string> lines;
    std::size_t before = 0;
    for (std::string line; std::getline(in, line); lines.push_back(printable(line)))
        if (lines.size() == most) {
            lines.pop_front();
            ++before;
        }
    if (lines.empty())
        return "";
    auto shown = "\n" + title + (before > 0 ? ", the last " + std::to_string(lines.size()) + " lines:" : ":");
    for (auto const& line : lines)
        shown += "\n" + line;
    return shown;
}

// The result of a command that `baton agent` ran has both outputs.
bool is_of_command(nlohmann::json const& result)
{
    return result.is_object() && result.contains("stdout") && result["stdout"].is_string() &&
           result.contains("stderr") && result["stderr"].is_string();
}

std::string success_text(nlohmann::json const& result)
{
    if (!is_of_command(result))
        return ' ' + printable_json(result.dump());
    auto const whole = std::string::npos;
    return output_text("stdout", text_of(result, "stdout"), whole) +
           output_text("stderr", text_of(result, "stderr"), whole);
}

std::string failure_text(nlohmann::json const& execution, nlohmann::json const& last)
{
    auto const result = last.value("result", nlohmann::json());
    auto const error = text_of(last, "error");
    auto const why = error.empty() ? text_of(execution, "reason") : error;
    std::string text = why.empty() ? "" : ": " + printable_lines(why);
    if (is_of_command(result))
        text += output_text("stdout", text_of(result, "stdout"), last_lines) +
                output_text("stderr", text_of(result, "stderr"), last_lines);
    if (!error.empty() || !result.is_null())
        text += "\nbaton executions show " + cell(execution, "id") + " --json shows all of it";
    return text;
}

std::string interrupted_text; // read in a signal handler, so it changes only while the handler is not installed

extern "C" void end_interrupted(int)
{
    [[maybe_unused]] auto const written = write(STDERR_FILENO, interrupted_text.data(), interrupted_text.size());
    _exit(status_interrupted);
}

// While it lives, an interrupt says that the execution goes on. A process that ignores interrupts, as in the
// background of a script, goes on ignoring them.
class interrupt_notice {
public:
    explicit interrupt_notice(std::string const& execution)
    {
        interrupted_text =
            "execution " + execution + ": still running; baton executions cancel " + execution + " ends it\n";
        sigaction(SIGINT, nullptr, &before_);
        if (before_.sa_handler == SIG_IGN)
            return;
        struct sigaction notice {};
        notice.sa_handler = end_interrupted;
        sigaction(SIGINT, &notice, nullptr);
    }
    interrupt_notice(interrupt_notice const&) = delete;
    interrupt_notice& operator=(interrupt_notice const&) = delete;
    ~interrupt_notice() { sigaction(SIGINT, &before_, nullptr); }

private:
    struct sigaction before_ {};
};

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
        return line + success_text(last.value("result", nlohmann::json()));
    auto const tries = execution.value("attempt", 1);
    return line + (tries > 1 ? " after " + std::to_string(tries) + " attempts" : "") + failure_text(execution, last);
}

nlohmann::json await_end(rest& web, std::string const& execution, times const& at, std::ostream& told)
{
    interrupt_notice const notice(execution);
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
