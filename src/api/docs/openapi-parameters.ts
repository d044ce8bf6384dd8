import { describedFor } from '../operation/availability.ts'
import type { Method, Operation } from '../operation/operation.ts'
import type { Param, ParamSet } from '../operation/parameters/params.ts'
import { holdsFile, withNull } from '../operation/schema.ts'
import type * as shared from './openapi-components.ts'
import type { JsonSchema, SchemaRegistry } from './openapi-schemas.ts'

/** The parameters of a path: what the operation calls them, and what the document does. */
export type PathNames = { declared: string; documented: string }[]

/** Whether the parameters of an operation are documented as a body; the others have them in the query. */
export function sendsBody(method: Method): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH'
}

function schemaOf(param: Param<unknown>, schemas: SchemaRegistry): JsonSchema {
  const { availability } = param
  const { description } = param.schema
  const limited = availability && { ...param.schema, description: describedFor(description, availability) }
  const schema = schemas.place(limited ?? param.schema)
  return param.nullable ? withNull(schema) : schema
}

/** Moves the description from the schema to where readers of a parameter look for it. */
function documented(name: string, where: 'path' | 'query', schema: JsonSchema, required: boolean): JsonSchema {
  const { description, ...rest } = schema
  return { name, in: where, required, ...(description ? { description } : {}), schema: rest }
}

function pathParameter(
  spec: Operation,
  { declared, documented: name }: PathNames[number],
  schemas: SchemaRegistry,
): JsonSchema {
  const param: Param<unknown> | undefined = (spec.params as ParamSet | undefined)?.[declared]
  if (param) return documented(name, 'path', schemas.place(param.schema), true)
  const [, kind] = /^\/(project|group)s\/:/.exec(spec.path) ?? []
  const isSubject = kind !== undefined && spec.path.startsWith(`/${kind}s/:${declared}`)
  const description = isSubject ? `Id of the ${kind}, or its path with slashes sent as \`%2F\`.` : undefined
  return documented(name, 'path', { type: 'string', description }, true)
}

/** How nested values are written in a query (contract 00, "Nested names"). */
function queryParameter(name: string, param: Param<unknown>, schemas: SchemaRegistry): JsonSchema {
  const schema = schemaOf(param, schemas)
  const { items } = param.schema as { items?: JsonSchema }
  if (items?.type === 'object') {
    const { schema: list, ...rest } = documented(name, 'query', schema, param.required)
    return { ...rest, content: { 'application/json': { schema: list } } }
  }
  if (items) return { ...documented(`${name}[]`, 'query', schema, param.required), style: 'form', explode: true }
  const plain = documented(name, 'query', schema, param.required)
  return param.schema.type === 'object' ? { ...plain, style: 'deepObject', explode: true } : plain
}

function pageParameters(spec: Operation, taken: ReadonlySet<string>): JsonSchema[] {
  if (!('pageOf' in spec.result[1])) return []
  const names: (keyof typeof shared.parameters)[] = ['page', 'per_page']
  if (spec.list?.keyset || spec.list?.pageToken || spec.list?.lastName) names.push('pagination')
  if (spec.list?.keyset) names.push('cursor')
  if (spec.list?.pageToken) names.push('page_token')
  return names.filter((name) => !taken.has(name)).map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

/** What an operation takes in its path and its query. */
export function parametersOfOperation(spec: Operation, path: PathNames, schemas: SchemaRegistry): JsonSchema[] {
  const inPath = new Set(path.map(({ declared }) => declared))
  const params: [string, Param<unknown>][] =
    sendsBody(spec.method) && !spec.stream ? [] : Object.entries(spec.params ?? {})
  const inQuery = params.filter(([name]) => !inPath.has(name))
  return [
    ...path.map((names) => pathParameter(spec, names, schemas)),
    ...inQuery.map(([name, param]) => queryParameter(name, param, schemas)),
    ...pageParameters(spec, new Set(inQuery.map(([name]) => name))),
  ]
}

/** `things.create` → `ThingsCreateBody`: the name of the body in the document. */
function bodyName(id: string): string {
  const words = id.split(/[^A-Za-z0-9]+/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  return `${words.join('')}Body`
}

/** The schema of a body, named after the operation: generators have no stable names for those without one. */
function bodySchema(spec: Operation, params: [string, Param<unknown>][], schemas: SchemaRegistry): JsonSchema {
  const required = params.filter(([, param]) => param.required).map(([name]) => name)
  const properties = Object.fromEntries(params.map(([name, param]) => [name, schemaOf(param, schemas)]))
  return schemas.placeNamed(bodyName(spec.id), {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
  })
}

/**
 * The request body of an operation: JSON or a form; multipart when there are files. All have one schema, since generators take
 * the first type and lose schemas that only forms refer to. As JSON and in other forms a file is the empty text, which removes it.
 */
export function requestBodyOf(spec: Operation, schemas: SchemaRegistry): JsonSchema | undefined {
  if (!sendsBody(spec.method)) return undefined
  if (spec.bytes || spec.stream) {
    const type = spec.stream ?? 'application/octet-stream'
    return { required: true, content: { [type]: { schema: { type: 'string', format: 'binary' } } } }
  }
  const all: [string, Param<unknown>][] = Object.entries(spec.params ?? {})
  const params = all.filter(([name]) => !spec.path.split(/[/.]/).includes(`:${name}`))
  if (params.length === 0) return undefined
  const files = params.filter(([, param]) => holdsFile(param.schema))
  const needsFile = files.some(([, param]) => param.required)
  const body = { schema: bodySchema(spec, params, schemas) }
  return {
    required: params.some(([, param]) => param.required),
    content: {
      ...(needsFile ? {} : { 'application/json': body, 'application/x-www-form-urlencoded': body }),
      ...(files.length > 0 ? { 'multipart/form-data': body } : {}),
    },
  }
}
