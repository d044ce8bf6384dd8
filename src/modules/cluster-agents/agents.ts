import {
  type Actor,
  badRequest,
  type PageRequest,
  recordNotFound,
  requireSignedIn,
  type Unmodified,
} from '../../api/index.ts'
import { claim, isUniqueViolation, now, type Reader } from '../../infra/database/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import { type Project, projectSummaries } from '../projects/index.ts'
import { ClusterAgent } from './present.ts'
import * as store from './store.ts'
import type { ClusterAgentRow } from './tables.ts'

const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const longestName = 63
const malformed = "Name can contain only lowercase letters, digits, and '-', but cannot start or end with '-'"

/** 400 with one sentence, as a list of JSON behind the dash (contract 26.13). */
export const refusal = (sentence: string) => badRequest(JSON.stringify([sentence]))

/** An agent of a project. @throws ApiError 404 */
export async function requireAgent(db: Reader, project: Project, id: number): Promise<ClusterAgentRow> {
  const row = await store.agentById(db, id)
  if (row?.project_id !== project.id) throw recordNotFound()
  return row
}

/** Presents agents of one project. */
async function presentAll(db: Reader, { id }: Project, rows: readonly ClusterAgentRow[]) {
  const project = (await projectSummaries(db, [id])).get(id)
  if (!project) throw recordNotFound()
  return rows.map((row) => ClusterAgent.present(row, { project }))
}

async function presentOne(db: Reader, project: Project, row: ClusterAgentRow) {
  const [shown] = await presentAll(db, project, [row])
  if (!shown) throw recordNotFound()
  return shown
}

/** A page of the agents of a project, by name (contract 26, x.agent_list). */
export async function listAgents({ database }: Platform, project: Project, page: PageRequest) {
  const found = await store.pageOfAgents(database.read, project.id, page)
  return { ...found, items: await presentAll(database.read, project, found.items) }
}

/** One agent (contract 26, x.agent_get). @throws ApiError 404 */
export async function getAgent({ database }: Platform, project: Project, id: number) {
  return presentOne(database.read, project, await requireAgent(database.read, project, id))
}

/** Registers an agent (contract 26, x.agent_create). @throws ApiError 400 */
export async function createAgent(
  { database, clock }: Platform,
  project: Project,
  { actor, act }: { actor: Actor; act: Act },
  name: string,
) {
  const { userId } = requireSignedIn(actor)
  if (name.length > longestName || !namePattern.test(name)) throw refusal(malformed)
  const row = await database
    .write(async (tx) => {
      const values = { project_id: project.id, name, created_by_id: userId, created_at: now(clock) }
      const added = await store.insertAgent(tx, values)
      await act(tx, added.id)
      return added
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? refusal('Name has already been taken') : error
    })
  return presentOne(database.read, project, row)
}

/** Deletes an agent with its tokens (contract 26, x.agent_delete). @throws ApiError 404, 412 */
export async function deleteAgent(
  { database }: Platform,
  project: Project,
  id: number,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'cluster_agents', () => requireAgent(tx, project, id))
    unmodified(row.created_at)
    await store.deleteAgent(tx, row.id)
    await act(tx, row.id)
  })
}
