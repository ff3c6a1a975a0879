//! What a server offers beside HTTP, as WS-Policy has it and Metro reads it.

use super::markup::Markup;
use super::{Description, Offer};

const POLICY: &str = "http://www.w3.org/ns/ws-policy";
const UTILITY: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
/// Metro's namespace.
const CHANNELS: &str = "http://java.sun.com/xml/ns/wsit/2006/09/policy/soaptcp/service";

/// A policy for each binding. What it asserts is optional, for clients that do not know it.
pub(super) fn write(description: &Description, offer: Offer, markup: &mut Markup) {
    if offer == Offer::None {
        return;
    }
    for binding in &description.bindings {
        let id = id(&binding.name);
        let names = [("xmlns:wsp", POLICY), ("xmlns:wsu", UTILITY), ("wsu:Id", &*id)];
        markup.begin("wsp:Policy", &names);
        let asserted = [("xmlns:tcp", CHANNELS), ("enabled", "true"), ("wsp:Optional", "true")];
        markup.empty("tcp:OptimizedTCPTransport", &asserted);
        markup.end("wsp:Policy");
    }
}

/// Refers to the policy from within its binding.
pub(super) fn refer(binding: &str, offer: Offer, markup: &mut Markup) {
    if offer != Offer::None {
        let uri = format!("#{}", id(binding));
        markup.empty("wsp:PolicyReference", &[("xmlns:wsp", POLICY), ("URI", &uri)]);
    }
}

fn id(binding: &str) -> String {
    format!("{binding}Policy")
}
