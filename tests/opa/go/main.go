// The real OPA as one process: questions as lines of JSON on standard input, answers in the same order on standard output.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

// question asks for a rule of a policy, with an input, at a moment.
type question struct {
	Policy string          `json:"policy"`
	Rule   string          `json:"rule"`
	Input  json.RawMessage `json:"input"`
	Now    int64           `json:"now"`
}

// answer has the value, or why there is none; neither when the rule is undefined.
type answer struct {
	Value any    `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
	Known bool   `json:"defined"`
}

func main() {
	prepared := map[string]rego.PreparedEvalQuery{}
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) == 0 {
			if err != nil {
				return
			}
			continue
		}
		// A number that OPA took but that is none in JSON is an error, written after nothing was.
		if err := encoder.Encode(ask(prepared, line)); err != nil {
			if err := encoder.Encode(answer{Error: err.Error()}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		out.Flush()
	}
}

func ask(prepared map[string]rego.PreparedEvalQuery, line []byte) answer {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{Error: err.Error()}
	}
	ctx := context.Background()
	key := asked.Rule + "\n" + asked.Policy
	query, ok := prepared[key]
	if !ok {
		var err error
		query, err = rego.New(rego.Query(asked.Rule), rego.Module("policy.rego", asked.Policy)).PrepareForEval(ctx)
		if err != nil {
			return answer{Error: err.Error()}
		}
		prepared[key] = query
	}
	// Numbers stay as they are written.
	input, err := ast.ValueFromReader(bytes.NewReader(asked.Input))
	if err != nil {
		return answer{Error: err.Error()}
	}
	found, err := query.Eval(ctx, rego.EvalParsedInput(input), rego.EvalTime(time.Unix(0, asked.Now)))
	if err != nil {
		return answer{Error: err.Error()}
	}
	if len(found) == 0 {
		return answer{}
	}
	return answer{Value: found[0].Expressions[0].Value, Known: true}
}
