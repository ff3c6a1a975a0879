//! The messages of the service channel: SOAP 1.1, document/literal, in XML.

use std::fmt;

use trunkline_codec::xml::escape;
use trunkline_message::Limits;
use trunkline_soap::graph::{self, Graph, NodeId};
use trunkline_soap::{Fault, Fragment, Version};

/// The namespace of its operations; what is inside of them is in none.
const NAMESPACE: &str = "http://servicechannel.tcp.transport.ws.xml.sun.com/";

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    InitiateSession,
    OpenChannel { target: String, contents: Vec<String>, params: Vec<String> },
    CloseChannel { channel: u32 },
}

/// What a server answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answered {
    InitiateSession,
    OpenChannel { channel: u32, contents: Vec<String>, params: Vec<String> },
    CloseChannel,
}

/// Why a server does not do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    TooManyChannels,
    UnknownEndpoint,
    NegotiationFailed,
    UnknownChannel,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::TooManyChannels => "TOO_MANY_OPEN_CHANNELS_FOR_SESSION",
            Self::UnknownEndpoint => "UNKNOWN_ENDPOINT_ADDRESS",
            Self::NegotiationFailed => "CONTENT_NEGOTIATION_FAILED",
            Self::UnknownChannel => "UNKNOWN_CHANNEL_ID",
        })
    }
}

impl Command {
    pub(super) fn read(envelope: &[u8], limits: &Limits) -> Result<Self, Fault> {
        let message = graph::decode(envelope, limits).map_err(|it| Fault::of_error(&it))?;
        let Some((name, root)) = message.root() else {
            return Err(Fault::sender("the Body is empty"));
        };
        let inside = Inside { graph: &message.graph, root };
        match name.local() {
            _ if name.namespace() != NAMESPACE => {}
            "initiateSession" => return Ok(Self::InitiateSession),
            "openChannel" => {
                return Ok(Self::OpenChannel {
                    target: inside.one("targetWSURI").map(str::to_owned)?,
                    contents: inside.all("negotiatedMimeTypes"),
                    params: inside.all("negotiatedParams"),
                });
            }
            "closeChannel" => return Ok(Self::CloseChannel { channel: inside.channel()? }),
            _ => {}
        }
        Err(Fault::sender(format!("the service channel has no operation {name}")))
    }

    pub(super) fn write(&self) -> Vec<u8> {
        match self {
            Self::InitiateSession => envelope("initiateSession", ""),
            Self::OpenChannel { target, contents, params } => {
                let mut inside = element("targetWSURI", target);
                inside.push_str(&lists(contents, params));
                envelope("openChannel", &inside)
            }
            Self::CloseChannel { channel } => {
                envelope("closeChannel", &element("channelId", &channel.to_string()))
            }
        }
    }
}

impl Answered {
    /// The answer in an envelope, or the fault in it.
    pub(super) fn read(envelope: &[u8], limits: &Limits) -> Result<Self, Fault> {
        let unreadable = |error| Fault::of_error(&error);
        let opened = trunkline_soap::open(envelope, limits).map_err(unreadable)?;
        if opened.is_fault {
            return Err(Fault::decode(envelope, limits).unwrap_or_else(unreadable));
        }
        let message = graph::decode(envelope, limits).map_err(unreadable)?;
        let Some((name, root)) = message.root() else {
            return Err(Fault::receiver("the Body is empty"));
        };
        let inside = Inside { graph: &message.graph, root };
        match name.local() {
            _ if name.namespace() != NAMESPACE => {}
            "initiateSessionResponse" => return Ok(Self::InitiateSession),
            "openChannelResponse" => {
                return Ok(Self::OpenChannel {
                    channel: inside.channel()?,
                    contents: inside.all("negotiatedMimeTypes"),
                    params: inside.all("negotiatedParams"),
                });
            }
            "closeChannelResponse" => return Ok(Self::CloseChannel),
            _ => {}
        }
        Err(Fault::receiver(format!("{name} is no answer of the service channel")))
    }

    pub(super) fn write(&self) -> Vec<u8> {
        match self {
            Self::InitiateSession => envelope("initiateSessionResponse", ""),
            Self::OpenChannel { channel, contents, params } => {
                let mut inside = element("channelId", &channel.to_string());
                inside.push_str(&lists(contents, params));
                envelope("openChannelResponse", &inside)
            }
            Self::CloseChannel => envelope("closeChannelResponse", ""),
        }
    }
}

/// The fault by which a server says no.
pub(super) fn refused(refusal: Refusal, text: &str) -> Vec<u8> {
    let inside = element("errorCode", &refusal.to_string()) + &element("message", text);
    let fault = Fault::receiver(text);
    let detail = Fragment::parse(&qualified("ServiceChannelException", &inside));
    let fault = match detail {
        Ok(detail) => fault.with_detail(detail),
        Err(_) => fault,
    };
    fault.encode(Version::Soap11)
}

/// What is inside an operation's element.
struct Inside<'a> {
    graph: &'a Graph,
    root: NodeId,
}

impl<'a> Inside<'a> {
    fn texts(&self, name: &'static str) -> impl Iterator<Item = &'a str> {
        let members = self.graph.members(self.root).iter();
        let named = members.filter(move |it| it.0.local() == name);
        named.filter_map(|(_, node)| self.graph.text(*node)).map(str::trim)
    }

    fn one(&self, name: &'static str) -> Result<&'a str, Fault> {
        self.texts(name).next().ok_or_else(|| Fault::sender(format!("{name} is missing")))
    }

    fn all(&self, name: &'static str) -> Vec<String> {
        self.texts(name).map(str::to_owned).collect()
    }

    fn channel(&self) -> Result<u32, Fault> {
        let text = self.one("channelId")?;
        text.parse().map_err(|_| Fault::sender(format!("{text:?} is no channelId")))
    }
}

fn lists(contents: &[String], params: &[String]) -> String {
    let contents = contents.iter().map(|it| element("negotiatedMimeTypes", it));
    contents.chain(params.iter().map(|it| element("negotiatedParams", it))).collect()
}

fn element(name: &str, text: &str) -> String {
    let mut out = format!("<{name}>");
    escape(text, false, &mut out);
    out + &format!("</{name}>")
}

fn qualified(name: &str, inside: &str) -> String {
    match inside {
        "" => format!("<ns2:{name} xmlns:ns2=\"{NAMESPACE}\"/>"),
        _ => format!("<ns2:{name} xmlns:ns2=\"{NAMESPACE}\">{inside}</ns2:{name}>"),
    }
}

fn envelope(name: &str, inside: &str) -> Vec<u8> {
    let element = qualified(name, inside);
    format!(
        "<?xml version='1.0' encoding='UTF-8'?><S:Envelope xmlns:S=\"http://schemas.xmlsoap.org/\
         soap/envelope/\"><S:Body>{element}</S:Body></S:Envelope>"
    )
    .into_bytes()
}
