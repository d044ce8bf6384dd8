import { parse, validate } from '@readme/openapi-parser'
import { describe, expect, test } from 'vitest'
import { type Operation, operationsOf } from '../operation/operation.ts'
import { t } from '../operation/parameters/params.ts'
import { anything, forms, nothing, nullable, pageOf, raw } from '../operation/results.ts'
import { Type } from '../operation/schema.ts'
import { reading, writing } from '../operation/scopes.ts'
import { instance, type Subject } from '../operation/subject.ts'
import { openapiDocument, openapiOperation } from './openapi.ts'

const Owner = Type.Object({ id: forms.id, name: Type.String() }, { title: 'Owner' })
const Thing = Type.Object(
  {
    id: forms.id,
    owner: nullable(Owner),
    maintainers: Type.Array(Owner),
    created_at: forms.nullableTimestamp,
    note: Type.Optional(Type.String()),
  },
  { title: 'Thing' },
)

const project: Subject<undefined, 'read' | 'write'> = {
  name: 'project',
  opensToAnonymous: (ability) => ability === 'read',
  administratorsOnly: () => false,
  find: async () => undefined,
  authorize: () => {},
}

const common = { tag: 'Things', subject: project, scopes: reading, run: async () => undefined as never } as const

const operation = operationsOf<unknown>()
const list = operation({
  ...common,
  id: 'things.list',
  contract: '9.1',
  method: 'GET',
  path: '/projects/:id/things',
  summary: 'List things',
  allow: 'read',
  params: {
    search: t.required(t.string({ description: 'Part of the name.' })),
    ids: t.array(t.integer()),
    filter: t.object({ state: t.oneOf(['open', 'closed']) }),
    rules: t.array(t.object({ name: t.string() })),
  },
  list: { keyset: { id: ['asc', 'desc'] } },
  result: [200, pageOf(Thing)],
})
const create = operation({
  ...common,
  id: 'things.create',
  contract: '9.2',
  method: 'POST',
  path: '/projects/:id/things',
  summary: 'Create a thing',
  description: 'It is there at once.',
  allow: 'write',
  scopes: writing,
  jobToken: true,
  deprecated: true,
  params: {
    title: t.required(t.string({ maxLength: 255 })),
    level: t.nullable(t.integerOf([10, 20])),
    state: t.nullable(t.oneOf(['open', 'closed'])),
    file: t.file(),
  },
  atLeastOne: ['level', 'state'],
  exclusive: [['level', 'file']],
  result: [201, Thing],
})
const upload = operation({
  ...common,
  id: 'things.upload',
  contract: '9.3',
  method: 'PUT',
  path: '/projects/:project_id/things/:thing_id',
  summary: 'Send the file of a thing',
  allow: 'write',
  scopes: writing,
  params: { thing_id: t.id({ otherwise: 'route' }), file: t.required(t.file()) },
  result: [200, anything],
})
const remove = operation({
  ...common,
  id: 'things.delete',
  contract: '9.4',
  method: 'DELETE',
  path: '/projects/:id/things/:other_name',
  summary: 'Delete a thing',
  allow: 'write',
  scopes: writing,
  params: { other_name: t.required(t.integer()), force: t.boolean() },
  result: [204, nothing],
})
const archive = operation({
  ...common,
  id: 'root.archive',
  contract: 'x.archive',
  method: 'GET',
  root: true,
  path: '/archive.:format',
  summary: 'Bytes',
  subject: instance,
  allow: 'public',
  scopes: 'any',
  result: [200, raw],
})
const operations: Operation[] = [list, create, upload, remove, archive]

// biome-ignore lint/suspicious/noExplicitAny: tests look into every corner of the document
type Document = any

function made(of: Operation[] = operations): Document {
  const self = openapiOperation({ operations: () => of, externalUrl: 'https://git.example', version: '1.2.3' })
  return openapiDocument({ operations: [...of, self], externalUrl: 'https://git.example/', version: '1.2.3' })
}

const document = made()
const listed = document.paths['/api/v4/projects/{id}/things'].get
const created = document.paths['/api/v4/projects/{id}/things'].post
// The path of `upload` came first, so its names are the path's.
const deleted = document.paths['/api/v4/projects/{project_id}/things/{thing_id}'].delete

test('the document is valid OpenAPI 3.1', async () => {
  // The validator resolves references in place, so it gets a copy.
  const result = await validate(structuredClone(document))
  expect(result.valid ? [] : result.errors).toEqual([])
  expect((await parse(structuredClone(document))).openapi).toBe('3.1.0')
})

test('the validator would notice', async () => {
  const broken = structuredClone(document)
  broken.paths['/api/v4/projects/{id}/things'].get.parameters[0].in = 'nowhere'
  expect((await validate(broken)).valid).toBe(false)
})

test('the same operations make the same text', () => {
  expect(JSON.stringify(made())).toBe(JSON.stringify(document))
})

test('every operation is in it once, also the one that serves it and those at the root', () => {
  const paths = Object.values(document.paths) as Record<string, { operationId: string }>[]
  const ids = paths.flatMap((path) => Object.values(path).map(({ operationId }) => operationId))
  expect(ids.sort()).toEqual([...operations.map(({ id }) => id), 'openapi.get'].sort())
  expect(document.paths['/archive.{format}'].get.operationId).toBe('root.archive')
  expect(document.paths['/api/v4/openapi.json'].get['x-contract']).toBe('x.openapi')
  expect(document.servers).toEqual([{ url: 'https://git.example' }])
  expect(document.tags).toEqual([{ name: 'Metadata' }, { name: 'Things' }])
})

describe('the document of an operation has', () => {
  test('its security', () => {
    expect(listed.security).toEqual([{}, { privateToken: [] }, { bearer: [] }, { privateTokenQuery: [] }])
    expect(created.security).toEqual([
      { privateToken: [] },
      { bearer: [] },
      { privateTokenQuery: [] },
      { jobToken: [] },
    ])
    const own = made([{ ...list, ownAuthentication: true }]).paths['/api/v4/projects/{id}/things'].get
    expect(own.security).toEqual([])
    expect(listed).toMatchObject({ 'x-subject': 'project', 'x-ability': 'read', 'x-scopes': ['api', 'read_api'] })
    expect(listed.description).toContain('Needs `read` (project). Token scope: `api` or `read_api`.')
    expect(document.paths['/archive.{format}'].get['x-scopes']).toEqual([])
  })

  test('its contract number, its texts, and that it is deprecated', () => {
    expect(created).toMatchObject({
      'x-contract': '9.2',
      summary: 'Create a thing',
      tags: ['Things'],
      deprecated: true,
    })
    expect(created.description).toMatch(/^It is there at once\./)
    expect(created.description).toContain('At least one of `level`, `state` must be given.')
    expect(created.description).toContain('At most one of `level`, `file`.')
    expect(listed.deprecated).toBeUndefined()
  })

  test('its errors', () => {
    const statuses = (of: { responses: object }) => Object.keys(of.responses)
    expect(statuses(listed)).toEqual(['200', '301', '304', '400', '401', '403', '404', '405', '429', 'default'])
    expect(statuses(created)).toEqual([
      '201',
      '400',
      '401',
      '403',
      '404',
      '405',
      '409',
      '413',
      '415',
      '422',
      '429',
      'default',
    ])
    expect(statuses(deleted)).toEqual(['204', '400', '401', '403', '404', '405', '412', '429', 'default'])
    expect(listed.responses['404']).toEqual({ $ref: '#/components/responses/NotFound' })
  })

  test('its results', () => {
    expect(listed.responses['200'].content['application/json'].schema).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Thing' },
    })
    expect(Object.keys(listed.responses['200'].headers)).toEqual([
      'Link',
      'X-Page',
      'X-Per-Page',
      'X-Prev-Page',
      'X-Next-Page',
      'X-Total',
      'X-Total-Pages',
      'ETag',
    ])
    expect(created.responses['201'].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Thing' })
    expect(deleted.responses['204']).toEqual({ description: 'No Content' })
    expect(Object.keys(document.paths['/archive.{format}'].get.responses['200'].content)).toEqual([
      'application/octet-stream',
    ])
  })
})

describe('bytes', () => {
  const typed: Operation = {
    ...archive,
    result: [200, { ...raw, mediaType: ['text/plain', 'image/*'] }],
    answers: { 206: 'Some of the bytes.', 302: 'Their address.' },
  }
  const { responses } = made([typed]).paths['/archive.{format}'].get

  test('name each type that they may have, also when only some are sent', () => {
    expect(Object.keys(responses['200'].content)).toEqual(['text/plain', 'image/*'])
    expect(responses['206']).toEqual({ description: 'Some of the bytes.', content: responses['200'].content })
  })

  test('at another address have no body, but its address', () => {
    expect(responses['302']).toEqual({
      description: 'Their address.',
      headers: { Location: { $ref: '#/components/headers/Location' } },
    })
  })
})

describe('parameters', () => {
  test('of a path are required; paths that differ only in names are one', () => {
    expect(deleted.parameters).toEqual([
      {
        name: 'project_id',
        in: 'path',
        required: true,
        description: 'Id of the project, or its path with slashes sent as `%2F`.',
        schema: { type: 'string' },
      },
      { name: 'thing_id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
      { name: 'force', in: 'query', required: false, schema: { type: 'boolean' } },
    ])
  })

  test('of a query are written as contract 00 reads them', () => {
    expect(listed.parameters.slice(1)).toEqual([
      { name: 'search', in: 'query', required: true, description: 'Part of the name.', schema: { type: 'string' } },
      {
        name: 'ids[]',
        in: 'query',
        required: false,
        schema: { type: 'array', items: { type: 'integer', format: 'int64' } },
        style: 'form',
        explode: true,
      },
      {
        name: 'filter',
        in: 'query',
        required: false,
        schema: { type: 'object', properties: { state: { type: 'string', enum: ['open', 'closed'] } } },
        style: 'deepObject',
        explode: true,
      },
      {
        name: 'rules',
        in: 'query',
        required: false,
        content: {
          'application/json': {
            schema: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
          },
        },
      },
      { $ref: '#/components/parameters/page' },
      { $ref: '#/components/parameters/per_page' },
      { $ref: '#/components/parameters/pagination' },
      { $ref: '#/components/parameters/cursor' },
    ])
  })

  test('of a body are the same as JSON and as a form; a file makes it multipart', () => {
    const { required, content } = created.requestBody
    expect(required).toBe(true)
    expect(content['application/json']).toEqual(content['application/x-www-form-urlencoded'])
    expect(content['multipart/form-data']).toEqual(content['application/json'])
    expect(content['application/json'].schema).toEqual({ $ref: '#/components/schemas/ThingsCreateBody' })
    expect(document.components.schemas.ThingsCreateBody).toEqual({
      title: 'ThingsCreateBody',
      type: 'object',
      properties: {
        title: { type: 'string', maxLength: 255 },
        level: { type: ['integer', 'null'], format: 'int64', enum: [10, 20, null] },
        state: { type: ['string', 'null'], enum: ['open', 'closed', null] },
        file: { type: 'string', format: 'binary' },
      },
      required: ['title'],
    })
    const uploaded = document.paths['/api/v4/projects/{project_id}/things/{thing_id}'].put
    expect(Object.keys(uploaded.requestBody.content)).toEqual(['multipart/form-data'])
    expect(Object.keys(document.components.schemas.ThingsUploadBody.properties)).toEqual(['file'])
  })
})
