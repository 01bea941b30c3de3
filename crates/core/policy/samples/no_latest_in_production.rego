package windlass.no_latest_in_production

import rego.v1

# Asked by a Policy step with {"environment": …, "imageTag": …}, or on run about the pipeline's variables.
production if lower(input.environment) in {"prod", "production"}

production if {
	some variable in input.pipeline.variables
	variable.name in {"environment", "env", "targetEnvironment"}
	lower(variable.value) in {"prod", "production"}
}

tags contains input.imageTag

tags contains input.tag

tags contains tag if {
	parts := split(input.image, ":")
	tag := parts[count(parts) - 1]
	count(parts) > 1
}

# An image without a tag is the latest one.
tags contains "latest" if {
	is_string(input.image)
	not contains(input.image, ":")
}

tags contains variable.value if {
	some variable in input.pipeline.variables
	variable.name in {"imageTag", "image_tag", "tag", "version"}
}

deny contains "the image tag `latest` does not say what runs in production; deploy a version" if {
	production
	some tag in tags
	lower(tag) == "latest"
}
