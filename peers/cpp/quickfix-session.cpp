// QuickFIX C++ as one side of a session: it connects or listens, sends orders, answers those that come, and says what it got.
//
// It answers lines with lines (PROTOCOL.md): what it keeps lies in a folder, so that it goes on after a kill.
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include <quickfix/Application.h>
#include <quickfix/FileStore.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketAcceptor.h>
#include <quickfix/SocketInitiator.h>

namespace {

class Side : public FIX::Application {
  public:
    void onCreate(const FIX::SessionID &id) override { session = id; }
    void onLogon(const FIX::SessionID &) override { set_logged_on(true); }
    void onLogout(const FIX::SessionID &) override { set_logged_on(false); }
    void toAdmin(FIX::Message &, const FIX::SessionID &) override {}
    void toApp(FIX::Message &, const FIX::SessionID &) throw(FIX::DoNotSend) override {}
    void fromAdmin(const FIX::Message &message, const FIX::SessionID &) throw(
        FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue, FIX::RejectLogon) override {
        if (message.getHeader().getField(35) == "3") {
            std::lock_guard<std::mutex> lock(mutex);
            taken.push_back("rejected:" + message.getField(45));
        }
    }
    void fromApp(const FIX::Message &message, const FIX::SessionID &) throw(
        FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue,
        FIX::UnsupportedMessageType) override {
        const bool is_duplicate =
            message.getHeader().isSetField(43) && message.getHeader().getField(43) == "Y";
        const std::string type = message.getHeader().getField(35);
        const std::string id = message.isSetField(11) ? message.getField(11) : type;
        {
            std::lock_guard<std::mutex> lock(mutex);
            taken.push_back((type == "8" ? "=" : "") + id + (is_duplicate ? "*" : ""));
        }
        if (type == "D")
            answer(message);
    }

    bool wait(bool wanted, int milliseconds) {
        std::unique_lock<std::mutex> lock(mutex);
        return changed.wait_for(lock, std::chrono::milliseconds(milliseconds),
                                [&] { return logged_on == wanted; });
    }

    std::string all() {
        std::lock_guard<std::mutex> lock(mutex);
        std::string text;
        for (const auto &id : taken)
            text += " " + id;
        return text;
    }

    FIX::SessionID session;

  private:
    void answer(const FIX::Message &order) {
        const std::string number = std::to_string(++executions);
        FIX::Message report;
        report.getHeader().setField(35, "8");
        report.setField(6, "0");
        report.setField(11, order.getField(11));
        report.setField(14, "0");
        report.setField(17, "e" + number);
        report.setField(37, "o" + number);
        report.setField(39, "0");
        report.setField(54, order.getField(54));
        report.setField(55, order.getField(55));
        report.setField(150, "0");
        report.setField(151, order.getField(38));
        FIX::Session::sendToTarget(report, session);
    }

    void set_logged_on(bool is) {
        std::lock_guard<std::mutex> lock(mutex);
        logged_on = is;
        changed.notify_all();
    }

    std::mutex mutex;
    std::condition_variable changed;
    bool logged_on = false;
    long executions = 0;
    std::vector<std::string> taken;
};

struct Running {
    Side side;
    std::unique_ptr<FIX::FileStoreFactory> stores;
    std::unique_ptr<FIX::Acceptor> acceptor;
    std::unique_ptr<FIX::Initiator> initiator;

    ~Running() {
        if (acceptor)
            acceptor->stop(true);
        if (initiator)
            initiator->stop(true);
    }
};

std::unique_ptr<Running> start(std::istringstream &words) {
    std::string role, port, begin, sender, target, folder, dictionary;
    words >> role >> port >> begin >> sender >> target >> folder >> dictionary;
    std::ostringstream text;
    text << "[DEFAULT]\nConnectionType=" << role << "\nFileStorePath=" << folder
         << "\nStartTime=00:00:00\nEndTime=00:00:00\nNonStopSession=Y\nHeartBtInt=30\nReconnectInterval=1\n"
         << "UseDataDictionary=Y\nDataDictionary=" << dictionary << "\nResetOnLogon=N\n"
         << "[SESSION]\nBeginString=" << begin << "\nSenderCompID=" << sender
         << "\nTargetCompID=" << target << "\n";
    if (role == "acceptor")
        text << "SocketAcceptPort=" << port << "\nSocketReuseAddress=Y\n";
    else
        text << "SocketConnectHost=127.0.0.1\nSocketConnectPort=" << port << "\n";
    std::istringstream lines(text.str());
    FIX::SessionSettings settings(lines);
    auto running = std::make_unique<Running>();
    running->stores = std::make_unique<FIX::FileStoreFactory>(settings);
    if (role == "acceptor") {
        running->acceptor =
            std::make_unique<FIX::SocketAcceptor>(running->side, *running->stores, settings);
        running->acceptor->start();
    } else {
        running->initiator =
            std::make_unique<FIX::SocketInitiator>(running->side, *running->stores, settings);
        running->initiator->start();
    }
    return running;
}

bool send(Running &running, const std::string &id) {
    FIX::Message order;
    order.getHeader().setField(35, "D");
    order.setField(11, id);
    order.setField(21, "1");
    order.setField(38, "100");
    order.setField(40, "1");
    order.setField(54, "1");
    order.setField(55, "INTC");
    order.setField(FIX::TransactTime());
    return FIX::Session::sendToTarget(order, running.side.session);
}

std::string answer(std::unique_ptr<Running> &running, const std::string &line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "hello")
        return "hello quickfix-session " VERSION " fix";
    if (word == "start") {
        running = start(words);
        return "ok";
    }
    if (!running)
        return "error nothing is started";
    if (word == "logged-on" || word == "logged-out") {
        int milliseconds = 0;
        words >> milliseconds;
        return running->side.wait(word == "logged-on", milliseconds) ? "ok" : "error not in time";
    }
    if (word == "send") {
        std::string id;
        bool is_sent = true;
        while (words >> id)
            is_sent = send(*running, id) && is_sent;
        return is_sent ? "ok" : "error not sent";
    }
    if (word == "taken")
        return "taken" + running->side.all();
    if (word == "log-out") {
        FIX::Session::lookupSession(running->side.session)->logout();
        return "ok";
    }
    return "error " + word + " is not known";
}

} // namespace

int main() {
    std::unique_ptr<Running> running;
    for (std::string line; std::getline(std::cin, line) && line != "stop";) {
        std::string text;
        try {
            text = answer(running, line);
        } catch (const std::exception &error) {
            text = std::string("error ") + error.what();
        }
        for (auto &letter : text)
            if (letter == '\n')
                letter = ' ';
        std::cout << text << std::endl;
    }
}
