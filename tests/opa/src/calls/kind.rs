//! Arguments by what a function wants to see there. One in twelve is something else.

use serde_json::{Value as Json, json};
use windlass_test_dice::Dice;

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Any,
    Text,
    Texts,
    Letter,
    Int,
    Small,
    Number,
    Numbers,
    List,
    Object,
    Objects,
    Key,
    Format,
    Arguments,
    Pattern,
    Subject,
    Version,
    Network,
    Glob,
    Host,
    Dots,
    Document,
    Paths,
    Patch,
    Unit,
    Base,
    Digits,
    Encoded,
    Graph,
    Names,
    Replacements,
}

const TEXTS: &[&str] = &[
    "",
    "a",
    "abc",
    "aXbXc",
    "payment-service",
    "  padded ",
    "ÄÖÜ straße",
    "日本語",
    "a,b,,c",
    "v1.2.3",
    "registry:5000/pay:v1",
    "ab\tc\n",
    "\"q\"",
    "ABC",
    "x/y/z",
    "<b>&amp;",
];

pub(super) fn argument(kind: Kind, dice: &mut Dice) -> Json {
    let kind = if dice.percent(8) { Kind::Any } else { kind };
    match kind {
        Kind::Any => any(dice, 2),
        Kind::Text | Kind::Subject => json!(dice.text(TEXTS)),
        Kind::Texts => list(dice, |dice| json!(dice.text(TEXTS))),
        Kind::Letter => json!(dice.text(&["", "a", "b", "X", ",", " ", "ab", "/", ":", "Ü", "語", "-"])),
        Kind::Int => json!(*dice.pick(&[0, 1, -1, 2, 7, 10, 255, -256, 65_536, 1_000_000, i64::MAX, i64::MIN, 42])),
        Kind::Small => json!(dice.between(-3, 9)),
        Kind::Number => number(dice),
        Kind::Numbers => list(dice, number),
        Kind::List => list(dice, |dice| any(dice, 1)),
        Kind::Object => object(dice, 1),
        Kind::Objects => list(dice, |dice| object(dice, 1)),
        Kind::Key => json!(dice.text(&["a", "b", "c", "d", "missing"])),
        Kind::Format => json!(dice.text(&[
            "%s",
            "%d",
            "%v",
            "%q",
            "%x",
            "%X",
            "%f",
            "%.2f",
            "%5d",
            "%-5d|",
            "%05d",
            "%t",
            "%%",
            "%s and %s",
            "%d of %d",
            "%e",
            "%g",
            "%o",
            "%b",
            "%c",
            "%5s|",
            "%-5s|",
            "%+d",
            "%v %v %v",
            "plain",
            "%",
            "%z",
            "%s %d %v",
            "%6.2f|",
            "%.3s",
            "%T",
            "%[2]d %[1]d",
            "%U",
            "%08.3f",
            "%#x",
            "% d",
        ])),
        Kind::Arguments => list(dice, |dice| match dice.below(4) {
            0 => json!(dice.text(TEXTS)),
            1 => number(dice),
            2 => json!(dice.between(-99, 99)),
            _ => any(dice, 1),
        }),
        Kind::Pattern => json!(dice.text(&[
            "a",
            "^a",
            "b$",
            "[a-z]+",
            "(?i)ABC",
            "^v\\d+\\.\\d+",
            "(\\w+)-(\\w+)",
            "a|b",
            ".",
            "",
            "x*",
            "\\s+",
            "[",
            "(a",
            "\\bservice\\b",
            "(?P<n>a)",
            "[^,]*",
            "\\pL+",
            "a{2,3}",
            "^$",
            "(?s).",
            "(a)(b)?",
        ])),
        Kind::Version => json!(dice.text(&[
            "1.2.3",
            "1.10.0",
            "1.9.0",
            "1.2.3-rc.1",
            "1.2.3-rc.10",
            "1.2.3+build",
            "v1.2.3",
            "1.2",
            "",
            "1.2.3-alpha",
            "01.2.3",
            "1.2.3-01",
            "99999999999.0.0",
            "1.2.x"
        ])),
        Kind::Network => json!(dice.text(&[
            "10.0.0.0/8",
            "10.1.2.3",
            "10.1.2.0/24",
            "192.168.0.0/16",
            "192.168.1.1/32",
            "2001:db8::/32",
            "2001:db8::1",
            "0.0.0.0/0",
            "10.0.0.1/8",
            "300.1.1.1",
            "",
            "10.0.0.0/33",
            "::1/128",
            "10.1.2.0/30",
            "fe80::/10",
            "10.0.0"
        ])),
        Kind::Glob => json!(dice.text(&[
            "*",
            "*.example.com",
            "**.example.com",
            "api.*.com",
            "?pi.example.com",
            "{api,www}.example.com",
            "[a-c]pi.*",
            "[!a]*",
            "api.example.com",
            "a**m",
            "",
            "{a",
            "*:*",
            "\\*",
            "api*",
            "**"
        ])),
        Kind::Host => json!(dice.text(&[
            "api.example.com",
            "www.example.com",
            "a.b.example.com",
            "example.com",
            "",
            "api:example",
            "api",
            "*",
            "bpi.example.com",
            "api.cdn.com"
        ])),
        Kind::Dots => {
            dice.pick(&[json!([]), json!(["."]), json!(["."]), json!([":"]), json!([".", ":"]), Json::Null]).clone()
        }
        Kind::Document => json!(dice.text(&[
            "{}",
            "[1,2]",
            "{\"a\": [1.50, null]}",
            "{",
            "\"x\"",
            "1e3",
            "01",
            "",
            "[1,]",
            " true ",
            "{\"a\":1,\"a\":2}",
            "a: 1\nb: [x, y]\n",
            "- 1\n- two\n",
            "12345678901234567890",
            "null",
            "\"\\u00e9\""
        ])),
        Kind::Paths => dice
            .pick(&[
                json!(["a"]),
                json!(["a/b"]),
                json!(["a", "b/c"]),
                json!([["a", "b"]]),
                json!([]),
                json!(["/a"]),
                json!(["missing"]),
                json!(["d/0"]),
                json!(["a/b/c"]),
            ])
            .clone(),
        Kind::Patch => list(dice, patch),
        Kind::Unit => json!(dice.text(&[
            "1", "1K", "1Ki", "10M", "10Mi", "1.5G", "500m", "0.5", "1KB", "1kib", "100 MB", "\"5\"", "", "K", "1e3",
            "-1K", "2T", "1P", "1Ei", "1E", "1m", "1MB", "3 Gi", "1_000", "10x"
        ])),
        Kind::Base => json!(*dice.pick(&[2, 8, 10, 16, 10, 3, 0, 36])),
        Kind::Digits => dice
            .pick(&[
                json!("1"),
                json!("-1.5"),
                json!("1e3"),
                json!("0x10"),
                json!(""),
                json!(" 1"),
                json!("01"),
                json!("+1"),
                json!("1."),
                json!(".5"),
                json!("Infinity"),
                json!("nan"),
                json!("1_0"),
                json!(7),
                json!(true),
                json!(false),
                Json::Null,
                json!("12345678901234567890"),
                json!([]),
            ])
            .clone(),
        Kind::Encoded => json!(dice.text(&[
            "YWJj",
            "YWI=",
            "YWI",
            "YQ==",
            "!!",
            "",
            "616263",
            "6G",
            "a%20b",
            "a+b",
            "%zz",
            "_-8",
            "/+8=",
            "ÄÖ",
            "key=v&k=w",
            "a b&c=d/e"
        ])),
        Kind::Graph => dice
            .pick(&[
                json!({"a": ["b", "c"], "b": ["d"], "c": [], "d": ["a"]}),
                json!({"a": []}),
                json!({}),
                json!({"a": ["x"]}),
            ])
            .clone(),
        Kind::Names => {
            dice.pick(&[json!(["a"]), json!(["a", "b"]), json!([]), json!(["missing"]), json!(["d"])]).clone()
        }
        Kind::Replacements => dice
            .pick(&[
                json!({"a": "b", "b": "a"}),
                json!({}),
                json!({"X": ""}),
                json!({"<": "&lt;", ">": "&gt;"}),
                json!({"ab": "1", "a": "2"}),
            ])
            .clone(),
    }
}

fn number(dice: &mut Dice) -> Json {
    match dice.below(5) {
        0 => json!(dice.between(-1_000, 1_000) as f64 / 8.0),
        1 => dice
            .pick(&[
                json!(0.1),
                json!(1e21),
                json!(-2.5),
                json!(3.0),
                json!(1e-7),
                json!(123_456_789.125),
                json!(0.5),
                json!(1.5),
            ])
            .clone(),
        2 => dice.pick(&[json!(i64::MAX), json!(u64::MAX), json!(i64::MIN), json!(4_294_967_296_i64)]).clone(),
        _ => json!(dice.between(-20, 20)),
    }
}

fn list(dice: &mut Dice, mut one: impl FnMut(&mut Dice) -> Json) -> Json {
    (0..dice.below(4)).map(|_| one(dice)).collect()
}

fn object(dice: &mut Dice, depth: usize) -> Json {
    let mut fields = serde_json::Map::new();
    for _ in 0..dice.below(4) {
        fields.insert(dice.text(&["a", "b", "c", "d"]).to_owned(), any(dice, depth));
    }
    fields.into()
}

pub(super) fn any(dice: &mut Dice, depth: usize) -> Json {
    match dice.below(if depth == 0 { 5 } else { 7 }) {
        0 => Json::Null,
        1 => json!(dice.percent(50)),
        2 => number(dice),
        3 | 4 => json!(dice.text(TEXTS)),
        5 => list(dice, |dice| any(dice, depth - 1)),
        _ => object(dice, depth - 1),
    }
}

fn patch(dice: &mut Dice) -> Json {
    let path = dice.text(&["/a", "/b", "/a/b", "/d/0", "/d/-", "/missing/x", "", "a"]);
    match dice.below(6) {
        0 => json!({"op": "remove", "path": path}),
        1 => json!({"op": "replace", "path": path, "value": 1}),
        2 => json!({"op": "copy", "from": "/a", "path": path}),
        3 => json!({"op": "move", "from": "/a", "path": path}),
        4 => json!({"op": "test", "path": path, "value": 1}),
        _ => json!({"op": "add", "path": path, "value": dice.between(1, 3)}),
    }
}
