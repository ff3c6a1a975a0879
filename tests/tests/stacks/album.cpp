// An album through gSOAP, whose octets are attached in one of its ways: as caller, and as a service that ends with its
// input. The way is a macro: MTOM, DIME or MIME.

#include "soapH.h"
#include "Album.nsmap"

#include <cstring>
#include <iostream>
#include <string>

#include "serving.h"

using Octets = decltype(ns__Picture::pixels);

#if defined MTOM
static const int MODE = SOAP_ENC_MTOM;

static void put(soap *, Octets &to, const std::string &octets) {
    to.xop__Include.__ptr = reinterpret_cast<unsigned char *>(const_cast<char *>(octets.data()));
    to.xop__Include.__size = static_cast<int>(octets.size());
    to.xop__Include.type = const_cast<char *>("application/octet-stream");
}

static std::string get(soap *, const Octets &from) {
    return std::string(reinterpret_cast<char *>(from.xop__Include.__ptr), from.xop__Include.__size);
}
#elif defined DIME
static const int MODE = SOAP_ENC_DIME;

static void put(soap *, Octets &to, const std::string &octets) {
    to.__ptr = reinterpret_cast<unsigned char *>(const_cast<char *>(octets.data()));
    to.__size = static_cast<int>(octets.size());
    to.type = const_cast<char *>("application/octet-stream");
}

static std::string get(soap *, const Octets &from) {
    return std::string(reinterpret_cast<char *>(from.__ptr), from.__size);
}
#else
static const int MODE = 0;

static void put(soap *soap, Octets &to, const std::string &octets) {
    static int number = 0;
    std::string id = "part-" + std::to_string(++number) + "@gsoap";
    to.href = soap_strdup(soap, ("cid:" + id).c_str());
    char *named = soap_strdup(soap, ("<" + id + ">").c_str());
    soap_set_mime_attachment(soap, const_cast<char *>(octets.data()), octets.size(), SOAP_MIME_BINARY,
        "application/octet-stream", named, nullptr, nullptr);
}

static std::string get(soap *soap, const Octets &from) {
    if (!from.href) return "no href";
    std::string wanted = from.href + strlen("cid:");
    for (auto part = soap->mime.list; part; part = part->next) {
        std::string id = part->id ? part->id : "";
        if (id == wanted || id == "<" + wanted + ">") return std::string(part->ptr, part->size);
    }
    return "no part " + wanted;
}
#endif

static std::string octets(size_t length, unsigned char mask) {
    std::string all(length, 0);
    for (size_t at = 0; at < length; ++at) all[at] = static_cast<char>(static_cast<unsigned char>(at * 7) ^ mask);
    return all;
}

static void begin(soap *soap) {
    soap_set_namespaces(soap, namespaces);
#if !defined MTOM && !defined DIME
    soap_set_mime(soap, nullptr, "<envelope>");
#else
    (void)soap;
#endif
}

/// The service: a negative of each picture.
int ns__develop(soap *soap, ns__Picture *picture, ns__developResponse *response) {
    auto negative = [&](const Octets &from) {
        auto all = new std::string(get(soap, from));
        for (auto &it : *all) it = static_cast<char>(~it);
        return all;
    };
    auto pixels = negative(picture->pixels);
    auto thumbnail = picture->thumbnail ? negative(*picture->thumbnail) : nullptr;
    response->developed = soap_new_ns__Picture(soap, 1);
    soap_default_ns__Picture(soap, response->developed);
    response->developed->title = picture->title;
    begin(soap);
    put(soap, response->developed->pixels, *pixels);
    if (thumbnail) {
        response->developed->thumbnail = static_cast<Octets *>(soap_malloc(soap, sizeof(Octets)));
        memset(response->developed->thumbnail, 0, sizeof(Octets));
        put(soap, *response->developed->thumbnail, *thumbnail);
    }
    return SOAP_OK;
}

static int call(const char *url) {
    for (size_t length : {10ul, 1000000ul}) {
        soap *soap = soap_new1(MODE);
        begin(soap);
        std::string pixels = octets(length, 0), small = octets(2000, 0);
        ns__Picture picture;
        soap_default_ns__Picture(soap, &picture);
        picture.title = const_cast<char *>("a < b");
        put(soap, picture.pixels, pixels);
        Octets thumbnail;
        memset(&thumbnail, 0, sizeof thumbnail);
        put(soap, thumbnail, small);
        picture.thumbnail = &thumbnail;
        ns__developResponse response;
        if (soap_call_ns__develop(soap, url, "urn:album#develop", &picture, &response)) {
            soap_print_fault(soap, stderr);
            return 1;
        }
        bool is_whole = get(soap, response.developed->pixels) == octets(length, 255);
        bool is_small = response.developed->thumbnail && get(soap, *response.developed->thumbnail) == octets(2000, 255);
        std::cout << response.developed->title << " " << length << (is_whole && is_small ? " whole" : " broken") << std::endl;
        soap_destroy(soap);
        soap_end(soap);
        soap_free(soap);
    }
    return 0;
}

static int serve() {
    soap *soap = soap_new1(MODE);
    begin(soap);
    return serve(soap);
}

int main(int count, char **arguments) {
    return count > 1 ? call(arguments[1]) : serve();
}
