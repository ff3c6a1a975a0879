//! A time-out that costs little when nothing is late.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// A timer that is set once and polled often. It is not moved with each request: if it goes off too
/// early, it is set again.
#[derive(Debug, Default)]
pub(super) struct Alarm(Option<Pin<Box<Sleep>>>);

impl Alarm {
    /// The result of the future; None if that takes longer than `patience`.
    pub(super) async fn limit<T>(
        &mut self,
        patience: Duration,
        future: impl Future<Output = T>,
    ) -> Option<T> {
        let mut future = pin!(future);
        let now = Instant::now();
        // The latest possible time if the sum is too large.
        let late = now.checked_add(patience).unwrap_or(now + Duration::from_secs(1 << 30));
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(late)));
        if sleep.deadline() > late {
            sleep.as_mut().reset(late);
        }
        poll_fn(|context| {
            if let Poll::Ready(value) = future.as_mut().poll(context) {
                return Poll::Ready(Some(value));
            }
            while sleep.as_mut().poll(context).is_ready() {
                if Instant::now() >= late {
                    return Poll::Ready(None);
                }
                sleep.as_mut().reset(late);
            }
            Poll::Pending
        })
        .await
    }
}
