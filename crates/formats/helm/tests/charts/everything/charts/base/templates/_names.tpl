{{- define "base.name" }}base{{ end }}
