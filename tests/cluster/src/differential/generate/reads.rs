use super::{Growing, with_body};
use crate::differential::kinds::{KINDS, Kind};
use crate::differential::step::{Body, Step};

const TABLE: &str = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json";
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const METADATA_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

impl Growing {
    pub(super) fn read(&mut self) {
        let Some(made) = self.object() else { return };
        let mut step = Step::new("GET", made.kind.path(&made.name));
        match self.dice.below(6) {
            0 => step.accept = TABLE,
            1 => step.accept = METADATA,
            2 => step.accept = "text/html",
            3 => step.user = self.dice.text(&["limited", "", "wrong"]),
            4 => {
                step.path += self.dice.text(&[
                    "?resourceVersion=0",
                    "?resourceVersion=abc",
                    "?includeObject=None",
                    "?pretty=true",
                ]);
            }
            _ => step.path = made.kind.path("missing"),
        }
        self.steps.push(step);
    }

    pub(super) fn list(&mut self, kind: Kind) {
        let mut step = Step::new("GET", kind.collection());
        match self.dice.below(9) {
            0 => step.accept = TABLE,
            1 => step.accept = METADATA_LIST,
            2..5 => {
                let selector = self.dice.text(&[
                    "labelSelector=app%3Dweb",
                    "labelSelector=app%21%3Dweb",
                    "labelSelector=app+in+(web,other),tier",
                    "labelSelector=%21tier",
                    "labelSelector=app+in+(",
                    "labelSelector=a+b",
                    "labelSelector=tier+notin+(front)",
                    "labelSelector=n%3E5",
                ]);
                step.path = format!("{}?{selector}", step.path);
            }
            5 | 6 => {
                let selector = self.dice.text(&[
                    "fieldSelector=metadata.name%3Done",
                    "fieldSelector=metadata.name%21%3Done",
                    "fieldSelector=metadata.namespace%3D{{ns}}",
                    "fieldSelector=status.phase%3DRunning",
                    "fieldSelector=spec.nodeName%3D",
                    "fieldSelector=type%3DOpaque",
                    "fieldSelector=nonsense",
                    "fieldSelector=spec.potato%3D1",
                ]);
                step.path = format!("{}?{selector}", step.path);
            }
            7 => {
                // A page, and the one after it.
                let first = self.steps.len();
                self.steps.push(Step::new("GET", format!("{}?limit=1", step.path)));
                step.path = format!("{}?limit=1&continue={{{{{first}:/metadata/continue}}}}", step.path);
            }
            _ => {
                step.path += self.dice.text(&[
                    "?resourceVersion=0",
                    "?resourceVersion=1&resourceVersionMatch=Exact",
                    "?resourceVersionMatch=NotOlderThan",
                    "?resourceVersion=999999999",
                    "?limit=-1",
                    "?limit=x",
                    "?continue=nonsense",
                    "?timeoutSeconds=x",
                    "?watch=1&resourceVersion=x",
                    "?watch=false&limit=1",
                ]);
            }
        }
        self.steps.push(step);
    }

    /// What clients get wrong.
    pub(super) fn stumble(&mut self, kind: Kind) {
        let collection = kind.collection();
        let one = kind.path("one");
        let step = match self.dice.below(16) {
            0 => with_body("POST", collection, "application/json", Body::Text("{".to_owned())),
            1 => with_body("POST", collection, "application/json", Body::Text(String::new())),
            2 => with_body("POST", collection, "application/json", Body::Text("[]".to_owned())),
            3 => with_body(
                "POST",
                collection,
                "application/json",
                Body::Text("{\"kind\":\"Potato\",\"apiVersion\":\"v1\"}".to_owned()),
            ),
            4 => with_body("POST", collection, "text/plain", Body::Json(kind.object("one"))),
            5 => with_body("POST", one, "application/json", Body::Json(kind.object("one"))),
            6 => with_body("PUT", collection, "application/json", Body::Json(kind.object("one"))),
            7 => with_body("PUT", kind.path("two"), "application/json", Body::Json(kind.object("one"))),
            8 => with_body("PATCH", one, "application/json", Body::Text("{}".to_owned())),
            9 => with_body("PATCH", one, "application/merge-patch+json", Body::Text("[1]".to_owned())),
            10 => with_body(
                "PATCH",
                one,
                "application/json-patch+json",
                Body::Text("[{\"op\":\"fly\",\"path\":\"/a\"}]".to_owned()),
            ),
            11 => with_body("PATCH", one, "application/json-patch+json", Body::Text("{\"op\":\"add\"}".to_owned())),
            12 => with_body("PATCH", one, "application/apply-patch+yaml", Body::Text("a: [".to_owned())),
            13 => Step::new("GET", format!("{one}/potato")),
            14 => Step::new("GET", format!("{}/namespaces/{{{{ns}}}}/potatoes", kind.root)),
            _ => with_body("DELETE", one, "application/json", Body::Text("{\"kind\":".to_owned())),
        };
        self.steps.push(step);
    }
}

/// Sequences that do not come from chance: discovery, the documents of the API, versions, health, access.
pub fn fixed() -> Vec<(&'static str, Vec<Step>)> {
    let get = |path: &str| Step::new("GET", path);
    let mut roots: Vec<&str> = KINDS.iter().map(|kind| kind.root).collect();
    roots.sort_unstable();
    roots.dedup();
    let mut discovery: Vec<Step> = [
        "/api",
        "/apis",
        "/version",
        "/healthz",
        "/readyz",
        "/livez",
        "/apis/apps",
        "/apis/none",
        "/apis/apps/v9",
        "/api/v2",
        "/nowhere",
    ]
    .iter()
    .map(|path| get(path))
    .collect();
    discovery.extend(roots.iter().map(|root| get(root)));
    let aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    let whole = ["/api", "/apis"].map(|path| {
        let mut step = get(path);
        step.accept = aggregated;
        step
    });
    let documents = roots.iter().map(|root| get(&format!("/openapi/v3{root}"))).collect();
    let review = |namespace: &str, verb: &str| {
        serde_json::json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {"namespace": namespace, "verb": verb, "resource": "pods"}},
        })
    };
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let mut access: Vec<Step> =
        ["get", "delete"].iter().map(|verb| Step::new("POST", reviews).json(review("{{ns}}", verb))).collect();
    access.extend(access.clone().into_iter().map(|mut step| {
        step.user = "limited";
        step
    }));
    vec![("discovery", discovery), ("aggregated discovery", whole.into()), ("documents", documents), ("access", access)]
}
