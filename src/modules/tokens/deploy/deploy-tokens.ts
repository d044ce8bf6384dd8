import {
  type Actor,
  failure,
  type PageRequest,
  recordNotFound,
  requireSignedIn,
  type Unmodified,
} from '../../../api/index.ts'
import { jsonText, now } from '../../../infra/database/index.ts'
import { hashToken, randomToken } from '../../../infra/secrets/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { memberColumnOf } from '../../access/index.ts'
import type { NewDeployToken as WantedDeployToken } from '../params.ts'
import { DeployToken, NewDeployToken } from '../present.ts'
import type { TokenResource } from '../resource/store.ts'
import { asSentence, problemsOf, requireNoProblems } from '../validation.ts'
import { deployTokenById, insertDeployToken, pageOfDeployTokens, removeDeployToken } from './store.ts'

const usernamePattern = /^[\w.+-]+$/
const longestUsername = 255

/** @throws ApiError 400 */
function requireUsername(username: string): void {
  if (!usernamePattern.test(username)) {
    throw failure(400, "Username can contain only letters, digits, '_', '-', '+', and '.'")
  }
  if (username.length > longestUsername) {
    throw failure(400, `Username is too long (maximum is ${longestUsername} characters)`)
  }
}

/** @throws ApiError 404 */
async function requireToken({ database }: Platform, { kind, id }: TokenResource, tokenId: number) {
  const token = await deployTokenById(database.read, tokenId)
  const owner = kind === 'project' ? token?.project_id : token?.namespace_id
  if (!token || owner !== id) throw recordNotFound()
  return token
}

/** @param resource null for the deploy tokens of the whole instance */
export async function listDeployTokens(
  { database, clock }: Platform,
  resource: TokenResource | null,
  { active = false }: { active?: boolean },
  page: PageRequest,
) {
  const found = await pageOfDeployTokens(database.read, resource, active ? now(clock) : undefined, page)
  return { ...found, items: found.items.map((row) => DeployToken.present(row, clock.now())) }
}

/** @throws ApiError 404 */
export async function getDeployToken(platform: Platform, resource: TokenResource, tokenId: number) {
  return DeployToken.present(await requireToken(platform, resource, tokenId), platform.clock.now())
}

/** @throws ApiError 400 when name, scopes or username are invalid */
export async function createDeployToken(
  { database, clock }: Platform,
  resource: TokenResource,
  { actor, act }: { actor: Actor; act: Act },
  { name, scopes, expires_at: expiresAt, username = '' }: WantedDeployToken,
) {
  const { userId } = requireSignedIn(actor)
  requireNoProblems(problemsOf({ name, scopes }, { earliest: null, latest: null }), asSentence)
  if (username.trim() !== '') requireUsername(username)
  const text = randomToken('gldt-')
  const row = await database.write(async (tx) => {
    const added = await insertDeployToken(tx, {
      [memberColumnOf(resource)]: resource.id,
      name,
      username: username.trim(),
      digest: hashToken(text),
      scopes: jsonText(scopes),
      expires_at: expiresAt ?? null,
      created_by_id: userId,
      created_at: now(clock),
    })
    await act(tx, added.id)
    return added
  })
  return NewDeployToken.present({ ...row, token: text }, clock.now())
}

/** @throws ApiError 404 */
export async function deleteDeployToken(
  platform: Platform,
  resource: TokenResource,
  tokenId: number,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  const token = await requireToken(platform, resource, tokenId)
  unmodified(token.created_at)
  await platform.database.write(async (tx) => {
    if (!(await removeDeployToken(tx, token.id))) throw recordNotFound()
    await act(tx, token.id)
  })
}
