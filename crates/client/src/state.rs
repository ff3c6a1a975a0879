//! What a conversation knows, and how a frame of the router changes it.

use std::collections::HashSet;

use trunkline_native::{
    self as native, RouterFrame, Updates, Welcome, code, encode_pong, encode_subscribe,
    encode_topic, kind,
};

use crate::error::{Error, Result};
use crate::names::Names;
use crate::numbers::Numbers;

/// What a conversation knows beside the bytes that come.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// What is to be sent.
    pub(crate) output: Vec<u8>,
    /// Of the router's topics.
    pub(crate) names: Names,
    /// Of this client, by alias.
    pub(crate) topics: Numbers<Box<str>>,
    pub(crate) subscriptions: Numbers<(Box<str>, Updates)>,
    /// Requests whose answers are wanted.
    pub(crate) asked: HashSet<u64>,
    pub(crate) welcome: Option<Welcome>,
    /// Code and reason.
    pub(crate) closed: Option<(u16, String)>,
    /// The router has to be told of topics and subscriptions once it has taken this client again.
    announces: bool,
}

impl State {
    /// Forgets everything but topics and subscriptions.
    pub(crate) fn restart(&mut self) {
        self.output.clear();
        self.names.clear();
        self.asked.clear();
        self.welcome = None;
        self.closed = None;
        self.announces = true;
    }

    /// Learns what a frame says; true if the user is to know of it too.
    pub(crate) fn take(&mut self, frame: &RouterFrame<'_>) -> Result<bool> {
        match frame {
            RouterFrame::Topic(topic) => {
                if !self.names.set(topic.alias, topic.name) {
                    let what = format!("a topic of the number {}", topic.alias);
                    return Err(Error::Broken(what));
                }
                return Ok(false);
            }
            RouterFrame::Ping(token) => {
                encode_pong(&mut self.output, *token);
                return Ok(false);
            }
            RouterFrame::Reply(reply) => return Ok(self.asked.remove(&reply.correlation)),
            RouterFrame::Refused(refused) => return Ok(self.take_refused(refused)),
            RouterFrame::Welcome(welcome) => self.take_welcome(welcome)?,
            RouterFrame::Unsubscribed(number) => self.subscriptions.remove(*number),
            RouterFrame::Closing(closing) => {
                self.closed = Some((closing.code, closing.text.to_owned()));
            }
            RouterFrame::Message(_)
            | RouterFrame::Gap(_)
            | RouterFrame::Subscribed(_)
            | RouterFrame::Pong(_)
            | RouterFrame::Producing(_)
            | RouterFrame::Stored(_)
            | RouterFrame::Consuming(_)
            | RouterFrame::Delivery(_)
            | RouterFrame::Confirmed(_)
            | RouterFrame::Acknowledged(_)
            | RouterFrame::Lost(_) => {}
        }
        Ok(true)
    }

    /// Gives back what a refused frame had taken; false for a request that nobody waits for.
    fn take_refused(&mut self, refused: &native::Refused<'_>) -> bool {
        let number = refused.id as u32;
        match refused.of {
            // What has the number already is not meant.
            kind::TOPIC | kind::SUBSCRIBE if refused.code == code::IN_USE => {}
            kind::TOPIC => self.topics.remove(number),
            kind::SUBSCRIBE => self.subscriptions.remove(number),
            kind::UNSUBSCRIBE => self.subscriptions.remove(number),
            kind::REQUEST => return self.asked.remove(&refused.id),
            _ => {}
        }
        true
    }

    fn take_welcome(&mut self, welcome: &Welcome) -> Result<()> {
        if welcome.version != native::VERSION {
            let version = welcome.version;
            return Err(Error::Broken(format!("it speaks version {version} of the protocol")));
        }
        self.welcome = Some(*welcome);
        if std::mem::take(&mut self.announces) {
            if self.topics.end() > welcome.topics {
                return Err(Error::TooManyTopics { limit: welcome.topics });
            }
            for (alias, name) in self.topics.iter() {
                encode_topic(&mut self.output, alias, name);
            }
            for (number, (pattern, updates)) in self.subscriptions.iter() {
                encode_subscribe(&mut self.output, number, *updates, pattern);
            }
        }
        Ok(())
    }
}
