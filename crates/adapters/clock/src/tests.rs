use crate::{Clock, Scale, virtual_runtime};
use std::num::NonZeroU32;
use std::time::Duration;
use windlass_model::{Millis, Timestamp};

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn scale(start: &str, factor: u32) -> Scale {
    Scale::parse(start, NonZeroU32::new(factor).unwrap()).unwrap()
}

#[test]
fn simulated_days_take_no_time() {
    let started = std::time::Instant::now();
    virtual_runtime().unwrap().block_on(async {
        let clock = Clock::simulated(at("2026-03-02T14:00:00Z"));
        clock.sleep(Millis::from_mins(60 * 24 * 35)).await;
        assert_eq!(clock.now(), at("2026-04-06T14:00:00Z"));
        clock.sleep_until(at("2026-04-06T15:00:00.001Z")).await;
        assert_eq!(clock.now(), at("2026-04-06T15:00:00.001Z"));
        clock.sleep_until(at("2020-01-01T00:00:00Z")).await;
        assert_eq!(clock.now(), at("2026-04-06T15:00:00.001Z"), "the past is no wait");
        assert_eq!(clock.real().now(), clock.now(), "a simulated world has no other time");
    });
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn sleepers_wake_in_order_of_time() {
    let order = virtual_runtime().unwrap().block_on(async {
        let clock = Clock::simulated(Timestamp::default());
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        for minutes in [30_u64, 10, 20] {
            let sender = sender.clone();
            tokio::spawn(async move {
                clock.sleep(Millis::from_mins(minutes)).await;
                sender.send((minutes, clock.now())).unwrap();
            });
        }
        drop(sender);
        let mut order = Vec::new();
        while let Some(item) = receiver.recv().await {
            order.push(item);
        }
        order
    });
    assert_eq!(order, [10_u64, 20, 30].map(|m| (m, Timestamp::default() + Millis::from_mins(m))));
}

#[test]
fn scaled_time_runs_faster_and_its_real_view_does_not() {
    // The timer below both clocks is the runtime's: virtual here, so that the test does not wait.
    virtual_runtime().unwrap().block_on(async {
        let clock = Clock::scaled(scale("2026-03-02T14:00:00Z", 60));
        assert_eq!(clock.now(), at("2026-03-02T14:00:00Z"));
        let real = clock.real();
        clock.sleep(Millis::from_mins(10)).await;
        assert_eq!(clock.now(), at("2026-03-02T14:10:00Z"));
        assert_eq!((clock.monotonic(), real.monotonic()), (Duration::from_secs(600), Duration::from_secs(10)));
        clock.sleep_until(at("2026-03-02T15:00:00Z")).await;
        assert!(clock.now() >= at("2026-03-02T15:00:00Z"));
        assert!(real.monotonic() <= Duration::from_millis(60_001));
        real.sleep(Millis(1_000)).await;
        assert!(clock.now() >= at("2026-03-02T15:01:00Z"));
    });
}

#[test]
fn processes_with_one_anchor_agree() {
    let scale = scale("2026-03-02T14:00:00Z@2026-11-21T03:00:00Z", 60);
    for (real, business) in [
        ("2026-11-21T03:00:00Z", "2026-03-02T14:00:00Z"),
        ("2026-11-21T03:00:10Z", "2026-03-02T14:10:00Z"),
        ("2026-11-21T02:00:00Z", "2026-03-02T14:00:00Z"),
    ] {
        assert_eq!(scale.at(at(real)), at(business), "{real}");
    }
    for text in ["", "soon", "2026-03-02", "2026-03-02T14:00:00Z@", "@2026-03-02T14:00:00Z"] {
        assert!(Scale::parse(text, NonZeroU32::MIN).is_err(), "{text}");
    }
}

#[test]
fn the_system_clock_is_the_machines() {
    virtual_runtime().unwrap().block_on(async {
        let before = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_micros();
        let now = Clock::system().now();
        assert!(i128::from(now.micros()) >= before.cast_signed());
    });
}

#[test]
fn timeouts_and_beats_follow_the_clock() {
    virtual_runtime().unwrap().block_on(async {
        for clock in [Clock::simulated(Timestamp::default()), Clock::scaled(scale("2026-03-02T14:00:00Z", 10))] {
            assert_eq!(clock.timeout(Millis(100), async { 7 }).await, Ok(7));
            let error = clock.timeout(Millis::from_secs(90), std::future::pending::<()>()).await.unwrap_err();
            assert_eq!(error.to_string(), "not ready after 1m30s");

            let start = clock.monotonic();
            let mut beat = clock.interval(Millis::from_secs(10));
            beat.tick().await;
            assert_eq!(clock.monotonic(), start, "the first beat comes at once");
            beat.tick().await;
            clock.sleep(Millis::from_secs(25)).await;
            beat.tick().await;
            beat.tick().await;
            // Beats at 0, 10, (20 and 30 passed while we slept until 35: one answers late), 40.
            assert!((clock.monotonic() - start).abs_diff(Duration::from_secs(40)) < Duration::from_millis(100));
        }
        // No panic for a period of nothing.
        Clock::system().interval(Millis::ZERO).tick().await;
    });
}

#[test]
fn a_hold_keeps_virtual_time_from_jumping_for_a_while() {
    virtual_runtime().unwrap().block_on(async {
        let clock = Clock::simulated(Timestamp::default());
        let world = std::time::Instant::now();
        // The world needs 50 ms for something; a limit of ten virtual minutes does not expire in between.
        let hold = clock.hold(Millis::from_secs(60));
        let (done, finished) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || {
            while world.elapsed() < Duration::from_millis(50) {
                std::thread::yield_now();
            }
            done.send(()).unwrap();
        });
        assert!(clock.timeout(Millis::from_mins(10), finished).await.is_ok());
        drop(hold);
        // Nobody answers: the hold lets go, and the limit is kept.
        let _hold = clock.hold(Millis(20));
        assert!(clock.timeout(Millis::from_mins(10), std::future::pending::<()>()).await.is_err());
        assert!(world.elapsed() < Duration::from_secs(60));
    });
}
