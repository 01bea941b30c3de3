package windlass.no_shell_scripts

import rego.v1

# Steps may hide in step groups, parallel blocks and rollback: look at every object of the pipeline.
deny contains message if {
	walk(input.pipeline, [_, node])
	node.type == "ShellScript"
	message := sprintf("step %q runs a shell script; use a step made for the purpose", [object.get(node, "identifier", "?")])
}
