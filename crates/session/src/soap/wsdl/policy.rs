//! What a server offers beside XML over HTTP, as WS-Policy has it and Metro reads it.

use super::markup::Markup;
use super::{Description, Offer};

const POLICY: &str = "http://www.w3.org/ns/ws-policy";
const UTILITY: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
/// Of MTOM's policy (WS-MTOMPolicy 1.0).
const MTOM: &str = "http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization";
/// Metro's namespaces.
const CHANNELS: &str = "http://java.sun.com/xml/ns/wsit/2006/09/policy/soaptcp/service";
const FAST_INFOSET: &str = "http://java.sun.com/xml/ns/wsit/2006/09/policy/fastinfoset/service";

/// A policy for each binding. What it asserts is optional, for clients that do not know it.
pub(super) fn write(description: &Description, offer: Offer, markup: &mut Markup) {
    if offer == Offer::default() {
        return;
    }
    for binding in &description.bindings {
        let id = id(binding.binding_name());
        let names = [("xmlns:wsp", POLICY), ("xmlns:wsu", UTILITY), ("wsu:Id", &*id)];
        markup.begin("wsp:Policy", &names);
        let mut assert = |name: &str, declaration, namespace| {
            let asserted =
                [(declaration, namespace), ("enabled", "true"), ("wsp:Optional", "true")];
            markup.empty(name, &asserted);
        };
        if offer.channels {
            assert("tcp:OptimizedTCPTransport", "xmlns:tcp", CHANNELS);
        }
        if offer.fast_infoset {
            assert("fi:OptimizedFastInfosetSerialization", "xmlns:fi", FAST_INFOSET);
        }
        if offer.mtom {
            let asserted = [("xmlns:wsoma", MTOM), ("wsp:Optional", "true")];
            markup.empty("wsoma:OptimizedMimeSerialization", &asserted);
        }
        markup.end("wsp:Policy");
    }
}

/// Refers to the policy from within its binding.
pub(super) fn refer(binding: &str, offer: Offer, markup: &mut Markup) {
    if offer != Offer::default() {
        let uri = format!("#{}", id(binding));
        markup.empty("wsp:PolicyReference", &[("xmlns:wsp", POLICY), ("URI", &uri)]);
    }
}

fn id(binding: &str) -> String {
    format!("{binding}Policy")
}
