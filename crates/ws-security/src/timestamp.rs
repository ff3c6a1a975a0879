//! `wsu:Timestamp`: how long a message holds (WSS section 10).

use trunkline_soap::Fault;

use crate::WSU;
use crate::element::Element;
use crate::fault::{Code, fault, invalid};
use crate::moment;

/// From when to when a message holds, at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// How old a message may be.
    pub(crate) window: i128,
    /// How far clocks may differ.
    pub(crate) skew: i128,
}

impl Patience {
    /// Looks at when something was made; answers until when it holds.
    pub(crate) fn check_created(
        &self,
        what: &str,
        created: &str,
        now: i128,
    ) -> Result<i128, Fault> {
        let at = moment::parse(created)
            .ok_or_else(|| invalid(format!("Created of the {what} is no moment in UTC")))?;
        if at > now + self.skew {
            return Err(invalid(format!("the {what} was made in the future")));
        }
        let end = at + self.window + self.skew;
        match end < now {
            true => Err(fault(Code::MessageExpired, format!("the {what} is too old"))),
            false => Ok(end),
        }
    }
}

/// Looks at a time stamp; answers until when the message holds.
pub(crate) fn check(element: &Element, patience: &Patience, now: i128) -> Result<i128, Fault> {
    let text = |local| match element.all(WSU, local).count() {
        0 => Ok(None),
        1 => match element.only(WSU, local).and_then(Element::text) {
            Some(text) => Ok(Some(text)),
            None => Err(invalid(format!("{local} of the Timestamp is no text"))),
        },
        _ => Err(invalid(format!("the Timestamp has {local} twice"))),
    };
    let (created, expires) = (text("Created")?, text("Expires")?);
    let Some(created) = created else { return Err(invalid("the Timestamp has no Created")) };
    let end = patience.check_created("Timestamp", created, now)?;
    let Some(expires) = expires else { return Ok(end) };
    let expires = moment::parse(expires)
        .ok_or_else(|| invalid("Expires of the Timestamp is no moment in UTC"))?;
    if moment::parse(created).is_none_or(|it| it > expires) {
        return Err(invalid("the Timestamp expires before it is created"));
    }
    match expires + patience.skew < now {
        true => Err(fault(Code::MessageExpired, "the message has expired")),
        false => Ok(end.min(expires + patience.skew)),
    }
}

/// One that holds from now on for a while.
pub(crate) fn written(id: &str, now: i128, lifetime: i128) -> String {
    let (created, expires) = (moment::written(now), moment::written(now + lifetime));
    format!(
        "<wsu:Timestamp wsu:Id=\"{id}\"><wsu:Created>{created}</wsu:Created>\
         <wsu:Expires>{expires}</wsu:Expires></wsu:Timestamp>"
    )
}
