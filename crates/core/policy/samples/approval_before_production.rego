package windlass.approval_before_production

import rego.v1

approvals := {"HarnessApproval", "JiraApproval", "ServiceNowApproval", "CustomApproval"}

# Stages in the order they run; stages of one parallel block share their place.
stages contains {"place": place, "stage": entry.stage} if some place, entry in input.pipeline.stages

stages contains {"place": place, "stage": entry.stage} if {
	some place, block in input.pipeline.stages
	some entry in block.parallel
}

deny contains message if {
	some item in stages
	item.stage.type == "Deployment"
	may_be_production(item.stage)
	not approved_inside(item.stage)
	not approved_before(item.place)
	message := sprintf("stage %q deploys to production without an approval before it", [item.stage.identifier])
}

may_be_production(stage) if stage.spec.infrastructure.environment.type == "Production"

may_be_production(stage) if regex.match(`(?i)prod($|[^a-z])`, stage.spec.environment.environmentRef)

# Known only when it runs.
may_be_production(stage) if startswith(stage.spec.environment.environmentRef, "<+")

approved_inside(stage) if {
	walk(stage.spec.execution, [_, node])
	node.type in approvals
}

approved_before(place) if {
	some earlier in stages
	earlier.place < place
	walk(earlier.stage, [_, node])
	node.type in approvals
}
