#!/usr/bin/env python3
"""Makes the data that kube-sim embeds from the recorded documents of a real API server and from the Go types.

    generate.py FOLDER          # FOLDER holds discovery-aggregated-*.json and openapi-v3/

Writes `schema.json.gz` (types: fields, Go flags, protobuf numbers, list types and keys, defaults), `openapi.json.gz` (the OpenAPI v3
documents by path), `discovery.json` (the two aggregated documents), `internal.json.gz` (the server's internal types,
which some messages show) and `tables.json.gz` (the columns of tables). Needs Go once, to ask the types: `gotypes/` and
`gointernal/`.
"""
import glob, gzip, json, os, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
source = sys.argv[1]


def write(name, value):
    text = json.dumps(value, separators=(',', ':'), sort_keys=True).encode()
    if name.endswith('.gz'):
        text = gzip.compress(text, 9, mtime=0)
    with open(os.path.join(here, name), 'wb') as f:
        f.write(text)
    print(name, len(text))


go = json.loads(subprocess.check_output(['go', 'run', '.'], cwd=os.path.join(here, 'gotypes')))
documents = {}
models = {}
for path in sorted(glob.glob(os.path.join(source, 'openapi-v3', '*.json'))):
    document = json.load(open(path))
    documents[os.path.basename(path)[:-5].replace('__', '/')] = document
    models.update(document.get('components', {}).get('schemas', {}))


def field(name, f, model):
    prop = (model.get('properties') or {}).get(name, {})
    out = {'t': f['t']}
    if f.get('f'):
        out['f'] = f['f']
    if f.get('n'):
        out['n'] = f['n']
    for key, short in (('x-kubernetes-list-type', 'l'), ('x-kubernetes-list-map-keys', 'k'), ('x-kubernetes-map-type', 'm')):
        if key in prop:
            out[short] = prop[key]
    # An empty default is the type's zero value and says nothing.
    if prop.get('default') not in (None, {}, '', 0, False):
        out['d'] = prop['default']
    return out


types = {}
for name, fields in go['types'].items():
    model = models.get(name)
    if model is None:
        model = {}
    types[name] = {'fields': {k: field(k, f, model) for k, f in fields.items()}}
    if model.get('x-kubernetes-map-type') == 'atomic':
        types[name]['atomic'] = True

discovery = [json.load(open(os.path.join(source, f'discovery-aggregated-{x}.json'))) for x in ('api', 'apis')]
wanted = set()


def reach(t):
    if t.startswith('@') and t[1:] not in wanted:
        wanted.add(t[1:])
        for f in types[t[1:]]['fields'].values():
            reach(f['t'])
    elif t.startswith('[]') or t.startswith('{}'):
        reach(t[2:])


kinds = {}
for document in discovery:
    for group in document['items']:
        for version in group['versions']:
            for resource in version['resources']:
                for r in [resource] + resource.get('subresources', []):
                    g = r.get('responseKind') or {}
                    gv = '/'.join(x for x in (g.get('group') or (group['metadata'].get('name', '')), g.get('version') or version['version']) if x)
                    key = f"{gv}/{g.get('kind')}"
                    if key in go['kinds']:
                        kinds[key] = go['kinds'][key]
                        reach('@' + kinds[key])
for extra in ('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',):
    reach('@' + extra) if extra in types else None
write('schema.json.gz', {'kinds': kinds, 'types': {k: v for k, v in types.items() if k in wanted}})
write('openapi.json.gz', documents)
write('discovery.json', discovery)
for name, what in (('internal', []), ('tables', ['tables'])):
    told = subprocess.check_output(['go', 'run', '.'] + what, cwd=os.path.join(here, 'gointernal'))
    write(f'{name}.json.gz', json.loads(told))
