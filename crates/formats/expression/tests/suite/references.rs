//! What a text refers to, for validation and permission checks.

use windlass_expression::{Condition, References, Template};

fn told(references: &References) -> String {
    let keys = |keys: &[Option<String>]| {
        let keys: Vec<&str> = keys.iter().map(|key| key.as_deref().unwrap_or("*")).collect();
        windlass_expression::spell(&keys)
    };
    let mut lines = Vec::new();
    lines.extend(references.paths.iter().map(|path| format!("path {}", keys(&path.keys))));
    lines.extend(references.calls.iter().map(|call| format!("call {}", keys(&call.keys))));
    let name = |name: &Option<_>| name.as_ref().map_or_else(|| "*".to_owned(), ToString::to_string);
    lines.extend(references.secrets.iter().map(|secret| format!("secret {}", name(&secret.name))));
    lines.join("\n")
}

#[test]
fn everything_is_listed() {
    let template = Template::parse(
        "<+pipeline.variables.get(\"x-y\").split(',')[0]> <+\"<+stage.name>\" + steps.s<+strategy.iteration>.status> \
         <+secrets.getValue(\"account.k\")> <+secrets.getValue(<+env.name>)> <+configFile.getAsString(\"app\")> \
         <+currentDate.plusDays(1).dayOfWeek> <+dateFormat(pipeline.startTs, 'yyyy')> <+a ? b : c ?: d> literal",
    );
    insta::assert_snapshot!(told(&template.references()), @r#"
    path pipeline.variables["x-y"]
    path stage.name
    path strategy.iteration
    path steps["*"].status
    path env.name
    path currentDate
    path pipeline.startTs
    path a
    path b
    path c
    path d
    call configFile.getAsString
    call dateFormat
    secret account.k
    secret *
    "#);
    let condition = Condition::parse("<+a.b> == \"x\" && c =~ [d]");
    insta::assert_snapshot!(told(&condition.references()), @r"
    path a.b
    path c
    path d
    ");
}
