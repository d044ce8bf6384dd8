import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makePeople, type People, startTestServer, type TestServer } from '../../testing/index.ts'
import { ed25519Line } from '../keys/testing.ts'
import type { NamespaceRow } from '../namespaces/index.ts'

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())

let group: NamespaceRow
let path: string
let count = 0
beforeEach(async () => {
  count += 1
  group = await server.make.group(`team${count}`, people.owner)
  path = `/groups/${group.id}/ssh_certificates`
})

let keys = 0
const newLine = () => {
  keys += 1
  return ed25519Line(`authority ${keys}`)
}
const create = (body: object) => people.owner.post(path, body)
const refused = (message: unknown) => ({ status: 400, body: { message } })

test('certificates are created, listed by id in pages, and deleted once', async () => {
  const [line, other] = [newLine(), newLine()]
  const { status, body } = await create({ title: 'Office', key: `  ${line}\n` })
  expect([status, body]).toEqual([
    201,
    { id: expect.any(Number), title: 'Office', key: line, created_at: expect.any(String) },
  ])
  const second = (await create({ title: '😀'.repeat(256), key: other })).body
  const listed = await people.owner.get(`${path}?per_page=1&page=2`)
  expect([listed.body, listed.headers.get('x-total')]).toEqual([[second], '2'])
  const both = await Promise.all([1, 2].map(() => people.owner.delete(`${path}/${body.id}`)))
  expect(both.map(({ status }) => status).sort()).toEqual([204, 404])
  expect(await people.owner.delete(`${path}/${body.id}`)).toMatchObject({
    status: 404,
    body: { message: '404 SSH Certificate Not Found' },
  })
  expect((await people.owner.get(path)).body).toEqual([second])
})

describe('a certificate is refused', () => {
  test('without a key or a title', async () => {
    expect((await create({ title: 'a' })).body.error).toBe('key is missing')
    expect((await create({ key: newLine() })).body.error).toBe('title is missing')
    expect(await create({ key: newLine(), title: ' ' })).toMatchObject(refused({ title: ["can't be blank"] }))
    expect(await create({ key: 'x', title: 'a'.repeat(257) })).toMatchObject(
      refused({ key: ['Invalid key'], title: ['is too long (maximum is 256 characters)'] }),
    )
  })

  test.each([
    '',
    'ssh-ed25519',
    'ssh-ed25519 AAAA',
    'ssh-dss AAAAB3NzaC1kc3M=',
    '-----BEGIN OPENSSH PRIVATE KEY-----',
    'cert-authority ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    `ssh-ed25519-cert-v01@openssh.com ${Buffer.from('\0\0\0 ssh-ed25519-cert-v01@openssh.com').toString('base64')}`,
  ])('for the key %j', async (key) => {
    const { status, body } = await create({ title: 'a', key })
    expect([status, body]).toEqual([400, { message: { key: ['Invalid key'] } }])
  })

  test('when the settings of the instance do not accept its key', async () => {
    await server.root.put('/application/settings', { ed25519_key_restriction: -1 })
    try {
      expect(await create({ title: 'a', key: newLine() })).toMatchObject(refused({ key: ['Invalid key'] }))
    } finally {
      await server.root.put('/application/settings', { ed25519_key_restriction: 0 })
    }
  })

  test('when its key is configured anywhere, also by two at once', async () => {
    const fingerprint = ['must be unique. This CA has already been configured for another namespace.']
    const line = newLine()
    const both = await Promise.all([1, 2].map(() => create({ title: 'a', key: line })))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
    const other = await server.make.group(`other${count}`, people.owner)
    const elsewhere = await people.owner.post(`/groups/${other.id}/ssh_certificates`, { title: 'a', key: `${line} b` })
    expect(elsewhere).toMatchObject(refused({ fingerprint }))
  })

  test('when the group has 20, also of many at once', async () => {
    for (let made = 0; made < 18; made += 1) expect((await create({ title: 'a', key: newLine() })).status).toBe(201)
    const answers = await Promise.all([1, 2, 3, 4].map(() => create({ title: 'a', key: newLine() })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400])
    const base = ['Maximum number of SSH certificates (20) exceeded']
    expect(await create({ title: 'a', key: newLine() })).toMatchObject(refused({ base }))
  })
})

test('subgroups have no certificates, and groups not those of others', async () => {
  const subgroup = await server.make.group('below', people.owner, { parent: group })
  const below = `/groups/${subgroup.id}/ssh_certificates`
  const forbidden = { status: 403, body: { message: '403 Forbidden' } }
  expect(await people.owner.get(below)).toMatchObject(forbidden)
  expect(await people.owner.post(below, { title: 'a', key: newLine() })).toMatchObject(forbidden)
  const { body } = await create({ title: 'a', key: newLine() })
  expect(await people.owner.delete(`${below}/${body.id}`)).toMatchObject(forbidden)
  const other = await server.make.group(`other${count}`, people.owner)
  expect((await people.owner.delete(`/groups/${other.id}/ssh_certificates/${body.id}`)).status).toBe(404)
  expect((await people.owner.delete(`${path}/9007199254740993`)).status).toBe(404)
})

test('certificates go with the group', async () => {
  const line = newLine()
  await create({ title: 'a', key: line })
  const { database } = server.app.platform
  await database.write((tx) => tx.deleteFrom('namespaces').where('id', '=', group.id).execute())
  const other = await server.make.group(`other${count}`, people.owner)
  const again = await people.owner.post(`/groups/${other.id}/ssh_certificates`, { title: 'a', key: line })
  expect(again.status).toBe(201)
})
