//! Flags of `helm template` that change nothing in what is printed, there and here: scripts may give them.

use crate::command::pflag::Takes::{self, Nothing, Number, Text};

/// They are about installing, about a cluster that is not asked, or about a cache: charts are fetched anew. A table and no arguments of
/// the parser's, which would be a tenth of the work of rendering a small chart.
pub(super) const FLAGS: [(&str, Takes); 25] = [
    ("--atomic", Nothing),
    ("--burst-limit", Number),
    ("--create-namespace", Nothing),
    ("--description", Text),
    ("--disable-openapi-validation", Nothing),
    ("--force", Nothing),
    ("--hide-notes", Nothing),
    ("--kube-apiserver", Text),
    ("--kube-as-group", Text),
    ("--kube-as-user", Text),
    ("--kube-ca-file", Text),
    ("--kube-context", Text),
    ("--kube-insecure-skip-tls-verify", Nothing),
    ("--kube-tls-server-name", Text),
    ("--kube-token", Text),
    ("--kubeconfig", Text),
    ("--labels", Text),
    ("--qps", Number),
    ("--replace", Nothing),
    ("--repository-cache", Text),
    ("--take-ownership", Nothing),
    ("--timeout", Text),
    ("--wait", Nothing),
    ("--wait-for-jobs", Nothing),
    ("-l", Text),
];
