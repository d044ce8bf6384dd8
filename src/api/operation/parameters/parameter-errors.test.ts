import { describe, expect, test } from 'vitest'
import { demoServer, echo } from '../../testing.ts'
import type { Operation } from '../operation.ts'
import { t } from './params.ts'

/** Status and exact body of a POST with these parameters. */
async function answerTo(spec: Partial<Operation>, body: unknown): Promise<[number, string]> {
  await using demo = demoServer([echo({ method: 'POST', ...spec })])
  const answer = await demo.send('POST', '/api/v4/things', body)
  return [answer.statusCode, answer.body]
}

describe('form A: missing parameters', () => {
  const params = { title: t.required(t.string()), key: t.required(t.string()), note: t.string() }

  test('one', async () => {
    expect(await answerTo({ params }, { key: 'k' })).toEqual([
      400,
      '{"message":"400 (Bad request) \\"title\\" not given","error":"title is missing"}',
    ])
  })

  test('several, in the order of declaration', async () => {
    expect(await answerTo({ params }, {})).toEqual([
      400,
      '{"message":"400 (Bad request) \\"title\\", \\"key\\" not given","error":"title is missing, key is missing"}',
    ])
  })

  test('within a list', async () => {
    const files = t.array(t.object({ content: t.required(t.string()) }))
    expect(await answerTo({ params: { files } }, { files: [{}] })).toEqual([
      400,
      '{"message":"400 (Bad request) \\"files[0][content]\\" not given","error":"files[0][content] is missing"}',
    ])
  })

  test('a parameter that must not be blank is missing and empty, and named once', async () => {
    expect(await answerTo({ params: { title: t.requiredNotBlank() } }, {})).toEqual([
      400,
      '{"message":"400 (Bad request) \\"title\\" not given","error":"title is missing, title is empty"}',
    ])
  })

  test('at least one of several', async () => {
    const spec = { params: { title: t.string(), can_push: t.boolean() }, atLeastOne: ['title', 'can_push'] }
    const refused = [
      400,
      '{"message":"400 (Bad request) \\"title\\", \\"can_push\\" not given",' +
        '"error":"title, can_push are missing, at least one parameter must be provided"}',
    ]
    expect(await answerTo(spec, {})).toEqual(refused)
    expect(await answerTo(spec, { can_push: '', title: null, other: 1 })).toEqual(refused)
    expect(await answerTo(spec, { title: '' })).toEqual([200, '{"title":""}'])
    expect(await answerTo(spec, { can_push: false })).toEqual([200, '{"can_push":false}'])
    const more = { ...spec, params: { ...spec.params, level: t.integer() }, alsoEnough: ['level'] }
    expect(await answerTo(more, {})).toEqual(refused)
    expect(await answerTo(more, { level: 1 })).toEqual([200, '{"level":1}'])
  })
})

describe('exactly one of several', () => {
  const spec = {
    params: { label_id: t.integer(), name: t.string(), color: t.string() },
    exactlyOne: ['label_id', 'name'],
    atLeastOne: ['color'],
  }

  test('is required before other parameters', async () => {
    expect(await answerTo(spec, { label_id: '' })).toEqual([
      400,
      '{"message":"400 (Bad request) \\"label_id\\", \\"name\\" not given",' +
        '"error":"label_id, name are missing, exactly one parameter must be provided"}',
    ])
    expect(await answerTo(spec, { name: 'x', color: 'red' })).toEqual([200, '{"name":"x","color":"red"}'])
  })

  test('excludes the others', async () => {
    expect(await answerTo(spec, { label_id: 1, name: 'x', color: 'red' })).toEqual([
      400,
      '{"message":{"label_id":["are mutually exclusive"],"name":["are mutually exclusive"]},' +
        '"error":"label_id, name are mutually exclusive"}',
    ])
  })
})

describe('form B: invalid parameters', () => {
  const params = { sort: t.oneOf(['asc', 'desc']), level: t.integer(), name: t.string({ maxLength: 3, blank: false }) }

  test.each<[unknown, string]>([
    [{ sort: 'up' }, '{"message":{"sort":["does not have a valid value"]},"error":"sort does not have a valid value"}'],
    [{ level: 'x' }, '{"message":{"level":["is invalid"]},"error":"level is invalid"}'],
    [{ name: ' ' }, '{"message":{"name":["is empty"]},"error":"name is empty"}'],
    [
      { name: 'long' },
      '{"message":{"name":["is too long (maximum is 3 characters)"]},' +
        '"error":"name is too long (maximum is 3 characters)"}',
    ],
    [
      { name: 'long', sort: 'up' },
      '{"message":{"sort":["does not have a valid value"],"name":["is too long (maximum is 3 characters)"]},' +
        '"error":"sort does not have a valid value, name is too long (maximum is 3 characters)"}',
    ],
  ])('%j', async (body, expected) => {
    expect(await answerTo({ params }, body)).toEqual([400, expected])
  })

  test('a name of the language is a name', async () => {
    const hostile = JSON.parse('{"__proto__":"x"}')
    const definitions = Object.assign(Object.create(null), { constructor: t.integer(), ['__proto__']: t.integer() })
    expect(await answerTo({ params: definitions }, { constructor: 'x' })).toEqual([
      400,
      '{"message":{"constructor":["is invalid"]},"error":"constructor is invalid"}',
    ])
    expect((await answerTo({ params: definitions }, hostile))[0]).toBe(400)
  })

  test('those that exclude each other', async () => {
    const spec = {
      params: { assignee_id: t.integer(), assignee_username: t.string() },
      exclusive: [['assignee_id', 'assignee_username']],
    }
    expect(await answerTo(spec, { assignee_id: 1, assignee_username: 'u' })).toEqual([
      400,
      '{"message":{"assignee_id":["are mutually exclusive"],"assignee_username":["are mutually exclusive"]},' +
        '"error":"assignee_id, assignee_username are mutually exclusive"}',
    ])
    expect((await answerTo(spec, { assignee_id: '', assignee_username: 'u' }))[0]).toBe(200)
  })
})

describe('forms A and B at once', () => {
  test('`error` lists all in the order of declaration, `message` has form A', async () => {
    const params = { level: t.integer(), title: t.required(t.string()), sort: t.oneOf(['asc']) }
    expect(await answerTo({ params }, { sort: 'up', level: 'x' })).toEqual([
      400,
      '{"message":"400 (Bad request) \\"title\\" not given",' +
        '"error":"level is invalid, title is missing, sort does not have a valid value"}',
    ])
  })
})
