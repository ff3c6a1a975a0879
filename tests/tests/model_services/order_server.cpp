// Answers orders with every note of XML through gSOAP, until its input ends. Prints its port.

#include <arpa/inet.h>
#include <iostream>
#include <string>
#include <thread>

#include "NotesPort.nsmap"
#include "soapNotesPortService.h"

int NotesPortService::place(ns1__Order *order, __ns1__placeResponse &answer) {
    auto fee = soap_new_ns1__Money(soap);
    fee->soap_default(soap);
    fee->__item = "0.5";
    fee->currency = soap_new_std__string(soap);
    *fee->currency = "C";
    order->fees.push_back(fee);
    order->Order_ID = "X-2";
    *order->flags += " c";
    order->seller = order->buyer;
    order->buyer = nullptr;
    order->note = nullptr;
    answer.ns1__Order_ = order;
    return SOAP_OK;
}

int main() {
    NotesPortService service(SOAP_C_UTFSTRING);
    SOAP_SOCKET listening = service.bind("127.0.0.1", 0, 10);
    sockaddr_in address;
    socklen_t length = sizeof address;
    if (!soap_valid_socket(listening) ||
        getsockname(listening, reinterpret_cast<sockaddr *>(&address), &length) != 0) {
        service.soap_stream_fault(std::cerr);
        return 1;
    }
    std::cout << ntohs(address.sin_port) << std::endl;
    // Whoever started it holds its input.
    std::thread([] {
        while (std::cin.get() != EOF) {
        }
        std::_Exit(0);
    }).detach();
    while (soap_valid_socket(service.accept())) {
        if (service.serve() != SOAP_OK)
            service.soap_stream_fault(std::cerr);
        service.destroy();
    }
    return 1;
}
