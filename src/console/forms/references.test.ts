import { expect, test } from 'vitest'
import { notFound, type Operation } from '../../api/index.ts'
import { referenceOf, withIds } from './references.ts'
import { type Schema, schemaOf } from './schema.ts'

const integer = { type: 'integer' }
const entry = { type: 'object', properties: { access_level: integer, user_id: integer, group_id: integer } }
const schemas: Record<string, Schema> = {
  user_id: schemaOf(integer),
  assignee_ids: schemaOf({ type: 'array', items: integer }),
  target_project_id: schemaOf(integer),
  namespace_id: schemaOf(integer),
  milestone_id: schemaOf(integer),
  allowed_to_push: schemaOf({ type: 'array', items: entry }),
  ref: schemaOf({ type: 'string' }),
  user: schemaOf({ type: 'string' }),
}

const asked: string[] = []
const known: Record<string, unknown> = { alice: 7, 'a/b': 8 }
async function read({ id }: Operation, call: Readonly<Record<string, unknown>>): Promise<unknown> {
  const name = String(call.username ?? call.id)
  asked.push(`${id} ${name}`)
  if (id === 'users.list') return { items: name in known ? [{ id: known[name] }] : [] }
  if (!(name in known)) throw notFound('Group')
  return { id: known[name] }
}

test.each([
  ['user_id', 'user'],
  ['assignee_ids', 'user'],
  ['target_project_id', 'project'],
  ['namespace_id', 'namespace'],
  ['milestone_id', null],
  ['ref', 'branch'],
  ['user', null],
] as const)('%s is the id of: %s', (name, reference) => {
  expect(referenceOf(name, schemas[name] as Schema)).toBe(reference)
})

test.each([
  [{ user_id: 'alice' }, { user_id: 7 }, ['users.list alice']],
  [{ user_id: '@alice' }, { user_id: 7 }, ['users.list alice']],
  [{ user_id: '12' }, { user_id: '12' }, []],
  [{ assignee_ids: ['alice', '3'] }, { assignee_ids: [7, '3'] }, ['users.list alice']],
  [{ target_project_id: 'a/b' }, { target_project_id: 8 }, ['projects.get a/b']],
  [{ namespace_id: '/a/b' }, { namespace_id: 8 }, ['namespaces.get a/b']],
  [
    { allowed_to_push: [{ user_id: 'alice' }, { group_id: 'a/b', access_level: '30' }] },
    { allowed_to_push: [{ user_id: 7 }, { group_id: 8, access_level: '30' }] },
    ['users.list alice', 'groups.get a/b'],
  ],
  [{ ref: 'alice', user: 'alice', milestone_id: 'x' }, { ref: 'alice', user: 'alice', milestone_id: 'x' }, []],
])('%j is sent as %j', async (call, expected, operations) => {
  asked.length = 0
  expect(await withIds(call, schemas, read)).toEqual(expected)
  expect(asked).toEqual(operations)
})

test.each([
  [{ user_id: 'bob' }, { user_id: ['names no user “bob”'] }],
  [{ allowed_to_push: [{ group_id: 'none' }] }, { allowed_to_push: ['names no group “none”'] }],
])('%j is refused', async (call, message) => {
  await expect(withIds(call, schemas, read)).rejects.toMatchObject({ status: 400, body: { message } })
})

test('what the server cannot answer is no wrong name', async () => {
  const failing = withIds({ user_id: 'alice' }, schemas, () => Promise.reject(new Error('gone')))
  await expect(failing).rejects.toThrow('gone')
})
