import { type Actor, failure, type Page, type PageRequest, recordNotFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, jsonText, now } from '../../infra/database/index.ts'
import { hashToken, randomToken } from '../../infra/secrets/index.ts'
import { callerOf, type RequireUnmodified } from './personal.ts'
import { presentDeployToken } from './present.ts'
import { asSentence, problemsOf, requireNoProblems } from './problems.ts'
import type { TokenPlace } from './store/bots.ts'
import { deleteDeployToken, deployTokenById, insertDeployToken } from './store/deploy-tokens.ts'
import { listDeployTokens } from './store/listing.ts'
import type { DeployTokenRow } from './tables.ts'

type Presented = ReturnType<typeof presentDeployToken>

export type WantedDeployToken = {
  name: string
  scopes: readonly string[]
  /** ISO text with milliseconds. */
  expires_at?: string
  username?: string
}

export type DeployTokens = ReturnType<typeof createDeployTokens>

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

function rangeOf(place: TokenPlace | null) {
  if (!place) return {}
  return place.kind === 'project' ? { projectId: place.id } : { namespaceId: place.id }
}

/** The rules of deploy tokens, which open repositories and registry to machines (contract 20, x.*_deploy_tokens_*). */
export function createDeployTokens({ database, clock }: { database: Database; clock: Clock }) {
  const db = database.read
  const present = (row: DeployTokenRow): Presented => presentDeployToken(row, clock.now())

  /** @throws ApiError 404 */
  async function addressed(place: TokenPlace, id: number): Promise<DeployTokenRow> {
    const token = await deployTokenById(db, id)
    const owner = place.kind === 'project' ? token?.project_id : token?.namespace_id
    if (!token || owner !== place.id) throw recordNotFound()
    return token
  }

  return {
    /** @param place null for those of the whole instance */
    async list(
      place: TokenPlace | null,
      { active = false }: { active?: boolean },
      page: PageRequest,
    ): Promise<Page<Presented>> {
      const activeAt = active ? now(clock) : undefined
      const found = await listDeployTokens(db, { ...rangeOf(place), activeAt }, page)
      return { ...found, items: found.items.map(present) }
    },

    async get(place: TokenPlace, id: number): Promise<Presented> {
      return present(await addressed(place, id))
    },

    /** @throws ApiError 400 when name, scopes or user name are not to be had */
    async create(place: TokenPlace, actor: Actor, wanted: WantedDeployToken): Promise<Presented & { token: string }> {
      const { userId } = callerOf(actor)
      const { expires_at: expiresAt = null, username = '', ...rest } = wanted
      requireNoProblems(problemsOf(rest, null), asSentence)
      if (username.trim() !== '') requireUsername(username)
      const text = randomToken('gldt-')
      const row = await database.write((tx) =>
        insertDeployToken(tx, {
          project_id: place.kind === 'project' ? place.id : null,
          namespace_id: place.kind === 'group' ? place.id : null,
          name: wanted.name,
          username: username.trim(),
          digest: hashToken(text),
          scopes: jsonText(wanted.scopes),
          expires_at: expiresAt,
          created_by_id: userId,
          created_at: now(clock),
        }),
      )
      return { ...present(row), token: text }
    },

    async remove(place: TokenPlace, id: number, requireUnmodifiedSince: RequireUnmodified): Promise<void> {
      const token = await addressed(place, id)
      requireUnmodifiedSince(token.created_at)
      if (!(await database.write((tx) => deleteDeployToken(tx, token.id)))) throw recordNotFound()
    },
  }
}
