//! A router whose clients keep what they are told as words, for the tests beside this folder.
#![allow(dead_code, reason = "no test uses all of it")]

use std::num::NonZeroU16;

use trunkline_router::{
    ClientId, ClientOptions, ConvertsTo, Delivery, Dirty, Envelope, Gap, Limits, Message, Mode,
    Renderer, Rendition, RenditionFormat, Requester, Router, SubscriptionOptions, TopicId,
};

/// Formats of renditions from this number on are conversions, into the payload formats from 0 on.
pub(crate) const CONVERSIONS: u16 = 100;

/// From this number on they are conversions of parts of messages: in their own format, and into those from 1 on.
pub(crate) const PARTS: u16 = 1_000;

/// Writes each frame as a line of text.
#[derive(Default)]
pub(crate) struct Lines {
    /// The format of the renditions from which it frames messages.
    pub(crate) wants: Option<RenditionFormat>,
}

impl Renderer for Lines {
    fn topic(&mut self, out: &mut Vec<u8>, topic: TopicId, name: &str) {
        line(out, format_args!("topic {} {name}", topic.0));
    }

    fn message(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>) {
        let Delivery { subscription, sequence, request, format, payload, .. } = *delivery;
        let head = head(delivery.name(), sequence);
        let (ages, rest) = (ages(delivery), rest(request, format, payload));
        line(out, format_args!("{subscription} {head}{ages}{rest}"));
    }

    fn wants(&self, _: u32) -> Option<RenditionFormat> {
        self.wants
    }

    fn converts_to(&self, format: RenditionFormat) -> Option<ConvertsTo> {
        let number = format.0.get();
        match number.checked_sub(PARTS) {
            Some(part) => Some(ConvertsTo::Part((part > 0).then_some(part))),
            None => number.checked_sub(CONVERSIONS).map(ConvertsTo::Format),
        }
    }

    fn rendition(
        &self,
        out: &mut Vec<u8>,
        format: RenditionFormat,
        it: &Message<'_>,
    ) -> [usize; 2] {
        assert_eq!(Some(format), self.wants);
        out.extend_from_slice(head(it.name(), it.sequence).as_bytes());
        let first = out.len();
        out.extend_from_slice(rest(it.request, it.format, it.payload).as_bytes());
        let second = out.len();
        out.push(b'\n');
        [first, second]
    }

    fn framed(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>, rendition: &Rendition<'_>) {
        let [head, rest, end] = rendition.parts();
        out.extend_from_slice(format!("{} ", delivery.subscription).as_bytes());
        out.extend_from_slice(head);
        out.extend_from_slice(ages(delivery).as_bytes());
        out.extend_from_slice(rest);
        out.extend_from_slice(end);
    }

    fn gap(&mut self, out: &mut Vec<u8>, gap: &Gap<'_>) {
        let Gap { subscription, count, first, last, age, .. } = gap;
        let name = gap.name();
        let reason = gap.reason.map(|it| format!(" because {it}")).unwrap_or_default();
        line(
            out,
            format_args!("{subscription} {name} lost {count}: {first}-{last} age {age}{reason}"),
        );
    }

    fn last_values(&mut self, out: &mut Vec<u8>, subscription: u32, count: u64) {
        line(out, format_args!("{subscription} had {count} last values"));
    }

    fn closing(&mut self, out: &mut Vec<u8>, reason: &str) {
        line(out, format_args!("closing: {reason}"));
    }
}

/// The first of the parts of a message that are the same for all.
fn head(name: &str, sequence: u64) -> String {
    format!("{name}#{sequence}")
}

/// What differs by client, besides the number of the subscription.
fn ages(delivery: &Delivery<'_>) -> String {
    let last_value = delivery.last_value.map(|it| format!(" last age {}", it.age));
    let conflation =
        delivery.conflation.map(|it| format!(" replaced {} age {}", it.replaced, it.age));
    last_value.unwrap_or_default() + &conflation.unwrap_or_default()
}

/// The second of the parts that are the same for all.
fn rest(request: Option<&Requester>, format: u16, payload: &[u8]) -> String {
    let mut text = String::new();
    if let Some(request) = request {
        text += &format!(" for {} {}", request.client.index, request.correlation);
    }
    if format != 0 {
        text += &format!(" format {format}");
    }
    text + " " + &String::from_utf8_lossy(payload)
}

fn line(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.extend_from_slice(text.to_string().as_bytes());
    out.push(b'\n');
}

/// A router, its time, and short ways to use it.
pub(crate) struct World {
    pub(crate) router: Router<Lines>,
    pub(crate) now: u64,
}

pub(crate) const MILLISECOND: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1_000_000_000;

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Limits::default())
    }

    pub(crate) fn with(limits: Limits) -> Self {
        Self { router: Router::new(limits), now: 0 }
    }

    pub(crate) fn connect(&mut self, options: ClientOptions) -> ClientId {
        self.connect_wanting(None, options)
    }

    /// A client that wants renditions of a format.
    pub(crate) fn connect_wanting(
        &mut self,
        format: Option<u16>,
        options: ClientOptions,
    ) -> ClientId {
        let wants = format.and_then(NonZeroU16::new).map(RenditionFormat);
        self.router.connect(self.now, options, Lines { wants }).expect("room for a client")
    }

    pub(crate) fn subscribe(&mut self, client: ClientId, number: u32, pattern: &str) {
        self.subscribe_with(client, number, pattern, SubscriptionOptions::default());
    }

    pub(crate) fn subscribe_with(
        &mut self,
        client: ClientId,
        number: u32,
        pattern: &str,
        options: SubscriptionOptions,
    ) {
        let result = self.router.subscribe(self.now, client, number, pattern, &options);
        assert_eq!(result, Ok(()), "{pattern}");
    }

    pub(crate) fn topic(&mut self, name: &str) -> TopicId {
        self.router.intern(self.now, name).expect("a topic")
    }

    pub(crate) fn publish(&mut self, name: &str, payload: &str) -> usize {
        let topic = self.topic(name);
        let envelope =
            Envelope { mode: Mode::Direct, format: 0, request: None, payload: payload.as_bytes() };
        let result = self.router.publish(self.now, topic, &envelope);
        self.router.release(self.now, topic);
        result.expect("it is taken")
    }

    /// What a client is to be sent, as lines; it is not sent.
    pub(crate) fn unsent(&self, client: ClientId) -> Vec<String> {
        let text = String::from_utf8_lossy(self.router.output(client)).into_owned();
        text.lines().map(str::to_owned).collect()
    }

    /// Sends all that there is, until there is no more, but not the names of topics.
    pub(crate) fn receive(&mut self, client: ClientId) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            while self.router.next_dirty().is_some() {}
            let output = self.unsent(client);
            if output.is_empty() {
                lines.retain(|line: &String| !line.starts_with("topic "));
                return lines;
            }
            lines.extend(output);
            let bytes = self.router.output(client).len();
            self.router.sent(self.now, client, bytes);
        }
    }

    /// Goes on to a time, and does what is due at each deadline on the way.
    pub(crate) fn advance(&mut self, until: u64) {
        while let Some(time) = self.router.next_deadline().filter(|time| *time <= until) {
            self.now = time.max(self.now);
            self.router.advance(self.now);
        }
        self.now = until;
        self.router.advance(until);
    }

    /// Who has output, or is to be disconnected.
    pub(crate) fn dirty(&mut self) -> Vec<Dirty> {
        std::iter::from_fn(|| self.router.next_dirty()).collect()
    }

    /// Everything that was published is accounted for: in all matches, clients and in total.
    pub(crate) fn check_ledgers(&self) {
        let view = self.router.view();
        let mut total = view.gone();
        for client in view.clients(0..usize::MAX) {
            let mut sum = client.retired;
            for matched in view.matches(client.id) {
                assert!(matched.ledger.is_balanced(), "{matched:?}");
                sum += matched.ledger;
            }
            assert_eq!(sum, client.ledger, "{client:?}");
            assert!(client.ledger.is_balanced(), "{client:?}");
            total += client.ledger;
        }
        assert_eq!(total, view.totals().ledger);
        assert!(total.is_balanced(), "{total:?}");
    }
}
