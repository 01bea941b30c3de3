// Prints what Go knows about the types of the Kubernetes API and OpenAPI does not say: which fields are pointers, which
// are left out when they are empty, what the types are called in error messages, and their numbers in protobuf.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strconv"
	"strings"

	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Field is one JSON field. Flags: p pointer, o omitempty, z omitzero. Numbers: the way to it in protobuf, where what JSON
// puts in line is a message of its own.
type Field struct {
	Type    string `json:"t"`
	Flags   string `json:"f,omitempty"`
	Numbers []int  `json:"n,omitempty"`
}

// Opaque types read and write their JSON themselves.
var opaque = map[string]bool{
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                                         true,
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":                                       true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                                             true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                                        true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                                         true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                                         true,
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                                          true,
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":                         true,
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray":       true,
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool":        true,
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray": true,
}

var types = map[string]map[string]Field{}

// name is the OpenAPI name of a Go type: k8s.io/api/core/v1.Pod is io.k8s.api.core.v1.Pod.
func name(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	domain := strings.Split(parts[0], ".")
	for i, j := 0, len(domain)-1; i < j; i, j = i+1, j-1 {
		domain[i], domain[j] = domain[j], domain[i]
	}
	return strings.Join(append(domain, append(parts[1:], t.Name())...), ".")
}

func describe(t reflect.Type) string {
	full := t.PkgPath() + "." + t.Name()
	if opaque[full] {
		return "!" + name(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return describe(t.Elem())
	case reflect.Struct:
		walk(t)
		return "@" + name(t)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + describe(t.Elem())
	case reflect.Map:
		return "{}" + describe(t.Elem())
	case reflect.Interface:
		return "any"
	}
	if t.PkgPath() != "" {
		return t.Kind().String() + " " + t.String()
	}
	return t.Kind().String()
}

func walk(t reflect.Type) {
	key := name(t)
	if _, seen := types[key]; seen {
		return
	}
	fields := map[string]Field{}
	types[key] = fields
	collect(t, fields, []int{})
}

// numbers is the way to a field below outer; nothing when it has no number.
func numbers(f reflect.StructField, outer []int) []int {
	parts := strings.Split(f.Tag.Get("protobuf"), ",")
	if outer == nil || len(parts) < 2 {
		return nil
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil {
		return nil
	}
	return append(append([]int{}, outer...), n)
}

func collect(t reflect.Type, fields map[string]Field, outer []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := strings.Split(f.Tag.Get("json"), ",")
		if tag[0] == "-" || !f.IsExported() {
			continue
		}
		inline := f.Anonymous && tag[0] == ""
		flags := ""
		for _, o := range tag[1:] {
			switch o {
			case "omitempty":
				flags += "o"
			case "omitzero":
				flags += "z"
			case "inline":
				inline = true
			}
		}
		if inline && f.Type.Kind() == reflect.Struct {
			collect(f.Type, fields, numbers(f, outer))
			continue
		}
		if f.Type.Kind() == reflect.Pointer {
			flags += "p"
		}
		fields[tag[0]] = Field{Type: describe(f.Type), Flags: flags, Numbers: numbers(f, outer)}
	}
}

func main() {
	kinds := map[string]string{}
	apiext.AddToScheme(scheme.Scheme)
	aggregator.AddToScheme(scheme.Scheme)
	for gvk, t := range scheme.Scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal || strings.HasSuffix(gvk.Kind, "Options") || strings.Contains(gvk.Version, "alpha") || strings.Contains(gvk.Version, "beta") {
			continue
		}
		walk(t)
		kinds[gvk.GroupVersion().String()+"/"+gvk.Kind] = name(t)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", " ")
	out.Encode(map[string]any{"kinds": kinds, "types": types})
}
