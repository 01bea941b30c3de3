use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How small a change counts (kubernetes-deploy §3.4). Written in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Sensitivity {
    /// Fails on a metric that is unhealthy in two evaluations in a row.
    Low,
    /// Fails on an unhealthy metric.
    #[default]
    Medium,
    /// Counts `Observe` as a failure too.
    High,
}

/// A word that names no sensitivity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a sensitivity: write LOW, MEDIUM or HIGH")]
pub struct UnknownSensitivity(pub String);

impl Sensitivity {
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// Two-sided error probability of one test.
    pub const fn alpha(self) -> f64 {
        match self {
            Self::Low => 0.01,
            Self::Medium => 0.02,
            Self::High => 0.05,
        }
    }

    /// The relative change that matters.
    pub const fn theta(self) -> f64 {
        match self {
            Self::Low => 0.50,
            Self::Medium => 0.25,
            Self::High => 0.10,
        }
    }
}

impl FromStr for Sensitivity {
    type Err = UnknownSensitivity;

    fn from_str(text: &str) -> Result<Self, UnknownSensitivity> {
        match text.trim().to_ascii_lowercase().as_str() {
            "low" => Ok(Self::Low),
            "medium" => Ok(Self::Medium),
            "high" => Ok(Self::High),
            _ => Err(UnknownSensitivity(text.to_owned())),
        }
    }
}

impl fmt::Display for Sensitivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "LOW",
            Self::Medium => "MEDIUM",
            Self::High => "HIGH",
        })
    }
}

impl<'de> Deserialize<'de> for Sensitivity {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
