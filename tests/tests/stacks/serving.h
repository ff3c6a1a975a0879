// A service through the functions that soapcpp2 makes for C, which ends with its input.

#pragma once

#include <arpa/inet.h>
#include <iostream>
#include <pthread.h>
#include <unistd.h>

static void *end_with_input(void *) {
    while (std::cin.get() != EOF) {}
    _exit(0);
}

/// Prints where it is, and answers whoever calls there.
static int serve(soap *soap) {
    int listening = soap_bind(soap, "127.0.0.1", 0, 10);
    if (listening < 0) {
        soap_print_fault(soap, stderr);
        return 1;
    }
    sockaddr_in address{};
    socklen_t length = sizeof address;
    getsockname(listening, reinterpret_cast<sockaddr *>(&address), &length);
    std::cout << "http://127.0.0.1:" << ntohs(address.sin_port) << std::endl;
    pthread_t thread;
    pthread_create(&thread, nullptr, end_with_input, nullptr);
    for (;;) {
        if (soap_accept(soap) < 0) return 1;
        if (soap_serve(soap) && soap->error != SOAP_EOF) soap_print_fault(soap, stderr);
        soap_destroy(soap);
        soap_end(soap);
    }
}
