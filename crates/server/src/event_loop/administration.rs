//! What administrators ask for: it is carried out between turns, some of it in each.

use std::collections::VecDeque;
use std::sync::mpsc::SyncSender;

use tracing::{info, warn};
use trunkline_journal::{index_name, segment_name};
use trunkline_store::Rejected;

use super::EventLoop;
use crate::administration::{
    Answer, DisconnectRequest, Disconnected, DrainRequest, DrainStatus, Items, List, ListRequest,
    Rejection, Request, Rotated, StoreRequest,
};
use crate::engine::{ConnectionId, Listing, Waiting};
use crate::platform::Platform;

/// Requests that may wait at a time.
const REQUESTS: usize = 16;

/// Connections that are ended in a turn.
const ENDED: usize = 64;

/// Clients that an answer names.
const NAMED: usize = 100;

/// Nanoseconds between two attempts at a change for which the journal is busy.
const LOOK_FOR_ROOM: u64 = 2_000_000;

/// Nanoseconds between two looks at whether something waits, while the router drains.
const LOOK: u64 = 20_000_000;

/// The same, at whether the next segment of the journal is there, and how long that may take; nanoseconds.
const ROTATION_LOOK: u64 = 2_000_000;
const ROTATION: u64 = 3_000_000_000;

/// How long a change of the store may take to be on disk; nanoseconds.
const KEPT: u64 = 4_000_000_000;

/// Who gets the answer to a request.
pub(crate) type Caller = SyncSender<Result<Answer, Rejection>>;

/// Requests of administrators, and whether the router drains.
#[derive(Debug, Default)]
pub(super) struct Administration {
    tasks: VecDeque<(Task, Caller)>,
    drain: Option<Drain>,
    rotation: Option<Rotation>,
    kept: Vec<Change>,
}

/// A change of the store that is told to be done when it holds over a restart.
#[derive(Debug)]
struct Change {
    caller: Caller,
    request: StoreRequest,
    /// The answer, once it is made: the journal may be busy at first.
    answer: Option<Answer>,
    /// What has to be on disk for that, if it is known.
    position: Option<u64>,
    look_at: u64,
    until: u64,
}

/// Waits for the next segment of the journal.
#[derive(Debug)]
struct Rotation {
    caller: Caller,
    look_at: u64,
    until: u64,
}

/// A request that takes more than a turn.
#[derive(Debug)]
enum Task {
    List {
        request: ListRequest,
        items: Items,
        place: u64,
    },
    /// Looks for the clients first.
    Find {
        request: DisconnectRequest,
        place: usize,
        found: Vec<ConnectionId>,
    },
    Disconnect {
        reason: String,
        found: Vec<ConnectionId>,
        ended: Disconnected,
    },
}

/// A router that accepts no clients, so that those it has can leave.
#[derive(Debug)]
struct Drain {
    reason: String,
    began: u64,
    /// When queues should have been empty.
    until: Option<u64>,
    stops: bool,
    is_empty: bool,
    /// The clients that are looked at next, and when.
    place: usize,
    look_at: u64,
}

impl Administration {
    /// Whether requests are being carried out.
    #[inline]
    pub(super) fn has_tasks(&self) -> bool {
        !self.tasks.is_empty()
    }

    pub(super) fn is_draining(&self) -> bool {
        self.drain.is_some()
    }

    /// When the drain or the rotation is looked after next.
    #[inline]
    pub(super) fn next_deadline(&self) -> Option<u64> {
        let drain = self.drain.as_ref().map(|it| it.look_at);
        let rotation = self.rotation.as_ref().map(|it| it.look_at);
        let kept = self.kept.iter().map(|it| it.look_at).min();
        [drain, rotation, kept].into_iter().flatten().min()
    }

    /// Why a client cannot connect now.
    pub(super) fn rejection(&self) -> Option<String> {
        self.drain.as_ref().map(|it| match &*it.reason {
            "" => "the router is draining for maintenance".to_owned(),
            reason => format!("the router is draining for maintenance: {reason}"),
        })
    }

    pub(super) fn drain_status(&self, now: u64) -> DrainStatus {
        let Some(it) = &self.drain else { return DrainStatus::default() };
        DrainStatus {
            is_draining: true,
            reason: it.reason.clone(),
            is_empty: it.is_empty,
            is_overdue: it.until.is_some_and(|until| now >= until),
            stops: it.stops,
            since_ns: now.saturating_sub(it.began),
        }
    }

    /// Another drain changes how the one under way goes on.
    fn begin_drain(&mut self, now: u64, request: DrainRequest) {
        let timeout = request.timeout_ms.map(|it| it.saturating_mul(1_000_000));
        let until = timeout.map(|it| now.saturating_add(it));
        let began = self.drain.as_ref().map_or(now, |it| it.began);
        let DrainRequest { reason, stop: stops, .. } = request;
        self.drain =
            Some(Drain { reason, began, until, stops, is_empty: false, place: 0, look_at: now });
    }
}

impl<P: Platform> EventLoop<P> {
    /// Takes a request. If too many wait, the sender is dropped, which tells the caller.
    pub(super) fn begin_administration(&mut self, request: Request, caller: Caller) {
        let administration = &mut self.administration;
        let task = match request {
            Request::List(request) => {
                let (items, place) = (Items::none(request.listed), request.from);
                Task::List { request, items, place }
            }
            Request::Disconnect(request) => Task::Find { request, place: 0, found: Vec::new() },
            Request::Drain(request) => {
                self.engine.tell_of_drain(Some(&request.reason));
                administration.begin_drain(self.now, request);
                return self.tell_drain(&caller);
            }
            Request::Undrain => {
                if administration.drain.take().is_some() {
                    self.engine.tell_of_drain(None);
                }
                return self.tell_drain(&caller);
            }
            Request::DrainStatus => return self.tell_drain(&caller),
            Request::Store(request) => {
                if administration.kept.len() < REQUESTS {
                    let (look_at, until) = (self.now, self.now.saturating_add(KEPT));
                    let (answer, position) = (None, None);
                    let change = Change { caller, request, answer, position, look_at, until };
                    administration.kept.push(change);
                }
                return;
            }
            Request::Rotate => {
                let until = self.now.saturating_add(ROTATION);
                let rotation = Rotation { caller, look_at: self.now, until };
                if let Some(before) = administration.rotation.replace(rotation) {
                    let why = "the router was asked again to rotate its journal".to_owned();
                    let _ = before.caller.send(Err(Rejection::Unavailable(why)));
                }
                return;
            }
        };
        if administration.tasks.len() < REQUESTS {
            administration.tasks.push_back((task, caller));
        }
    }

    fn tell_drain(&self, caller: &Caller) {
        let status = self.administration.drain_status(self.now);
        // The caller may have stopped waiting; so it is below.
        let _ = caller.send(Ok(Answer::Drain(status)));
    }

    /// Goes on with what was asked for.
    pub(super) fn administer(&mut self) {
        if self.administration.next_deadline().is_some_and(|at| self.now >= at) {
            self.look_after_drain();
            self.look_after_rotation();
        }
        if !self.administration.kept.is_empty() {
            self.look_after_changes();
        }
        let Some((mut task, caller)) = self.administration.tasks.pop_front() else { return };
        match self.go_on_with(&mut task) {
            Some(answer) => {
                let _ = caller.send(answer);
            }
            // In turn, so that a long list holds up nobody else.
            None => self.administration.tasks.push_back((task, caller)),
        }
    }

    /// The answer, once there is one.
    fn go_on_with(&mut self, task: &mut Task) -> Option<Result<Answer, Rejection>> {
        match task {
            Task::List { request, items, place } => {
                let has_more =
                    self.engine.continue_list(self.now, &mut Listing { request, items, place });
                if has_more && items.len() < request.limit {
                    return None;
                }
                let next = has_more.then(|| place.to_string());
                let items = std::mem::replace(items, Items::none(request.listed));
                Some(Ok(Answer::List(List { items, next })))
            }
            Task::Find { request, place, found } => {
                if let Some(next) = self.engine.find_clients(&request.filter(), *place, found) {
                    *place = next;
                    return None;
                }
                if let Err(rejection) = self.may_disconnect(request, found) {
                    return Some(Err(rejection));
                }
                let (reason, found) = (request.reason.clone(), std::mem::take(found));
                *task = Task::Disconnect { reason, found, ended: Disconnected::default() };
                None
            }
            Task::Disconnect { reason, found, ended } => {
                let some = found.len().saturating_sub(ENDED);
                for id in found.drain(some..) {
                    let Some(client) = self.engine.client_name(id) else { continue };
                    self.engine.disconnect(self.now, id, reason);
                    ended.count += 1;
                    if ended.clients.len() < NAMED {
                        ended.clients.push(client);
                    }
                }
                found.is_empty().then(|| Ok(Answer::Disconnected(std::mem::take(ended))))
            }
        }
    }

    /// More than one client is to end only if that was meant.
    fn may_disconnect(
        &self,
        request: &DisconnectRequest,
        found: &[ConnectionId],
    ) -> Result<(), Rejection> {
        let name = |id: &ConnectionId| {
            let client = self.engine.client_name(*id).unwrap_or_default();
            format!("{}#{}.{}", client.name, id.index, id.generation)
        };
        match found {
            [] => Err(Rejection::NotFound("no client that is connected is meant".to_owned())),
            [_, _, ..] if !request.all => {
                let some: Vec<String> = found.iter().take(3).map(name).collect();
                let more = if found.len() > some.len() { ", ..." } else { "" };
                Err(Rejection::Ambiguous(format!(
                    "{} clients are meant ({}{more}), and more than one are disconnected only \
                     where all is set",
                    found.len(),
                    some.join(", ")
                )))
            }
            _ => Ok(()),
        }
    }

    /// Makes changes, in the order in which they were asked for, and tells those whose changes are on disk now.
    fn look_after_changes(&mut self) {
        let mut waits = false;
        for mut change in std::mem::take(&mut self.administration.kept) {
            match self.look_after_change(&mut change, waits) {
                Some(answer) => {
                    // The caller may have stopped waiting.
                    let _ = change.caller.send(answer);
                }
                None => {
                    waits |= change.answer.is_none();
                    self.administration.kept.push(change);
                }
            }
        }
    }

    /// The answer, once there is one; `waits`: one before it has to be made first.
    fn look_after_change(
        &mut self,
        change: &mut Change,
        waits: bool,
    ) -> Option<Result<Answer, Rejection>> {
        let is_over = self.now >= change.until;
        if change.answer.is_none() {
            // Not in each turn: an attempt has those try again who wait for the journal.
            if self.now < change.look_at {
                return None;
            }
            change.look_at = self.now.saturating_add(LOOK_FOR_ROOM);
            if waits && !is_over {
                return None;
            }
            match self.engine.change_store(self.now, &change.request) {
                Ok(changed) => change.answer = Some(Answer::Changed(changed)),
                Err(Rejection::Busy(_)) if !is_over => return None,
                Err(rejection) => return Some(Err(rejection)),
            }
            self.write();
            change.look_at = change.until;
        }
        match self.engine.is_change_kept(&mut change.position) {
            Ok(true) => change.answer.take().map(Ok),
            Ok(false) if is_over => Some(Err(Rejection::Unavailable(
                "it holds now, and is not on disk yet: a restart may undo it".to_owned(),
            ))),
            Ok(false) => None,
            Err(rejection) => Some(Err(rejection)),
        }
    }

    /// Begins the next segment of the journal, if it is there.
    fn look_after_rotation(&mut self) {
        let Some(mut rotation) = self.administration.rotation.take() else { return };
        if self.now < rotation.look_at {
            self.administration.rotation = Some(rotation);
            return;
        }
        let answer = match self.engine.rotate(self.now) {
            Ok(segment) => {
                let (file, index) = (segment_name(segment), index_name(segment));
                Ok(Answer::Rotated(Rotated { file, index }))
            }
            Err(Rejected::Busy) if self.now < rotation.until => {
                rotation.look_at = self.now.saturating_add(ROTATION_LOOK);
                self.administration.rotation = Some(rotation);
                return;
            }
            Err(Rejected::Busy) => Err(Rejection::Unavailable(
                "the file of the journal's next segment is not there yet; try again".to_owned(),
            )),
            Err(rejected) => Err(Rejection::Unavailable(rejected.to_string())),
        };
        let _ = rotation.caller.send(answer);
        self.begin_work();
    }

    /// Looks whether something waits, and stops when nothing does, or its time is over.
    fn look_after_drain(&mut self) {
        let Some(drain) = &mut self.administration.drain else { return };
        if self.now < drain.look_at {
            return;
        }
        match self.engine.look_for_waiting(drain.place) {
            Waiting::GoOn(place) => {
                (drain.place, drain.look_at) = (place, self.now);
                return;
            }
            Waiting::Found => drain.is_empty = false,
            Waiting::Nothing => drain.is_empty = true,
        }
        (drain.place, drain.look_at) = (0, self.now.saturating_add(LOOK));
        let is_overdue = drain.until.is_some_and(|until| self.now >= until);
        if drain.stops && self.stopping.is_none() && (drain.is_empty || is_overdue) {
            match drain.is_empty {
                true => info!("the router is drained"),
                false => {
                    warn!("the router stops although messages wait: the time to drain is over")
                }
            }
            self.stop();
        }
    }
}
