//! The verbs for FIX sessions, and what they share: `trunkline fix connect` and `trunkline fix accept`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trunkline_fix::{
    Dictionaries, Identity, JournalStore, MemoryStore, Role, Schedule, Session, Settings, Store,
    Version,
};
use trunkline_import::Limits;
use trunkline_import::fix::Dictionary;

use crate::arguments::FixSessionArguments;
use crate::description::file_at;
use crate::fault::Fault;
use crate::output::remark;

use lines::Reader;
use names::Names;

mod accept;
mod answers;
mod connect;
mod json;
mod lines;
mod names;
mod printer;
mod template;

pub(crate) use accept::accept;
pub(crate) use connect::connect;

/// Bytes of messages that a store keeps for those who have missed them.
const KEPT: u64 = 64 << 20;

/// What the sessions of a verb have in common.
struct Common {
    version: Version,
    /// ApplVerID, of FIXT 1.1.
    application: Option<String>,
    dictionaries: Option<Arc<Dictionaries>>,
    names: Arc<Names>,
    /// Of the application and of the session, if there is one.
    dictionary: Option<Dictionary>,
    store: Option<PathBuf>,
    resets: bool,
    hours: Option<Schedule>,
}

impl Common {
    fn of(arguments: &FixSessionArguments) -> Result<Self, Fault> {
        let read = |file: &String| dictionary(file);
        let own = arguments.dictionary.as_ref().map(read).transpose()?;
        let transport = arguments.transport.as_ref().map(read).transpose()?;
        let begin_string = match (&transport, &own) {
            (Some(_), _) => Some(Version::Fixt11),
            (None, Some(own)) => own.begin_string().and_then(|it| Version::of(it.as_bytes())),
            (None, None) => None,
        };
        let version = arguments.version.or(begin_string).unwrap_or(Version::Fix44);
        let application = (version == Version::Fixt11).then(|| {
            let of_dictionary =
                || own.as_ref().map_or("9", |it| Version::appl_ver_id(it.version()));
            arguments.application.clone().unwrap_or_else(|| of_dictionary().to_owned())
        });
        let dictionaries = match (&own, &transport, &application) {
            (Some(own), Some(transport), Some(id)) => {
                Some(Dictionaries::of_transport(transport, [(&**id, own)]))
            }
            (Some(_), None, Some(_)) => {
                remark("messages are not checked: --transport names the dictionary of FIXT 1.1");
                None
            }
            (Some(_), Some(_), None) => {
                return Err(Fault::new("--transport is for the version FIXT.1.1"));
            }
            (Some(own), None, None) => Some(Dictionaries::of(own)),
            (None, ..) => None,
        };
        let all = match (own, transport) {
            (Some(own), Some(transport)) => Some(own.with_transport(transport)),
            (own, _) => own,
        };
        Ok(Self {
            version,
            application,
            dictionaries: dictionaries.map(Arc::new),
            names: Arc::new(Names::new(all.as_ref())),
            dictionary: all,
            store: arguments.store.clone(),
            resets: arguments.reset,
            hours: arguments.hours.clone(),
        })
    }

    /// What reads lines, which takes the dictionary.
    fn reader(&mut self) -> Reader {
        let begin_string = self.version.begin_string();
        Reader::new(self.names.clone(), self.dictionary.take(), begin_string)
    }

    fn identity(&self, sender: &str, target: &str) -> Identity {
        Identity::new(self.version, sender, target)
    }

    /// How most of its sessions behave.
    fn settings(&self, role: Role, identity: Identity) -> Settings {
        let mut settings = Settings::new(role, identity);
        settings.reset_on_logon = self.resets;
        settings.schedule.clone_from(&self.hours);
        settings.default_appl_ver_id.clone_from(&self.application);
        settings
    }

    /// A session with its store; `next` is the number with which it begins where it has none.
    fn session(&self, settings: Settings, next: u64) -> Result<Session, Fault> {
        let store: Box<dyn Store> = match &self.store {
            Some(folder) => {
                let folder = folder.join(settings.identity.folder_name());
                Box::new(open(&folder)?)
            }
            None => Box::new(MemoryStore::at(next, 1)),
        };
        Ok(Session::new(settings, self.dictionaries.clone(), store))
    }
}

fn open(folder: &Path) -> Result<JournalStore, Fault> {
    let failed = |why: String| Fault::new(format!("--store {}: {why}", folder.display()));
    std::fs::create_dir_all(folder).map_err(|cause| failed(cause.to_string()))?;
    JournalStore::open(folder, KEPT).map_err(|cause| failed(cause.to_string()))
}

fn dictionary(file: &str) -> Result<Dictionary, Fault> {
    let limits = Limits::default();
    let bytes = file_at(file, limits.document_bytes);
    let bytes = bytes.map_err(|why| Fault::new(format!("{file}: {why}")))?;
    let bytes = bytes.ok_or_else(|| Fault::new(format!("{file}: there is no such file")))?;
    let dictionary = Dictionary::read(file, &bytes, &limits)?;
    dictionary.warnings().iter().for_each(|it| remark(&it.to_string()));
    Ok(dictionary)
}
