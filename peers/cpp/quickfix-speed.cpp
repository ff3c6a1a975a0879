// QuickFIX C++ as both sides of a session over loopback: how long a round trip takes, and how many orders a second pass.
//
// It answers lines with lines (PROTOCOL.md). `measure memory|file ROUND_TRIPS ORDERS PORT FOLDER DICTIONARY` logs on, lets each order
// be answered before the next is sent, all in the callbacks of the engine, then sends orders as fast as they are taken.
// The answer has the nanoseconds from start to Logon, of the round trips (p50, p99), and orders a second.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <quickfix/Application.h>
#include <quickfix/FileStore.h>
#include <quickfix/MessageStore.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketAcceptor.h>
#include <quickfix/SocketInitiator.h>

namespace {

using Clock = std::chrono::steady_clock;

long nanoseconds(Clock::duration time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

class Side : public FIX::Application {
  public:
    void onCreate(const FIX::SessionID &id) override { session = id; }
    void onLogon(const FIX::SessionID &) override { finish(logged_on); }
    void onLogout(const FIX::SessionID &) override {}
    void toAdmin(FIX::Message &, const FIX::SessionID &) override {}
    void toApp(FIX::Message &, const FIX::SessionID &) throw(FIX::DoNotSend) override {}
    void fromAdmin(const FIX::Message &, const FIX::SessionID &) throw(
        FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue, FIX::RejectLogon) override {}

    bool wait(const bool &what) {
        std::unique_lock<std::mutex> lock(mutex);
        return changed.wait_for(lock, std::chrono::seconds(120), [&] { return what; });
    }

    FIX::SessionID session;
    bool logged_on = false;
    bool finished = false;

  protected:
    void finish(bool &what) {
        std::lock_guard<std::mutex> lock(mutex);
        what = true;
        changed.notify_all();
    }

  private:
    std::mutex mutex;
    std::condition_variable changed;
};

void send_order(const FIX::SessionID &session, long number) {
    FIX::Message order;
    order.getHeader().setField(35, "D");
    order.setField(11, "order-" + std::to_string(number));
    order.setField(21, "1");
    order.setField(38, "100");
    order.setField(40, "2");
    order.setField(44, "101.25");
    order.setField(54, "1");
    order.setField(55, "INTC");
    order.setField(FIX::TransactTime(true));
    FIX::Session::sendToTarget(order, session);
}

// Answers orders, or counts them.
class Exchange : public Side {
  public:
    void fromApp(const FIX::Message &message, const FIX::SessionID &) throw(
        FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue,
        FIX::UnsupportedMessageType) override {
        if (counts) {
            if (++taken == expected)
                finish(finished);
            return;
        }
        FIX::Message report;
        report.getHeader().setField(35, "8");
        report.setField(6, "0");
        report.setField(11, message.getField(11));
        report.setField(14, "0");
        report.setField(17, "exec");
        report.setField(37, "id");
        report.setField(39, "0");
        report.setField(54, "1");
        report.setField(55, "INTC");
        report.setField(150, "0");
        report.setField(151, "100");
        FIX::Session::sendToTarget(report, session);
    }

    std::atomic<bool> counts{false};
    std::atomic<long> taken{0};
    long expected = 0;
};

// Sends the next order when the last is answered.
class Fund : public Side {
  public:
    void fromApp(const FIX::Message &, const FIX::SessionID &) throw(
        FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue,
        FIX::UnsupportedMessageType) override {
        times.push_back(nanoseconds(Clock::now() - sent_at));
        if (times.size() == trips)
            return finish(finished);
        next();
    }

    void next() {
        sent_at = Clock::now();
        send_order(session, static_cast<long>(times.size()));
    }

    Clock::time_point sent_at;
    std::vector<long> times;
    size_t trips = 0;
};

FIX::SessionSettings settings(const std::string &role, int port, const std::string &folder,
                              const std::string &dictionary) {
    const bool accepts = role == "acceptor";
    std::ostringstream text;
    text << "[DEFAULT]\nConnectionType=" << role << "\nFileStorePath=" << folder << "/" << role
         << "\nStartTime=00:00:00\nEndTime=00:00:00\nNonStopSession=Y\nHeartBtInt=30\nReconnectInterval=1\n"
         << "UseDataDictionary=Y\nDataDictionary=" << dictionary << "\nSocketNodelay=Y\n"
         << "[SESSION]\nBeginString=FIX.4.3\nSenderCompID=" << (accepts ? "BANK" : "FUND")
         << "\nTargetCompID=" << (accepts ? "FUND" : "BANK") << "\n";
    if (accepts)
        text << "SocketAcceptPort=" << port << "\nSocketReuseAddress=Y\n";
    else
        text << "SocketConnectHost=127.0.0.1\nSocketConnectPort=" << port << "\n";
    std::istringstream lines(text.str());
    return FIX::SessionSettings(lines);
}

std::string measure(std::istringstream &words) {
    std::string kept, folder, dictionary;
    size_t trips = 0;
    long orders = 0;
    int port = 0;
    words >> kept >> trips >> orders >> port >> folder >> dictionary;
    const auto ours = settings("acceptor", port, folder, dictionary);
    const auto theirs = settings("initiator", port, folder, dictionary);
    std::unique_ptr<FIX::MessageStoreFactory> stores[2];
    for (int side = 0; side < 2; ++side) {
        if (kept == "file")
            stores[side].reset(new FIX::FileStoreFactory(side ? theirs : ours));
        else
            stores[side].reset(new FIX::MemoryStoreFactory());
    }
    Exchange exchange;
    Fund fund;
    FIX::SocketAcceptor acceptor(exchange, *stores[0], ours);
    acceptor.start();
    FIX::SocketInitiator initiator(fund, *stores[1], theirs);
    const auto start = Clock::now();
    initiator.start();
    std::string answer = "error not in time";
    if (fund.wait(fund.logged_on)) {
        const auto logon = nanoseconds(Clock::now() - start);
        fund.trips = trips;
        fund.next();
        if (fund.wait(fund.finished)) {
            std::sort(fund.times.begin(), fund.times.end());
            exchange.expected = orders;
            exchange.counts = true;
            const auto begin = Clock::now();
            for (long number = 0; number < orders; ++number)
                send_order(fund.session, number);
            if (exchange.wait(exchange.finished)) {
                const auto seconds = static_cast<double>(nanoseconds(Clock::now() - begin)) / 1e9;
                std::ostringstream text;
                text << "measured " << logon << " " << fund.times[trips / 2] << " "
                     << fund.times[trips * 99 / 100] << " " << static_cast<long>(orders / seconds);
                answer = text.str();
            }
        }
    }
    initiator.stop(true);
    acceptor.stop(true);
    return answer;
}

} // namespace

int main() {
    for (std::string line; std::getline(std::cin, line) && line != "stop";) {
        std::istringstream words(line);
        std::string word, text;
        words >> word;
        try {
            text = word == "hello"     ? "hello quickfix-speed " VERSION " fix"
                   : word == "measure" ? measure(words)
                                       : "error " + word + " is not known";
        } catch (const std::exception &error) {
            text = std::string("error ") + error.what();
        }
        for (auto &letter : text)
            if (letter == '\n')
                letter = ' ';
        std::cout << text << std::endl;
    }
}
