// omniORB: omniidl's stubs on a memory stream; the generated structures are the application's
// own. CDR of either byte order, alignment from byte 0.
//
// One output stream is rewound for all messages. The ORB is initialised only for its code
// sets: as its native one is UTF-8, text is passed through unchanged.
#include "market_data.hh"
#include "peer.h"

#include <deque>

namespace {

class OmniOrb {
public:
    static constexpr bool encodes = true;

    bool select(const std::string &format) {
        little = format == "cdr-le";
        return little || format == "cdr-be";
    }

    void keep(peer::View message) {
        structures.emplace_back();
        read(message, structures.back());
    }

    void forget() { structures.clear(); }

    FIXMLMessageRecord &kept(size_t index) { return structures[index]; }

    FIXMLMessageRecord &decode(peer::View message) {
        peer::renew(work);
        return decode_again(message);
    }

    FIXMLMessageRecord &decode_again(peer::View message) {
        read(message, work);
        return work;
    }

    peer::View encode(const FIXMLMessageRecord &message) {
        try {
            output.rewindPtrs();
            output.setByteSwapFlag(little);
            message >>= output;
        } catch (const CORBA::Exception &error) {
            throw std::runtime_error(error._name());
        }
        return {static_cast<const char *>(output.bufPtr()), output.bufSize()};
    }

private:
    void read(peer::View bytes, FIXMLMessageRecord &record) {
        try {
            cdrMemoryStream input(const_cast<char *>(bytes.data()), bytes.size());
            input.setByteSwapFlag(little);
            record <<= input;
            if (input.currentInputPtr() != bytes.size())
                throw std::runtime_error("bytes are left over after the message");
        } catch (const CORBA::Exception &error) {
            throw std::runtime_error(error._name());
        }
    }

    bool little = true;
    FIXMLMessageRecord work;
    std::deque<FIXMLMessageRecord> structures;
    cdrMemoryStream output;
};

} // namespace

int main() {
    const char *options[][2] = {{"nativeCharCodeSet", "UTF-8"}, {nullptr, nullptr}};
    int count = 0;
    CORBA::ORB_var orb = CORBA::ORB_init(count, nullptr, "omniORB4", options);
    OmniOrb codec;
    return peer::serve(codec, "omniorb " VERSION " cdr-le,cdr-be");
}
