// Prints the server's internal types, which some error messages show with the names of Go; with `tables` the columns of its tables.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/rbac"
	"k8s.io/kubernetes/pkg/apis/resource"
	"k8s.io/kubernetes/pkg/printers/internalversion"
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
		if f.Anonymous && f.Name == "ObjectMeta" {
			// Metadata has names for JSON even inside, and stands among the fields of its owner.
			out = append(out, Field{"", "metadata", "=ObjectMeta"})
			continue
		}
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

// Columns collects how each kind is shown as a table.
type Columns map[string][]metav1.TableColumnDefinition

func (c Columns) TableHandler(columns []metav1.TableColumnDefinition, print interface{}) error {
	t := reflect.TypeOf(print).In(0).Elem()
	path := strings.Split(t.PkgPath(), "/")
	c[path[len(path)-1]+"."+t.Name()] = columns
	return nil
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "tables" {
		columns := Columns{}
		internalversion.AddHandlers(columns)
		for kind := range columns {
			if strings.HasSuffix(kind, "List") {
				delete(columns, kind)
			}
		}
		about := metav1.ObjectMeta{}.SwaggerDoc()
		name := metav1.TableColumnDefinition{Name: "Name", Type: "string", Format: "name", Description: about["name"]}
		// Kinds without a way of their own, and the one that is served by another server.
		columns["meta.Default"] = []metav1.TableColumnDefinition{
			name, {Name: "Created At", Type: "date", Description: about["creationTimestamp"]},
		}
		columns["apiregistration.APIService"] = []metav1.TableColumnDefinition{
			name,
			{Name: "Service", Type: "string", Description: "The reference to the service that hosts this API endpoint."},
			{Name: "Available", Type: "string", Description: "Whether this service is available."},
			{Name: "Age", Type: "string", Description: about["creationTimestamp"]},
		}
		json.NewEncoder(os.Stdout).Encode(columns)
		return
	}
	for _, pair := range [][2]any{
		{core.PodTemplateSpec{}, corev1.PodTemplateSpec{}},
		{core.PersistentVolumeClaimSpec{}, corev1.PersistentVolumeClaimSpec{}},
		{core.PersistentVolumeSource{}, corev1.PersistentVolumeSource{}},
		{core.VolumeNodeAffinity{}, corev1.VolumeNodeAffinity{}},
		{apps.DeploymentStrategy{}, appsv1.DeploymentStrategy{}},
		{apps.StatefulSetUpdateStrategy{}, appsv1.StatefulSetUpdateStrategy{}},
		{apps.DaemonSetUpdateStrategy{}, appsv1.DaemonSetUpdateStrategy{}},
		{batch.PodFailurePolicy{}, batchv1.PodFailurePolicy{}},
		{batch.SuccessPolicy{}, batchv1.SuccessPolicy{}},
		{rbac.RoleRef{}, rbacv1.RoleRef{}},
		{resource.ResourceClaimSpec{}, resourcev1.ResourceClaimSpec{}},
	} {
		walk(reflect.TypeOf(pair[0]), reflect.TypeOf(pair[1]))
	}
	json.NewEncoder(os.Stdout).Encode(types)
}
