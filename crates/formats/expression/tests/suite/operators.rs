//! Pipelines §3.4.

use crate::common::{check, judged, shown};

#[test]
fn literals() {
    check(
        &[
            ("42", "42"),
            ("42L", "42"),
            ("0x2A", "42"),
            ("052", "42"),
            ("0b101010", "42"),
            ("4.5", "4.5"),
            ("4.5f", "4.5"),
            ("1e3", "1000"),
            ("'s'", r#""s""#),
            (r#""s""#, r#""s""#),
            (r#"'it\'s'"#, r#""it's""#),
            (r"'a\tb\u0041\d'", r#""a\tbA\\d""#),
            ("true", "true"),
            ("null", "null"),
            ("[1, 'a', [true]]", r#"[1,"a",[true]]"#),
            ("[]", "[]"),
            (r#"{"k": 1, "l": {:}}"#, r#"{"k":1,"l":{}}"#),
            ("{:}", "{}"),
            ("{1, 2, 1}", "[1,2]"),
            ("{}", "[]"),
            (r"~/a\d+\/b/", r#""a\\d+/b""#),
            ("`n=${pipeline.variables.n + '!'}`", r#""n=10!""#),
            ("`${ {'a': '}'}['a'] }`", r#""}""#),
            ("1..5", "[1,2,3,4,5]"),
            ("3..1", "[3,2,1]"),
            ("pipeline.sequenceId..18", "[16,17,18]"),
            ("9223372036854775808", "EXPR0001"),
        ],
        shown,
    );
}

#[test]
fn precedence_from_low_to_high() {
    check(
        &[
            ("false ? 1 : true ? 2 : 3", "2"),
            ("true || false ? 'a' : 'b'", r#""a""#),
            ("true || true && false", "true"),
            ("true && 1 == 2 || true", "true"),
            ("1 > 2 == false", "true"),
            ("1 == 1 | 2", "false"),
            ("4 | 1 ^ 1", "4"),
            ("7 ^ 6 & 3", "5"),
            ("1 + 2 * 3", "7"),
            ("(1 + 2) * 3", "9"),
            ("2 * 3 ** 2", "18"),
            ("2 ** 3 ** 2", "64"),
            ("null ?? 2 ** 3", "8"),
            ("10 - 2 - 3", "5"),
            ("10 - (2 - 3)", "11"),
            ("-2 ** 2", "4"),
            ("!true == false", "true"),
            ("1..2 + 1", "[1,2,3]"),
            ("10 % 4 * 2", "4"),
        ],
        shown,
    );
}

#[test]
fn words_are_operators() {
    check(
        &[
            ("true or false and false", "true"),
            ("not true", "false"),
            ("not (1 eq 2)", "true"),
            ("1 ne 2", "true"),
            ("1 lt 2", "true"),
            ("2 le 2", "true"),
            ("3 gt 2", "true"),
            ("2 ge 3", "false"),
            ("7 div 2", "3.5"),
            ("7 mod 2", "1"),
            ("2 in [1, 2]", "true"),
            ("'k' in {'k': 1}", "true"),
            ("3 in null", "false"),
        ],
        shown,
    );
}

#[test]
fn equality_coerces() {
    check(
        &[
            ("1 == '1'", "true"),
            ("1 == '1.0'", "true"),
            ("'1' == '1.0'", "false"),
            ("1 == 1.0", "true"),
            ("1 == 'one'", "false"),
            ("true == 'true'", "true"),
            ("true == 'yes'", "false"),
            ("null == null", "true"),
            ("null == ''", "false"),
            ("null == false", "false"),
            ("[1, '2'] == ['1', 2]", "true"),
            ("{'a': 1} == {'a': 1}", "true"),
            ("{'a': 1} == {'b': 1}", "false"),
            ("[1] == '[1]'", "false"),
            ("1 === 1", "true"),
            ("1 === '1'", "false"),
            ("1 !== '1'", "true"),
            ("1 != '1'", "false"),
            ("9007199254740993 == 9007199254740992", "false"),
            ("'nan' == 'nan'", "true"),
        ],
        shown,
    );
}

#[test]
fn order_needs_numbers() {
    check(
        &[
            ("'10' > '9'", "true"),
            ("'a' < 'b'", "EXPR0006"),
            ("'a' < 1", "EXPR0006"),
            ("true < 1", "EXPR0006"),
            ("null < 1", "false"),
            ("1.5 >= 1", "true"),
            ("'inf' > 1", "EXPR0006"),
        ],
        shown,
    );
}

#[test]
fn matching() {
    check(
        &[
            ("'int-stable' =~ ['prod', 'int-stable']", "true"),
            ("'int-stable' =~ 'int-.*'", "true"),
            ("'int-stable' =~ 'int'", "false"),
            ("'int-stable' =~ ~/int-(?!prod).+/", "true"),
            ("'int-stable' !~ '.*prod'", "true"),
            ("2 =~ {1, 2}", "true"),
            ("null =~ 'x'", "false"),
            ("'abc' =^ 'ab'", "true"),
            ("'abc' !^ 'ab'", "false"),
            ("'abc' =$ 'bc'", "true"),
            ("'abc' !$ 'bc'", "false"),
            ("'a' =~ '('", "EXPR0015"),
            ("'a' =~ 'a)(b'", "EXPR0015"),
        ],
        shown,
    );
}

#[test]
fn arithmetic() {
    check(
        &[
            ("6 / 3", "2"),
            ("7 / 2", "3.5"),
            ("1 / 0", "EXPR0005"),
            ("1 % 0", "EXPR0005"),
            ("7 % 4", "3"),
            ("-7 % 4", "-3"),
            ("2 ** 10", "1024"),
            ("2 ** -1", "0.5"),
            ("'3' * '4'", "12"),
            ("'3' + 4", r#""34""#),
            ("3 + 4", "7"),
            ("1 + 'a'", r#""1a""#),
            ("[1] + [2]", "[1,2]"),
            ("'a' + null", r#""anull""#),
            ("1 + null", "EXPR0006"),
            ("'x' * 2", "EXPR0006"),
            ("9223372036854775807 + 1", "EXPR0005"),
            ("1 << 4", "16"),
            ("~0", "-1"),
            ("-'5'", "-5"),
            ("+'5'", "5"),
            ("5 & '3'", "1"),
            ("1.5 | 1", "EXPR0006"),
            ("1e308 * 10", "EXPR0005"),
        ],
        shown,
    );
    check(&[("256 >> 4 == 16", "true"), ("-1 >>> 60 == 15", "true")], judged);
}

#[test]
fn choices() {
    check(
        &[
            ("null ?: 'b'", r#""b""#),
            ("false ?: 'b'", r#""b""#),
            ("'' ?: 'b'", r#""""#),
            ("null ?? 'b'", r#""b""#),
            ("false ?? 'b'", "false"),
            ("null ?? null ?? 'c'", r#""c""#),
            ("pipeline.variables.nope ?? 'd'", r#""d""#),
            ("true?'a':'b'", r#""a""#),
            ("'TRUE' ? 1 : 2", "1"),
            ("3 ? 1 : 2", "EXPR0008"),
            ("null ? 1 : 2", "2"),
            ("true ? 1 : 1/0", "1"),
            ("false && 1/0 == 1", "false"),
            ("true || 1/0 == 1", "true"),
            ("pipeline.sequenceId == 16?'pass':'fail'", r#""pass""#),
        ],
        shown,
    );
}

/// Pipelines §3.2: what counts as a boolean.
#[test]
fn booleans_of_conditions() {
    check(
        &[
            ("true", "true"),
            ("'True'", "true"),
            ("'FALSE'", "false"),
            ("null", "false"),
            ("<+pipeline.variables.nope>", "false"),
            ("'yes'", "EXPR0008"),
            ("1", "EXPR0008"),
            ("''", "EXPR0008"),
            ("", "EXPR0001"),
            ("  ", "EXPR0001"),
            ("<+true>", "true"),
            ("<+ <+true> >", "true"),
            ("\"<+pipeline.variables.env>\" == \"int-stable\"", "true"),
            ("<+pipeline.sequenceId> > 15 && <+pipeline.sequenceId> < 17", "true"),
            ("<+pipeline.sequenceId>>15", "true"),
            ("<+pipeline.variables.env>==\"int-stable\"", "true"),
        ],
        judged,
    );
}

/// Pipelines §3.7: a success is a success by either name, and only where a state is read.
#[test]
fn states_have_synonyms() {
    check(
        &[
            (r#"<+execution.steps.s1.status> == "SUCCESS""#, "true"),
            (r#"<+execution.steps.s1.status> == "SUCCEEDED""#, "true"),
            (r#""SUCCESS" == execution.steps.s1.status"#, "true"),
            (r#"<+execution.steps.s1.status> != "SUCCESS""#, "false"),
            (r#"<+execution.steps.s1.status> == "FAILED""#, "false"),
            (r#""<+execution.steps.s1.status>" == "SUCCESS""#, "true"),
            (r#"<+execution.steps.s1.status> =~ ["SUCCESS"]"#, "true"),
            (r#""SUCCEEDED" == "SUCCESS""#, "false"),
        ],
        judged,
    );
}

#[test]
fn scripts_are_refused() {
    for script in [
        "a = 1",
        "var x = 1",
        "x += 1",
        "1; 2",
        "for (x : y) 1",
        "while (true) 1",
        "new String('a')",
        "if (true) 1",
        "x -> x",
        "return 1",
        "function(x) 1",
        "(x) => x",
    ] {
        assert_eq!(judged(script), "EXPR0002", "{script}");
    }
    for reflection in ["'a'.getClass()", "pipeline.variables.env.class", "'a'.getClass().forName('x')"] {
        assert_eq!(judged(reflection), "EXPR0003", "{reflection}");
    }
}
