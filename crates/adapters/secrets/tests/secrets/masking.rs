use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use windlass_secrets::{Clear, MASK, MaskPatterns, Masker, masked};

fn patterns(secrets: &[&str]) -> MaskPatterns {
    let secrets: Vec<Clear> = secrets.iter().map(|secret| Clear::from(*secret)).collect();
    MaskPatterns::new(&secrets)
}

/// In pieces of the given lengths, the last one repeated.
fn in_pieces(patterns: &MaskPatterns, text: &[u8], lengths: &[usize]) -> Vec<u8> {
    let mut masker = Masker::new(patterns.clone());
    let mut out = Vec::new();
    let mut rest = text;
    let mut lengths = lengths.iter().copied().chain(std::iter::repeat(lengths.last().copied().unwrap_or(1).max(1)));
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(lengths.next().unwrap().min(rest.len()));
        out.extend(masker.push(piece));
        rest = after;
    }
    out.extend(masker.finish());
    out
}

#[test]
fn every_form_is_masked() {
    let secret = "p@ss w/rd\"1";
    let patterns = patterns(&[secret]);
    for form in [
        secret.to_owned(),
        "p%40ss%20w%2Frd%221".to_owned(),
        "p%40ss+w%2frd%221".to_owned(),
        r#"p@ss w/rd\"1"#.to_owned(),
        r#"p@ss w\/rd\"1"#.to_owned(),
    ] {
        assert_eq!(masked(&patterns, &format!("a {form} b")), format!("a {MASK} b"), "{form}");
    }
    // In all three ways a secret can lie in what is encoded, a few digits at the edges may stay.
    for before in ["", "u", "us", "use:", "user:"] {
        for after in ["", "\n", "ab"] {
            for encoded in [
                STANDARD.encode(format!("{before}{secret}{after}")),
                URL_SAFE_NO_PAD.encode(format!("{before}{secret}{after}")),
            ] {
                let shown = masked(&patterns, &encoded);
                assert!(shown.contains(MASK) && shown.len() <= encoded.len() - 12 + MASK.len(), "{encoded} → {shown}");
            }
        }
    }
}

#[test]
fn lines_of_long_secrets_are_masked_one_by_one() {
    let key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nshort\n-----END KEY-----\n";
    let patterns = patterns(&[key]);
    assert_eq!(masked(&patterns, "1: MIIEvQIBADANBg\r\n2: short"), format!("1: {MASK}\r\n2: short"));
    assert_eq!(
        masked(&patterns, &format!("{{\"key\":{}}}", serde_json::to_string(key).unwrap())),
        format!("{{\"key\":\"{MASK}\"}}")
    );
    assert_eq!(masked(&patterns, &format!("[{key}]")), format!("[{MASK}]"));
}

#[test]
fn what_overlaps_or_touches_becomes_one_mask() {
    let patterns = patterns(&["abcdef", "defghi", "abcd"]);
    assert_eq!(masked(&patterns, "-abcdefghi-"), format!("-{MASK}-"));
    assert_eq!(masked(&patterns, "-abcdabcdef-"), format!("-{MASK}-"));
    assert_eq!(masked(&patterns, "-abcd-abcd-"), format!("-{MASK}-{MASK}-"));
    assert_eq!(masked(&patterns, "abcabcdabc"), format!("abc{MASK}abc"));
}

#[test]
fn nothing_is_held_back_that_cannot_be_a_secret() {
    let long = "x".repeat(5_000) + "end";
    let mut masker = Masker::new(patterns(&[&long, "hunter2"]));
    assert_eq!(masker.push(b"ready\n"), b"ready\n");
    assert_eq!(masker.push(b"pass: hunt"), b"pass: ");
    assert_eq!(masker.push(b"ing\n"), b"hunting\n");
    assert_eq!(masker.push(b"hunter"), b"");
    // A whole secret could still be the beginning of a longer stretch; the next byte tells.
    assert_eq!(masker.push(b"2"), b"");
    assert_eq!(masker.push(b" hunt"), format!("{MASK} ").as_bytes());
    assert_eq!(masker.finish(), b"hunt");
}

#[test]
fn without_secrets_everything_passes() {
    for patterns in [MaskPatterns::default(), patterns(&["", "a", "  \n"])] {
        assert_eq!(masked(&patterns, "a text"), "a text");
    }
    assert!(!format!("{:?}", patterns(&["hunter2"])).contains("hunter"));
}

#[test]
fn many_and_long_secrets_stay_fast() {
    let secrets: Vec<Clear> = (0..200).map(|i| Clear::from(format!("secret-{i}-{}", "y".repeat(i)))).collect();
    let patterns = MaskPatterns::new(&secrets);
    let line = "nothing to see here, secret-x and secret-1, 17 ms\n".repeat(20_000);
    assert_eq!(in_pieces(&patterns, line.as_bytes(), &[4_096]), line.as_bytes());
    // A text that is nearly a secret all the time.
    let hostile = "secret-199-".to_owned() + &"y".repeat(198);
    let text = hostile.repeat(2_000);
    assert_eq!(in_pieces(&patterns, text.as_bytes(), &[1_000]), in_pieces(&patterns, text.as_bytes(), &[text.len()]));
}

fn secret() -> impl Strategy<Value = String> {
    prop_oneof!["[ab]{3,6}", "[a-c\"/ é]{3,12}", "[ab\n]{3,20}"]
}

fn text() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(
        prop_oneof!["[a-c \"/\né]{0,12}", Just("SECRET".to_owned()), Just("ENCODED".to_owned())],
        0..12,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_cut_lets_a_secret_through(
        secrets in proptest::collection::vec(secret(), 1..4),
        words in text(),
        lengths in proptest::collection::vec(1usize..9, 1..8),
    ) {
        let all: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let patterns = patterns(&all);
        let text: String = words
            .iter()
            .enumerate()
            .map(|(index, word)| match word.as_str() {
                "SECRET" => all[index % all.len()].to_owned(),
                "ENCODED" => STANDARD.encode(all[index % all.len()]),
                word => word.to_owned(),
            })
            .collect();
        let whole = in_pieces(&patterns, text.as_bytes(), &[text.len().max(1)]);
        prop_assert_eq!(&in_pieces(&patterns, text.as_bytes(), &lengths), &whole);
        let shown = String::from_utf8_lossy(&whole);
        for secret in all.iter().filter(|secret| secret.trim().len() >= 3) {
            prop_assert!(!shown.contains(secret), "{:?} is in {:?}", secret, shown);
        }
        prop_assert_eq!(masked(&patterns, &text), shown);
    }

    #[test]
    fn text_without_secrets_is_unchanged(text in "[d-z \n]{0,200}", lengths in proptest::collection::vec(1usize..9, 1..8)) {
        prop_assert_eq!(in_pieces(&patterns(&["abcabc", "cab cab"]), text.as_bytes(), &lengths), text.as_bytes());
    }
}
