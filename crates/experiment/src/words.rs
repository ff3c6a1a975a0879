//! Enumerations whose variants have one word each, in experiments, cases and profiles alike.

/// Makes such an enumeration, from one table of its variants and their words.
macro_rules! words {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident { $($(#[$variant_attribute:meta])* $variant:ident = $word:literal,)+ }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
        pub enum $name { $($(#[$variant_attribute])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// All of them, in order.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// Its word.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}
