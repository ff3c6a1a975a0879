//! What the two sides of a connection have agreed on, for those who only listen.

use std::collections::VecDeque;

use trunkline_message::Limits;

use super::content::{CHARSET, SOAP_ACTION};
use super::receiver::Message;
use super::service_channel::{Answered, Command};

/// The channels of a connection, as the messages of the service channel tell of them. Who hears only the client
/// knows what it requested, and takes it that the server agreed and numbered its channels from 1.
#[derive(Clone, Debug, Default)]
pub struct Agreements {
    channels: Vec<Agreed>,
    requested: VecDeque<Agreed>,
    opened: u32,
}

/// What one channel is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreed {
    /// Its number.
    pub channel: u32,
    /// The URL of the service, if the client was heard.
    pub target: Option<String>,
    /// The media types, by their positions.
    pub contents: Vec<String>,
    /// The parameters, by their positions.
    pub params: Vec<String>,
}

impl Agreements {
    /// Heard a message of the service channel.
    pub fn learn(&mut self, message: &Message<'_>) {
        let limits = Limits::default();
        if let Ok(Command::OpenChannel { target, contents, params }) =
            Command::read(message.body, &limits)
        {
            self.opened += 1;
            let channel = self.opened;
            self.requested.push_back(Agreed { channel, target: Some(target), contents, params });
        } else if let Ok(Answered::OpenChannel { channel, contents, params }) =
            Answered::read(message.body, &limits)
        {
            let target = self.requested.pop_front().and_then(|it| it.target);
            self.channels.push(Agreed { channel, target, contents, params });
        }
    }

    /// What a channel is for, if that was heard.
    pub fn channel(&self, channel: u32) -> Option<&Agreed> {
        let is_it = |it: &&Agreed| it.channel == channel;
        self.channels.iter().rev().find(is_it).or_else(|| self.requested.iter().find(is_it))
    }

    /// The media type of a message.
    pub fn content(&self, channel: u32, position: u32) -> Option<&str> {
        let fixed = ["text/xml", "application/fastinfoset"];
        match channel {
            0 => fixed.get(position as usize).copied(),
            _ => self.channel(channel)?.contents.get(position as usize).map(String::as_str),
        }
    }

    /// The name of a parameter.
    pub fn param(&self, channel: u32, position: u32) -> Option<&str> {
        match channel {
            0 => [CHARSET, SOAP_ACTION].get(position as usize).copied(),
            _ => self.channel(channel)?.params.get(position as usize).map(String::as_str),
        }
    }
}
