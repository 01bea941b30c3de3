//! What the sensitivities of a verification mean in numbers (kubernetes-deploy §3.4).

use windlass_model::task::verify::Sensitivity;

/// A word that names no sensitivity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a sensitivity: write LOW, MEDIUM or HIGH")]
pub struct UnknownSensitivity(pub String);

/// Reads a sensitivity, written in any case.
pub fn sensitivity(text: &str) -> Result<Sensitivity, UnknownSensitivity> {
    match text.trim().to_ascii_lowercase().as_str() {
        "low" => Ok(Sensitivity::Low),
        "medium" => Ok(Sensitivity::Medium),
        "high" => Ok(Sensitivity::High),
        _ => Err(UnknownSensitivity(text.to_owned())),
    }
}

/// Two-sided error probability of one test.
pub(crate) const fn alpha(sensitivity: Sensitivity) -> f64 {
    match sensitivity {
        Sensitivity::Low => 0.01,
        Sensitivity::Medium => 0.02,
        Sensitivity::High => 0.05,
    }
}

/// The relative change that matters.
pub(crate) const fn theta(sensitivity: Sensitivity) -> f64 {
    match sensitivity {
        Sensitivity::Low => 0.50,
        Sensitivity::Medium => 0.25,
        Sensitivity::High => 0.10,
    }
}

/// As steps write it.
pub(crate) const fn name(sensitivity: Sensitivity) -> &'static str {
    match sensitivity {
        Sensitivity::Low => "LOW",
        Sensitivity::Medium => "MEDIUM",
        Sensitivity::High => "HIGH",
    }
}
