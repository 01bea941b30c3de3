package windlass.two_approvers

import rego.v1

deny contains message if {
	some step in approval_steps
	to_number(step.spec.approvers.minimumCount) < 2
	message := sprintf("approval %q asks fewer than two people", [step.identifier])
}

deny contains message if {
	some step in approval_steps
	not disallows_executor(step)
	message := sprintf("approval %q lets people approve their own run", [step.identifier])
}

approval_steps contains node if {
	walk(input.pipeline, [_, node])
	node.type == "HarnessApproval"
}

disallows_executor(step) if lower(sprintf("%v", [step.spec.approvers.disallowPipelineExecutor])) == "true"
