import { describe, expect, test } from 'vitest'
import { anything, nullable } from '../operation/results.ts'
import { Type } from '../operation/schema.ts'
import { demoServer } from '../testing.ts'
import { openapiOperation } from './openapi.ts'
import { createSchemaRegistry } from './openapi-schemas.ts'

describe('schemas', () => {
  const Owner = Type.Object({ name: Type.String() }, { title: 'Owner' })
  const ownerForm = { type: 'object', required: ['name'], properties: { name: { type: 'string' } }, title: 'Owner' }

  test('with a name are written once and referred to, at any depth', () => {
    const registry = createSchemaRegistry()
    const form = registry.place(Type.Object({ owners: Type.Array(Owner), first: Owner }))
    expect(form.properties).toEqual({
      owners: { type: 'array', items: { $ref: '#/components/schemas/Owner' } },
      first: { $ref: '#/components/schemas/Owner' },
    })
    expect(registry.components()).toEqual({ Owner: ownerForm })
  })

  test('with a name, or null, are the named one or null', () => {
    const registry = createSchemaRegistry()
    expect(registry.place(nullable(Owner))).toEqual({
      anyOf: [{ $ref: '#/components/schemas/Owner' }, { type: 'null' }],
    })
    expect(registry.components()).toEqual({ Owner: ownerForm })
  })

  test('of one name that differ are both in the document', () => {
    const registry = createSchemaRegistry()
    registry.place(Owner)
    const other = Type.Object({ id: Type.Integer() }, { title: 'Owner' })
    expect(registry.place(other)).toEqual({ $ref: '#/components/schemas/Owner_2' })
    expect(registry.place(other)).toEqual({ $ref: '#/components/schemas/Owner_2' })
    expect(registry.place(Owner)).toEqual({ $ref: '#/components/schemas/Owner' })
    expect(Object.keys(registry.components())).toEqual(['Owner', 'Owner_2'])
  })

  test('of one name that differ only in the order of their keys are one', () => {
    const registry = createSchemaRegistry()
    registry.place({
      title: 'Pair',
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string' }, b: {} },
    })
    registry.place({
      properties: { b: {}, a: { type: 'string' } },
      required: ['b', 'a'],
      title: 'Pair',
      type: 'object',
    })
    expect(Object.keys(registry.components())).toEqual(['Pair'])
  })

  test('name each of their types once', () => {
    const registry = createSchemaRegistry()
    expect(registry.place({ type: ['string', 'string'] })).toEqual({ type: 'string' })
    expect(registry.place({ type: ['string', 'null', 'string'] })).toEqual({ type: ['string', 'null'] })
  })

  test('of several types are a choice', () => {
    const registry = createSchemaRegistry()
    expect(registry.place({ type: ['string', 'integer', 'null'], description: 'An id.' })).toEqual({
      description: 'An id.',
      anyOf: [{ type: 'string' }, { type: 'integer', format: 'int64' }, { type: 'null' }],
    })
  })

  test('of integers have 64 bits', () => {
    const registry = createSchemaRegistry()
    expect(registry.place(Type.Integer())).toEqual({ type: 'integer', format: 'int64' })
    expect(registry.place(nullable(Type.Integer()))).toEqual({ type: ['integer', 'null'], format: 'int64' })
  })

  test('of anything or null are of anything', () => {
    const registry = createSchemaRegistry()
    expect(registry.place({ ...nullable(anything), description: 'A key.' })).toEqual({ description: 'A key.' })
  })

  test('of maps have the schema of their values', () => {
    const registry = createSchemaRegistry()
    expect(registry.place(Type.Record(Type.String(), Owner))).toEqual({
      type: 'object',
      additionalProperties: { $ref: '#/components/schemas/Owner' },
    })
  })

  test('take `$id` before `title`, in letters that a reference may have', () => {
    const registry = createSchemaRegistry()
    expect(registry.place(Type.Object({}, { $id: 'a/b c', title: 'Other' }))).toEqual({
      $ref: '#/components/schemas/a_b_c',
    })
    expect(registry.components().a_b_c).not.toHaveProperty('$id')
  })

  test('with a member named title are not named by it', () => {
    const registry = createSchemaRegistry()
    const form = { type: 'object', properties: { title: { type: 'string' } }, examples: [{ title: 'A title' }] }
    expect(registry.place(form)).toEqual(form)
    expect(registry.components()).toEqual({})
  })
})

describe('GET /api/v4/openapi.json', () => {
  const self = openapiOperation({ operations: () => [self], externalUrl: 'https://git.example', version: '1.2.3' })

  test('is open to all, JSON, with the length of its text', async () => {
    await using demo = demoServer([self])
    const answer = await demo.get('/api/v4/openapi.json')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.headers['cache-control']).toBe('max-age=0, private, must-revalidate')
    expect(answer.json()).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } })
    const head = await demo.send('HEAD', '/api/v4/openapi.json')
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([
      200,
      '',
      String(Buffer.byteLength(answer.body)),
    ])
  })

  test('is not sent again to who has it', async () => {
    await using demo = demoServer([self])
    const { etag } = (await demo.get('/api/v4/openapi.json')).headers
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/)
    const again = await demo.get('/api/v4/openapi.json', { 'If-None-Match': `"other", ${etag}` })
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
    expect((await demo.get('/api/v4/openapi.json', { 'If-None-Match': '"other"' })).statusCode).toBe(200)
  })

  test('reads the operations at the first request, and only then', async () => {
    let asked = 0
    const counting = openapiOperation({
      operations: () => {
        asked += 1
        return []
      },
      externalUrl: 'https://git.example',
      version: '1.2.3',
    })
    await using demo = demoServer([counting])
    expect(asked).toBe(0)
    await Promise.all([1, 2, 3].map(() => demo.get('/api/v4/openapi.json')))
    expect(asked).toBe(1)
  })
})
