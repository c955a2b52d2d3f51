// An outside project that embeds the SDK: it starts a service, sees it listen, and stops it again. No node answers at
// the address it is given, which must hinder neither.

#include <baton/client/service.hpp>
#include <iostream>

int main()
{
    baton::client::service_options options;
    options.name = "consumer";
    options.triggers = {"http://127.0.0.1:1"};
    options.grace = std::chrono::seconds{5};

    baton::client::service service(options);
    service.handle("double", [](baton::client::execution& run) {
        return baton::client::result::ok({{"twice", 2 * run.payload().at("number").get<int>()}});
    });
    service.start();
    bool const listens = service.port() != 0;
    std::cout << "listening at " << service.address() << '\n';
    service.stop();
    return listens ? 0 : 1;
}
