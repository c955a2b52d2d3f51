#include "locks/core/caller_error.hpp"

#include "libs/storage/migrations.hpp"
#include "locks/include/baton/lock/types.hpp"

namespace baton::lock {

caller_error describe(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (std::system_error const& known) {
        // what() ends with the message of the code, which the new exception appends again.
        std::string text = known.what();
        auto const end = ": " + known.code().message();
        if (text.ends_with(end))
            text.resize(text.size() - end.size());
        return {known.code(), std::move(text)};
    } catch (storage::schema_mismatch const& missing) {
        return {make_error_code(lock_errc::unavailable),
                std::string(missing.what()) + ", or call store::create_tables()"};
    } catch (std::exception const& other) {
        return {make_error_code(lock_errc::unavailable), other.what()};
    }
}

} // namespace baton::lock
