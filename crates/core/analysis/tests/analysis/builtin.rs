//! The table of built-in metrics as a person reads it (kubernetes-deploy §3.5).

use windlass_analysis::{BUILTIN, Builtin, Critical, Kind};

#[test]
fn the_table() {
    let rows: Vec<String> = BUILTIN
        .iter()
        .map(|row| {
            let size =
                if row.kind == Kind::Count { format!("≥ {}", row.min_events) } else { row.abs_min.to_string() };
            let critical = match row.critical {
                Critical::Never => "no".to_owned(),
                Critical::Always => "yes".to_owned(),
                Critical::AtEvents(n) => format!("at {n}"),
                Critical::AboveRate(r) => format!("above {r}"),
            };
            let (kind, group) = (format!("{:?}", row.kind), row.group.name());
            format!("{:<17} {kind:<11} {group:<11} {size:>4} {:<18} {critical}", row.identifier, row.unit)
        })
        .collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
    restarts          Count       kubernetes   ≥ 2 container-minutes  at 3
    waiting           Count       kubernetes   ≥ 1 container-minutes  yes
    oom               Count       kubernetes   ≥ 1 container-minutes  yes
    exits             Count       kubernetes   ≥ 3 container-minutes  yes
    unready           Count       kubernetes   ≥ 3 pod-seconds        above 0.1
    warnings          Count       kubernetes   ≥ 3 container-minutes  no
    time_to_ready     Gauge       kubernetes     5 s                  no
    cpu               Gauge       saturation    50 m                  no
    memory            Gauge       saturation    32 Mi                 no
    memory_slope      Gauge       saturation     1 Mi/min             no
    request_errors    Count       errors       ≥ 3 requests           yes
    request_duration  Gauge       latency        5 ms                 no
    request_rate      Throughput  saturation     0 1/s                no
    probe_errors      Count       errors       ≥ 3 requests           yes
    probe_latency     Gauge       latency        5 ms                 yes
    ");
}

#[test]
fn identifiers_and_names_are_unique() {
    for (i, row) in BUILTIN.iter().enumerate() {
        assert_eq!(Builtin::find(row.identifier), Some(row));
        assert!(BUILTIN.iter().skip(i + 1).all(|other| other.name != row.name && other.identifier != row.identifier));
        assert_eq!(row.metric().name, row.name);
    }
}
