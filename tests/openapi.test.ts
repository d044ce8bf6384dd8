/** The OpenAPI document of the whole server: what generators and linters stumble over is not in it. */
import { validate } from '@readme/openapi-parser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { modules } from '../src/modules.ts'
import { startTestServer, type TestServer } from '../src/testing/index.ts'

type Node = { [keyword: string]: unknown }

// biome-ignore lint/suspicious/noExplicitAny: tests look into every corner of the document
let document: any
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  document = (await server.anonymous.get('/openapi.json')).body
})
afterAll(() => server.stop())

/** Calls `visit` with each object of the document and the path to it. */
function walk(value: unknown, visit: (node: Node, path: string) => void, path = '#'): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(item, visit, `${path}/${index}`)
  } else if (typeof value === 'object' && value !== null) {
    visit(value as Node, path)
    for (const [key, item] of Object.entries(value)) walk(item, visit, `${path}/${key}`)
  }
}

function offending(isWrong: (node: Node) => boolean): string[] {
  const found: string[] = []
  walk(document, (node, path) => {
    if (isWrong(node)) found.push(path)
  })
  return found
}

test('is valid OpenAPI', async () => {
  const result = await validate(structuredClone(document))
  expect(result.valid ? [] : result.errors).toEqual([])
})

/** `things.create_all` → `ThingsCreateAll`, as generators write it. */
function typeName(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  return words.join('')
}

type Documented = { operationId: string; tags: string[] } & Node
const operations = (): Documented[] =>
  Object.values<Node>(document.paths).flatMap((path) => Object.values(path) as never)
const schemaNames = () => Object.keys(document.components.schemas)

/** Types that generated code uses, or that languages have. Those of JavaScript are read from the runtime. */
const taken = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...[
    'Any',
    'Bool',
    'Byte',
    'Char',
    'Dict',
    'Double',
    'Enum',
    'Field',
    'Float',
    'Int',
    'Integer',
    'List',
    'Literal',
    'Long',
  ],
  ...[
    'None',
    'Object',
    'Optional',
    'Rune',
    'Self',
    'String',
    'Tuple',
    'Union',
    'Uint',
    'Record',
    'Partial',
    'Document',
    'Node',
  ],
  ...[
    'BaseModel',
    'Configuration',
    'BaseAPI',
    'ResponseError',
    'FetchError',
    'RequiredError',
    'HTTPMethod',
    'JSONApiResponse',
  ],
  ...['ApiResponse', 'BlobApiResponse', 'TextApiResponse', 'VoidApiResponse', 'RequestOpts', 'Middleware', 'Json'],
  ...['ApiClient', 'ApiException', 'ApiTypeError', 'ApiValueError', 'APIClient', 'APIResponse', 'APIKey', 'BasicAuth'],
  ...[
    'GenericOpenAPIError',
    'MappedNullable',
    'ServerConfiguration',
    'ServerVariable',
    'RESTClientObject',
    'RESTResponse',
  ],
])

test('names no schema like a type of a language or of generated code', () => {
  expect(schemaNames().filter((name) => taken.has(name))).toEqual([])
})

test('names no schema like what generators derive from another schema, an operation or a tag', () => {
  const ofSchemas = schemaNames().flatMap((name) => [`New${name}`, `New${name}WithDefaults`, `Nullable${name}`])
  const ofOperations = operations().flatMap(({ operationId, tags }) => {
    const [name, tag] = [typeName(operationId), typeName(tags[0] ?? '')]
    return [`${name}Request`, `Api${name}Request`, `${tag}Api`, `${tag}ApiInterface`, `${tag}APIService`]
  })
  const derived = new Set([...ofSchemas, ...ofOperations])
  expect(schemaNames().filter((name) => derived.has(name))).toEqual([])
})

test('names no two schemas alike but for their case', () => {
  const names = schemaNames().map((name) => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase())
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('names the body of each operation, one schema for all its types', () => {
  const wrong = operations().filter(({ requestBody, operationId, ...operation }) => {
    if (!requestBody || !operation['x-ability']) return false
    const { content } = requestBody as { content: Record<string, { schema: Node }> }
    const own = { $ref: `#/components/schemas/${typeName(operationId)}Body` }
    const written = Object.entries(content).filter(([type]) => type !== 'application/octet-stream')
    return written.some(([, { schema }]) => JSON.stringify(schema) !== JSON.stringify(own))
  })
  expect(wrong.map(({ operationId }) => operationId)).toEqual([])
})

test('writes null as generators read it: one type with null, or a named schema or null', () => {
  const isNull = (one: unknown) => (one as Node).type === 'null'
  const isWrong = ({ type, anyOf }: Node) => {
    if (Array.isArray(type)) return type.length !== 2 || type[1] !== 'null'
    return Array.isArray(anyOf) && anyOf.some((one) => Object.keys(one).length === 0)
  }
  expect(offending(isWrong)).toEqual([])
  expect(offending(({ oneOf }) => Array.isArray(oneOf) && oneOf.some(isNull))).toEqual([])
  expect(offending(({ patternProperties }) => patternProperties !== undefined)).toEqual([])
})

test('takes the id and the path of a project or group as text', () => {
  const paths = Object.keys(document.paths).filter((path) => /^\/api\/v4\/(projects|groups)\/\{/.test(path))
  const schemas = paths.flatMap((path) => {
    const [, name] = /\{(\w+)\}/.exec(path) ?? []
    return Object.values<Node>(document.paths[path]).map(({ parameters }) => {
      return (parameters as Node[]).find((one) => one.name === name && one.in === 'path')?.schema
    })
  })
  expect(schemas.length).toBeGreaterThan(400)
  expect(schemas.filter((schema) => JSON.stringify(schema) !== '{"type":"string"}')).toEqual([])
})

test('declares the 404 of every operation on a resource, and the address of every redirect', () => {
  const responsesOf = (operation: Node) => operation.responses as Record<string, Node>
  const onResource = operations().filter((operation) => operation['x-subject'] && operation['x-subject'] !== 'instance')
  expect(onResource.filter((one) => !responsesOf(one)['404']).map(({ operationId }) => operationId)).toEqual([])
  const withoutAddress = operations().filter((operation) => {
    const redirects = ['301', '302', '307']
      .map((status) => responsesOf(operation)[status])
      .filter((one) => one !== undefined)
    return redirects.some(({ headers, $ref }) => !$ref && !(headers as Node | undefined)?.Location)
  })
  expect(withoutAddress.map(({ operationId }) => operationId)).toEqual([])
})

test('declares the media types of files', () => {
  const typesOf = (id: string) => {
    const found = operations().find(({ operationId }) => operationId === id) as Node
    return Object.keys((found.responses as Record<string, { content: object }>)['200']?.content ?? {})
  }
  const bytes = 'application/octet-stream'
  const uploads = [bytes, 'application/pdf', 'audio/*', 'image/*', 'video/*']
  const expected: Record<string, string[]> = {
    'repository.archive': [bytes, 'application/zip'],
    'repository.archive_by_suffix': [bytes, 'application/zip'],
    'repository.snapshot': ['application/x-tar'],
    'repository.raw_blob': ['text/plain', bytes],
    'files.raw': ['text/plain', bytes],
    'snippets.raw': ['text/plain'],
    'project_snippets.web_file_raw': ['text/plain'],
    'jobs.trace': ['text/plain'],
    'job_artifacts.download': ['application/zip'],
    'job_artifacts.download_by_ref': ['application/zip'],
    'job_artifacts.download_file': ['text/plain', bytes],
    'job_artifacts.download_file_by_ref': ['text/plain', bytes],
    'maven_packages.download': ['text/plain', bytes],
    'group_maven_packages.download': ['text/plain', bytes],
    'instance_maven_packages.download': ['text/plain', bytes],
    'project_export_relations.download': ['application/gzip'],
    'group_export_relations.download': ['application/gzip'],
    'project_uploads.get': uploads,
    'group_uploads.serve': uploads,
    'alert_metric_images.serve': uploads,
    'incident_metric_images.serve': uploads,
    'projects.avatar': ['image/*'],
    'groups.avatar': ['image/*'],
    'avatars.serve': ['image/*'],
    'appearance.image': ['image/*'],
    'terraform_states.get': ['application/json'],
    'terraform_state_versions.get': ['application/json'],
    'geo.refs': ['application/x-git-upload-pack-advertisement'],
    'geo.upload_pack': ['application/x-git-upload-pack-result'],
  }
  expect(Object.fromEntries(Object.keys(expected).map((id) => [id, typesOf(id)]))).toEqual(expected)
  const untyped = operations().filter(({ operationId }) => typesOf(operationId).join() === bytes)
  expect(untyped.map(({ operationId }) => operationId)).toEqual([
    ...['package_files.download', 'generic_packages.download', 'npm_packages.tarball'],
    ...['pypi_packages.file', 'group_pypi_packages.file', 'secure_files.download'],
    ...['registry.blob_get', 'lfs.download'],
  ])
})

test('names no schema twice', () => {
  expect(Object.keys(document.components.schemas).filter((name) => /_\d+$/.test(name))).toEqual([])
})

test('declares the items of arrays', () => {
  expect(offending(({ type, items }) => [type].flat().includes('array') && items === undefined)).toEqual([])
})

test('names no type twice', () => {
  expect(offending(({ type }) => Array.isArray(type) && new Set(type).size !== type.length)).toEqual([])
})

test('has no dangling references', () => {
  const isThere = (reference: string) => {
    let node: unknown = document
    for (const key of reference.slice(2).split('/')) node = (node as Node | undefined)?.[key]
    return node !== undefined
  }
  expect(offending(({ $ref }) => typeof $ref === 'string' && !isThere($ref))).toEqual([])
})

test('describes every tag', () => {
  const described = document.tags.filter(({ description }: Node) => typeof description === 'string')
  expect(
    described.map(({ name }: Node) => name),
    'describe the tag in `tags` of the module: src/modules/<domain>/index.ts',
  ).toEqual(document.tags.map(({ name }: Node) => name))
  const said = modules.flatMap(({ tags = {} }) => Object.keys(tags))
  expect(said.toSorted(), 'each tag is described by one module, and has operations').toEqual(
    document.tags.map(({ name }: Node) => name).toSorted(),
  )
})

test('has the answers of stars, forks, dry runs and content types', () => {
  const answers = (method: string, path: string) => Object.keys(document.paths[path][method].responses)
  expect(answers('post', '/api/v4/projects/{id}/star')).toContain('304')
  expect(answers('post', '/api/v4/projects/{id}/unstar')).toContain('304')
  expect(answers('delete', '/api/v4/projects/{id}/fork')).toContain('304')
  expect(answers('post', '/api/v4/projects/{id}/repository/commits/{sha}/revert')).toContain('200')
  expect(answers('post', '/{project_path}.git/git-receive-pack')).toContain('415')
  expect(answers('post', '/{project_path}.git/info/lfs/objects/batch')).toContain('415')
})
