import { type Actor, failure, recordNotFound, type StreamedJson, streamedJson } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import { now } from '../../../infra/database/index.ts'
import { enqueue, type Platform } from '../../../platform/index.ts'
import { may } from '../../projects/index.ts'
import { deletionProtected } from '../access/problems.ts'
import type { PackageProject } from '../access/rights.ts'
import { isProtected } from '../protection/rules.ts'
import { rowsAtOnce, separated, streamOfPieces } from '../reading/portions.ts'
import { removePackagesJob } from '../removal/removal.ts'
import type { PackageRow } from '../tables.ts'
import { loadPackages } from './load.ts'
import { PackageVersion, type PresentedSinglePackage, SinglePackage } from './present.ts'
import * as store from './store.ts'
import { isDisplayable } from './words.ts'

/** What the caller may do, for the links of packages. */
export const projectOf = (project: PackageProject, actor: Actor) =>
  new Map([[project.id, { fullPath: project.full_path, mayDelete: may(actor, project, 'delete_packages') }]])

/** A package of a project whose deletion has not begun. @throws ApiError 404 */
export async function requirePackage({ database }: Platform, project: PackageProject, id: number): Promise<PackageRow> {
  const found = await store.packageOfProject(database.read, project.id, id)
  if (!found) throw recordNotFound()
  return found
}

/** A package with the other versions of its name, of which there may be many (contract 23, x.packages_get). @throws ApiError 404 */
export async function getPackage(platform: Platform, project: PackageProject, actor: Actor, id: number) {
  const found = await requirePackage(platform, project, id)
  if (!isDisplayable(found)) throw failure(404, 'Package not found')
  const projects = projectOf(project, actor)
  const first = await otherVersions(platform, found, undefined)
  const { shown, view } = await loadPackages(platform, [found, ...first.rows], projects)
  const [own, ...versions] = shown
  if (!own) throw recordNotFound()
  const presented = SinglePackage.present({ ...own, versions }, view)
  if (first.last === undefined) return presented
  return streamPackage(presented, async function* () {
    for (let after = first.last; after !== undefined; ) {
      const next = await otherVersions(platform, found, after)
      const loaded = await loadPackages(platform, next.rows, projects)
      yield loaded.shown.map((row) => PackageVersion.present(row, loaded.view))
      after = next.last
    }
  })
}

/** Other versions of the name of a package, by version. @returns also the last one that was read, if more may follow */
async function otherVersions({ database }: Platform, found: PackageRow, after: string | undefined) {
  const name = { type: found.package_type, nameKey: found.name_key }
  const rows = await store.versionsOf(database.read, found.project_id, name, { after, limit: rowsAtOnce })
  const last = rows.length < rowsAtOnce ? undefined : rows.at(-1)?.version
  return { rows: rows.filter(({ id }) => id !== found.id), last }
}

/** A package whose further versions are read while it is sent. */
function streamPackage(
  { versions, ...presented }: PresentedSinglePackage,
  further: () => AsyncIterable<readonly object[]>,
): StreamedJson {
  async function* texts() {
    yield versions.map((version) => JSON.stringify(version))
    for await (const portion of further()) yield portion.map((version) => JSON.stringify(version))
  }
  async function* json() {
    yield `${JSON.stringify(presented).slice(0, -1)},"versions":[`
    yield* separated(texts())
    yield ']}'
  }
  return streamedJson({ headers: {}, body: async () => streamOfPieces(json()) })
}

/** @throws ApiError 403 when a rule protects the package from the caller's deletions */
export async function requireDeletable(
  platform: Platform,
  project: PackageProject,
  actor: Actor,
  { package_type: type, name }: PackageRow,
): Promise<void> {
  if (await isProtected(platform, project, actor, { type, name, action: 'delete' })) throw deletionProtected()
}

/** Begins the deletion of a package whose row is locked: nothing shows it from now on, and its name and version are free. */
export async function beginDeletion(platform: Platform, tx: Tx, row: PackageRow): Promise<void> {
  await store.deleteTagsOf(tx, row.id)
  await store.updatePackage(tx, row.id, { status: 'pending_destruction', updated_at: now(platform.clock) })
  await store.renewGeneration(tx, row)
  await enqueue(platform, tx, removePackagesJob, null, { uniqueKey: 'all' })
}

/** Deletes a package (contract 23, x.packages_delete). @throws ApiError 403, 404; 412 by `unmodified` */
export async function deletePackage(
  platform: Platform,
  project: PackageProject,
  actor: Actor,
  { id, unmodified }: { id: number; unmodified: (at: string) => void },
): Promise<void> {
  const found = await requirePackage(platform, project, id)
  await requireDeletable(platform, project, actor, found)
  await platform.database.write(async (tx) => {
    const held = await store.lockPackage(tx, id)
    if (!held) throw recordNotFound()
    unmodified(held.updated_at)
    await beginDeletion(platform, tx, held)
  })
}
