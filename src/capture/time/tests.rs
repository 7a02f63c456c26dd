use chrono::DateTime;

use super::words::of_words;
use super::*;
use proptest::prelude::*;

fn us(text: &str) -> Option<i64> {
    parse(text).map(|time| time.us)
}

#[test]
fn words_that_name_no_day_name_none() {
    assert_eq!(of_words("03/04/2026", true), of_words("4 March 2026", false));
    for (date, american) in
        [("05/40/2026", true), ("13/31/2026", true), ("01/02/1969", false), ("40 March 2026", false)]
    {
        assert_eq!(of_words(date, american), None, "{date}");
    }
}

#[test]
fn relatives_of_rfc_3339_are_one_instant() {
    let want = us("2026-11-21T06:44:16.663Z");
    assert_eq!(want, Some(1_795_243_456_663_000));
    for text in [
        "2026-11-21T06:44:16.663000+00:00",
        "2026-11-21 06:44:16,663",
        "2026/11/21 06:44:16.663",
        "2026-11-21 06:44:16,663.663",
        "2026-11-21T08:44:16.663+0200",
        "2026-11-21T01:14:16.663-05:30",
        "2026-11-21 06:44:16.663 UTC",
        "1795243456.663",
        "1795243456663",
        "1795243456663000",
        "1795243456663000000",
    ] {
        assert_eq!(us(text), want, "{text}");
    }
}

#[test]
fn the_digits_tell_the_resolution() {
    let resolution = |text| parse(text).map(|time| time.resolution_us);
    assert_eq!(resolution("2026-11-21T06:44:16Z"), Some(1_000_000));
    assert_eq!(resolution("2026-11-21T06:44:16.663Z"), Some(1_000));
    assert_eq!(resolution("2026-11-21T06:44:16.663228999Z"), Some(1));
    assert_eq!(resolution("1795243456663"), Some(1_000));
    assert_eq!(resolution("1795243456"), Some(1_000_000));
}

#[test]
fn a_clock_reads_what_parse_reads() {
    let mut clock = Clock::default();
    for text in [
        "2026-11-21T06:44:16.663Z",
        "2026-11-21T06:44:16.9Z",
        "2026-11-21T06:44:16.9+01:00",
        "2026-11-21 07:00:00",
        "1795243456.6631234567890",
        "12:00:00",
        "what is the time now?",
        "2026-11-21T06:44:16.9Zulu",
    ] {
        assert_eq!(clock.read(text), us(text), "{text}");
    }
}

#[test]
fn other_shapes() {
    assert_eq!(us("00:00:01.5"), Some(1_500_000));
    assert_eq!(us("04:07:14 pm"), Some(58_034_000_000));
    assert_eq!(us("Sat, 21 Nov 2026 06:44:16 +0000"), Some(1_795_243_456_000_000));
    assert_eq!(us("1.795243456663e12"), Some(1_795_243_456_663_000));
    let want = us("2026-09-03T08:15:00.118Z");
    for text in [
        "Sep 3, 2026 @ 08:15:00.118",
        "3 September 2026 08:15:00.118",
        "03/Sep/2026:08:15:00.118 +0000",
        "Thu Sep 03 2026 08:15:00.118 UTC",
        "9/3/2026, 8:15:00.118 AM",
        "2026-Sep-03 08:15:00.118",
    ] {
        assert_eq!(us(text), want, "{text}");
    }
    for (text, day) in [
        ("03/09/2026 08:15:00", "2026-09-03"),
        ("09/13/2026 08:15:00", "2026-09-13"),
        ("12/12/2026 08:15:00", "2026-12-12"),
        ("31/Oct/2026:08:15:00", "2026-10-31"),
        ("Oct 31 2026 08:15:00", "2026-10-31"),
        ("2032 Oct 31 08:15:00", "2032-10-31"),
    ] {
        assert_eq!(us(text), us(&format!("{day}T08:15:00")), "{text}");
    }
    for text in [
        "",
        "17",
        "12.5",
        "step 3 of 2026: 08:15:00",
        "may be 3: 1",
        ":",
        "Sep 3, 2026 @ 99:15:00",
        "yesterday",
        "2026-13-21T06:44:16Z",
        "2026-11-21",
        "-5",
        "2026-11-21T06:44:16 noon",
        "2026-11-21 06:44:16.663.663",
        "03-09-2026 08:15:00",
        "at 03/09/2026 08:15:00",
        "2026-11-21 06:44:16,663.664",
        "2026-11-21 06:44:16,66.66",
        "2026-11-21 06:44:16,663,663",
    ] {
        assert_eq!(us(text), None, "{text}");
    }
}

#[test]
fn what_the_user_says_fills_what_the_log_leaves_out() {
    let zoning = Zoning { offset_us: 2 * 3_600_000_000, date_us: 10 * DAY_US };
    let read = |text| Clock::default().read_in(text, &zoning);
    assert_eq!(read("2026-11-21T08:44:16.663"), us("2026-11-21T06:44:16.663Z"));
    assert_eq!(read("2026-11-21T08:44:16.663+01:00"), us("2026-11-21T07:44:16.663Z"));
    assert_eq!(read("02:00:00"), Some(10 * DAY_US));
    assert_eq!(read("1795243456"), us("1795243456"));
}

#[test]
fn midnight_begins_the_next_day_and_a_late_line_belongs_to_the_last() {
    let mut clock = Clock::default();
    let texts = ["11:59:59 PM", "12:00:01 AM", "11:59:59.5 PM", "1:00:00 AM", "0:30:00 AM"];
    let hours: Vec<_> = texts.map(|text| clock.read(text).map(|us| us / 1_000_000)).into_iter().flatten().collect();
    assert_eq!(hours, [86_399, 86_401, 86_399, 90_000, 88_200]);
}

#[test]
fn a_pause_past_midnight_is_no_step_back() {
    let hour = 3_600_000_000;
    let mut days = Days::default();
    let placed = [23 * hour, hour / 60, 14 * hour, 15 * hour, 2 * hour, 23 * hour].map(|us| days.of_day(us) / DAY_US);
    assert_eq!(placed, [0, 1, 1, 1, 2, 2]);
    let mut days = Days::default();
    let of = |text: &str| time_of_day(text.as_bytes()).expect("a time").us;
    let texts = ["23:59:59", "00:00:01", "23:59:59", "00:00:02", "08:00:00", "07:59:59"];
    assert_eq!(texts.map(|text| days.of_day(of(text)) / DAY_US), [0, 1, 0, 1, 1, 1]);
}

#[test]
fn a_clock_has_a_leap_second_and_an_hour_that_ends_the_day() {
    let hour = 3_600_000_000;
    for (text, want) in [
        ("23:59:60", Some(24 * hour)),
        ("23:59:61", None),
        ("24:00:00", Some(24 * hour)),
        ("25:00:00", None),
        ("23:60:00", None),
        ("12:34.56", None),
        ("12.34:56", None),
        ("2016-12-31T23:59:60Z", us("2017-01-01T00:00:00Z")),
        ("2016-12-31T24:00:00Z", us("2017-01-01T00:00:00Z")),
        ("2016-12-31T25:00:00Z", None),
        ("2016-12-31T23:59:61Z", None),
    ] {
        assert_eq!(us(text), want, "{text}");
    }
}

#[test]
fn noon_is_pm_and_midnight_is_am() {
    let minute = 60_000_000;
    for (text, want) in [
        ("12:00:00 AM", 0),
        ("12:30:00 AM", 30),
        ("1:00:00 AM", 60),
        ("11:59:00 AM", 719),
        ("12:00:00 PM", 720),
        ("12:30:00 PM", 750),
        ("1:00:00 pm", 780),
        ("11:59:00 PM", 1439),
    ] {
        assert_eq!(us(text), Some(want * minute), "{text}");
    }
    assert_eq!(us("12:30:00 XM"), None);
}

#[test]
fn zones_as_people_write_them() {
    for (text, want) in [
        ("utc", Some(0)),
        ("GMT", Some(0)),
        (" Z ", Some(0)),
        ("+02:00", Some(120)),
        ("-0530", Some(-330)),
        ("+09", Some(540)),
        ("+18:00", Some(1080)),
        ("-18:00", Some(-1080)),
        ("+18:01", None),
        ("+2", None),
        ("+02-00", None),
        ("+02:0", None),
        ("", None),
        ("Berlin", None),
    ] {
        assert_eq!(zone_minutes(text), want, "{text:?}");
    }
    assert_eq!(us("2026-11-21T06:44:16 +0200"), us("2026-11-21T04:44:16Z"));
}

#[test]
fn a_step_back_of_more_than_two_hours_is_a_midnight_and_a_late_line_is_none() {
    let minute = 60_000_000;
    let placed = |minutes: &[i64]| {
        let mut days = Days::default();
        minutes.iter().map(|at| days.of_day(at * minute).div_euclid(DAY_US)).collect::<Vec<_>>()
    };
    for (minutes, want) in [
        (&[120, 0][..], &[0, 0][..]),
        (&[121, 0], &[0, 1]),
        (&[1380, 780, 781], &[0, 1, 1]),
        (&[0, 1439], &[0, 0]),
        (&[1439, 0, 1430], &[0, 1, 1]),
        (&[1439, 0, 1431], &[0, 1, 0]),
        (&[1439, 0, 1431, 1], &[0, 1, 0, 1]),
        (&[1439, 0, 1200, 0], &[0, 1, 1, 2]),
    ] {
        assert_eq!(placed(minutes), want, "{minutes:?}");
    }
}

#[test]
fn a_number_tells_its_unit_by_its_size() {
    let of = |text: &str| epoch(text).map(|time| (time.us, time.resolution_us));
    let second = 1_000_000;
    for (text, want) in [
        ("99999999", None),
        ("100000000", Some((100_000_000 * second, second))),
        ("99999999999", Some((99_999_999_999 * second, second))),
        ("100000000000", Some((100_000_000 * second, 1_000))),
        ("100000000000000", Some((100_000_000 * second, 1))),
        ("100000000000000000", Some((100_000_000 * second, 1))),
        ("100000000.5", Some((100_000_000 * second + 500_000, 100_000))),
        ("100000000000.25", Some((100_000_000 * second + 250, 10))),
        ("1e8", Some((100_000_000 * second, second))),
        ("1.5.5", None),
        (".5", None),
        ("-100000000", None),
    ] {
        assert_eq!(of(text), want, "{text}");
    }
}

proptest! {
    #[test]
    fn agrees_with_chrono(seconds in 0i64..4_000_000_000, micros in 0u32..1_000_000) {
        let time = DateTime::from_timestamp(seconds, micros * 1_000).expect("in range");
        prop_assert_eq!(us(&time.to_rfc3339_opts(chrono::SecondsFormat::Micros, true)), Some(time.timestamp_micros()));
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,40}", digits in "[0-9.:eE+-]{0,40}") {
        let _ = (parse(&text), parse(&digits));
    }
}
