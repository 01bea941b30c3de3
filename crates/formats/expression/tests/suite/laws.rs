//! Laws that hold for every text and every value.

use crate::common::{now, scope};
use proptest::prelude::*;
use serde_json::json;
use windlass_expression::{
    Condition, Evaluator, Limits, Marker, PartialResult, SecretRef, Segment, Template, Text, Tree, Value, input_use,
};

/// Small programs, most of them valid.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("pipeline.variables.env".to_owned()),
        Just("pipeline.variables.list".to_owned()),
        Just("pipeline.variables.circle".to_owned()),
        Just("pipeline.variables.nope".to_owned()),
        Just("trigger.payload.t".to_owned()),
        Just("steps.a".to_owned()),
        Just("secrets.getValue('k')".to_owned()),
        Just("currentTime".to_owned()),
        Just("null".to_owned()),
        "-?[0-9]{1,20}(\\.[0-9]{1,3})?",
        "'[a-z<>+.\\\\$ ]{0,6}'",
        "[a-z]{1,3}(\\.[a-z]{1,3}){0,2}",
    ];
    leaf.prop_recursive(6, 60, 4, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "**", "==", "!=", "<", "<=", ">", "&&", "||", "??", "=~", "=^", "in", "..", "&",
            "|", "^", "<<", ">>", "or", "?:",
        ]);
        let method = prop::sample::select(vec![
            "trim",
            "length",
            "split",
            "substring",
            "replaceAll",
            "get",
            "size",
            "join",
            "repeat",
            "charAt",
            "plusDays",
            "format",
            "withZone",
            "keySet",
            "indexOf",
            "matches",
        ]);
        let function = prop::sample::select(vec![
            "empty",
            "size",
            "round",
            "min",
            "dateFormat",
            "base64Decode",
            "json.select",
            "json.object",
            "xml.select",
            "regex.extract",
            "regex.replace",
            "shell.escapeChars",
            "plusHours",
            "secrets.getValue",
        ]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| format!("({a}) {o} ({b})")),
            (inner.clone(), method, prop::collection::vec(inner.clone(), 0..3))
                .prop_map(|(a, m, args)| format!("({a}).{m}({})", args.join(", "))),
            (function, prop::collection::vec(inner.clone(), 0..4))
                .prop_map(|(f, args)| format!("{f}({})", args.join(", "))),
            inner.clone().prop_map(|a| format!("<+{a}>")),
            inner.clone().prop_map(|a| format!("\"x<+{a}>y\"")),
            inner.clone().prop_map(|a| format!("`x${{{a}}}y`")),
            inner.clone().prop_map(|a| format!("!({a})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a}) ? {b} : {c}")),
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            (inner.clone(), inner).prop_map(|(a, b)| format!("{{{a}: {b}}}")),
        ]
    })
}

/// Texts of the signs that matter.
fn noise() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "<+", ">", " >", " > ", "'", "\"", "`", "${", "}", "\\", "(", ")", "[", "]", "{", "{:}", ":", ",", ".", "..", "?.", "?:", "??", "~/", "/", "=", "==", "=~", "!$", "a", "b.c", "1", "0x", "5..", "not ", " and ", "secrets.getValue(", "input", "\n", "é",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn everything(text: &str) {
    let scope = scope();
    let evaluator = Evaluator::new(&scope, now()).limits(Limits { steps: 20_000, ..Limits::default() });
    let template = Template::parse(text);
    template.problems();
    template.references();
    let _ = evaluator.value(&template);
    let _ = evaluator.text(&template);
    let _ = evaluator.partial(&template);
    evaluator.text_or_verbatim(&template);
    let explanation = evaluator.explain(&template);
    let _ = (explanation.to_string(), serde_json::to_value(&explanation));
    let condition = Condition::parse(text);
    condition.problems();
    let _ = evaluator.condition(&condition);
    evaluator.explain_condition(&condition);
    input_use(text);
}

proptest! {
    #[test]
    fn never_panics_on_noise(text in noise()) {
        everything(&text);
    }

    #[test]
    fn never_panics_on_programs(program in expression()) {
        everything(&format!("a <+{program}> b"));
        everything(&program);
    }

    /// Any content of a variable is that content: it never becomes part of the program.
    #[test]
    fn values_are_bound(content in prop_oneof![any::<String>(), noise()]) {
        let scope = Tree::new(json!({"v": content})).outside("v");
        let evaluator = Evaluator::new(&scope, now());
        let holds = |text: &str| evaluator.condition(&Condition::parse(text)).unwrap().value;
        prop_assert!(holds("<+v> == v"));
        prop_assert!(holds("<+v> === \"<+v>\""));
        prop_assert!(holds("<+v>.equals(<+v>) && !(<+v> == <+v> + 'x')"));
        let inside = holds("[<+v>].contains(v) && {'k': v}.k === v && `${v}` === v");
        prop_assert!(inside);
        let read = |text: &str| evaluator.text(&Template::parse(text)).unwrap().value;
        prop_assert_eq!(read("<+v>"), Text::from(content.as_str()));
        prop_assert_eq!(read("a<+v>b"), Text::from(format!("a{content}b")));
        prop_assert_eq!(read("<+'a' + v>"), Text::from(format!("a{content}")));
    }

    /// An author's text without expressions is that text, too.
    #[test]
    fn texts_without_expressions_stand_for_themselves(text in any::<String>()) {
        prop_assume!(!text.contains("<+"));
        let scope = Tree::new(json!({"v": text}));
        let evaluator = Evaluator::new(&scope, now());
        prop_assert_eq!(evaluator.text(&Template::parse(&text)).unwrap().value, Text::from(text.as_str()));
        prop_assert_eq!(evaluator.value(&Template::parse("<+v>")).unwrap().value, Value::from(text));
    }

    /// Evaluated in two steps is the same as evaluated in one.
    #[test]
    fn partial_evaluation_changes_nothing(
        parts in prop::collection::vec(prop_oneof![
            noise().prop_filter("no expressions that fail", |text| Template::parse(text).is_literal()),
            Just("<+early>".to_owned()), Just("<+late>".to_owned()), Just("<+ late >".to_owned()),
            Just("<+'x>y' + late>".to_owned()),
        ], 0..8),
        early in prop_oneof![any::<String>(), noise()],
        late in prop_oneof![any::<String>().prop_map(Value::from), noise().prop_map(Value::from), any::<i64>().prop_map(Value::from)],
    ) {
        let text = parts.concat();
        let tree = |entries: &[(&str, Value)]| {
            Tree::new(Value::map(entries.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect()))
        };
        let early = ("early", Value::from(early));
        let late = ("late", late);
        let both = tree(&[early.clone(), late.clone()]).outside("early").outside("late");
        let first = tree(&[early]).outside("early").later("late");
        let second = tree(&[late]).outside("late");
        // Only texts that mean something as a whole.
        let Ok(at_once) = Evaluator::new(&both, now()).value(&Template::parse(&text)) else { return Ok(()) };
        prop_assume!(at_once.missing.is_empty());
        let Ok(partial) = Evaluator::new(&first, now()).partial(&Template::parse(&text)) else { return Ok(()) };
        let twice = match partial.result {
            PartialResult::Done(value) => value,
            PartialResult::Open(open) => Evaluator::new(&second, now()).value(&Template::parse(&open)).unwrap().value,
        };
        prop_assert_eq!(twice, at_once.value);
    }

    /// Marked texts come back as they were, whoever wrote the literals.
    #[test]
    fn marks_are_read_back(pieces in prop::collection::vec(prop_oneof![
        any::<String>().prop_map(Some),
        prop::sample::select(vec!["[[secret:", "[[secret:0123456789abcdef:", "aw", "!", "]]", "["]).prop_map(|s| Some(s.to_owned())),
        Just(None),
    ], 0..12)) {
        let mut text = Text::new();
        for piece in &pieces {
            match piece {
                Some(literal) => text.push_str(literal),
                None => text.push_secret(SecretRef::new("k").unwrap()),
            }
        }
        let marker = Marker::new("0123456789abcdef").unwrap();
        let read = marker.read(&marker.write(&text));
        prop_assert_eq!(read, text);
    }

    /// No data makes a secret.
    #[test]
    fn secrets_come_from_authors_only(content in noise()) {
        let scope = Tree::new(json!({"v": content, "w": "<+v>"})).outside("v");
        let evaluator = Evaluator::new(&scope, now());
        for text in ["<+v>", "x <+v> y", "<+\"<+v>\">", "<+w>", "<+w + v>", "<+[v, w]>", "<+{'a': v}>"] {
            let outcome = evaluator.value(&Template::parse(text)).unwrap();
            prop_assert_eq!(&outcome.secrets, &[]);
            let is_secret = |segment: &Segment| matches!(segment, Segment::Secret(_));
            prop_assert!(!outcome.value.to_text().segments().iter().any(is_secret));
        }
    }

    /// Values survive JSON.
    #[test]
    fn json_round_trip(int in any::<i64>(), float in -1e15f64..1e15, text in any::<String>(), key in any::<String>()) {
        let json = json!({"l": [int, float, text, null, true], key: {"n": int}});
        prop_assert_eq!(Value::from(json.clone()).to_json().unwrap(), json);
    }
}
