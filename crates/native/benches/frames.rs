//! What a frame costs to write and to read, one core, warm.
//!
//! `cargo bench -p trunkline-native`: ns a frame, best and median of passes, by payload.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

use trunkline_native::{
    ClientFrame, Conflation, Delivery, FRAME_BYTES, Message, RouterFrame, Store, decode_client,
    decode_router, encode_delivery, encode_message, encode_plain_message, encode_publish,
    encode_store, format,
};

/// Frames of a pass: about 64 KiB, as they stand in a buffer.
const FRAMES: u32 = 400;
const PASSES: usize = 2001;

/// Runs a pass often and prints what a frame took.
fn measure(what: &str, payload: usize, mut pass: impl FnMut()) {
    let mut times: Vec<f64> = (0..PASSES)
        .map(|_| {
            let start = Instant::now();
            pass();
            start.elapsed().as_nanos() as f64 / f64::from(FRAMES)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (best, median) = (times[0], times[PASSES / 2]);
    println!("{what:24} {payload:5} B  {best:6.1} ns best  {median:6.1} ns median");
}

fn main() {
    let text = [b'x'; 1024];
    for length in [16, 128, 1024] {
        let payload = &text[..length];
        let mut out = Vec::with_capacity(1 << 20);
        measure("encode PUBLISH", length, || {
            out.clear();
            for alias in 0..FRAMES {
                encode_publish(black_box(&mut out), alias, format::OPAQUE, black_box(payload));
            }
        });
        measure("decode PUBLISH", length, || {
            let mut rest = black_box(&*out);
            while let Ok(Some((frame, length))) = decode_client(rest, FRAME_BYTES) {
                assert!(matches!(black_box(frame), ClientFrame::Publish(_)));
                rest = &rest[length..];
            }
        });
        measure("encode MESSAGE", length, || {
            out.clear();
            for topic in 0..FRAMES {
                let (out, payload) = (black_box(&mut out), black_box(payload));
                encode_plain_message(out, 1, topic, 77, format::OPAQUE, payload);
            }
        });
        measure("decode MESSAGE", length, || {
            let mut rest = black_box(&*out);
            while let Ok(Some((frame, length))) = decode_router(rest, FRAME_BYTES) {
                assert!(matches!(black_box(frame), RouterFrame::Message(_)));
                rest = &rest[length..];
            }
        });
        let message = Message {
            subscription: 1,
            topic: 2,
            sequence: 3,
            conflation: Some(Conflation { replaced: 4, age: 5 }),
            request: None,
            published: None,
            last_value: None,
            format: format::OPAQUE,
            payload,
        };
        measure("encode MESSAGE conflated", length, || {
            out.clear();
            for _ in 0..FRAMES {
                encode_message(black_box(&mut out), black_box(&message));
            }
        });
        guaranteed(payload, &mut out);
    }
}

fn guaranteed(payload: &[u8], out: &mut Vec<u8>) {
    let length = payload.len();
    measure("encode STORE", length, || {
        out.clear();
        for sequence in 0..FRAMES {
            let store = Store {
                alias: 1,
                time_to_live_ms: 0,
                sequence: sequence.into(),
                is_repeated: false,
                format: format::OPAQUE,
                payload: black_box(payload),
            };
            encode_store(black_box(out), &store);
        }
    });
    measure("decode STORE", length, || {
        let mut rest = black_box(&**out);
        while let Ok(Some((frame, length))) = decode_client(rest, FRAME_BYTES) {
            assert!(matches!(black_box(frame), ClientFrame::Store(_)));
            rest = &rest[length..];
        }
    });
    measure("encode DELIVERY", length, || {
        out.clear();
        for position in 0..FRAMES {
            let delivery = Delivery {
                subscription: 1,
                topic: 2,
                position: position.into(),
                time: 3,
                deliveries: 0,
                conflation: None,
                is_repeated: false,
                is_unconfirmed: false,
                is_kept: false,
                is_unrendered: false,
                format: format::OPAQUE,
                payload: black_box(payload),
            };
            encode_delivery(black_box(out), &delivery);
        }
    });
    measure("decode DELIVERY", length, || {
        let mut rest = black_box(&**out);
        while let Ok(Some((frame, length))) = decode_router(rest, FRAME_BYTES) {
            assert!(matches!(black_box(frame), RouterFrame::Delivery(_)));
            rest = &rest[length..];
        }
    });
}
