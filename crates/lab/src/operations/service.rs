//! The service: it gives back what it gets, and makes orders.

use trunkline_experiment::toolkits::LARGEST;
use trunkline_message::Structure;
use trunkline_session::soap::{Binding, Fault, Service};

use super::structures::{
    Items, Nothing, Number, OfOrder, OfStruct, OfSynthetic, OrderQuery, Words,
};
use super::values;
use crate::answer;

/// Of the service's operations and elements.
pub const NAMESPACE: &str = "urn:trunkline:operations";

/// Where it is.
pub const PATH: &str = "/operations";

/// As the services of JAX-WS are that were made from code, and so the author's.
pub(super) const BINDING: Binding = Binding::document_literal().unqualified();

/// How a service answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// As it must.
    Right,
    /// With other values than it must, so that it is seen whether a client looks at them.
    Wrong,
    /// As it must, if the request has the values that are sent; else by a fault.
    Strict,
}

/// The service.
pub fn service(manner: Manner) -> Service {
    let service = Service::new("OperationsService", NAMESPACE)
        .documentation("The operations of the benchmark of Metro's SOAP/TCP (2007)")
        .operation("echoVoid", |it: Nothing| Ok::<_, Fault>(it));
    let service = match manner {
        Manner::Right => rightly(service),
        Manner::Wrong => wrongly(service),
        Manner::Strict => strictly(service),
    };
    service.at(PATH, BINDING)
}

/// In place, so that no memory is taken in the long run.
fn echo<T>(request: &mut T, answer: &mut T) -> Result<(), Fault> {
    std::mem::swap(request, answer);
    Ok(())
}

fn rightly(service: Service) -> Service {
    service
        .operation("echoInt", echo::<Number>)
        .operation("echoString", echo::<Words>)
        .operation("echoStruct", echo::<OfStruct>)
        .operation("echoSynthetic", echo::<OfSynthetic>)
        .operation("echoArray", echo::<Items>)
        .operation("getOrder", order)
}

fn order(query: OrderQuery) -> Result<OfOrder, Fault> {
    match u32::try_from(query.order_number) {
        Ok(lines) if lines <= LARGEST => Ok(OfOrder { value: values::order(&query) }),
        _ => Err(Fault::sender(format!("an order has at most {LARGEST} lines"))),
    }
}

fn strictly(service: Service) -> Service {
    fn same<T: Structure + PartialEq>(it: T, expected: &T) -> Result<T, Fault> {
        match answer::compare(expected, &it) {
            Ok(()) => Ok(it),
            Err(what) => Err(Fault::sender(format!("the request: {what}"))),
        }
    }
    let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    service
        .operation("echoInt", |it: Number| same(it, &Number { value: values::NUMBER }))
        .operation("echoString", |it: Words| same(it, &Words { value: values::TEXT.into() }))
        .operation("echoStruct", |it: OfStruct| same(it, &OfStruct { value: values::structure() }))
        .operation("echoSynthetic", move |it: OfSynthetic| {
            let value = values::synthetic(size(it.value.bytes.len()));
            same(it, &OfSynthetic { value })
        })
        .operation("echoArray", move |it: Items| {
            let value = values::items(size(it.value.len()));
            same(it, &Items { value })
        })
        .operation("getOrder", |it: OrderQuery| {
            let lines = u32::try_from(it.order_number).unwrap_or_default();
            order(same(it, &values::query(lines))?)
        })
}

fn wrongly(service: Service) -> Service {
    fn changed<T>(mut it: T, change: impl FnOnce(&mut T)) -> Result<T, Fault> {
        change(&mut it);
        Ok(it)
    }
    service
        .operation("echoInt", |it: Number| changed(it, |it| it.value += 1))
        .operation("echoString", |it: Words| {
            changed(it, |it| it.value = format!("{}.", it.value).into())
        })
        .operation("echoStruct", |it: OfStruct| changed(it, |it| it.value.fraction += 1.0))
        .operation("echoSynthetic", |it: OfSynthetic| {
            changed(it, |it| it.value.bytes.iter_mut().rev().take(1).for_each(|byte| *byte ^= 1))
        })
        .operation("echoArray", |it: Items| {
            changed(it, |it| it.value.iter_mut().rev().take(1).for_each(|it| it.inventory += 1))
        })
        .operation("getOrder", |query: OrderQuery| {
            changed(order(query)?, |it| {
                let lines = it.value.line_items.iter_mut().rev();
                lines.take(1).for_each(|it| it.unit_price += 1.0);
            })
        })
}
