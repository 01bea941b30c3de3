//! What the `spec` of each step that runs may hold: for checks while saving, and for the schemas that editors read.

/// One key of a mapping.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub name: &'static str,
    pub kind: KeyKind,
    pub required: bool,
}

/// What a key holds. Every scalar may be an expression instead.
#[derive(Clone, Copy, Debug)]
pub enum KeyKind {
    Text,
    Bool,
    Whole,
    Duration,
    /// One of these words, whatever their case.
    Choice(&'static [&'static str]),
    /// A list of texts, or one text.
    Texts,
    /// A list of mappings.
    List(&'static [Key]),
    Map(&'static [Key]),
    /// Anything: read elsewhere.
    Any,
}

use KeyKind::{Any, Bool, Choice, Duration, List, Map, Text, Texts, Whole};

const fn must(name: &'static str, kind: KeyKind) -> Key {
    Key { name, kind, required: true }
}

const fn may(name: &'static str, kind: KeyKind) -> Key {
    Key { name, kind, required: false }
}

const FLAGS: Key = may("commandFlags", Any);
const SELECTORS: Key = may("delegateSelectors", Any);
const INSTANCES: KeyKind = Map(&[
    must("type", Choice(&["Count", "Percentage"])),
    must("spec", Map(&[may("count", Whole), may("percentage", Whole)])),
]);
const RESOURCES: KeyKind = Map(&[
    must("type", Choice(&["ResourceName", "ReleaseName", "ManifestPath"])),
    may(
        "spec",
        Map(&[
            may("resourceNames", Texts),
            may("deleteNamespace", Bool),
            may("manifestPaths", Texts),
            may("allManifestPaths", Bool),
        ]),
    ),
]);
const NAMED: KeyKind = List(&[must("name", Text), may("type", Text), may("value", Any)]);

const PAYLOAD: KeyKind = Map(&[must("payload", Text)]);

const APPROVAL: &[Key] = &[
    must(
        "approvers",
        Map(&[
            may("userGroups", Texts),
            may("serviceAccounts", Texts),
            must("minimumCount", Whole),
            must("disallowPipelineExecutor", Bool),
            may("disallowedUserEmails", Texts),
            may("minimumPerGroup", Any),
        ]),
    ),
    may("includePipelineExecutionHistory", Bool),
    may("approvalMessage", Text),
    may(
        "approverInputs",
        List(&[
            must("name", Text),
            may("defaultValue", Text),
            may("required", Bool),
            may("description", Text),
            may("regex", Text),
            may("allowedValues", Text),
            may("selectOneFrom", Text),
            may("selectManyFrom", Text),
            may("type", Text),
            may("label", Text),
        ]),
    ),
    may(
        "autoApproval",
        Map(&[
            must("action", Choice(&["APPROVE"])),
            must("scheduledDeadline", Map(&[must("time", Text), must("timeZone", Text)])),
            may("comments", Text),
        ]),
    ),
    may("isAutoRejectEnabled", Bool),
    may("callbackId", Text),
    SELECTORS,
];

const VERIFY: &[Key] = &[
    must("type", Choice(&["Auto", "Rolling", "Canary", "Bluegreen", "LoadTest", "SimpleVerification"])),
    may("monitoredService", Any),
    may("healthSources", Any),
    may(
        "spec",
        Map(&[
            must("duration", Duration),
            may("sensitivity", Choice(&["HIGH", "MEDIUM", "LOW"])),
            may("deploymentTag", Text),
            may("trafficSplitPercentage", Text),
            may("baseline", Text),
            may("failOnNoAnalysis", Bool),
            may("failIfAnyCustomMetricInNoAnalysis", Bool),
            may("supportedDataTypesForVerification", Any),
        ]),
    ),
    may("configurableProperties", Any),
    // Where some authors put what belongs into the nested spec (SEED-53).
    may("duration", Duration),
    may("sensitivity", Choice(&["HIGH", "MEDIUM", "LOW"])),
    may("deploymentTag", Text),
    SELECTORS,
];

const SCRIPT: &[Key] = &[
    must("shell", Choice(&["Bash", "PowerShell"])),
    must(
        "source",
        Map(&[
            must("type", Choice(&["Inline", "Harness"])),
            must("spec", Map(&[may("script", Text), may("file", Text)])),
        ]),
    ),
    may("onDelegate", Bool),
    may("executionTarget", Any),
    may("environmentVariables", NAMED),
    may("outputVariables", NAMED),
    may("includeInfraSelectors", Bool),
    may("outputAlias", Any),
    may("metadata", Any),
    SELECTORS,
];

const HTTP: &[Key] = &[
    must("url", Text),
    must("method", Choice(&["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])),
    may("headers", List(&[must("key", Text), must("value", Text)])),
    may("requestBody", Text),
    may("assertion", Text),
    may("outputVariables", NAMED),
    may("inputVariables", NAMED),
    SELECTORS,
];

/// The keys of a step's `spec`; nothing for types that do not run here.
pub fn keys_of(step_type: &str) -> Option<&'static [Key]> {
    Some(match step_type {
        "K8sApply" => {
            const {
                &[
                    may("filePaths", Texts),
                    may("manifestSource", Any),
                    may("skipDryRun", Bool),
                    may("skipSteadyStateCheck", Bool),
                    may("skipRendering", Bool),
                    may("overrides", Any),
                    FLAGS,
                    SELECTORS,
                ]
            }
        }
        "K8sRollingDeploy" => const { &[may("skipDryRun", Bool), may("pruningEnabled", Bool), FLAGS, SELECTORS] },
        "K8sRollingRollback" => const { &[may("pruningEnabled", Bool), FLAGS, SELECTORS] },
        "K8sCanaryDeploy" => {
            const {
                &[
                    may("canaryType", Choice(&["Standard", "Progressive"])),
                    may("instanceSelection", INSTANCES),
                    may("targetPercentage", Whole),
                    may("trafficRouting", Any),
                    may("skipDryRun", Bool),
                    FLAGS,
                    SELECTORS,
                ]
            }
        }
        "K8sProgressiveCanaryRollback" => const { &[FLAGS, SELECTORS] },
        "K8sCanaryDelete" | "K8sBGSwapServices" | "K8sBlueGreenStageScaleDown" | "K8sDiff" => {
            const { &[may("skipDryRun", Bool), SELECTORS] }
        }
        "K8sBlueGreenDeploy" => {
            const {
                &[
                    may("pruningEnabled", Bool),
                    may("skipDryRun", Bool),
                    may("skipDeploymentIfSameManifest", Bool),
                    may("trafficRouting", Any),
                    FLAGS,
                    SELECTORS,
                ]
            }
        }
        "K8sScale" => {
            const {
                &[
                    must("workload", Text),
                    must("instanceSelection", INSTANCES),
                    may("skipSteadyStateCheck", Bool),
                    may("adjustHpa", Bool),
                    SELECTORS,
                ]
            }
        }
        "K8sDelete" => const { &[must("deleteResources", RESOURCES), FLAGS, SELECTORS] },
        "K8sDryRun" => const { &[may("encryptYamlOutput", Bool), SELECTORS] },
        "K8sRollout" => {
            const {
                &[
                    must("command", Choice(&["restart", "resume", "status", "undo", "pause", "history"])),
                    must("resources", RESOURCES),
                    FLAGS,
                    SELECTORS,
                ]
            }
        }
        "HarnessApproval" => APPROVAL,
        "Policy" => {
            const { &[must("policySets", Texts), must("type", Choice(&["Custom"])), must("policySpec", PAYLOAD), SELECTORS] }
        }
        "Wait" => const { &[must("duration", Duration)] },
        "ShellScript" => SCRIPT,
        "Http" => HTTP,
        "Barrier" => const { &[must("barrierRef", Text)] },
        "Queue" => const { &[must("key", Text), must("scope", Choice(&["Pipeline", "Stage"]))] },
        "Verify" => VERIFY,
        _ => return None,
    })
}
