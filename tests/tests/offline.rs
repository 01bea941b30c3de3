//! What the command line does without a server: expressions and schemas.

use windlass_tests::World;

#[test]
fn expressions_are_evaluated_and_explained() {
    let world = World::new();
    world.file(
        "context.yaml",
        "pipeline: {name: release, variables: {env: int-stable, n: 3}}\ntrigger: {payload: {t: <+pipeline.name>}}\n",
    );
    let eval = |arguments: &[&str]| {
        let all: Vec<&str> =
            ["expression", "eval", "--context", "context.yaml"].iter().chain(arguments).copied().collect();
        world.run(&all)
    };
    assert_eq!(eval(&["<+pipeline.name>-<+pipeline.variables.env>"]).ok(), "release-int-stable\n");
    assert_eq!(eval(&["<+pipeline.variables.n> == 3"]).ok(), "3 == 3\n");
    assert_eq!(eval(&["--condition", "<+pipeline.variables.n> == 3"]).ok(), "true\n");
    // What comes from outside is data.
    assert_eq!(eval(&["<+trigger.payload.t>"]).ok(), "<+pipeline.name>\n");
    let why = eval(&["--explain", "<+pipeline.variables.env.toUpperCase()>"]).ok();
    assert!(why.contains("pipeline.variables.env") && why.contains("= \"INT-STABLE\""), "{why}");
    let json = eval(&["-o", "json", "<+pipeline.variables.n + 1>"]).json();
    assert_eq!(json["result"], 4, "{json}");
    let wrong = eval(&["<+pipeline.name.nonsense()>"]).fails(1);
    assert!(wrong.contains("nonsense"), "{wrong}");
}

#[test]
fn every_kind_has_a_schema() {
    let world = World::new();
    let schema = world.run(&["schema", "pipeline"]).json();
    assert_eq!(schema["properties"]["pipeline"]["properties"]["stages"]["type"], "array");
    let told = world.run(&["schema", "--out", "schemas"]).ok();
    assert!(told.lines().count() > 15 && world.folder().join("schemas/role-assignment.schema.json").exists(), "{told}");
    let unknown = world.run(&["schema", "pipelin"]).fails(2);
    assert!(unknown.contains("did you mean `pipeline`?"), "{unknown}");
}
