use std::collections::BTreeMap;
use std::process::ExitCode;
use windlass_test_opa::{Compared, Error, Opa, functions, policies, tally};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Inputs for each shipped policy.
    #[arg(long, default_value_t = 200)]
    inputs: usize,
    /// Calls of functions.
    #[arg(long, default_value_t = 2_000)]
    calls: usize,
    /// Of all chance.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Differences that are shown of one name.
    #[arg(long, default_value_t = 5)]
    show: usize,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    let mut opa = Opa::start(&super::build()?)?;
    let decisions = policies(&mut opa, arguments.inputs, arguments.seed)?;
    let calls = functions(&mut opa, arguments.calls, arguments.seed)?;
    let mut good = true;
    for (name, (asked, denied)) in tally(&decisions) {
        println!("{name}: {asked} inputs, {denied} denied");
        // A policy that is only ever asked about one side is hardly asked at all.
        let balanced = denied * 10 >= asked && denied * 10 <= asked * 9;
        if !balanced && asked >= 100 {
            println!("  the inputs are one-sided: at least a tenth must be denied, and a tenth must pass");
            good = false;
        }
    }
    let valued: usize = tally(&calls).values().map(|(_, valued)| valued).sum();
    println!("{} calls of {} functions, {valued} with a value", calls.len(), tally(&calls).len());
    for (what, compared) in [("decisions", &decisions), ("calls", &calls)] {
        let ruled = compared.iter().filter(|one| one.rule.is_some()).count();
        let differing: Vec<_> = compared.iter().filter(|one| one.differs()).collect();
        println!("{what}: {} differ, {ruled} more by a rule of docs/compatibility/rego.md", differing.len());
        good &= differing.is_empty();
        show(&differing, arguments.show);
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(differing: &[&Compared], most: usize) {
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for one in differing {
        let count = shown.entry(&one.name).or_default();
        *count += 1;
        if *count > most {
            continue;
        }
        println!("{}, at {}:\n  {}", one.name, one.question.now, one.question.input);
        if !one.name.ends_with(".rego") {
            println!("  {}", one.expression());
        }
        println!("  OPA:  {:?}\n  ours: {:?}", one.opa, one.ours);
    }
    for (name, count) in shown {
        println!("{name}: {count} differ");
    }
}
