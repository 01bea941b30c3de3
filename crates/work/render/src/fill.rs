//! Templates filled in (kubernetes-deploy §1.5).

use crate::error::RenderError;
use crate::rendered::RenderedFile;
use crate::store::Raw;
use serde_json::Value as Json;
use windlass_diagnostic::{Diagnostic, Diagnostics, Place};
use windlass_gotemplate::{Limits, Templates};

/// A rendered set is at most so large (kubernetes-deploy §1.3 rule 5).
pub(crate) const MOST_RENDERED: usize = 5 << 20;

/// What charts know beside their values, and manifests do not.
const OF_CHARTS: [&str; 5] = [".Release", ".Chart", ".Capabilities", ".Files", ".Template"];

/// Fills files in; they know each other's definitions. It may take seconds: not for a thread that has other work.
pub(crate) fn templates(files: Vec<Raw>, values: Json) -> Result<Vec<RenderedFile>, RenderError> {
    let texts: Vec<(&str, &str)> = files.iter().map(|file| (&*file.path, &*file.text)).collect();
    let set = Templates::parse(&texts)?;
    let paths: Vec<&str> = files.iter().map(|file| &*file.path).collect();
    let root = serde_json::json!({ "Values": values });
    let limits = Limits { output: MOST_RENDERED, ..Limits::default() };
    let texts = set.render_all(&paths, &root, &limits).map_err(explained)?;
    let rendered = files.iter().zip(texts).map(|(file, text)| RenderedFile { path: file.path.clone(), text });
    Ok(rendered.collect())
}

/// Files as they are.
pub(crate) fn unchanged(files: Vec<Raw>) -> Result<Vec<RenderedFile>, RenderError> {
    let files: Vec<_> = files.into_iter().map(|file| RenderedFile { path: file.path, text: file.text }).collect();
    check_size(&files)?;
    Ok(files)
}

/// Refuses a set that is too large.
pub(crate) fn check_size(files: &[RenderedFile]) -> Result<(), RenderError> {
    let size: usize = files.iter().map(|file| file.text.len()).sum();
    if size > MOST_RENDERED {
        return Err(RenderError::Service(format!("the manifests are {size} bytes; {MOST_RENDERED} are the most")));
    }
    Ok(())
}

fn explained(problems: Diagnostics) -> Diagnostics {
    let explain = |problem: Diagnostic| {
        let of_chart = OF_CHARTS.iter().find(|name| problem.message.contains(&format!("{name}.")));
        match of_chart {
            Some(name) => problem.remedy(format!("`{name}` belongs to Helm charts; manifests know `.Values` only")),
            None => problem,
        }
    };
    problems.into_iter().map(explain).collect()
}

/// Manifests get no expressions (kubernetes-deploy §1.4): one that is left was probably meant for a values file.
pub(crate) fn warn_about_expressions(file: &Raw, warnings: &mut Diagnostics) {
    for (index, line) in file.text.lines().enumerate() {
        if let Some(at) = line.find("<+") {
            let place = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            let column = line.get(..at).map_or(0, |before| before.chars().count());
            let warning = Diagnostic::warning("REN0001", "an expression in a manifest is left as it is")
                .at(Place::new(&*file.path, place(index + 1), place(column + 1)))
                .remedy("put it into a values file and use {{ .Values.… }} here");
            warnings.push(warning);
            return;
        }
    }
}
