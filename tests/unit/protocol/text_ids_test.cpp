#include "libs/base/error.hpp"
#include "libs/protocol/client_wire.hpp"

#include <catch2/catch.hpp>

namespace text_ids_test {

using namespace baton;
using namespace baton::protocol;
using nlohmann::json;

namespace {

constexpr std::int64_t large = 381'204'117'561'114'625; // JavaScript reads it as ...624

template <class Message>
json with_text_ids(char const* path, Message const& message)
{
    return json::parse(with_ids_as_text(path, json(message).dump()));
}

} // namespace

TEST_CASE("the ids in the calls to a client are text if it wants, and nothing else changes", "[protocol]")
{
    dispatch_request sent;
    sent.number = 5;
    auto& one = sent.executions.emplace_back();
    one.execution = execution_id{large};
    one.task = task_id{large + 2};
    one.payload = json_text::checked(R"({"execution":381204117561114625})");
    one.previous.execution = execution_id{large + 4};
    auto const said = with_text_ids(path_dispatch, sent);
    auto const& shown = said.at("executions").at(0);
    CHECK(shown.at("execution") == std::to_string(large));
    CHECK(shown.at("task") == std::to_string(large + 2));
    CHECK(shown.at("previous").at("execution") == std::to_string(large + 4));
    CHECK(shown.at("payload").at("execution") == large);
    CHECK(said.at("number") == 5);

    query_request asked;
    asked.executions = {execution_id{large}};
    asked.attempts = {2};
    CHECK(with_text_ids(path_query, asked).at("executions") == json{std::to_string(large)});
    CHECK(with_text_ids(path_query, asked).at("attempts") == json{2});
    recall_request recalled;
    recalled.executions = {execution_id{large}};
    CHECK(with_text_ids(path_recall, recalled).at("executions") == json{std::to_string(large)});
    executions_request cancelled;
    cancelled.executions = {execution_id{large}};
    CHECK(with_text_ids(path_cancel, cancelled).at("executions") == json{std::to_string(large)});
    CHECK(with_ids_as_text(path_probe, "{}") == "{}");
    CHECK(json::parse(to_text(sent)).at("executions").at(0).at("execution") == large); // for the next client
}

TEST_CASE("a node reads ids as numbers and as text, and refuses any other text", "[protocol]")
{
    auto const read = [](std::string const& id) {
        auto const text = R"({"instance":"a","results":[{"execution":)" + id + "}]}";
        results_request message;
        from_text(text, message);
        CHECK(json::parse(text).get<results_request>().results.at(0).execution == message.results.at(0).execution);
        return message.results.at(0).execution.value();
    };
    CHECK(read("381204117561114625") == large);
    CHECK(read("\"381204117561114625\"") == large);
    for (auto const* wrong : {"\"\"", "\"12x\"", "\"9223372036854775808\"", "\"1.0\"", "true", "1.5"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(read(wrong), invalid_input);
    }
}

TEST_CASE("the answer to results has its ids as text if the message wants them so", "[protocol]")
{
    results_answer answer;
    answer.recorded = {{execution_id{large}, 2}};
    CHECK(json::parse(to_text(answer, id_form::text)).at("recorded").at(0).at("execution") == std::to_string(large));
    CHECK(json::parse(to_text(answer)).at("recorded").at(0).at("execution") == large);
}

} // namespace text_ids_test
