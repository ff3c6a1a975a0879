//! The macro that makes a client.

/// Makes a struct with a method for each operation of a service.
///
/// ```
/// # use trunkline_message::Message;
/// # #[derive(Message, Default)] pub struct Add { a: i32, b: i32 }
/// # #[derive(Message, Default)] pub struct Sum { sum: i32 }
/// # #[derive(Message, Default)] pub struct Note { text: String }
/// trunkline_session::client! {
///     /// A client of the calculator.
///     pub struct Calculator in "urn:example:calculator" {
///         /// The sum of two numbers.
///         fn add(Add) -> Sum;
///         /// Another name on the wire, and no answer.
///         fn take_note(Note) = "TakeNote";
///     }
/// }
/// ```
///
/// `Calculator::new(url)` calls in document/literal, `Calculator::with(url, binding, config)` in any
/// other binding, and `client()` gives the [`Client`](crate::soap::Client) underneath.
#[macro_export]
macro_rules! client {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident in $namespace:literal {
            $($operations:tt)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug)]
        $visibility struct $name($crate::soap::Client);

        #[allow(dead_code)]
        impl $name {
            /// A client of the service at a URL, in document/literal. It connects with the first
            /// call.
            ///
            /// # Errors
            /// The URL is not valid.
            $visibility fn new(url: &str) -> ::core::result::Result<Self, $crate::soap::CallError> {
                $crate::soap::Client::new(url, $namespace).map(Self)
            }

            /// A client with a binding and options of HTTP.
            ///
            /// # Errors
            /// The URL is not valid, or the options do not fit together.
            $visibility fn with(
                url: &str,
                binding: $crate::soap::Binding,
                config: $crate::soap::ClientConfig,
            ) -> ::core::result::Result<Self, $crate::soap::CallError> {
                $crate::soap::Client::with(url, $namespace, binding, config).map(Self)
            }

            /// Calls by a client that was made by other means, such as one of a shared connection.
            $visibility fn of(client: $crate::soap::Client) -> Self {
                Self(client)
            }

            /// The client underneath: header blocks, profile.
            $visibility fn client(&mut self) -> &mut $crate::soap::Client {
                &mut self.0
            }

            $crate::client!(@operations ($visibility) $($operations)*);
        }
    };
    (@operations ($visibility:vis)) => {};
    (
        @operations ($visibility:vis)
        $(#[$attribute:meta])* fn $method:ident($request:ty) -> $reply:ty; $($rest:tt)*
    ) => {
        $crate::client!(@answered ($visibility) [$(#[$attribute])*] $method $request, $reply, $crate::soap::name_of(stringify!($method)));
        $crate::client!(@operations ($visibility) $($rest)*);
    };
    (
        @operations ($visibility:vis)
        $(#[$attribute:meta])* fn $method:ident($request:ty) -> $reply:ty = $operation:literal;
        $($rest:tt)*
    ) => {
        $crate::client!(@answered ($visibility) [$(#[$attribute])*] $method $request, $reply, $operation);
        $crate::client!(@operations ($visibility) $($rest)*);
    };
    (
        @operations ($visibility:vis)
        $(#[$attribute:meta])* fn $method:ident($request:ty); $($rest:tt)*
    ) => {
        $crate::client!(@one_way ($visibility) [$(#[$attribute])*] $method $request, $crate::soap::name_of(stringify!($method)));
        $crate::client!(@operations ($visibility) $($rest)*);
    };
    (
        @operations ($visibility:vis)
        $(#[$attribute:meta])* fn $method:ident($request:ty) = $operation:literal; $($rest:tt)*
    ) => {
        $crate::client!(@one_way ($visibility) [$(#[$attribute])*] $method $request, $operation);
        $crate::client!(@operations ($visibility) $($rest)*);
    };
    (
        @answered ($visibility:vis) [$($attributes:tt)*] $method:ident $request:ty, $reply:ty,
        $operation:expr
    ) => {
        $($attributes)*
        ///
        /// # Errors
        /// The service's fault, or the reason why there is no reply.
        $visibility fn $method(
            &mut self,
            request: &$request,
        ) -> ::core::result::Result<$reply, $crate::soap::CallError> {
            self.0.call($operation, request)
        }
    };
    (@one_way ($visibility:vis) [$($attributes:tt)*] $method:ident $request:ty, $operation:expr) => {
        $($attributes)*
        ///
        /// # Errors
        /// The service's fault, or the request could not be handed over.
        $visibility fn $method(
            &mut self,
            request: &$request,
        ) -> ::core::result::Result<(), $crate::soap::CallError> {
            self.0.send($operation, request)
        }
    };
}
