// Renders charts with the reference's own library: one JSON object a line in, one out. Does what its command `template` does.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/cli/values"
	"helm.sh/helm/v3/pkg/getter"
	"helm.sh/helm/v3/pkg/release"
)

type request struct {
	Files       map[string]string
	Values      []string
	Set         []string
	SetString   []string
	SetJson     []string
	SetLiteral  []string
	IncludeCrds bool
	IsUpgrade   bool
	NoHooks     bool
	SkipTests   bool
	Apis        []string
}

type answer struct {
	Error string `json:"error,omitempty"`
	Text  string `json:"text"`
	Notes string `json:"notes"`
}

func main() {
	log.SetOutput(io.Discard)
	folder, err := os.MkdirTemp("", "reference")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	for in.Scan() {
		var wanted request
		if err := json.Unmarshal(in.Bytes(), &wanted); err != nil {
			panic(err)
		}
		text, notes, err := render(folder, &wanted)
		result := answer{Text: text, Notes: notes}
		if err != nil {
			result = answer{Error: err.Error() + " "}
		}
		line, err := json.Marshal(result)
		if err != nil {
			panic(err)
		}
		out.Write(line)
		out.WriteByte('\n')
		out.Flush()
	}
}

func render(folder string, wanted *request) (text, notes string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	var files []*loader.BufferedFile
	for name, data := range wanted.Files {
		files = append(files, &loader.BufferedFile{Name: name, Data: []byte(data)})
	}
	options := values.Options{
		Values: wanted.Set, StringValues: wanted.SetString, JSONValues: wanted.SetJson, LiteralValues: wanted.SetLiteral,
	}
	for i, text := range wanted.Values {
		path := filepath.Join(folder, fmt.Sprintf("values-%d.yaml", i))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", "", err
		}
		options.ValueFiles = append(options.ValueFiles, path)
	}
	set, err := options.MergeValues(getter.Providers{})
	if err != nil {
		return "", "", err
	}
	chart, err := loader.LoadFiles(files)
	if err != nil {
		return "", "", err
	}
	if t := chart.Metadata.Type; t != "" && t != "application" {
		return "", "", fmt.Errorf("%s charts are not installable", t)
	}
	if needed := chart.Metadata.Dependencies; needed != nil {
		if err := action.CheckDependencies(chart, needed); err != nil {
			return "", "", err
		}
	}
	client := action.NewInstall(&action.Configuration{Log: func(string, ...interface{}) {}})
	client.DryRun, client.DryRunOption, client.Replace, client.ClientOnly = true, "true", true, true
	client.ReleaseName, client.Namespace = "rel", "default"
	client.IncludeCRDs, client.IsUpgrade, client.DisableHooks = wanted.IncludeCrds, wanted.IsUpgrade, wanted.NoHooks
	client.APIVersions = chartutil.VersionSet(wanted.Apis)
	client.KubeVersion, _ = chartutil.ParseKubeVersion("v1.34.0")
	done, err := client.Run(chart, set)
	if err != nil {
		return "", "", err
	}
	var manifests bytes.Buffer
	fmt.Fprintln(&manifests, strings.TrimSpace(done.Manifest))
	if !wanted.NoHooks {
		for _, hook := range done.Hooks {
			if wanted.SkipTests && isTest(hook) {
				continue
			}
			fmt.Fprintf(&manifests, "---\n# Source: %s\n%s\n", hook.Path, hook.Manifest)
		}
	}
	return manifests.String(), done.Info.Notes, nil
}

func isTest(hook *release.Hook) bool {
	for _, event := range hook.Events {
		if event == release.HookTest {
			return true
		}
	}
	return false
}
