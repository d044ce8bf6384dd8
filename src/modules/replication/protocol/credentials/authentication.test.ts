import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../../testing/index.ts'
import { updateNode } from '../../nodes/store.ts'
import type { NodeChanges } from '../../tables.ts'
import { type Issued, makePrimary, makeSecondary, removeNodes, signedBy } from '../../testing.ts'
import { callingNode, nodeOfToken } from './authentication.ts'

let server: TestServer
let nodeId: number
let credentials: Issued

beforeAll(async () => {
  server = await startTestServer()
})
beforeEach(async () => {
  await makePrimary(server)
  const made = await makeSecondary(server.root, { name: 'second', url: 'http://second.test' })
  nodeId = made.id
  credentials = made.credentials
})
afterEach(() => removeNodes(server))
afterAll(() => server.stop())

const nodeOf = (authorization?: string) =>
  nodeOfToken(server.app.platform, { headers: authorization === undefined ? {} : { authorization } })
const tokenOf = (issued: Issued) => signedBy(issued).headers.Authorization
const refused = { status: 401, body: { message: '401 Unauthorized - Geo JWT authentication failed' } }
const change = (changes: NodeChanges) => server.app.platform.database.write((tx) => updateNode(tx, nodeId, changes))

test('a secondary is known by its token', async () => {
  expect(await nodeOf(tokenOf(credentials))).toMatchObject({ id: nodeId, name: 'second' })
  // What it sends is not limited as what unknown callers send.
  expect(callingNode().identifiesCaller).toBe(true)
})

test.each([undefined, '', 'Bearer x'])('%j is no token of a node', async (text) => {
  expect(await nodeOf(text)).toBeNull()
})

test.each(['Fennec-Geo', 'Fennec-Geo x', 'Fennec-Geo unknown:a.b.c'])('%j is refused', async (text) => {
  await expect(nodeOf(text)).rejects.toMatchObject(refused)
})

test('the token of another secret is refused', async () => {
  const other = { ...credentials, secret_access_key: `${credentials.secret_access_key}x` }
  await expect(nodeOf(tokenOf(other))).rejects.toMatchObject(refused)
})

test.each<[string, NodeChanges]>([
  ['the record of a primary', { is_primary: true }],
  ['a record without a secret', { sealed_secret: null }],
])('the key of %s is refused', async (_name, changes) => {
  await server.app.platform.database.write((tx) => tx.updateTable('geo_nodes').set({ is_primary: false }).execute())
  await change(changes)
  await expect(nodeOf(tokenOf(credentials))).rejects.toMatchObject(refused)
})

test('other credentials beside the token do not count', async () => {
  const { headers } = signedBy(credentials)
  const answer = await server.anonymous.get('/geo/node', { headers: { ...headers, 'PRIVATE-TOKEN': 'nonsense' } })
  expect(answer.status).toBe(200)
})
