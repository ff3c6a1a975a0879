//! Where documents come from.

/// Gives the bytes of documents that others include. A closure is one, too.
pub trait Resolver {
    /// The bytes of the document at a path, which is that of the first document or relative as it; none if
    /// there is no document.
    ///
    /// # Errors
    /// Says why it is not read.
    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, String>;

    /// The schema of a namespace that is imported without a location; none if it is not known. It is asked for by its name
    /// as by a path, unless a resolver knows better.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn read_namespace(&mut self, namespace: &str) -> Result<Option<Vec<u8>>, String> {
        self.read(namespace)
    }
}

impl<F: FnMut(&str) -> Result<Option<Vec<u8>>, String>> Resolver for F {
    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, String> {
        self(path)
    }
}

/// The path of a document that another one names; `..` goes above the first.
pub(crate) fn beside(from: &str, name: &str) -> String {
    match from.rfind('/') {
        Some(end) => joined(&from[..=end], name),
        None => joined("", name),
    }
}

/// A name in a folder.
pub(crate) fn joined(folder: &str, name: &str) -> String {
    let folder = if name.starts_with('/') { "" } else { folder };
    let mut steps: Vec<&str> = Vec::new();
    for step in folder.split('/').chain(name.split('/')) {
        match (step, steps.last()) {
            ("." | "", _) => {}
            ("..", Some(last)) if *last != ".." => _ = steps.pop(),
            _ => steps.push(step),
        }
    }
    let is_absolute = folder.starts_with('/') || name.starts_with('/');
    format!("{}{}", if is_absolute { "/" } else { "" }, steps.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_document_that_names_them() {
        assert_eq!(beside("a.idl", "b.idl"), "b.idl");
        assert_eq!(beside("x/y/a.idl", "../b.idl"), "x/b.idl");
        assert_eq!(beside("a.idl", "../b.idl"), "../b.idl");
        assert_eq!(beside("/x/a.idl", "./y/b.idl"), "/x/y/b.idl");
        assert_eq!(beside("x/a.idl", "/b.idl"), "/b.idl");
        assert_eq!(joined("include", "orb.idl"), "include/orb.idl");
    }
}
