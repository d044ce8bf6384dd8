import type { Answer, Client, TestServer } from '../../testing/index.ts'
import { nodeAuthorization } from './protocol/token.ts'

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
