import { failure, recordNotFound } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { randomToken } from '../../../infra/secrets/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { holdNode, updateNode } from './store.ts'

/** Credentials of a secondary (contract 15, Credentials). */
export type NodeCredentials = { access_key: string; secret_access_key: string }

const accessKeyCharacters = 20
const secretCharacters = 43

/** A secret is bound to its key, so that the two cannot be combined otherwise. */
const sealingContext = (accessKey: string) => `geo_nodes:${accessKey}:sealed_secret`

/** New credentials, and the columns that store them. */
export async function makeCredentials({ secrets }: Platform) {
  const credentials: NodeCredentials = {
    access_key: randomToken('', accessKeyCharacters),
    secret_access_key: randomToken('', secretCharacters),
  }
  const { access_key, secret_access_key: secret } = credentials
  const sealed = (await secrets.sealer()).seal(secret, sealingContext(access_key))
  return { credentials, columns: { access_key, sealed_secret: sealed } }
}

/** The columns of a node without credentials. */
export const noCredentials = { access_key: null, sealed_secret: null }

/** The secret of a stored key. */
export async function secretOf({ secrets }: Platform, accessKey: string, sealed: string): Promise<string> {
  return (await secrets.sealer()).open(sealed, sealingContext(accessKey))
}

const refusedForPrimary = () => failure(400, '400 Bad request - The primary node has no credentials')

/**
 * Issues new credentials; a former pair ends at once (x.geo_credentials.create).
 * @throws ApiError 404; 400 for the primary
 */
export async function issueCredentials(platform: Platform, id: number, act: Act): Promise<NodeCredentials> {
  const { database, clock } = platform
  const { credentials, columns } = await makeCredentials(platform)
  await database.write(async (tx) => {
    const node = await holdNode(tx, id)
    if (!node) throw recordNotFound()
    if (node.is_primary) throw refusedForPrimary()
    await updateNode(tx, id, { ...columns, updated_at: now(clock) })
    await act(tx, id)
  })
  return credentials
}

/** Ends the credentials of a node; none may be left (x.geo_credentials.delete). @throws ApiError 404; 400 for the primary */
export async function revokeCredentials({ database, clock }: Platform, id: number, act: Act): Promise<void> {
  await database.write(async (tx) => {
    const node = await holdNode(tx, id)
    if (!node) throw recordNotFound()
    if (node.is_primary) throw refusedForPrimary()
    if (node.access_key === null) return
    await updateNode(tx, id, { ...noCredentials, updated_at: now(clock) })
    await act(tx, id)
  })
}
