import { now, type Tx } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { isPathTaken } from '../../namespaces/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { labelOf } from '../addresses.ts'
import type { PagesSiteRow } from '../tables.ts'
import { insertSite, siteOfProject } from './store.ts'

const suffixBytes = 3
/** How often another name is tried where one is taken. Sixteen million suffixes leave hardly a second try. */
const mostTries = 20

async function createSite(platform: Platform, tx: Tx, project: ProjectRow, isUnique: boolean): Promise<PagesSiteRow> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const name = `${labelOf(project.path)}-${randomHex(suffixBytes)}`
    // The host of a namespace must not become that of a project.
    if (await isPathTaken(tx, name)) continue
    const row = { project_id: project.id, unique_name: name, unique_domain_enabled: isUnique }
    await insertSite(tx, { ...row, https_only: null, primary_domain_id: null, created_at: now(platform.clock) })
    const stored = await siteOfProject(tx, project.id)
    if (stored) return stored
  }
  throw new Error('no name is free for a site')
}

/** The site of a project, which is made when it is first asked for: its name then stays (contract 24, Pages: addresses). */
export async function requireSite(platform: Platform, project: ProjectRow): Promise<PagesSiteRow> {
  const { database, settings } = platform
  const known = await siteOfProject(database.read, project.id)
  if (known) return known
  const { pages_unique_domain_default_enabled: isUnique } = await settings.current()
  return database.write(async (tx) => {
    return (await siteOfProject(tx, project.id)) ?? (await createSite(platform, tx, project, isUnique))
  })
}
