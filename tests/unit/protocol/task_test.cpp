#include "libs/base/error.hpp"
#include "libs/protocol/new_task.hpp"
#include "libs/protocol/task.hpp"

#include <catch2/catch.hpp>

namespace task_test {

using namespace baton;
using namespace baton::protocol;
using nlohmann::json;

namespace {

json good()
{
    return json::parse(R"({"name": "close the day", "service": "billing", "handler": "close-day",
        "payload": {"day": "today"}, "schedule": {"kind": "cron", "cron": "0 2 * * *", "zone": "Europe/Berlin"},
        "routing": "failover", "max_attempts": 3, "retry_delay_ms": 2500, "max_deaths": 7, "timeout_ms": 60000})");
}

// The field that the refusal names when `patch` is merged into a valid task.
std::string blamed(char const* patch)
{
    auto value = good();
    value.merge_patch(json::parse(patch));
    try {
        parse_task(value);
    } catch (invalid_input const& failure) {
        return failure.field();
    }
    return "nothing";
}

std::string blamed_schedule(char const* schedule)
{
    auto value = good();
    value["schedule"] = json::parse(schedule);
    try {
        parse_task(value);
    } catch (invalid_input const& failure) {
        return failure.field();
    }
    return "nothing";
}

} // namespace

TEST_CASE("a task survives writing and parsing without loss", "[protocol]")
{
    auto const task = parse_task(good());
    CHECK(task.project == "default");
    CHECK(task.routing == routing::failover);
    CHECK(task.retry_delay == 2'500ms);
    CHECK(task.max_deaths == 7);
    CHECK(task.timeout == 60s);
    CHECK(task.enabled);
    CHECK(to_json(parse_task(to_json(task))) == to_json(task));
}

TEST_CASE("a field that a task leaves out has its default", "[protocol]")
{
    auto const task =
        parse_task(json::parse(R"({"name": "n", "service": "s", "handler": "h", "schedule": {"kind": "api"}})"));
    CHECK(task.payload.parse() == json::object());
    CHECK(task.max_attempts == 1);
    CHECK(task.retry_delay == 1s);
    CHECK(task.max_deaths == 3);
    CHECK(task.timeout == 0s);
    CHECK(task.routing == routing::round_robin);
}

TEST_CASE("an unknown field of a task is refused with its path", "[protocol]")
{
    CHECK(blamed(R"({"nmae": "x"})") == "nmae");
    CHECK(blamed_schedule(R"({"kind": "cron", "cron": "* * * * *", "tz": "UTC"})") == "schedule.tz");
    CHECK(blamed_schedule(R"({"kind": "api", "cron": "* * * * *"})") == "schedule.cron");
    CHECK(blamed_schedule(R"({"kind": "once", "at": "2026-12-24T18:00:00Z", "every_ms": 5})") == "schedule.every_ms");
}

TEST_CASE("the refusal of an unknown field names the fields that there are, each once", "[protocol]")
{
    auto value = good();
    value["schedule"] = {{"kind", "fixed_rate"}, {"every_ms", 5000}, {"phase", 5}};
    CHECK_THROWS_WITH(parse_task(value), Catch::Contains("unknown field 'schedule.phase'") &&
                                             Catch::Contains("the fields of the kind fixed_rate are: ") &&
                                             Catch::Contains("every_ms"));
    value["schedule"] = {{"every_ms", 5000}};
    CHECK_THROWS_WITH(parse_task(value), Catch::Contains("schedule.kind is required, one of cron, fixed_rate, "));
    value = good();
    value["misfire"] = {{"limit", 5}};
    CHECK_THROWS_WITH(parse_task(value), Catch::Contains("misfire.limit is only for misfire.action fire_all"));
    value = good();
    value["retries"] = 3;
    CHECK_THROWS_WITH(parse_task(value), Catch::Contains("max_attempts") && !Catch::Matches(".*name.*, name, .*") &&
                                             !Catch::Contains("origins"));
}

TEST_CASE("a field of a wrong type is refused with its path", "[protocol]")
{
    CHECK(blamed(R"({"name": 7})") == "name");
    CHECK(blamed(R"({"service": ["billing"]})") == "service");
    CHECK(blamed(R"({"enabled": "yes"})") == "enabled");
    CHECK(blamed(R"({"max_attempts": 1.5})") == "max_attempts");
    CHECK(blamed(R"({"max_attempts": "3"})") == "max_attempts");
    CHECK(blamed_schedule(R"("* * * * *")") == "schedule");
    CHECK(blamed_schedule(R"({"kind": 1})") == "schedule.kind");
    CHECK_THROWS_AS(parse_task(json::array()), invalid_input);
    CHECK_THROWS_AS(parse_task(nullptr), invalid_input);
}

TEST_CASE("a required field must be there and must not be empty", "[protocol]")
{
    for (auto const* const field : {"name", "service", "handler"}) {
        auto value = good();
        value.erase(field);
        CHECK_THROWS_AS(parse_task(value), invalid_input);
        value[field] = "";
        CHECK_THROWS_AS(parse_task(value), invalid_input);
    }
    CHECK(blamed(R"({"schedule": null})") == "schedule");
    CHECK(blamed(R"({"project": ""})") == "project");
    CHECK(blamed_schedule(R"({"kind": "cron"})") == "schedule.cron");
    CHECK(blamed_schedule(R"({"kind": "once"})") == "schedule.at");
    CHECK(blamed_schedule(R"({"kind": "fixed_rate"})") == "schedule.every_ms");
}

TEST_CASE("a null is refused where the schema allows none, and a payload may be null", "[protocol]")
{
    for (auto const* const field : {"project", "name", "description", "service", "handler", "schedule", "routing",
                                    "max_attempts", "retry_delay_ms", "max_deaths", "timeout_ms", "enabled"}) {
        auto value = good();
        value[field] = nullptr;
        INFO(field);
        CHECK_THROWS_AS(parse_task(value), invalid_input);
    }
    CHECK(blamed_schedule(R"({"kind": "cron", "cron": "* * * * *", "zone": null})") == "schedule.zone");
    CHECK(blamed_schedule(R"({"kind": "cron", "cron": "* * * * *", "start_at": null})") == "schedule.start_at");
    CHECK(blamed_schedule(R"({"kind": "cron", "cron": "* * * * *", "end_at": ""})") == "schedule.end_at");
    CHECK(blamed_schedule(R"({"kind": "once", "at": ""})") == "schedule.at");
    auto value = good();
    value["payload"] = nullptr;
    CHECK(parse_task(value).payload.is_null());
    CHECK(to_json(parse_task(to_json(parse_task(value)))).at("payload").is_null());
}

TEST_CASE("a number without a fraction is an integer, however it is written", "[protocol]")
{
    auto const number = [](char const* text) {
        auto value = good();
        value["timeout_ms"] = json::parse(text);
        return parse_task(value).timeout / 1ms;
    };
    CHECK(number("1.0") == 1);
    CHECK(number("6e4") == 60'000);
    CHECK(number("0.0") == 0);
    CHECK(number("-0.0") == 0);
    for (auto const* const text : {"1.5", "1e300", "-1.0", "true", "9007199254740994.0"})
        CHECK_THROWS_AS(number(text), invalid_input);
}

TEST_CASE("white space around a cron expression is not part of it", "[protocol]")
{
    auto value = good();
    value["schedule"]["cron"] = "\t 0 2 * * *\r\n";
    CHECK(parse_task(value).schedule.cron == "0 2 * * *");
    CHECK(blamed_schedule(R"({"kind": "cron", "cron": " \n"})") == "schedule.cron");
}

TEST_CASE("names that come in have no control characters, and stored ones that do are still read", "[protocol]")
{
    for (auto const* const field : {"project", "name", "service", "handler"}) {
        auto value = good();
        value[field] = "a\xc2\x9b"
                       "b";
        auto const stored = parse_task(value);
        try {
            check_new_names(stored);
            FAIL("accepted");
        } catch (invalid_input const& wrong) {
            CHECK(wrong.field() == field);
        }
    }
    CHECK_NOTHROW(check_new_names(parse_task(good())));
    auto value = good();
    value["service"] = ".."; // browsers take it out of an address
    CHECK_THROWS_AS(check_new_names(parse_task(value)), invalid_input);
    value["service"] = "...";
    CHECK_NOTHROW(check_new_names(parse_task(value)));
}

TEST_CASE("names that come in have no characters that are not seen, and the refusal tells which", "[protocol]")
{
    auto value = good();
    auto const why = [&] {
        auto const stored = parse_task(value);
        try {
            check_new_names(stored);
        } catch (invalid_input const& wrong) {
            return std::string(wrong.what());
        }
        return std::string("accepted");
    };
    value["name"] = "a\xe2\x80\x8b" // a space of zero width
                    "b";
    CHECK(why() == "name must not contain the invisible character U+200B");
    for (auto const* const hidden : {"\xc2\xad", "\xe2\x80\xae", "\xe2\x81\xa0", "\xef\xbb\xbf"}) {
        value["name"] = std::string("a") + hidden;
        CHECK(why().starts_with("name must not contain the invisible character U+"));
    }
    // Above U+FFFF: the first and last of each range, and their neighbours.
    for (auto const* const hidden : {"\U000110BD", "\U000110CD", "\U00013430", "\U0001343F", "\U0001BCA0", "\U0001BCA3",
                                     "\U0001D173", "\U0001D17A", "\U000E0001", "\U000E0020", "\U000E007F"}) {
        value["name"] = std::string(hidden) + "a";
        CHECK(why().starts_with("name must not contain the invisible character U+"));
    }
    for (auto const* const seen : {"\U000110BC", "\U000110CE", "\U0001342F", "\U00013440", "\U0001BC9F", "\U0001D17B",
                                   "\U0001D172", "\U0001F600"}) {
        value["name"] = std::string(seen) + "a";
        CHECK(why() == "accepted");
    }
    value["name"] = "Tag\xc2\xae\xe2\x80\x94\xf0\x9f\x98\x80 \xe6\x97\xa5"; // ®, a dash, an emoji
    CHECK(why() == "accepted");
}

TEST_CASE("the limits of a task's fields hold to the character, and that of the payload to the byte", "[protocol]")
{
    auto value = good();
    value["name"] = std::string(190, 'n');
    CHECK_NOTHROW(parse_task(value));
    value["name"] = std::string(191, 'n');
    CHECK_THROWS_AS(parse_task(value), invalid_input);
    std::string wide;
    for (int i = 0; i < 190; ++i)
        wide += "\xe6\x97\xa5";
    value["name"] = wide;
    CHECK_NOTHROW(parse_task(value));
    value["name"] = wide + "x";
    CHECK_THROWS_AS(parse_task(value), invalid_input);
    value = good();
    value["payload"] = std::string(payload_limit - 2, 'p'); // and two quotes
    CHECK_NOTHROW(parse_task(value));
    value["payload"] = std::string(payload_limit - 1, 'p');
    CHECK_THROWS_AS(parse_task(value), invalid_input);
    CHECK(blamed(R"({"max_attempts": 0})") == "max_attempts");
    CHECK(blamed(R"({"max_deaths": 0})") == "max_deaths");
    CHECK(blamed(R"({"max_attempts": 1001})") == "max_attempts");
    CHECK(blamed(R"({"timeout_ms": -1})") == "timeout_ms");
    CHECK(blamed(R"({"timeout_ms": 18446744073709551615})") == "timeout_ms");
    CHECK(blamed(R"({"retry_delay_ms": 31622400001})") == "retry_delay_ms");
    CHECK(blamed_schedule(R"({"kind": "fixed_rate", "every_ms": 99})") == "schedule.every_ms");
    CHECK(blamed_schedule(R"({"kind": "fixed_delay", "every_ms": 0})") == "schedule.every_ms");
}

TEST_CASE("a name with characters that break a log or a URL is refused", "[protocol]")
{
    CHECK(blamed(R"({"name": "a/b"})") == "name");
    CHECK(blamed(R"({"name": " a"})") == "name");
    CHECK(blamed(R"({"handler": "a\nb"})") == "handler");
    CHECK(blamed(R"({"service": "a\\b"})") == "service");
    CHECK(blamed(R"({"name": "Tagesabschluß '; DROP TABLE task; --"})") == "nothing");
}

TEST_CASE("an unknown choice or an unreadable instant is refused", "[protocol]")
{
    CHECK(blamed(R"({"routing": "nearest"})") == "routing");
    CHECK(blamed_schedule(R"({"kind": "weekly"})") == "schedule.kind");
    CHECK(blamed_schedule(R"({"kind": "once", "at": "tomorrow"})") == "schedule.at");
    CHECK(blamed_schedule(R"({"kind": "once", "at": "2026-02-30T00:00:00Z"})") == "schedule.at");
    CHECK(blamed_schedule(R"({"kind": "fixed_rate", "every_ms": 1000, "start_at": "2026-02-01T00:00:00Z",
                              "end_at": "2026-02-01T00:00:00Z"})") == "schedule.end_at");
}

TEST_CASE("a patch changes the fields that it names and is checked as strictly as a whole task", "[protocol]")
{
    auto const task = parse_task(good());
    auto const slower = patch_task(task, json::parse(R"({"schedule": {"cron": "0 3 * * *"}, "enabled": false})"));
    CHECK(slower.schedule.cron == "0 3 * * *");
    CHECK(slower.schedule.zone == "Europe/Berlin");
    CHECK_FALSE(slower.enabled);
    CHECK(slower.name == task.name);
    CHECK(patch_task(task, json::parse(R"({"timeout_ms": null})")).timeout == 0s);
    CHECK_THROWS_AS(patch_task(task, json::parse(R"({"novel": 1})")), invalid_input);
    CHECK_THROWS_AS(patch_task(task, json::parse("[]")), invalid_input);
}

TEST_CASE("the rules of a cron schedule are read, written without their defaults, and refused with their path",
          "[protocol]")
{
    auto value = good();
    value["schedule"] = json::parse(R"({"kind": "cron", "cron": "0 0 2 L * ?", "zone": "UTC", "dialect": "quartz",
                                        "gap": "shift", "overlap": "second", "hash_seed": 4294967295})");
    auto const task = parse_task(value);
    CHECK(task.schedule.rules ==
          cron_rules{cron_dialect::quartz, gap_policy::shift, overlap_policy::second, 4'294'967'295u});
    CHECK(to_json(task).at("schedule") == value["schedule"]);
    auto const usual = patch_task(
        task, json::parse(R"({"schedule": {"dialect": null, "gap": null, "overlap": null, "hash_seed": null}})"));
    CHECK(usual.schedule.rules == cron_rules{});
    CHECK_FALSE(to_json(usual).at("schedule").contains("dialect"));

    auto const wrong = [](std::string const& member) {
        return blamed_schedule((R"({"kind": "cron", "cron": "* * * * *", )" + member + "}").c_str());
    };
    CHECK(wrong(R"("dialect": "jenkins")") == "schedule.dialect");
    CHECK(wrong(R"("gap": "first")") == "schedule.gap");
    CHECK(wrong(R"("overlap": 2)") == "schedule.overlap");
    CHECK(wrong(R"("hash_seed": 4294967296)") == "schedule.hash_seed");
    CHECK(blamed_schedule(R"({"kind": "api", "dialect": "quartz"})") == "schedule.dialect");
}

TEST_CASE("windows and calendar intervals have the policies for changes of the clock, and no dialect", "[protocol]")
{
    for (auto const* const schedule :
         {R"({"kind": "window", "every_ms": 900000, "from": "09:00", "to": "17:30", "zone": "Europe/Berlin"})",
          R"({"kind": "calendar", "every": 1, "unit": "days", "time": "02:30", "zone": "Europe/Berlin"})"}) {
        auto value = good();
        value["schedule"] = json::parse(schedule);
        auto const usual = parse_task(value);
        CHECK_FALSE(to_json(usual).at("schedule").contains("gap"));
        auto const task = patch_task(usual, json::parse(R"({"schedule": {"gap": "shift", "overlap": "both"}})"));
        CHECK(task.schedule.rules == cron_rules{.gap = gap_policy::shift, .overlap = overlap_policy::both});
        CHECK(parse_task(to_json(task)).schedule.rules == task.schedule.rules);
        CHECK(to_json(patch_task(task, json::parse(R"({"schedule": {"gap": null, "overlap": null}})"))) ==
              to_json(usual));
        value["schedule"]["dialect"] = "quartz";
        CHECK_THROWS_AS(parse_task(value), invalid_input);
    }
    CHECK(blamed_schedule(R"({"kind": "fixed_rate", "every_ms": 1000, "gap": "skip"})") == "schedule.gap");
}

TEST_CASE("a patch to another kind of schedule keeps no field of the old one", "[protocol]")
{
    auto const task = parse_task(good());
    auto const rate = patch_task(task, json::parse(R"({"schedule": {"kind": "fixed_rate", "every_ms": 1000}})"));
    CHECK(rate.schedule.kind == schedule_kind::fixed_rate);
    CHECK(rate.schedule.every == 1s);
    CHECK(rate.schedule.cron.empty());
    CHECK_THROWS_AS(patch_task(task, json::parse(R"({"schedule": {"kind": "fixed_rate"}})")), invalid_input);
}

TEST_CASE("a null in a patch removes a member that has a default, and is refused for any other", "[protocol]")
{
    auto const task = parse_task(good());
    auto const field = [&](char const* patch) {
        try {
            patch_task(task, json::parse(patch));
        } catch (invalid_input const& wrong) {
            return wrong.field();
        }
        return std::string("nothing");
    };
    for (auto const* const patch :
         {R"({"project": null})", R"({"description": null})", R"({"payload": null})", R"({"routing": null})",
          R"({"enabled": null})", R"({"schedule": {"zone": null, "end_at": null}})",
          R"({"schedule": {"kind": "fixed_rate", "every_ms": 1000, "start_at": null}})"})
        CHECK(field(patch) == "nothing");
    CHECK(field(R"({"name": null})") == "name");
    CHECK(field(R"({"schedule": null})") == "schedule");
    CHECK(field(R"({"novel": null})") == "novel");
    CHECK(field(R"({"schedule": {"cron": null}})") == "schedule.cron");
    CHECK(field(R"({"schedule": {"every_ms": null}})") == "schedule.every_ms");
    CHECK(field(R"({"schedule": {"kind": null}})") == "schedule.kind");
    CHECK(field(R"({"schedule": {"novel": null}})") == "schedule.novel");
    CHECK(field(R"({"schedule": {"kind": "api", "start_at": null}})") == "schedule.start_at");
    CHECK(field(R"({"schedule": {"kind": "fixed_rate", "every_ms": 1000, "zone": null}})") == "schedule.zone");
}

TEST_CASE("the payload merges like the rest of a patch, and null removes a member", "[protocol]")
{
    auto const task = parse_task(good());
    auto const more = patch_task(task, json::parse(R"({"payload": {"depth": 2}})"));
    CHECK(more.payload.parse() == json::parse(R"({"day": "today", "depth": 2})"));
    auto const less = patch_task(task, json::parse(R"({"payload": {"day": null}})"));
    CHECK(less.payload.parse() == json::object());
}

TEST_CASE("a task asks for what its handler is told of earlier executions", "[protocol]")
{
    auto document = good();
    CHECK_FALSE(parse_task(document).context.any());
    document["context"] = {"last_success"};
    auto const one = parse_task(document);
    CHECK(one.context == handler_context{false, true});
    CHECK(to_json(one).at("context") == json::array({"last_success"}));
    document["context"] = {"previous", "last_success"};
    CHECK(parse_task(document).context == handler_context{true, true});
    for (auto const* const wrong : {R"("previous")", R"(["next"])", R"(["previous", "previous"])", R"([1])"}) {
        document["context"] = json::parse(wrong);
        CHECK_THROWS_AS(parse_task(document), invalid_input);
    }
    CHECK_FALSE(patch_task(one, json::parse(R"({"context": null})")).context.any());
}

} // namespace task_test
