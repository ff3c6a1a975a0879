//! The selections of fields that subscriptions have, with their numbers. A number names what the router keeps of messages,
//! so that it is free for another selection only when all of that is forgotten.
//!
//! ```text
//!   free ---> a subscription has it ---> none has it any more ---> forgotten by the router, none under way ---> free
//!                      ^                          |
//!                      +------ one has it again --+
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use trunkline_native::code;
use trunkline_router::{ClientId, RenditionFormat, Router};
use trunkline_session::router::{MOST_SELECTIONS, Rejected, selection_of};
use trunkline_transcode::{FilterError, Selection};

use super::ClientOutput;
use super::context::EngineContext;

/// With so many more that no subscription has any more, the router is told to forget them: it looks at all that it keeps then.
const MANY: usize = 64;

/// The selections that subscriptions have.
#[derive(Debug, Default)]
pub(super) struct SelectionTable {
    numbers: HashMap<Arc<str>, u16>,
    /// By their numbers.
    all: Vec<Option<Known>>,
    free: Vec<u16>,
    /// Those that no subscription had at some time, and of which the router may keep something.
    ended: Vec<u16>,
    /// How many of them were under way when the router was told to forget them.
    left: usize,
    /// Those that subscriptions have.
    used: usize,
    of_client: HashMap<ClientId, usize>,
}

/// A selection that subscriptions have or had.
#[derive(Debug)]
struct Known {
    text: Arc<str>,
    selection: Arc<Selection>,
    uses: usize,
    /// It is among those that have ended, though it may have begun again.
    is_ended: bool,
}

impl SelectionTable {
    /// The selection of a rendition.
    pub(super) fn get(&self, format: RenditionFormat) -> Arc<Selection> {
        let known = selection_of(format).and_then(|it| self.all.get(usize::from(it))?.as_ref());
        let known = known.expect("its number is not free while something of it is wanted");
        Arc::clone(&known.selection)
    }

    /// The number of a selection, of which subscriptions have at most so many.
    pub(super) fn number_of(
        &mut self,
        selection: &Arc<Selection>,
        most: usize,
        router: &mut Router<ClientOutput>,
    ) -> Result<u16, Rejected> {
        let text: Arc<str> = selection.to_string().into();
        self.check_room(&text, most)?;
        if let Some(number) = self.numbers.get(&text) {
            return Ok(*number);
        }
        let is_full = self.all.len() == usize::from(MOST_SELECTIONS);
        if self.free.is_empty() && is_full {
            self.forget(router);
        }
        let number = match self.free.pop() {
            Some(number) => number,
            None if is_full => {
                let text = "messages are converted still for as many selections of fields as there may be, of which \
                            some have ended: try again";
                return Err(Rejected::new(code::LIMIT, text.to_owned()));
            }
            None => {
                self.all.push(None);
                (self.all.len() - 1) as u16
            }
        };
        self.numbers.insert(Arc::clone(&text), number);
        let (selection, uses, is_ended) = (Arc::clone(selection), 0, false);
        self.all[usize::from(number)] = Some(Known { text, selection, uses, is_ended });
        Ok(number)
    }

    /// Whether subscriptions may have one more, unless they have this one already.
    fn check_room(&self, text: &str, most: usize) -> Result<(), Rejected> {
        let most = most.min(usize::from(MOST_SELECTIONS));
        let known = self.numbers.get(text).and_then(|it| self.all[usize::from(*it)].as_ref());
        if self.used < most || known.is_some_and(|it| it.uses > 0) {
            return Ok(());
        }
        let text = format!("there are {most} selections of fields that differ (limits.selections)");
        Err(Rejected::new(code::LIMIT, text))
    }

    /// A subscription of a client has the selection from now on.
    pub(super) fn begin(&mut self, client: ClientId, number: u16) {
        if let Some(known) = &mut self.all[usize::from(number)] {
            self.used += usize::from(known.uses == 0);
            known.uses += 1;
        }
        *self.of_client.entry(client).or_default() += 1;
    }

    /// A subscription of a client has ended.
    pub(super) fn end(&mut self, client: ClientId, number: u16) {
        if let Some(known) = &mut self.all[usize::from(number)] {
            known.uses -= 1;
            self.used -= usize::from(known.uses == 0);
        }
        if let Some(count) = self.of_client.get_mut(&client) {
            *count -= 1;
            if *count == 0 {
                self.of_client.remove(&client);
            }
        }
        self.settle(number);
    }

    /// Selections of subscriptions that have ended are counted no more.
    pub(super) fn forget_ended(&mut self, router: &mut Router<ClientOutput>) {
        while let Some((client, format)) = router.next_ended_rendition() {
            if let Some(number) = selection_of(format) {
                self.end(client, number);
            }
        }
    }

    /// Has the router forget those that have ended, if they are many.
    pub(super) fn forget_many(&mut self, router: &mut Router<ClientOutput>) {
        if self.ended.len() >= self.left + MANY {
            self.forget(router);
        }
    }

    /// If no subscription has the selection, its number is to become free.
    pub(super) fn settle(&mut self, number: u16) {
        if let Some(known) = &mut self.all[usize::from(number)]
            && known.uses == 0
            && !std::mem::replace(&mut known.is_ended, true)
        {
            self.ended.push(number);
        }
    }

    /// Has the router forget those that have ended. The numbers of those for which nothing is under way are free then.
    fn forget(&mut self, router: &mut Router<ClientOutput>) {
        let all = &mut self.all;
        self.ended.retain(|number| {
            let known = all[usize::from(*number)].as_mut();
            known.is_some_and(|it| {
                it.is_ended = it.uses == 0;
                it.is_ended
            })
        });
        let is_gone = |format| {
            let number = selection_of(format).map(usize::from);
            number.and_then(|it| all.get(it)?.as_ref()).is_some_and(|it| it.is_ended)
        };
        let under_way = router.forget_renditions(is_gone);
        let under_way: Vec<u16> = under_way.into_iter().filter_map(selection_of).collect();
        self.ended.retain(|number| {
            if under_way.contains(number) {
                return true;
            }
            if let Some(known) = self.all[usize::from(*number)].take() {
                self.numbers.remove(&known.text);
            }
            self.free.push(*number);
            false
        });
        self.left = self.ended.len();
    }
}

impl EngineContext<'_> {
    /// A selection that is within the limits.
    pub(super) fn new_selection(&self, text: &str) -> Result<Selection, Rejected> {
        let limits = &self.state.config.limits;
        let limit = |text| Err(Rejected::new(code::LIMIT, text));
        let most = limits.selection_bytes;
        if text.len() > most {
            return limit(format!(
                "the fields have {} bytes, and {most} are the most (limits.selection_bytes)",
                text.len()
            ));
        }
        let selection = Selection::parse(text).map_err(|error| bad_fields(text, &error))?;
        let table = &self.state.selections;
        let most = limits.selections_per_client;
        if table.of_client.get(&self.client_session.id).copied().unwrap_or(0) >= most {
            return limit(format!(
                "the client has its limit of {most} subscriptions that select fields \
                 (limits.selections_per_client)"
            ));
        }
        table.check_room(&selection.to_string(), limits.selections)?;
        Ok(selection)
    }
}

pub(super) fn bad_fields(text: &str, error: &FilterError) -> Rejected {
    let offset = u32::try_from(error.offset).ok();
    Rejected { code: code::BAD_FIELDS, offset, text: format!("fields: {}", error.within(text)) }
}

#[cfg(test)]
mod tests {
    use trunkline_router::{ClientOptions, Envelope, Mode, SubscriptionOptions};
    use trunkline_session::router::{Protocol, selection_into};

    use super::*;
    use crate::config::Config;
    use crate::engine::limits;

    const MOST: usize = 1_000;

    struct Table {
        table: SelectionTable,
        router: Router<ClientOutput>,
        client: ClientId,
    }

    impl Table {
        fn new() -> Self {
            let mut router = Router::new(limits(&Config::default()));
            let output = ClientOutput::new(Protocol::Native);
            let client = router.connect(0, ClientOptions::default(), output).expect("room");
            Self { table: SelectionTable::default(), router, client }
        }

        fn number_of(&mut self, text: &str, most: usize) -> Result<u16, Rejected> {
            let selection = Arc::new(Selection::parse(text).expect("fields"));
            self.table.number_of(&selection, most, &mut self.router)
        }

        /// A subscription that selects some fields begins.
        fn begin(&mut self, text: &str) -> u16 {
            let number = self.number_of(text, MOST).expect("there is room");
            self.table.begin(self.client, number);
            number
        }

        fn end(&mut self, number: u16) {
            self.table.end(self.client, number);
        }

        fn text_of(&self, number: u16) -> String {
            let format = selection_into(number, None).expect("a number");
            self.table.get(format).to_string()
        }
    }

    #[test]
    fn what_names_the_same_fields_has_one_number() {
        let mut it = Table::new();
        let one = it.begin("Bid,Ask");
        assert_eq!((it.begin("Ask, Bid"), it.table.used), (one, 1));
        let other = it.begin("Ask");
        assert!(other != one && it.text_of(one) == "Ask,Bid" && it.text_of(other) == "Ask");
        assert_eq!((it.table.used, it.table.of_client[&it.client]), (2, 3));
        for number in [one, one, other] {
            assert!(it.table.of_client.contains_key(&it.client));
            it.end(number);
        }
        assert!(it.table.of_client.is_empty() && it.table.used == 0);
    }

    #[test]
    fn as_many_as_may_be_differ_at_a_time() {
        let mut it = Table::new();
        let first = it.begin("A");
        it.begin("B");
        let rejected = it.number_of("C", 2).expect_err("there are two");
        assert!(rejected.code == code::LIMIT && rejected.text.contains("limits.selections"));
        assert_eq!(it.number_of("A", 2).expect("it is there"), first);
        it.end(first);
        let rejected = it.number_of("A", 1).expect_err("nobody has it any more");
        assert_eq!(rejected.code, code::LIMIT);
        it.number_of("C", 2).expect("one has ended");
    }

    #[test]
    fn a_number_is_free_when_all_of_it_is_forgotten() {
        let mut it = Table::new();
        let again = it.begin("Again");
        it.end(again);
        let (kept, mut ended) = (it.begin("Kept"), Vec::new());
        for number in 0..MANY {
            let number = it.begin(&format!("Field{number}"));
            it.end(number);
            ended.push(number);
        }
        // One that nobody had for a while is what it was, and stays so.
        assert_eq!(it.begin("Again"), again);
        assert_eq!(it.table.ended.len(), MANY + 1);
        it.table.forget_many(&mut it.router);
        assert_eq!((it.table.ended.len(), it.table.free.len()), (0, MANY));
        assert_eq!((it.text_of(again), it.text_of(kept)), ("Again".to_owned(), "Kept".to_owned()));
        // Numbers that were free mean something else now.
        let number = it.begin("Other");
        assert!(ended.contains(&number) && it.text_of(number) == "Other");
        // Those that ended again are forgotten again.
        it.end(again);
        it.table.forget(&mut it.router);
        assert!(it.table.free.contains(&again) && it.table.numbers.len() == 2);
    }

    #[test]
    fn a_number_of_which_something_is_under_way_is_not_free() {
        let mut it = Table::new();
        let number = it.begin("Bid");
        let options =
            SubscriptionOptions { rendition: selection_into(number, None), ..Default::default() };
        it.router.subscribe(0, it.client, 1, "fx", &options).expect("room");
        let topic = it.router.intern(0, "fx").expect("a topic");
        let envelope = Envelope { mode: Mode::Direct, format: 5, request: None, payload: b"bid" };
        it.router.publish(0, topic, &envelope).expect("it is taken");
        let conversion = it.router.next_conversion().expect("it has to be made").id;
        it.router.unsubscribe(0, it.client, 1).expect("it is there");
        it.table.forget_ended(&mut it.router);
        it.table.forget(&mut it.router);
        assert_eq!((it.table.ended.len(), it.table.free.len()), (1, 0));
        assert_eq!(it.text_of(number), "Bid", "whoever makes it may ask");
        it.router.converted(0, conversion, Ok(b"made"));
        it.table.forget(&mut it.router);
        assert_eq!((it.table.ended.len(), &it.table.free[..]), (0, &[number][..]));
    }
}
