import { weakEtag } from '../http/responses/etag.ts'
import { reasonPhrase } from '../http/server/reason-phrase.ts'
import { describedFor } from '../operation/availability.ts'
import { type Operation, operationsOf } from '../operation/operation.ts'
import type { RawSchema, ResultSchema } from '../operation/results.ts'
import type { TSchema } from '../operation/schema.ts'
import { instance, rootName } from '../operation/subject.ts'
import * as shared from './openapi-components.ts'
import { type PathNames, parametersOfOperation, requestBodyOf, sendsBody } from './openapi-parameters.ts'
import { createSchemaRegistry, type JsonSchema, type SchemaRegistry } from './openapi-schemas.ts'
import { isRedirect, routeObject, type ServedRoute } from './served-route.ts'

type OpenapiOptions = {
  operations: readonly Operation[]
  /** Routes that other services answer. */
  routes?: readonly ServedRoute[]
  /** Address of the server. */
  externalUrl: string
  /** Version of the server. */
  version: string
  /** A sentence about each tag, by its name. */
  tags?: Readonly<Record<string, string>>
}

const introduction = `The API of Fennec.

A credential is sent as \`PRIVATE-TOKEN\` header, as bearer token, or as \`private_token\` parameter. Administrators whose
token has the scope \`sudo\` may act as another user: the \`Sudo\` header (or parameter) names a user by id or user name.

Parameters may be sent as JSON, as a form or in the query; nested names are written \`a[b]\`, lists \`a[]\`. Lists come in
pages: \`page\` and \`per_page\` select one, the \`Link\` header has the others. Slashes inside a path parameter are
sent as \`%2F\`.`

function describe(spec: Operation): string {
  const scopes = spec.scopes === 'any' ? 'any' : spec.scopes.map((scope) => `\`${scope}\``).join(' or ')
  const exclusive = (spec.exclusive ?? []).map((group: readonly string[]) => `At most one of ${names(group)}.`)
  return [
    spec.description,
    (spec.tier || spec.offerings) && describedFor('', spec),
    `Needs \`${spec.allow}\` (${rootName(spec.subject)}). Token scope: ${scopes}.`,
    spec.exactlyOne && `Exactly one of ${names(spec.exactlyOne)} must be given.`,
    spec.atLeastOne && `At least one of ${names([...spec.atLeastOne, ...(spec.alsoEnough ?? [])])} must be given.`,
    ...exclusive,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function names(list: readonly string[]): string {
  return list.map((name) => `\`${name}\``).join(', ')
}

function securityOf(spec: Operation): Record<string, string[]>[] {
  // The operation authenticates the caller itself; its description says how.
  if (spec.ownAuthentication) return []
  const carriers = ['privateToken', 'bearer', 'privateTokenQuery', ...(spec.jobToken ? ['jobToken'] : [])]
  const known = carriers.map((name) => ({ [name]: [] }))
  return spec.subject.opensToAnonymous(spec.allow) ? [{}, ...known] : known
}

function isPage(schema: ResultSchema): boolean {
  return 'pageOf' in schema
}

/** The errors that contract 00 defines for an operation of this form. */
function errorsOf(spec: Operation): shared.SharedStatus[] {
  const { method } = spec
  const reads = method === 'GET' || method === 'HEAD'
  const ofProject = rootName(spec.subject) === 'project'
  const namesSomething = spec.path.includes(':')
  const applies: [shared.SharedStatus, boolean][] = [
    ['301', reads && ofProject],
    ['304', reads && !('nothing' in spec.result[1])],
    ['400', namesSomething || sendsBody(method) || spec.params !== undefined || isPage(spec.result[1])],
    ['401', true],
    ['403', true],
    ['404', namesSomething],
    ['405', isPage(spec.result[1]) || (!reads && ofProject)],
    ['409', sendsBody(method)],
    ['412', method === 'DELETE'],
    ['413', sendsBody(method)],
    ['415', sendsBody(method)],
    ['422', sendsBody(method)],
    ['429', true],
    ['default', true],
  ]
  return applies.filter(([, when]) => when).map(([status]) => status)
}

/** The bytes of an answer, by media type. */
function contentOf({ mediaType = 'application/octet-stream' }: RawSchema): JsonSchema {
  const bytes = { type: 'string', format: 'binary', description: 'Bytes of the type that `Content-Type` names.' }
  const schemaFor = (type: string) => (type === 'application/json' ? { type: 'object' } : bytes)
  return Object.fromEntries([mediaType].flat().map((type) => [type, { schema: schemaFor(type) }]))
}

function success(spec: Operation, schemas: SchemaRegistry): JsonSchema {
  const [status, schema] = spec.result as readonly [number, ResultSchema]
  const description = reasonPhrase(status) ?? 'Success'
  if ('nothing' in schema) return { description }
  if ('raw' in schema) return { description, content: contentOf(schema) }
  const body = 'pageOf' in schema ? { type: 'array', items: schemas.place(schema.pageOf) } : schemas.place(schema)
  const tagged = status === 200 && (spec.method === 'GET' || spec.method === 'HEAD')
  const headers = {
    ...(isPage(schema) ? shared.pageHeaderReferences : {}),
    ...(tagged ? shared.headerReferences('ETag') : {}),
    ...(isRedirect(status) ? shared.headerReferences('Location') : {}),
  }
  return {
    description,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(spec.method === 'HEAD' ? {} : { content: { 'application/json': { schema: body } } }),
  }
}

/** An answer that an operation declares besides its result. Some of the bytes (206) have the types of all of them. */
function otherAnswer(spec: Operation, status: number, schemas: SchemaRegistry): JsonSchema {
  const answer: string | readonly [string, TSchema] = spec.answers?.[status] ?? ''
  const result: ResultSchema = spec.result[1]
  const headers = isRedirect(status) ? { headers: shared.headerReferences('Location') } : {}
  if (typeof answer === 'string') {
    const content = status === 206 && 'raw' in result ? { content: contentOf(result) } : {}
    return { description: answer, ...headers, ...content }
  }
  const [description, schema] = answer
  return { description, ...headers, content: { 'application/json': { schema: schemas.place(schema) } } }
}

function operationObject(spec: Operation, path: PathNames, schemas: SchemaRegistry): JsonSchema {
  const parameters = parametersOfOperation(spec, path, schemas)
  const requestBody = requestBodyOf(spec, schemas)
  const errors = errorsOf(spec).map((status) => [status, shared.responseReference(status)])
  const others = Object.keys(spec.answers ?? {}).map((status) => [status, otherAnswer(spec, Number(status), schemas)])
  return {
    operationId: spec.id,
    tags: [spec.tag],
    summary: spec.summary,
    description: describe(spec),
    ...(spec.deprecated ? { deprecated: true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    security: securityOf(spec),
    responses: {
      [spec.result[0]]: success(spec, schemas),
      ...Object.fromEntries(errors),
      ...Object.fromEntries(others),
    },
    'x-contract': spec.contract,
    'x-subject': spec.subject.name,
    'x-ability': spec.allow,
    'x-scopes': spec.scopes === 'any' ? [] : [...spec.scopes],
  }
}

/**
 * The paths of the document. Paths that differ only in parameter names are one path in OpenAPI, so the names of the
 * first operation are used.
 */
function pathsOf(operations: readonly Operation[], schemas: SchemaRegistry): Record<string, JsonSchema> {
  const paths: Record<string, JsonSchema> = {}
  const keys = new Map<string, string>()
  for (const spec of operations) {
    const own = `${spec.root ? '' : '/api/v4'}${spec.path}`.replace(/:([^/]+)/g, '{$1}')
    const shape = own.replace(/\{[^}]*\}/g, '{}')
    const key = keys.get(shape) ?? own
    keys.set(shape, key)
    const documented = [...key.matchAll(/\{([^}]*)\}/g)].map((match) => match[1] ?? '')
    const declared = [...own.matchAll(/\{([^}]*)\}/g)].map((match) => match[1] ?? '')
    const path = declared.map((name, index) => ({ declared: name, documented: documented[index] ?? name }))
    paths[key] = { ...paths[key], [spec.method.toLowerCase()]: operationObject(spec, path, schemas) }
  }
  return paths
}

function pathsOfRoutes(routes: readonly ServedRoute[]): Record<string, JsonSchema> {
  const paths: Record<string, JsonSchema> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: routeObject(route) }
  }
  return paths
}

/** Creates the OpenAPI 3.1 document of these operations. The same operations give the same document, to the byte. */
export function openapiDocument({
  operations,
  routes = [],
  externalUrl,
  version,
  tags = {},
}: OpenapiOptions): JsonSchema {
  const schemas = createSchemaRegistry()
  for (const [title, schema] of Object.entries(shared.errorSchemas)) schemas.place({ ...schema, title })
  const paths = { ...pathsOf(operations, schemas), ...pathsOfRoutes(routes) }
  const used = [...new Set([...operations, ...routes].map(({ tag }) => tag))].sort()
  return {
    openapi: '3.1.0',
    info: { title: 'Fennec API', version, description: introduction, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: externalUrl.replace(/\/+$/, '') || '/' }],
    tags: used.map((name) => ({ name, ...(tags[name] ? { description: tags[name] } : {}) })),
    paths,
    components: {
      schemas: schemas.components(),
      parameters: shared.parameters,
      headers: shared.headers,
      responses: shared.responses,
      securitySchemes: shared.securitySchemes,
    },
  }
}

/**
 * GET /api/v4/openapi.json: the document of the API, which includes this operation. It is created at the first request,
 * since walking all schemas would delay the start, and cached as text.
 * @param options.operations returns all operations of the API
 */
export function openapiOperation(
  options: Omit<OpenapiOptions, 'operations'> & { operations: () => readonly Operation[] },
): Operation {
  let made: { text: string; etag: string } | undefined
  const document = () => {
    if (!made) {
      const text = JSON.stringify(openapiDocument({ ...options, operations: options.operations() }))
      made = { text, etag: weakEtag(text) }
    }
    return made
  }
  return operationsOf<unknown>()({
    id: 'openapi.get',
    contract: 'x.openapi',
    method: 'GET',
    path: '/openapi.json',
    tag: 'Metadata',
    summary: 'The description of this API, for programs',
    subject: instance,
    allow: 'public',
    scopes: 'any',
    result: [200, { raw: true, mediaType: 'application/json' }],
    async run() {
      const { text, etag } = document()
      return { headers: { 'Content-Type': 'application/json', ETag: etag }, body: text }
    },
  })
}
