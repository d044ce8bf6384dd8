import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type Answer, type Client, startTestServer, type TestServer } from '../../testing/index.ts'
import { nodeAuthorization } from './protocol/credentials/token.ts'
import type { ReplicableType } from './types.ts'

/** Credentials as an operation has answered them. */
export type Issued = { access_key: string; secret_access_key: string }

/** The record of the server itself as the primary. */
export async function makePrimary({ url, root }: Pick<TestServer, 'url' | 'root'>): Promise<Answer['body']> {
  return (await root.post('/geo_sites', { name: url, url, primary: true })).body
}

/** Deletes all records, so that the server is no primary any more. */
export async function removeNodes({ root }: Pick<TestServer, 'root'>): Promise<void> {
  for (const { id } of (await root.get('/geo_sites?per_page=100')).body) await root.delete(`/geo_sites/${id}`)
}

/** The record of a secondary with its credentials. */
export async function makeSecondary(
  root: Client,
  node: { name: string; url: string } & Record<string, unknown>,
): Promise<{ id: number; credentials: Issued }> {
  const { id } = (await root.post('/geo_sites', node)).body
  const { body: credentials } = await root.post(`/geo_nodes/${id}/credentials`)
  return { id, credentials }
}

/** The headers with which a node calls the protocol. */
export function signedBy({ access_key: accessKey, secret_access_key: secret }: Issued, now = new Date()) {
  return { headers: { Authorization: nodeAuthorization({ accessKey, secret }, now) } }
}

/** A connection between two servers that can be cut and restored. */
export type Link = AsyncDisposable & { url: string; cut(): void; restore(): void }

/** Listens and passes bytes on to a server. */
export async function linkTo(url: string): Promise<Link> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((incoming) => {
    if (isCut) return void incoming.destroy()
    const outgoing = connect(Number(port), hostname)
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          incoming.destroy()
          outgoing.destroy()
        })
    }
    incoming.pipe(outgoing).pipe(incoming)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    restore: () => {
      isCut = false
    },
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Settings of a secondary whose loops are fast. */
export const secondarySettings = (link: Link, { access_key, secret_access_key }: Issued) => ({
  FENNEC_GEO_ROLE: 'secondary',
  FENNEC_GEO_NODE_NAME: 'second',
  FENNEC_GEO_PRIMARY_URL: link.url,
  FENNEC_GEO_ACCESS_KEY: access_key,
  FENNEC_GEO_SECRET_ACCESS_KEY: secret_access_key,
  FENNEC_GEO_POLL_SECONDS: '0.2',
  FENNEC_GEO_STATUS_SECONDS: '0.3',
  FENNEC_GEO_RETRY_BASE_SECONDS: '0.3',
})

/** A primary, and a secondary that reaches it by a link. */
export type Pair = AsyncDisposable & { primary: TestServer; secondary: TestServer; link: Link; nodeId: number }

/** Starts a primary and its secondary, whose record names the address at which clients reach it. */
export async function startPair(): Promise<Pair> {
  await using started = new AsyncDisposableStack()
  const primary = started.use(await startTestServer({}))
  await makePrimary(primary)
  const { id: nodeId, credentials } = await makeSecondary(primary.root, { name: 'second', url: 'http://second.test' })
  const link = started.use(await linkTo(primary.url))
  const secondary = started.use(await startTestServer({ settings: secondarySettings(link, credentials) }))
  await primary.root.put(`/geo_sites/${nodeId}`, { url: secondary.url })
  const resources = started.move()
  return { primary, secondary, link, nodeId, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** The part of a report that says that all items of a type are copied and verified. */
export const allCopied = (type: ReplicableType, count: number) => ({
  [`${type}_count`]: count,
  [`${type}_synced_count`]: count,
  [`${type}_verified_count`]: count,
})
