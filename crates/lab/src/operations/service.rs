//! The services: that of the benchmark gives back what it gets, and makes orders; that of arrays has a file of its own.

use trunkline_experiment::toolkits::{self, LARGEST};
use trunkline_message::Structure;
use trunkline_session::soap::{Binding, Fault, Service};

use super::structures::{
    Items, Nothing, Number, OfOrder, OfStruct, OfSynthetic, OrderQuery, Words,
};
use super::{arrays, values};
use crate::answer;

/// What a service is called, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    /// The service.
    pub service: &'static str,
    /// Of its operations and elements.
    pub namespace: &'static str,
    /// Where it is.
    pub path: &'static str,
}

const OPERATIONS: Names = Names {
    service: "OperationsService",
    namespace: "urn:trunkline:operations",
    path: "/operations",
};

pub(super) const ARRAYS: Names =
    Names { service: "ArraysService", namespace: "urn:trunkline:arrays", path: "/arrays" };

/// The names of a service.
pub fn names(service: toolkits::Service) -> Names {
    match service {
        toolkits::Service::Operations => OPERATIONS,
        toolkits::Service::Arrays => ARRAYS,
    }
}

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

/// A service.
pub fn service(which: toolkits::Service, manner: Manner) -> Service {
    let service = match which {
        toolkits::Service::Operations => operations(manner),
        toolkits::Service::Arrays => arrays::service(manner),
    };
    service.at(names(which).path, BINDING)
}

fn operations(manner: Manner) -> Service {
    let service = Service::new(OPERATIONS.service, OPERATIONS.namespace)
        .documentation("The operations of the benchmark of Metro's SOAP/TCP (2007)")
        .operation("echoVoid", |it: Nothing| Ok::<_, Fault>(it));
    match manner {
        Manner::Right => rightly(service),
        Manner::Wrong => wrongly(service),
        Manner::Strict => strictly(service),
    }
}

/// In place, so that no memory is taken in the long run.
pub(super) fn echo<T>(request: &mut T, answer: &mut T) -> Result<(), Fault> {
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

/// What came, if it is what must come.
pub(super) fn same<T: Structure + PartialEq>(it: T, expected: &T) -> Result<T, Fault> {
    match answer::compare(expected, &it) {
        Ok(()) => Ok(it),
        Err(what) => Err(Fault::sender(format!("the request: {what}"))),
    }
}

/// What came, with a change.
pub(super) fn changed<T>(mut it: T, change: impl FnOnce(&mut T)) -> Result<T, Fault> {
    change(&mut it);
    Ok(it)
}

fn strictly(service: Service) -> Service {
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
