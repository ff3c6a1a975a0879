//! The service of arrays (Govindaraju and others, 2004): it gives back what it gets, counts it, or makes it.
//!
//! The paper's toolkits spoke rpc/encoded and its service is not published. This one is document/literal wrapped, which
//! all toolkits of today speak; an array is an element with an `item` for each entry, as it was there.

use trunkline_experiment::toolkits::LARGEST;
use trunkline_message::{Limits, Message, Structure};
use trunkline_session::soap::{Fault, Service};
use trunkline_wire::Text;

use super::service::{ARRAYS, Manner, changed, echo, same};
use super::structures::{Nothing, Number};
use super::values;

/// What echoDoubles and receiveDoubles take.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Doubles {
    /// The numbers.
    #[xml(entry = "item")]
    pub value: Vec<f64>,
}

/// What echoInts and receiveInts take.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Ints {
    /// The integers.
    #[xml(entry = "item")]
    pub value: Vec<i32>,
}

/// What echoStrings takes, and sendStrings returns.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Strings {
    /// The texts.
    #[xml(entry = "item")]
    pub value: Vec<Text>,
}

/// What sendBytes returns.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Base64 {
    /// The bytes.
    pub value: Vec<u8>,
}

/// Of messages of both ends: as long as the longest arrays are.
pub(super) fn limits() -> Limits {
    Limits { entries: 2 * LARGEST as usize, fields: 4 * LARGEST as usize, ..Limits::default() }
}

/// How many entries came.
pub(super) fn count(entries: usize) -> Number {
    Number { value: i32::try_from(entries).unwrap_or(i32::MAX) }
}

/// How many are asked for.
fn asked(it: &Number) -> Result<u32, Fault> {
    let count = u32::try_from(it.value).ok().filter(|count| *count <= LARGEST);
    count.ok_or_else(|| Fault::sender(format!("an array has at most {LARGEST} entries")))
}

fn base64(it: &Number) -> Result<Base64, Fault> {
    Ok(Base64 { value: values::bytes(asked(it)?) })
}

fn strings(it: &Number) -> Result<Strings, Fault> {
    Ok(Strings { value: values::strings(asked(it)?) })
}

/// The service.
pub(super) fn service(manner: Manner) -> Service {
    let service = Service::new(ARRAYS.service, ARRAYS.namespace)
        .documentation("The arrays of Govindaraju and others' evaluation of SOAP toolkits (2004)")
        .limits(limits())
        .operation("echoVoid", |it: Nothing| Ok::<_, Fault>(it));
    match manner {
        Manner::Right => rightly(service),
        Manner::Wrong => wrongly(service),
        Manner::Strict => strictly(service),
    }
}

fn rightly(service: Service) -> Service {
    service
        .operation("echoDoubles", echo::<Doubles>)
        .operation("echoInts", echo::<Ints>)
        .operation("echoStrings", echo::<Strings>)
        .operation("receiveDoubles", |it: Doubles| Ok::<_, Fault>(count(it.value.len())))
        .operation("receiveInts", |it: Ints| Ok::<_, Fault>(count(it.value.len())))
        .operation("sendBytes", |it: Number| base64(&it))
        .operation("sendStrings", |it: Number| strings(&it))
}

fn strictly(service: Service) -> Service {
    fn values<T: Structure + PartialEq>(
        it: T,
        of: fn(u32) -> T,
        length: usize,
    ) -> Result<T, Fault> {
        same(it, &of(u32::try_from(length).unwrap_or(u32::MAX).min(LARGEST)))
    }
    fn doubles(it: Doubles) -> Result<Doubles, Fault> {
        let length = it.value.len();
        values(it, |size| Doubles { value: super::values::doubles(size) }, length)
    }
    fn ints(it: Ints) -> Result<Ints, Fault> {
        let length = it.value.len();
        values(it, |size| Ints { value: super::values::ints(size) }, length)
    }
    service
        .operation("echoDoubles", doubles)
        .operation("echoInts", ints)
        .operation("echoStrings", |it: Strings| {
            let length = it.value.len();
            values(it, |size| Strings { value: super::values::strings(size) }, length)
        })
        .operation("receiveDoubles", |it: Doubles| doubles(it).map(|it| count(it.value.len())))
        .operation("receiveInts", |it: Ints| ints(it).map(|it| count(it.value.len())))
        .operation("sendBytes", |it: Number| base64(&it))
        .operation("sendStrings", |it: Number| strings(&it))
}

fn wrongly(service: Service) -> Service {
    fn last<T>(all: &mut [T], change: impl FnMut(&mut T)) {
        all.last_mut().into_iter().for_each(change);
    }
    fn one_more(entries: usize) -> Result<Number, Fault> {
        Ok(count(entries + 1))
    }
    service
        .operation("echoDoubles", |it: Doubles| {
            changed(it, |it| last(&mut it.value, |it| *it += 1.0))
        })
        .operation("echoInts", |it: Ints| changed(it, |it| last(&mut it.value, |it| *it += 1)))
        .operation("echoStrings", |it: Strings| {
            changed(it, |it| last(&mut it.value, |it| *it = format!("{it}.").into()))
        })
        .operation("receiveDoubles", |it: Doubles| one_more(it.value.len()))
        .operation("receiveInts", |it: Ints| one_more(it.value.len()))
        .operation("sendBytes", |it: Number| {
            changed(base64(&it)?, |it| last(&mut it.value, |byte| *byte ^= 1))
        })
        .operation("sendStrings", |it: Number| {
            changed(strings(&it)?, |it| last(&mut it.value, |it| *it = format!("{it}.").into()))
        })
}
