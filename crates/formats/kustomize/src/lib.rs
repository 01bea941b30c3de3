//! Kustomize, rendered in process (rendering §1).
