// Prints the server's internal types: some error messages show them, with the names of Go.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/core"
)

// Field is one field: its Go name, the name in the API, and its type.
// Types: a Go kind, "@Name" for a struct of the table, "[]…", "{}…", "?…" for pointers, "=" for values that print as they are.
type Field [3]string

var types = map[string][]Field{}

func describe(internal reflect.Type, external reflect.Type) string {
	switch internal.Kind() {
	case reflect.Pointer:
		return "?" + describe(internal.Elem(), elem(external))
	case reflect.Slice:
		if internal.Elem().Kind() == reflect.Uint8 {
			return "="
		}
		return "[]" + describe(internal.Elem(), elem(external))
	case reflect.Map:
		return "{}" + describe(internal.Elem(), elem(external))
	case reflect.Struct:
		if !strings.Contains(internal.PkgPath(), "k8s.io/kubernetes/pkg/apis/") {
			return "=" + internal.Name()
		}
		walk(internal, external)
		return "@" + internal.Name()
	}
	return internal.Kind().String()
}

func elem(t reflect.Type) reflect.Type {
	if t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return t.Elem()
	}
	return t
}

func walk(internal reflect.Type, external reflect.Type) {
	name := internal.Name()
	if _, seen := types[name]; seen {
		return
	}
	types[name] = nil
	types[name] = collect(internal, external)
}

func collect(internal reflect.Type, external reflect.Type) []Field {
	out := []Field{}
	for i := range internal.NumField() {
		f := internal.Field(i)
		if f.Anonymous {
			out = append(out, collect(f.Type, external)...)
			continue
		}
		api := ""
		var of reflect.Type
		if external != nil && external.Kind() == reflect.Struct {
			if e, ok := external.FieldByName(f.Name); ok {
				api = strings.Split(e.Tag.Get("json"), ",")[0]
				of = e.Type
			}
		}
		out = append(out, Field{f.Name, api, describe(f.Type, of)})
	}
	return out
}

func main() {
	for _, pair := range [][2]any{
		{core.PodSpec{}, corev1.PodSpec{}},
		{core.PersistentVolumeClaimSpec{}, corev1.PersistentVolumeClaimSpec{}},
		{apps.DeploymentStrategy{}, appsv1.DeploymentStrategy{}},
		{apps.StatefulSetUpdateStrategy{}, appsv1.StatefulSetUpdateStrategy{}},
		{apps.DaemonSetUpdateStrategy{}, appsv1.DaemonSetUpdateStrategy{}},
	} {
		walk(reflect.TypeOf(pair[0]), reflect.TypeOf(pair[1]))
	}
	json.NewEncoder(os.Stdout).Encode(types)
}
